package train_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestRidgeCost: the estimate is of what a fit allocates, in either system and however lambda is chosen. All of what is
// held is allocated, and what is allocated and let go again is no more than it twice.
func TestRidgeCost(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("memory cannot be counted under the race detector")
	}
	rng := rand.New(rand.NewPCG(3, 5))
	for _, c := range []struct {
		n, d   int
		single bool
	}{{700, 300, false}, {300, 900, false}, {700, 300, true}, {300, 900, true}} {
		x, y := tensor.New(tensor.WithShape(c.n, c.d), tensor.Of(tensor.Float64)), mat.NewDense(c.n, 2, nil)
		for i := range x.Float64s() {
			x.Float64s()[i] = rng.NormFloat64()
		}
		if c.single {
			v := make([]float32, c.n*c.d)
			for i, f := range x.Float64s() {
				v[i] = float32(f)
			}
			x = tensor.New(tensor.WithShape(c.n, c.d), tensor.WithBacking(v))
		}
		for i := range y.RawMatrix().Data {
			y.RawMatrix().Data[i] = rng.NormFloat64()
		}
		for _, o := range []linear.RidgeOptions{{}, {Select: linear.SelectLOO, Lambdas: []float64{1e-3, 1}}} {
			p := fits.Problem{Rows: c.n, Features: c.d, Outputs: 2, Single: c.single}
			cost := o.Cost(p)
			got := math.Inf(1) // of the fit that finds most of its scratch memory in the pools, which a collection empties
			for range 4 {
				got = min(got, float64(allocated(func() { must(linear.FitRidge(t.Context(), nil, data.Pairs{X: x, Y: y}, o)) })))
			}
			again := 3. // times what is held
			if o.Select == linear.SelectAuto {
				again = 4 // whose grid grows here, for there is nothing to learn
			}
			if cost.Bytes > 1.5*got || got > again*cost.Bytes {
				t.Errorf("%d x %d, float32 %v, %v: the estimate is %.0f bytes (%s), %.0f were allocated", c.n, c.d, c.single, o.Select, cost.Bytes, cost.Largest, got)
			}
			products := float64(c.n * c.d * min(c.n, c.d))
			if p.Single = false; c.single {
				want := products / 2
				if o.Lambdas == nil { // to choose again would take longer than they save
					want = 0
				}
				if saved := o.Cost(p).Operations - cost.Operations; math.Abs(saved-want) > 1e-9*products {
					t.Errorf("%d x %d, %v: products in float32 save %g operations, want %g", c.n, c.d, o.Select, saved, want)
				}
				products -= want
			}
			if !(cost.Operations >= products) {
				t.Errorf("%d x %d, %v: %g operations", c.n, c.d, o.Select, cost.Operations)
			}
		}
	}
}

// TestCosts: the estimates grow with the problem, past the range of int, and every fit has one.
func TestCosts(t *testing.T) {
	small, large := fits.Problem{Rows: 400, Features: 100, Outputs: 2}, fits.Problem{Rows: min(1<<40, math.MaxInt), Features: min(1<<40, math.MaxInt),
		Outputs: 1 << 10}
	streamed := func(p fits.Problem) fits.Cost {
		p.Streamed = true
		return linear.RidgeOptions{}.Cost(p)
	}
	for name, cost := range map[string]func(p fits.Problem) fits.Cost{
		"ridge": linear.RidgeOptions{}.Cost, "ridge of blocks": streamed, "cg": linear.CGOptions{}.Cost, "svm": linear.SVMOptions{}.Cost, "fit": sgd.FitOptions{}.Cost,
		"cv, ridge": func(p fits.Problem) fits.Cost { return train.CVOptions{}.Cost(nil, p, 3) },
		"cv, svm":   func(p fits.Problem) fits.Cost { return train.CVOptions{}.Cost(linear.SVMOptions{}, p, 3) },
		"cv, fit":   func(p fits.Problem) fits.Cost { return train.CVOptions{}.Cost(sgd.MiniBatch{}, p, 3) },
	} {
		a, b := cost(small), cost(large)
		if !(a.Bytes > 0 && a.Bytes < 1e8 && b.Bytes > 1e15 && b.Bytes < math.Inf(1) && a.Operations > 0 &&
			b.Operations > a.Operations) || a.Largest == "" {
			t.Errorf("%s: %+v for 400 x 100, %+v for 2^40 x 2^40", name, a, b)
		}
	}
}

// TestWideSparseRidge: sparse rows of many columns have the fit of their dense columns to rounding, by every choice of
// lambda, through no dense copy: the columns without a cell have coefficients of 0.
func TestWideSparseRidge(t *testing.T) {
	const n, d, wide = 60, 300, 1 << 20
	sparse, dense, y := bagsOfWords(n, d, 9)
	cols := make([]int32, len(sparse.Columns()))
	for i, c := range sparse.Columns() {
		cols[i] = c * (wide / d)
	}
	x := must(ops.NewCSR(n, wide, sparse.Pointers(), cols, sparse.Float64s()))
	id := must(layers.NewIdentity(wide))
	for _, o := range []linear.RidgeOptions{{}, {Lambdas: []float64{.3, .001, .1}, Select: linear.SelectLOO}} {
		want := must(linear.FitRidge(context.Background(), nil, data.Pairs{X: dense, Y: y}, o))
		var got *linear.RidgeFit
		bytes := float64(allocated(func() { got = must(linear.FitRidge(context.Background(), id, data.Pairs{X: x, Y: y}, o)) }))
		if most := float64(n) * wide * 8 / 2; bytes > most {
			t.Errorf("%v: %.0f bytes were allocated, want less than %.0f, half a dense copy", o.Select, bytes, most)
		}
		tol := 1e-12 * mat.Max(want.W)
		for j := range d {
			for k := range 2 {
				if diff := math.Abs(got.W.At(j*(wide/d), k) - want.W.At(j, k)); !(diff <= tol) {
					t.Errorf("%v: W[%d,%d] differs by %g, want at most %g", o.Select, j, k, diff, tol)
				}
			}
		}
		if sum := mat.Norm(got.W, 2) - mat.Norm(want.W, 2); math.Abs(sum) > tol*d {
			t.Errorf("%v: columns without a cell have coefficients", o.Select)
		}
		if !got.Dual || got.Lambda != want.Lambda || math.Abs(got.B[0]-want.B[0]) > 1e-12 ||
			math.Abs(got.B[1]-want.B[1]) > 1e-12 {
			t.Errorf("%v: lambda %v and intercept %v, want %v and %v", o.Select, got.Lambda, got.B, want.Lambda, want.B)
		}
		for i, s := range got.Scores {
			if w := want.Scores[i]; s.Lambda != w.Lambda || math.Abs(s.MSE-w.MSE) > 1e-12*w.MSE {
				t.Errorf("%v: the score of lambda %v is %v, want %v", o.Select, s.Lambda, s.MSE, w.MSE)
			}
		}
	}
}
