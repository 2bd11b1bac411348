package train

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	fixtures "github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
)

// TestCrossValidateRowsThatAreRead: every head is scored on rows that are read, about as well as on rows in memory, whose folds are others.
func TestCrossValidateRowsThatAreRead(t *testing.T) {
	ctx := context.Background()
	x, y, _ := fixtures.Overlapping(t, 400, 3, 3)
	spec := layers.Spec{Map: "gaussian", Features: 24, Seed: 1, Sampler: "iid"}
	for name, h := range map[string]fits.Fitter{"ridge": linear.RidgeOptions{}, "svm": linear.SVMOptions{}, "svm, not kept": linear.SVMOptions{CacheBytes: -1}, "logistic": linear.LogisticOptions{},
		"softmax": sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 3, Batch: 32}, Head: "softmax"}} {
		o := CVOptions{Fitter: h, Folds: 4, Lambdas: []float64{.01}}
		want, err := CrossValidate(ctx, []Candidate{{Spec: spec}}, data.Pairs{X: x, Y: y}, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := CrossValidate(ctx, []Candidate{{Spec: spec}}, fixtures.InBlocks(t, x, y, 64), o); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%s, without a sample: %v", name, err)
		}
		o.Sample = x
		rows := data.Examples(fixtures.InBlocks(t, x, y, 64))
		if name == "softmax" { // whose graphs take dense rows
			rows = fixtures.Read{Pairs: data.Pairs{X: x, Y: y}}
		}
		got, err := CrossValidate(ctx, []Candidate{{Spec: spec}}, rows, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if g, w := got.Scores[0].Error, want.Scores[0].Error; math.Abs(g-w) > 4*(want.Scores[0].StdErr+got.Scores[0].StdErr) {
			t.Errorf("%s: the error is %v, and %v in memory", name, g, w)
		}
	}
}
