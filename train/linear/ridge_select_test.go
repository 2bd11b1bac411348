package linear

import (
	"math"
	"testing"

	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestLeaveOneOut refits without each row in turn, at the effective lambda of all rows.
func TestLeaveOneOut(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{43, 7, 2}, {41, 37, 1}, {13, 31, 3}, {2, 1, 1}, {2, 5, 1}, {101, 71, 1}, {71, 101, 1}} {
		x, y := trial.Problem(c.n, c.d, c.k, 23)
		z := trial.MatOf(x)
		f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{10, 0.1, 1e-3}, Select: SelectLOO, BlockRows: 17})
		best := 0
		for l, s := range f.Scores {
			want := 0.0
			for i := range c.n {
				w, b := naive(z, y, s.Lambda*meanSpread(z), i)
				for q := range c.k {
					e := y.At(i, q) - b[q] - mat.Dot(z.RowView(i), w.ColView(q))
					want += e * e / float64(c.n*c.k)
				}
			}
			if e := math.Abs(s.MSE/want - 1); e > 1e-9 {
				t.Errorf("%+v lambda %g: %v, brute force %v, off by %.2g", c, s.Lambda, s.MSE, want, e)
			}
			if s.Better(f.Scores[best]) {
				best = l
			}
		}
		w, b := naive(z, y, f.Scores[best].Lambda*meanSpread(z), -1)
		if e := far(f, w, b); e > 1e-9 || f.Lambda != f.Scores[best].Lambda {
			t.Errorf("%+v: the fit at lambda %g is off by %.2g", c, f.Lambda, e)
		}
	}
}

// TestUnusableLambda: a lambda that leaves the system singular scores +Inf and another is chosen; so is one with which a
// row determines its own fit: with as many features as rows nothing is left of it.
func TestUnusableLambda(t *testing.T) {
	x, y := trial.Problem(23, 5, 1, 31)
	for i := range 23 {
		x.Float64s()[i*5+1] = x.Float64s()[i*5]
	}
	alone := tensor.New(tensor.WithShape(5, 2), tensor.WithBacking([]float64{1, 0, 1, 0, 2, 0, 3, 0, 4, 1})) // only row 4 has feature 1
	for name, c := range map[string]struct {
		x *tensor.Dense
		y *mat.Dense
		s Selection
	}{
		"LOO":      {x, y, SelectLOO},
		"leverage": {alone, mat.NewDense(5, 1, []float64{1, 2, 3, 4, 9}), SelectLOO},
	} {
		f := fit(t, nil, c.x, c.y, RidgeOptions{Lambdas: []float64{0, 0.1}, Select: c.s})
		if !math.IsInf(f.Scores[0].MSE, 1) || f.Lambda != 0.1 {
			t.Errorf("%s: %+v, chosen %g", name, f.Scores, f.Lambda)
		}
	}
}
