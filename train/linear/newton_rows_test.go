package linear

import (
	"math"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// newtonLosses are the problems that the truncated Newton method solves.
var newtonLosses = map[string]newtonOptions{
	"hinge":       SVMOptions{Tol: 1e-7}.newton(),
	"insensitive": SVMOptions{Tol: 1e-7, Loss: SquaredInsensitive, Epsilon: .3}.newton(),
	"softmax":     LogisticOptions{Tol: 1e-10}.newton(),
}

// newtonRows are rows in three classes, or with a target.
func newtonRows(t *testing.T, loss string, n, d int) (*tensor.Dense, *mat.Dense) {
	x, classes, target := trial.Overlapping(t, n, d, 3)
	if loss == "insensitive" {
		return x, target
	}
	return x, classes
}

// farFrom is the difference of two fits, in their objectives and in their weights.
func farFrom(got, want *newtonFit) float64 {
	off := math.Abs(floats.Sum(got.objective)/floats.Sum(want.objective) - 1)
	return max(off, far(&RidgeFit{W: got.w, B: got.b}, &RidgeFit{W: want.w, B: want.b}))
}

// TestSVMOneColumn: with one column the first weight is that of -1.
func TestSVMOneColumn(t *testing.T) {
	// The classes 0 and 1 are one, which weighs half of the other.
	x, y := newtonRows(t, "hinge", 61, 4)
	column := func(y *mat.Dense) *mat.Dense { return mat.DenseCopyOf(y.Slice(0, y.RawMatrix().Rows, 2, 3)) }
	var twice []int
	for i := range y.RawMatrix().Rows {
		if twice = append(twice, i); y.At(i, 2) > 0 {
			twice = append(twice, i)
		}
	}
	o := SVMOptions{Lambdas: []float64{.1}, Tol: 1e-6}
	all := must(FitSVM(t.Context(), nil, data.Pairs{X: x, Y: y}, o))
	if want := 1 / (2 * .1 * meanSpread(trial.MatOf(x))); math.Abs(all.C/want-1) > 1e-12 {
		t.Errorf("C is %v, want %v", all.C, want)
	}
	want := must(FitSVM(t.Context(), nil, data.Pairs{X: data.Rows(x, twice), Y: column(trial.TakeRows(y, twice))}, o))
	o.ClassWeights = []float64{1, 2}
	got, err := FitSVM(t.Context(), nil, data.Pairs{X: x, Y: column(y)}, o)
	if err != nil || math.Abs(got.Objective[0]/want.Objective[0]-1) > 1e-10 {
		t.Errorf("one column: %+v, want %+v (%v)", got, want, err)
	}
}

// TestNewtonLambdas: of several lambdas each is scored as a fit to it alone to the rows that are not held out, and the
// best one is fitted to all rows. Of equal ones the largest is taken.
func TestNewtonLambdas(t *testing.T) {
	const n = 301
	for loss, o := range newtonLosses {
		x, y := newtonRows(t, loss, n, 5)
		o.lambdas, o.seed, o.heldOut = []float64{1e-3, 1, 1e4}, 2, .5
		f := must(o.fit(t.Context(), nil, data.Pairs{X: x, Y: y}))
		if len(f.scores) != 3 || f.lambda != f.scores[bestScore(f.scores)].Lambda {
			t.Errorf("%s: lambda %v by %v", loss, f.lambda, f.scores)
		}
		src, o, err := o.source(t.Context(), nil, data.Pairs{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		train, held := src.Split(o.heldOut, o.seed)
		for l, s := range f.scores {
			alone := must(o.problem(train))
			rows := must(newKeptRows(held, 0))
			one := must(alone.path(o.lambdas[l:l+1], rows))
			// Two rows may lie on a border.
			if s.Lambda != o.lambdas[l] || math.Abs(s.ErrorRate-one[0].ErrorRate) > 2.5/float64(held.N) ||
				math.Abs(s.MSE-one[0].MSE) > 1e-4*s.MSE || math.IsNaN(s.MSE) != math.IsNaN(one[0].MSE) ||
				math.IsNaN(s.ErrorRate) != math.IsNaN(one[0].ErrorRate) {
				t.Errorf("%s: the score is %+v, and %+v of a fit to it alone", loss, s, one[0])
			}
		}
		one := o
		one.lambdas = []float64{f.lambda}
		if alone, err := one.fit(t.Context(), nil, data.Pairs{X: x, Y: y}); err != nil || farFrom(f, alone) != 0 {
			t.Errorf("%s: another fit than of the chosen lambda alone (%v)", loss, err)
		}
	}
	x, y, _ := trial.Overlapping(t, 60, 3, 2)
	for i := range 60 { // far apart
		x.Float64s()[i*3+i%2] += 1000
	}
	fit, err := FitSVM(t.Context(), nil, data.Pairs{X: x, Y: y}, SVMOptions{Lambdas: []float64{1e-3, 1e-1, 1e-2}})
	if err != nil || fit.Scores[0].ErrorRate != 0 || fit.Scores[1].ErrorRate != 0 || fit.Lambda != .1 {
		t.Errorf("%+v, %v", fit, err)
	}
}
