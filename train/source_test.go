package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
)

// TestFitsOfRowsThatAreRead: support vectors and logistic regression are the same of rows in memory and of rows that are read, with their
// features kept and mapped anew.
func TestFitsOfRowsThatAreRead(t *testing.T) {
	ctx := context.Background()
	x, y, _ := overlapping(t, 300, 3, 3)
	m, memory := fourier(t, 3, 24, 2), data.Pairs{X: x, Y: y}
	for _, cache := range []int64{0, -1} {
		weights := slices.Repeat([]float64{1}, y.RawMatrix().Cols)
		weights[0] = 2
		so := SVMOptions{Lambdas: []float64{.1}, CacheBytes: cache, ClassWeights: weights, Tol: 1e-8}
		lo := LogisticOptions{Lambdas: []float64{.1}, CacheBytes: cache, ClassWeights: weights, Tol: 1e-9}
		want, err := FitSVM(ctx, m, memory, so)
		if err != nil {
			t.Fatal(err)
		}
		smooth, err := FitLogistic(ctx, m, memory, lo)
		if err != nil {
			t.Fatal(err)
		}
		for name, rows := range map[string]data.Examples{"one block": Read{memory}, "blocks": inBlocks(t, x, y, 7, 64)} {
			got, err := FitSVM(ctx, m, rows, so)
			if err != nil || differ(&RidgeFit{W: got.W, B: got.B}, &RidgeFit{W: want.W, B: want.B}) > 1e-6 {
				t.Errorf("%s: another support vector machine, off by %.2g (%v)", name, differ(&RidgeFit{W: got.W, B: got.B}, &RidgeFit{W: want.W, B: want.B}), err)
			}
			l, err := FitLogistic(ctx, m, rows, lo)
			if err != nil || differ(&RidgeFit{W: l.W, B: l.B}, &RidgeFit{W: smooth.W, B: smooth.B}) > 1e-6 {
				t.Errorf("%s: another logistic regression (%v)", name, err)
			}
		}
		so.Lambdas, lo.Lambdas = []float64{1e-3, .1, 10}, []float64{1e-3, .1, 10}
		if got, err := FitSVM(ctx, m, inBlocks(t, x, y, 50), so); err != nil || len(got.Scores) != 3 {
			t.Errorf("no lambda is chosen: %v", err)
		}
		if got, err := FitLogistic(ctx, m, inBlocks(t, x, y, 50), lo); err != nil || len(got.Scores) != 3 {
			t.Errorf("no lambda is chosen: %v", err)
		}
	}
	bad := mat.DenseCopyOf(y)
	bad.Set(60, 0, math.NaN())
	if _, err := FitSVM(ctx, m, inBlocks(t, x, bad, 50), SVMOptions{}); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "row 60") {
		t.Error(err)
	}
}

// TestCrossValidateRowsThatAreRead: every head is scored on rows that are read, about as well as on rows in memory, whose folds are others.
func TestCrossValidateRowsThatAreRead(t *testing.T) {
	ctx := context.Background()
	x, y, _ := overlapping(t, 400, 3, 3)
	spec := layers.Spec{Map: "gaussian", Features: 24, Seed: 1, Sampler: "iid"}
	for name, h := range map[string]CVHead{"ridge": RidgeOptions{}, "svm": SVMOptions{}, "svm, not kept": SVMOptions{CacheBytes: -1}, "logistic": LogisticOptions{},
		"softmax": MiniBatch{FitOptions: FitOptions{Epochs: 3, Batch: 32}, Head: "softmax"}} {
		o := CVOptions{Fitter: h, Folds: 4, Lambdas: []float64{.01}}
		want, err := CrossValidate(ctx, []Candidate{{Spec: spec}}, data.Pairs{X: x, Y: y}, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := CrossValidate(ctx, []Candidate{{Spec: spec}}, inBlocks(t, x, y, 64), o); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%s, without a sample: %v", name, err)
		}
		o.Sample = x
		rows := data.Examples(inBlocks(t, x, y, 64))
		if name == "softmax" { // whose graphs take dense rows
			rows = Read{data.Pairs{X: x, Y: y}}
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
