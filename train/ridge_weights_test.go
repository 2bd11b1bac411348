package train

import (
	"context"
	"math"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	fixtures "github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
)

// TestCrossValidateRidgeWeights: the scores are those of weighted fits and weighted errors.
func TestCrossValidateRidgeWeights(t *testing.T) {
	const folds, seed = 3, 5
	x, y, _ := fixtures.Overlapping(t, 61, 4, 3)
	r, err := CrossValidate(context.Background(), []Candidate{{Spec: layers.Spec{Map: "linear"}}}, data.Pairs{X: x, Y: y}, linear.RidgeOptions{ClassWeights: fixtures.ClassTimes}, CVOptions{Lambdas: []float64{2}, Folds: folds, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	prepared := &prepared{rows: data.Pairs{X: x, Y: y}, n: 61}
	job, err := prepared.job(t.Context(), CVOptions{Folds: folds, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.
	for f, fold := range job.Order {
		rest := job.Rest(f)
		head, err := linear.FitRidge(context.Background(), nil, data.Pairs{X: data.Rows(x, rest), Y: fixtures.TakeRows(y, rest)}, linear.RidgeOptions{Lambdas: job.Relative([]float64{2}, len(rest)), ClassWeights: fixtures.ClassTimes})
		if err != nil {
			t.Fatal(err)
		}
		var held linear.RidgeStats
		x2, y2 := fixtures.Repeated(data.Rows(x, fold), fixtures.TakeRows(y, fold))
		if err := held.Add(x2, y2); err != nil {
			t.Fatal(err)
		}
		mse, err := held.MSE(head)
		if err != nil {
			t.Fatal(err)
		}
		want += mse / folds
	}
	if math.Abs(r.All[0].MSE/want-1) > 1e-10 {
		t.Errorf("%+v, by hand %v", r.All[0], want)
	}
}
