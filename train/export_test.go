package train

import (
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/cv"
)

// FoldsOf are the rows of each fold of a set.
func FoldsOf(set *data.Set, folds int, seed uint64) ([][]int, error) {
	p := &Prepared{Model: &Model{}, Rows: set.Rows()}
	y, err := p.learnTargets(set)
	if err != nil {
		return nil, err
	}
	job := &cv.Job{N: p.Rows, Folds: folds, Y: y}
	err = CVOptions{Seed: seed}.deal(job)
	return job.Order, err
}
