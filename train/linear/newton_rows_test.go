package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
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
func farFrom(got, want *newtonFit) float64 {
	off := math.Abs(floats.Sum(got.objective)/floats.Sum(want.objective) - 1)
	return max(off, differ(&RidgeFit{W: got.w, B: got.b}, &RidgeFit{W: want.w, B: want.b}))
}

// TestNewtonRows: what leaves the problem as it is leaves the fit as it is. Features that are mapped again and any
// number of goroutines give the same bits; other blocks, sparse rows and streams the same to rounding, and float32
// rows to theirs.
func TestNewtonRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for loss, o := range newtonLosses {
		x, y := newtonRows(t, loss, 211, 4)
		sparse, err := ops.CSROf(x)
		if err != nil {
			t.Fatal(err)
		}
		single := tensor.New(tensor.WithShape(211, 4), tensor.Of(tensor.Float32))
		for i, v := range x.Float64s() {
			single.Float32s()[i] = float32(v)
		}
		o.lambdas = []float64{.02}
		m := trial.Fourier(t, 4, 24, 2)
		narrow, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, 4, 24, layers.WithSeed(3),
			layers.WithDtype(tensor.Float32))
		if err != nil {
			t.Fatal(err)
		}
		rows, memory := data.Examples(data.Pairs{X: x, Y: y}), data.Pairs{X: x, Y: y}
		fit := func(m layers.Map, rows data.Examples, o newtonOptions) *newtonFit {
			f, err := o.fit(t.Context(), m, rows)
			if err != nil {
				t.Fatalf("%s: %v", loss, err)
			}
			return f
		}
		anew, short := o, o
		anew.cacheBytes, short.block = -1, 17
		want, wantAnew := fit(m, rows, o), fit(m, rows, anew)
		// The features of a fit that keeps them have float32 copies for the products of the softmax.
		if loss != "softmax" && farFrom(wantAnew, want) != 0 {
			t.Errorf("%s: other bits of features that are mapped again", loss)
		}
		for _, procs := range []int{1, 3} {
			runtime.GOMAXPROCS(procs)
			if farFrom(fit(m, rows, o), want) != 0 || farFrom(fit(m, rows, anew), wantAnew) != 0 {
				t.Errorf("%s: other bits on %d cores", loss, procs)
			}
		}
		for name, c := range map[string]struct {
			m    layers.Map
			rows data.Examples
			o    newtonOptions
			tol  float64
		}{
			"mapped again":     {m, rows, anew, 1e-4},
			"short blocks":     {m, rows, short, 1e-4},
			"sparse":           {m, data.Pairs{X: sparse, Y: y}, o, 1e-4},
			"float32":          {narrow, data.Pairs{X: single, Y: y}, o, 1e-2},
			"one read block":   {m, trial.Read{Pairs: memory}, o, 1e-4},
			"blocks":           {m, trial.InBlocks(t, x, y, 7, 64), o, 1e-4},
			"blocks, not kept": {m, trial.InBlocks(t, x, y, 7, 64), anew, 1e-4},
		} {
			if c.tol == 1e-2 {
				c.o.tol = 1e-4
			}
			got := fit(c.m, c.rows, c.o)
			if off := math.Abs(floats.Sum(got.objective)/floats.Sum(want.objective) - 1); off > c.tol*c.tol {
				t.Errorf("%s, %s: the objective is off by %.2g", loss, name, off)
			}
			if off := farFrom(got, want); off > c.tol {
				t.Errorf("%s, %s: the fit is off by %.2g", loss, name, off)
			}
		}
	}
}

