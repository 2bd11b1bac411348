package linear

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
)

// TestFitsOfRowsThatAreRead: support vectors and logistic regression are the same of rows in memory and of rows that are read, with their
// features kept and mapped anew.
func TestFitsOfRowsThatAreRead(t *testing.T) {
	ctx := context.Background()
	x, y, _ := trial.Overlapping(t, 300, 3, 3)
	m, memory := trial.Fourier(t, 3, 24, 2), data.Pairs{X: x, Y: y}
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
		for name, rows := range map[string]data.Examples{"one block": trial.Read{Pairs: memory}, "blocks": trial.InBlocks(t, x, y, 7, 64)} {
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
		if got, err := FitSVM(ctx, m, trial.InBlocks(t, x, y, 50), so); err != nil || len(got.Scores) != 3 {
			t.Errorf("no lambda is chosen: %v", err)
		}
		if got, err := FitLogistic(ctx, m, trial.InBlocks(t, x, y, 50), lo); err != nil || len(got.Scores) != 3 {
			t.Errorf("no lambda is chosen: %v", err)
		}
	}
	bad := mat.DenseCopyOf(y)
	bad.Set(60, 0, math.NaN())
	if _, err := FitSVM(ctx, m, trial.InBlocks(t, x, bad, 50), SVMOptions{}); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "row 60") {
		t.Error(err)
	}
}
