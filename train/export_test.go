package train

import (
	"context"

	"github.com/bochner-go/bochner/train/data"
)

// FoldsOf are the rows of each fold of a set.
func FoldsOf(set *data.Set, folds int, seed uint64) ([][]int, error) {
	p, err := Recipe{Scale: "none"}.labelled(context.Background(), set)
	if err != nil {
		return nil, err
	}
	job, err := p.job(context.Background(), CVOptions{Folds: folds, Seed: seed})
	if err != nil {
		return nil, err
	}
	return job.Order, nil
}