// TestNewtonWeights: with weights 2, 1 and 3 the fit is that of each row as often, in memory and mapped again.
func TestNewtonWeights(t *testing.T) {
	for _, loss := range []string{"hinge", "softmax"} {
		o := newtonLosses[loss]
		x, y := newtonRows(t, loss, 61, 4)
		x2, y2 := trial.Repeated(x, y)
		o.lambdas = []float64{.1}
		for _, cache := range []int64{0, -1} {
			o.cacheBytes, o.weights = cache, nil
			want, err := o.fit(t.Context(), nil, data.Pairs{X: x2, Y: y2})
			if err != nil {
				t.Fatal(err)
			}
			o.weights = trial.ClassTimes
			got, err := o.fit(t.Context(), nil, data.Pairs{X: x, Y: y})
			if err != nil || farFrom(got, want) > 1e-5 || math.Abs(got.shift/want.shift-1) > 1e-12 {
				t.Errorf("%s: off by %.2g, λ s = %v, want %v (%v)", loss, farFrom(got, want), got.shift, want.shift,
					err)
			}
			if off := floats.Sum(got.objective)/floats.Sum(want.objective) - 1; math.Abs(off) > 1e-10 {
				t.Errorf("%s: the objective is off by %.2g", loss, off)
			}
		}
	}
	// In one column the classes 0 and 1 are one, which weighs half of the other.
	x, y := newtonRows(t, "hinge", 61, 4)
	column := func(y *mat.Dense) *mat.Dense { return mat.DenseCopyOf(y.Slice(0, y.RawMatrix().Rows, 2, 3)) }
	var twice []int
	for i := range y.RawMatrix().Rows {
		if twice = append(twice, i); y.At(i, 2) > 0 {
			twice = append(twice, i)
		}
	}
	o := SVMOptions{Lambdas: []float64{.1}, Tol: 1e-6}
	want, err := FitSVM(t.Context(), nil, data.Pairs{X: data.Rows(x, twice), Y: column(trial.TakeRows(y, twice))}, o)
	if err != nil {
		t.Fatal(err)
	}
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
		f, err := o.fit(t.Context(), nil, data.Pairs{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		if len(f.scores) != 3 || f.lambda != f.scores[bestScore(f.scores)].Lambda {
			t.Errorf("%s: lambda %v by %v", loss, f.lambda, f.scores)
		}
		src, o, err := o.source(t.Context(), nil, data.Pairs{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		train, held := src.Split(o.heldOut, o.seed)
		for l, s := range f.scores {
			alone, err := o.problem(train)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := newKeptRows(held, 0)
			if err != nil {
				t.Fatal(err)
			}
			one, err := alone.path(o.lambdas[l:l+1], rows)
			if err != nil {
				t.Fatal(err)
			}
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

func TestNewtonErrors(t *testing.T) {
	x, y, target := trial.Overlapping(t, 11, 3, 2)
	bad, soft := x.Clone().(*tensor.Dense), mat.DenseCopyOf(y)
	bad.Float64s()[7] = math.NaN()
	soft.Set(3, 0, .5)
	infinite := mat.DenseCopyOf(y)
	infinite.Set(6, 0, math.NaN())
	done, cancel := context.WithCancel(t.Context())
	cancel()
	fit := func(ctx context.Context, rows data.Examples, o fits.Fitter) error {
		var err error
		who := "train: SVM: "
		switch o := o.(type) {
		case SVMOptions:
			_, err = FitSVM(ctx, nil, rows, o)
		case LogisticOptions:
			who = "train: Logistic: "
			_, err = FitLogistic(ctx, nil, rows, o)
		}
		if !strings.HasPrefix(fmt.Sprint(err), who) {
			t.Errorf("%v does not begin with %q", err, who)
		}
		return err
	}
	pairs := data.Pairs{X: x, Y: y}
	for _, e := range []struct {
		ctx  context.Context
		rows data.Examples
		o    fits.Fitter // nil: both
		is   error
		text string
	}{
		{done, pairs, nil, context.Canceled, "stopped"},
		{nil, data.Pairs{X: bad, Y: y}, nil, domain.ErrDomain, "row 2 has the feature z[2,1] = NaN"},
		{nil, trial.InBlocks(t, x, infinite, 5), nil, domain.ErrDomain, "row 6 has the target y[6,0] = NaN"},
		{nil, data.Pairs{X: tensor.New(tensor.WithShape(11, 3), tensor.Of(tensor.Float64)), Y: y}, nil,
			domain.ErrDomain, "every feature of every row is 0"},
		{nil, data.Pairs{X: x, Y: mat.NewDense(10, 2, nil)}, nil, domain.ErrShape, "x has 11 rows"},
		{nil, data.Pairs{X: x}, nil, domain.ErrShape, "y is []"},
		{nil, data.Pairs{X: x, Y: target}, SVMOptions{}, domain.ErrDomain, "row 0 has the target y[0,0] = "},
		{nil, data.Pairs{X: x, Y: soft}, LogisticOptions{}, domain.ErrDomain, "OneVersusRest"},
		{nil, data.Pairs{X: x, Y: y.Slice(0, 11, 0, 1).(*mat.Dense)}, LogisticOptions{}, domain.ErrDomain,
			"two columns"},
		{nil, pairs, SVMOptions{Lambdas: []float64{0}}, domain.ErrParam, "Lambdas[0] = 0"},
		{nil, pairs, LogisticOptions{Lambdas: []float64{1, 0}}, domain.ErrParam, "Lambdas[1] = 0"},
		{nil, pairs, LogisticOptions{Lambdas: []float64{}}, domain.ErrParam, "Lambdas is empty"},
		{nil, data.Pairs{X: data.Rows(x, []int{0}), Y: trial.TakeRows(y, []int{0})},
			SVMOptions{Lambdas: []float64{1, 2}}, domain.ErrShape, "2 lambdas need at least 2 rows"},
		{nil, pairs, SVMOptions{Epsilon: .1}, domain.ErrParam, "Epsilon is of SquaredInsensitive"},
		{nil, data.Pairs{X: x, Y: target}, SVMOptions{Loss: SquaredInsensitive, Epsilon: -1}, domain.ErrParam,
			"Epsilon = -1"},
		{nil, pairs, SVMOptions{Loss: 7}, domain.ErrParam, "Loss = 7"},
		{nil, pairs, SVMOptions{Bias: -1}, domain.ErrParam, "Bias = -1"},
		{nil, pairs, SVMOptions{HeldOut: 1}, domain.ErrParam, "HeldOut = 1"},
		{nil, pairs, LogisticOptions{HeldOut: 1}, domain.ErrParam, "HeldOut = 1"},
		{nil, pairs, SVMOptions{Tol: 2}, domain.ErrParam, "Tol = 2"},
		{nil, pairs, LogisticOptions{Tol: 2}, domain.ErrParam, "Tol = 2"},
		{nil, pairs, SVMOptions{MaxSteps: -1}, domain.ErrParam, "MaxSteps = -1"},
		{nil, pairs, SVMOptions{MaxSteps: 1, Tol: 1e-9}, domain.ErrParam, "not done after 1 Newton steps"},
		{nil, pairs, LogisticOptions{MaxSteps: 1, Tol: 1e-14}, domain.ErrParam, "not done after 1 Newton steps"},
		{nil, pairs, LogisticOptions{ClassWeights: []float64{1}}, domain.ErrParam, "1 ClassWeights for 2 classes"},
		{nil, pairs, SVMOptions{Lambdas: []float64{1e-320}}, domain.ErrParam, "underflows; raise it"},
		{nil, pairs, LogisticOptions{Lambdas: []float64{1e308}}, domain.ErrParam, "overflows; lower it"},
	} {
		if e.ctx == nil {
			e.ctx = t.Context()
		}
		fitters := []fits.Fitter{e.o}
		if e.o == nil {
			fitters = []fits.Fitter{SVMOptions{}, LogisticOptions{}}
		}
		for _, o := range fitters {
			if err := fit(e.ctx, e.rows, o); !errors.Is(err, e.is) || !strings.Contains(fmt.Sprint(err), e.text) {
				t.Errorf("got %v, want %v with %q", err, e.is, e.text)
			}
		}
	}
}
