package linear

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
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
func farFrom(got, want *Fit) float64 {
	off := math.Abs(floats.Sum(got.Objective)/floats.Sum(want.Objective) - 1)
	return max(off, far(&Fit{W: got.W, B: got.B}, &Fit{W: want.W, B: want.B}))
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
	o.Bias = 1
	if same := must(FitSVM(t.Context(), nil, data.Pairs{X: x, Y: y}, o)); !mat.Equal(same.W, all.W) {
		t.Error("the default of Bias is not 1")
	}
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
		best := slices.IndexFunc(f.Scores, func(s fits.LambdaScore) bool { return s.Lambda == f.Lambda })
		if len(f.Scores) != 3 || slices.ContainsFunc(f.Scores, func(s fits.LambdaScore) bool { return s.Better(f.Scores[best]) }) {
			t.Errorf("%s: lambda %v by %v", loss, f.Lambda, f.Scores)
		}
		src, o, err := o.source(t.Context(), nil, data.Pairs{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		train, held := data.Split(n, o.heldOut, o.seed)
		for l, s := range f.Scores {
			alone := must(must(o.problem(src.Take(train))).fit(o.lambdas[l]))
			square, wrong := 0., 0.
			for _, i := range held {
				u, own := mat.Row(nil, i, trial.MatOf(x)), slices.Clone(alone.B)
				for j := range own {
					own[j] += floats.Dot(u, mat.Col(nil, j, alone.W))
				}
				target := mat.Row(nil, i, y)
				if floats.MaxIdx(own) != floats.MaxIdx(target) {
					wrong += 1 / float64(len(held))
				}
				if loss == "softmax" {
					softmaxRow(own)
					floats.AddConst(1, target)
					floats.Scale(.5, target)
				}
				square += math.Pow(floats.Distance(own, target, 2), 2) / float64(len(held)*len(own))
			}
			// Two rows may lie on a border.
			if s.Lambda != o.lambdas[l] || loss != "hinge" && math.Abs(s.MSE-square) > 1e-4*square || loss == "hinge" && !math.IsNaN(s.MSE) ||
				loss != "insensitive" && math.Abs(s.ErrorRate-wrong) > 2.5/float64(len(held)) ||
				loss == "insensitive" && !math.IsNaN(s.ErrorRate) {
				t.Errorf("%s: the score is %+v, and %v and %v of a fit to it alone", loss, s, square, wrong)
			}
		}
		one := o
		one.lambdas = []float64{f.Lambda}
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
