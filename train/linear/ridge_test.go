package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// naive is the definition, obvious and slow: the normal equations of [z 1] with no penalty on the last coefficient, for an
// effective lambda, without the row leave (-1: with all).
func naive(z, y *mat.Dense, effective float64, leave int) (w *mat.Dense, b []float64) {
	n, d := z.Dims()
	_, k := y.Dims()
	a, r := mat.NewDense(d+1, d+1, nil), mat.NewDense(d+1, k, nil)
	for i := range n {
		if i == leave {
			continue
		}
		row := mat.NewVecDense(d+1, append(append([]float64{}, z.RawRowView(i)...), 1))
		a.RankOne(a, 1, row, row)
		r.RankOne(r, 1, row, mat.NewVecDense(k, append([]float64{}, y.RawRowView(i)...)))
	}
	for j := range d {
		a.Set(j, j, a.At(j, j)+effective)
	}
	var c mat.Dense
	if err := c.Solve(a, r); err != nil {
		panic(err)
	}
	return mat.DenseCopyOf(c.Slice(0, d, 0, k)), append([]float64{}, c.RawRowView(d)...)
}

// meanSpread is s by its definition: the mean squared distance of a row from the mean, or of equal rows their squared norm.
func meanSpread(z *mat.Dense) float64 {
	n, d := z.Dims()
	mean, spread, square := make([]float64, d), 0., 0.
	for i := range n {
		floats.AddScaled(mean, 1/float64(n), z.RawRowView(i))
	}
	for i := range n {
		spread += math.Pow(floats.Distance(z.RawRowView(i), mean, 2), 2) / float64(n)
		square += floats.Dot(z.RawRowView(i), z.RawRowView(i)) / float64(n)
	}
	if spread < 1e-20*square {
		return square
	}
	return spread
}

// far is the largest difference of two fits in proportion to the largest coefficient.
func far(f *RidgeFit, w *mat.Dense, b []float64) float64 {
	var diff mat.Dense
	diff.Sub(f.W, w)
	worst, size := mat.Max(&diff), mat.Norm(w, math.Inf(1))
	worst = max(worst, -mat.Min(&diff))
	for i, v := range b {
		worst, size = max(worst, math.Abs(v-f.B[i])), max(size, math.Abs(v))
	}
	return worst / size
}

func fit(t *testing.T, m layers.Map, x *tensor.Dense, y *mat.Dense, o RidgeOptions) *RidgeFit {
	t.Helper()
	f, err := FitRidge(context.Background(), m, data.Pairs{X: x, Y: y}, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRidgeDefinition: more rows than features, fewer, as many, one row, one column, and blocks of every size.
func TestRidgeDefinition(t *testing.T) {
	for _, c := range []struct{ n, d, k, block int }{
		{53, 7, 3, 0}, {53, 7, 3, 5}, {53, 7, 3, 1}, {11, 29, 2, 0}, {11, 29, 2, 3}, {13, 13, 1, 0}, {1, 5, 2, 0}, {17, 1, 1, 4}, {1, 1, 1, 0}, {307, 131, 2, 101},
	} {
		for _, lambda := range []float64{1e-3, 0.7, 40} {
			x, y := trial.Problem(c.n, c.d, c.k, 3)
			f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{lambda}, BlockRows: c.block})
			w, b := naive(trial.MatOf(x), y, lambda*meanSpread(trial.MatOf(x)), -1)
			if e := far(f, w, b); e > 1e-9 || f.Dual != (c.n < c.d) || f.Lambda != lambda || f.Scores != nil {
				t.Errorf("%+v lambda %v: off by %.2g, dual %v", c, lambda, e, f.Dual)
			}
		}
	}
}

func TestRidgeDefaultLambda(t *testing.T) {
	x, y := trial.Problem(53, 7, 2, 5)
	if f := fit(t, nil, x, y, RidgeOptions{Select: SelectNone}); f.Lambda != 53e-6 {
		t.Errorf("default lambda %v, want 1e-6 n", f.Lambda)
	}
	f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{0}})
	if w, b := naive(trial.MatOf(x), y, 0, -1); far(f, w, b) > 1e-9 {
		t.Error("lambda 0 is not least squares")
	}
}

// cosine is a map with a fixed projection, in the dtype of its input.
type cosine struct {
	w   *mat.Dense // [d, D]
	bad int        // row from which features are NaN, when > 0
}

func (m cosine) Dims() int     { r, _ := m.w.Dims(); return r }
func (m cosine) Features() int { _, c := m.w.Dims(); return c }
func (m cosine) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	n, d, f := x.Shape()[0], m.Dims(), m.Features()
	if dst == nil {
		dst = tensor.New(tensor.WithShape(n, f), tensor.Of(x.Dtype()))
	}
	for i := range n {
		for j := range f {
			p := 0.0
			for l := range d {
				if x.Dtype() == tensor.Float32 {
					p += float64(x.Float32s()[i*d+l]) * m.w.At(l, j)
				} else {
					p += x.Float64s()[i*d+l] * m.w.At(l, j)
				}
			}
			v := math.Cos(p)
			if m.bad > 0 && i >= m.bad {
				v = math.NaN()
			}
			if x.Dtype() == tensor.Float32 {
				dst.Float32s()[i*f+j] = float32(v)
			} else {
				dst.Float64s()[i*f+j] = v
			}
		}
	}
	return dst, nil
}

func newCosine(d, features int) cosine {
	rng := rand.New(rand.NewPCG(9, 9))
	w := mat.NewDense(d, features, nil)
	for i := range d {
		for j := range features {
			w.Set(i, j, rng.NormFloat64())
		}
	}
	return cosine{w: w}
}

