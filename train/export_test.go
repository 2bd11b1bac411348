package train

import (
	"context"

	"github.com/bochner-go/bochner/train/data"
)

// FoldsOf are the rows of each fold of a set.
func FoldsOf(set *data.Set, folds int, seed uint64) [][]int {
	p := must(Recipe{Scale: "none"}.labelled(context.Background(), set))
	return must(p.job(context.Background(), CVOptions{Folds: folds, Seed: seed})).Order
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
