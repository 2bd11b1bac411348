package train

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
)

// FoldsOf are the rows of each fold of a set.
func FoldsOf(set *data.Set, folds int, seed uint64) ([][]int, error) {
	p, err := Recipe{}.labelled(context.Background(), set)
	if err != nil {
		return nil, err
	}
	job, err := p.job(context.Background(), CVOptions{Folds: folds, Seed: seed})
	if err != nil {
		return nil, err
	}
	return job.Order, nil
}

// CrossValidate scores candidates on pairs as they are.
func CrossValidate(ctx context.Context, candidates []Candidate, rows data.Pairs, f fits.Fitter, o CVOptions) (*Scores,
	error) {
	set := &data.Set{X: rows.X}
	if rows.Y != nil {
		set.Y = rows.Y.RawMatrix().Data
		for j := range rows.Y.RawMatrix().Cols {
			set.LabelNames = append(set.LabelNames, fmt.Sprint(j))
		}
	}
	r := Recipe{Fitter: f}
	if len(candidates) > 0 {
		r.Spec = candidates[0].Spec
	}
	return r.CrossValidate(ctx, set, candidates, o)
}