// TestRidgeMap: features by a map, in both dtypes, primal and dual, for views as for matrices of their own.
func TestRidgeMap(t *testing.T) {
	for _, n := range []int{67, 19} {
		x, y := trial.Problem(n, 5, 2, 7)
		m := newCosine(5, 31)
		z, _ := m.Transform(nil, x)
		w, b := naive(trial.MatOf(z), y, 0.01*meanSpread(trial.MatOf(z)), -1)
		o := RidgeOptions{Lambdas: []float64{0.01}, BlockRows: 13}
		if e := far(fit(t, m, x, y, o), w, b); e > 1e-10 {
			t.Errorf("n = %d: off by %.2g", n, e)
		}
		narrow := make([]float32, n*5)
		for i, v := range x.Float64s() {
			narrow[i] = float32(v)
		}
		// Rounding moves a feature by 2^-24 relative; the coefficients move by the condition of the problem (100) more.
		if e := far(fit(t, m, tensor.New(tensor.WithShape(n, 5), tensor.WithBacking(narrow)), y, o), w, b); e > 1e-4 || e == 0 {
			t.Errorf("float32, n = %d: off by %.2g", n, e)
		}
		turned := tensor.New(tensor.WithShape(5, n), tensor.WithBacking(transposed(x.Float64s(), n, 5, 5)))
		if err := turned.T(); err != nil {
			t.Fatal(err)
		}
		if e := far(fit(t, m, turned, y, o), w, b); e > 1e-10 {
			t.Errorf("transpose, n = %d: off by %.2g", n, e)
		}
	}
}

// TestRidgeWorkers: the number of processors does not change a bit.
func TestRidgeWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, n := range []int{701, 97} {
		x, y := trial.Problem(n, 151, 3, 11)
		var first *RidgeFit
		for _, procs := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(procs)
			f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{0.1, 1, 10}, Select: SelectLOO, BlockRows: 300})
			if first == nil {
				first = f
			}
			if !mat.Equal(f.W, first.W) || fmt.Sprint(f.B, f.Scores) != fmt.Sprint(first.B, first.Scores) {
				t.Errorf("n = %d: %d workers give other bits than 1", n, procs)
			}
		}
	}
}

// TestRidgeNearlyConstant: features that vary in the 9th digit about a large mean. Uncentred moments would keep no
// digit of their variance; what is left here is the rounding of the features themselves, 1e8 ε / 0.1 ≈ 1e-7.
func TestRidgeNearlyConstant(t *testing.T) {
	const n, d = 401, 3
	rng := rand.New(rand.NewPCG(2, 2))
	x, y := make([]float64, n*d), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range d {
			v := 0.1 * rng.NormFloat64()
			x[i*d+j] = 1e8 + v
			y.Set(i, 0, y.At(i, 0)+float64(j+1)*v)
		}
	}
	f := fit(t, nil, tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x)), y, RidgeOptions{Lambdas: []float64{0}, BlockRows: 50})
	for j := range d {
		if e := math.Abs(f.W.At(j, 0) - float64(j+1)); e > 1e-6 {
			t.Errorf("w[%d] is off by %.2g", j, e)
		}
	}
}

// TestRidgeScale: the lambda is relative, so a common factor of the features divides W and leaves the predictions.
func TestRidgeScale(t *testing.T) {
	for _, n := range []int{53, 5} {
		x, y := trial.Problem(n, 7, 2, 13)
		o := RidgeOptions{Lambdas: []float64{0.3}}
		want := fit(t, nil, x, y, o)
		for _, c := range []float64{0x1p-300, 0x1p300} {
			scaled := x.Clone().(*tensor.Dense)
			for i := range scaled.Float64s() {
				scaled.Float64s()[i] *= c
			}
			f := fit(t, nil, scaled, y, o)
			f.W.Scale(c, f.W)
			if e := far(f, want.W, want.B); e > 1e-12 {
				t.Errorf("n = %d, factor %g: off by %.2g", n, c, e)
			}
		}
	}
}

func TestRidgeConstantFeatures(t *testing.T) {
	for _, n := range []int{3, 7} {
		x := tensor.New(tensor.WithShape(n, 5), tensor.WithBacking(tensor.Range(tensor.Float64, 0, 5*n)))
		for i := range x.Float64s() {
			x.Float64s()[i] = 2
		}
		y := mat.NewDense(n, 1, nil)
		y.Set(0, 0, float64(n))
		if f := fit(t, nil, x, y, RidgeOptions{}); mat.Norm(f.W, 1) > 1e-9 || math.Abs(f.B[0]-1) > 1e-9 {
			t.Errorf("n = %d: W = %v, b = %v, want 0 and the mean 1", n, f.W, f.B)
		}
	}
}

func ExampleFitRidge() {
	x := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float64{0, 1, 2, 3}))
	y := mat.NewDense(4, 1, []float64{1, 3, 5, 7}) // 2x + 1
	f, err := FitRidge(context.Background(), nil, data.Pairs{X: x, Y: y}, RidgeOptions{Lambdas: []float64{0, 0.1}, Select: SelectLOO})
	fmt.Printf("w = %.3f, b = %.3f, lambda = %g, %v\n", f.W.At(0, 0), f.B[0], f.Lambda, err)
	for _, s := range f.Scores {
		fmt.Printf("lambda %g: %.4f\n", s.Lambda, s.MSE)
	}
	// Output:
	// w = 2.000, b = 1.000, lambda = 0, <nil>
	// lambda 0: 0.0000
	// lambda 0.1: 0.0283
}
