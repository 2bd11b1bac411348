package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
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

// TestLambdaIsOfTheSpread: s is the spread of the rows, so that a constant added to the features, or to a kernel, changes no fit.
func TestLambdaIsOfTheSpread(t *testing.T) {
	for _, n := range []int{61, 5} {
		x, y := trial.Problem(n, 7, 2, 67)
		moved := x.Clone().(*tensor.Dense)
		for i := range moved.Float64s() {
			moved.Float64s()[i] += 100
		}
		o := RidgeOptions{Lambdas: []float64{.3}}
		want, got := fit(t, nil, x, y, o), fit(t, nil, moved, y, o)
		if !mat.EqualApprox(got.W, want.W, 1e-9) {
			t.Errorf("n = %d: W moves with the mean of the features", n)
		}
		for _, tol := range []float64{1e-12} {
			cg, err := FitRidgeCG(context.Background(), nil, data.Pairs{X: moved, Y: y}, CGOptions{Lambda: .3, Tol: tol})
			if err != nil || !mat.EqualApprox(cg.W, want.W, 1e-8) {
				t.Errorf("n = %d, conjugate gradients: W moves with the mean of the features (%v)", n, err)
			}
		}
		var k, more mat.Dense
		k.Mul(trial.MatOf(x), trial.MatOf(x).T())
		more.Apply(func(_, _ int, v float64) float64 { return v + 1000 }, &k)
		for name, f := range map[string]func(k, y *mat.Dense, lambda ...float64) (*KernelRidge, error){"kernel": FitKernelRidge} {
			a, err := f(&k, y, .3)
			if err != nil {
				t.Fatal(err)
			}
			b, err := f(&more, y, .3)
			if err != nil || !mat.EqualApprox(a.Alpha, b.Alpha, 1e-9) {
				t.Errorf("n = %d, %s ridge: α moves with a constant (%v)", n, name, err)
			}
			var w mat.Dense
			if w.Mul(trial.MatOf(x).T(), a.Alpha); !mat.EqualApprox(&w, want.W, 1e-8) {
				t.Errorf("n = %d, %s ridge is not ridge on the features", n, name)
			}
		}
		svm := make([]*SVMFit, 2)
		for i, x := range []*tensor.Dense{x, moved} {
			var err error
			if svm[i], err = FitSVM(context.Background(), nil, data.Pairs{X: x, Y: y}, SVMOptions{Loss: SquaredInsensitive, Lambdas: []float64{.3}}); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(svm[0].C/svm[1].C-1) > 1e-9 {
			t.Errorf("n = %d: C moves with the mean of the features, %v and %v", n, svm[0].C, svm[1].C)
		}
	}
}

// TestLambdaByErrorRate: of classes every choice is that of the least error rate, then of the least squared error, and both are those of fits
// without each row.
func TestLambdaByErrorRate(t *testing.T) {
	lambdas, different := []float64{1e-4, .3, 3, 30, 1000}, false
	for _, c := range []struct{ n, d, k int }{{61, 4, 3}, {59, 5, 1}, {23, 31, 3}} {
		x, y, _ := trial.Overlapping(t, c.n, c.d, max(2, c.k))
		if c.k == 1 {
			y = mat.DenseCopyOf(y.Slice(0, c.n, 1, 2))
		}
		z := trial.MatOf(x)
		var k mat.Dense
		k.Mul(z, z.T())
		kernel, err := FitKernelRidge(&k, y, lambdas...)
		if err != nil {
			t.Fatal(err)
		}
		loo := fit(t, nil, x, y, RidgeOptions{Lambdas: lambdas, Select: SelectLOO})
		auto := fit(t, nil, x, y, RidgeOptions{Lambdas: lambdas})
		best, least := 0, 0
		for l, s := range loo.Scores {
			wrong := 0.
			for i := range c.n {
				w, b := naive(z, y, s.Lambda*meanSpread(z), i)
				f := slices.Clone(b)
				for q := range f {
					f[q] += mat.Dot(z.RowView(i), w.ColView(q))
				}
				if predicted(f) != given.ClassOf(c.k, func(j int) float64 { return y.At(i, j) }) {
					wrong++
				}
			}
			for name, got := range map[string]float64{"leave-one-out": s.ErrorRate, "auto": auto.Scores[l].ErrorRate, "kernel": kernel.Scores[l].ErrorRate} {
				if math.Abs(got-wrong/float64(c.n)) > 1e-12 {
					t.Errorf("%+v, %s, λ = %v: error rate %v, by brute force %v", c, name, s.Lambda, got, wrong/float64(c.n))
				}
			}
			if o := loo.Scores[best]; s.ErrorRate < o.ErrorRate || s.ErrorRate == o.ErrorRate && s.MSE < o.MSE {
				best = l
			}
			if s.MSE < loo.Scores[least].MSE {
				least = l
			}
		}
		different = different || best != least
		if want := lambdas[best]; loo.Lambda != want || auto.Lambda != want || kernel.Lambda != want {
			t.Errorf("%+v: %v, %v and %v were chosen, want %v of %v", c, loo.Lambda, auto.Lambda, kernel.Lambda, want, loo.Scores)
		}
	}
	if !different {
		t.Error("the least squared error has the least error rate everywhere, so that nothing is tested")
	}
}

// TestRidgeChoosesLambda: the zero value is leave-one-out over the built-in grid, in memory, in blocks and in the space of the rows, and its
// minimum is inside the grid.
func TestRidgeChoosesLambda(t *testing.T) {
	for _, c := range []struct {
		n, d  int
		noise float64
	}{{83, 7, 0}, {83, 7, 300}, {31, 67, 0}, {31, 67, 300}} {
		x, y := trial.Problem(c.n, c.d, 2, 71)
		for i := range c.n {
			y.Set(i, 0, y.At(i, 0)+c.noise*math.Sin(float64(i*i)))
			y.Set(i, 1, y.At(i, 1)+c.noise*math.Cos(float64(i*i)))
		}
		auto, loo := fit(t, nil, x, y, RidgeOptions{}), fit(t, nil, x, y, RidgeOptions{Select: SelectLOO})
		blocks, err := FitRidge(context.Background(), nil, trial.InBlocks(t, x, y, 20), RidgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(auto.Scores, func(s fits.LambdaScore) bool { return s.Lambda == auto.Lambda })
		grown := len(auto.Scores) > 9
		if (at == 0 || at == len(auto.Scores)-1) && auto.Lambda < 1e3*float64(c.n) || c.noise > 0 && !grown {
			t.Errorf("%+v: %v of %v", c, auto.Lambda, auto.Scores)
		}
		for name, f := range map[string]*RidgeFit{"leave-one-out": loo, "blocks": blocks} {
			if e := differ(f, auto); f.Lambda != auto.Lambda || e > 1e-8 {
				t.Errorf("%+v, %s: λ = %v, not %v, off by %.2g", c, name, f.Lambda, auto.Lambda, e)
			}
		}
		if one := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{.7}}); one.Lambda != .7 || one.Scores != nil {
			t.Errorf("one lambda: %v, %v", one.Lambda, one.Scores)
		}
	}
}

// TestLambdaGrid: the grid grows past the end where the best is, up to its limits, and a list does not.
func TestLambdaGrid(t *testing.T) {
	for _, by := range []int{1, 3} {
		for want, least := range map[float64]float64{-12: -12, -5: -5, 2: 2, -15: -40, 3: 40} {
			scores, best, err := builtIn(100, by).Choose(func(lambdas []float64) (out []fits.LambdaScore, err error) {
				for _, l := range lambdas {
					out = append(out, fits.LambdaScore{Lambda: l, MSE: math.Abs(math.Log10(l/100) - least), ErrorRate: math.NaN()})
				}
				return out, nil
			})
			sorted := slices.IsSortedFunc(scores, func(a, b fits.LambdaScore) int {
				if a.Lambda < b.Lambda {
					return -1
				}
				return 1
			})
			if err != nil || !sorted || math.Abs(math.Log10(scores[best].Lambda/100)-want) > 1e-9 {
				t.Errorf("by %d: the best is %v, want 1e%v n (%v)", by, scores[best], want, err)
			}
		}
	}
	two := cv.Grid{List: []float64{1, 10}}
	if scores, best, err := two.Choose(func(l []float64) ([]fits.LambdaScore, error) {
		return []fits.LambdaScore{{Lambda: l[0], MSE: 1, ErrorRate: 0}, {Lambda: l[1], MSE: 1, ErrorRate: 0}}, nil
	}); err != nil || best != 1 || len(scores) != 2 {
		t.Errorf("of equals the larger: %v, %v, %v", scores, best, err)
	}
}

// TestRowSample: many rows are sampled evenly, whatever the blocks; lambda is then that of the errors of these rows.
func TestRowSample(t *testing.T) {
	const n, d = 3 * rows.Scored, 3
	x, y, _ := trial.Overlapping(t, n, d, 2)
	var first []int
	for _, size := range []int{1000, 777} {
		s := rows.NewSample(5)
		for lo := 0; lo < n; lo += size {
			hi := min(lo+size, n)
			part := make([]int, hi-lo)
			for i := range part {
				part[i] = lo + i
			}
			if err := s.Add(rows.Names{First: lo}, data.Rows(x, part), trial.TakeRows(y, part)); err != nil {
				t.Fatal(err)
			}
		}
		var drawn []int
		third := 0
		for _, b := range s.All() {
			for i, r := range b.Rows.Index {
				if drawn = append(drawn, r); r < n/3 {
					third++
				}
				if b.Z[i*d] != x.Float64s()[r*d] || b.Y.At(i, 0) != y.At(r, 0) {
					t.Fatalf("row %d is not itself", r)
				}
			}
		}
		if first == nil {
			first = drawn
		}
		if len(drawn) != rows.Scored || !slices.IsSorted(drawn) || !slices.Equal(drawn, first) || math.Abs(float64(third)-rows.Scored/3.) > 4*math.Sqrt(rows.Scored*2./9) {
			t.Errorf("blocks of %d: %d rows, %d of the first third", size, len(drawn), third)
		}
	}
	all, some := fit(t, nil, x, y, RidgeOptions{Select: SelectLOO}), fit(t, nil, x, y, RidgeOptions{})
	for l, s := range some.Scores { // both are shares of one population of rows
		if p := all.Scores[l]; math.Abs(s.ErrorRate-p.ErrorRate) > 4*math.Sqrt(p.ErrorRate*(1-p.ErrorRate)/rows.Scored) {
			t.Errorf("λ = %v: error rate %v of the sample, %v of all", s.Lambda, s.ErrorRate, p.ErrorRate)
		}
	}
	if fmt.Sprint(some.Scores) == fmt.Sprint(all.Scores) {
		t.Error("all rows were scored")
	}
}

func TestRidgeErrors(t *testing.T) {
	x, y := trial.Problem(23, 5, 2, 17)
	few, _ := trial.Problem(3, 5, 2, 17)
	fewY := mat.DenseCopyOf(y.Slice(0, 3, 0, 2))
	repeated, zero, tiny, huge, nan := x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense)
	for i := range 23 {
		repeated.Float64s()[i*5+1] = repeated.Float64s()[i*5]
	}
	zero.Zero()
	for i := range huge.Float64s() {
		huge.Float64s()[i] *= 1e200
		tiny.Float64s()[i] *= 1e-150
	}
	nan.Float64s()[17*5+3] = math.Inf(1)
	hugeY := mat.NewDense(23, 2, nil)
	hugeY.Set(0, 1, math.MaxFloat64)
	hugeY.Set(4, 1, -math.MaxFloat64)
	nanY := mat.DenseCopyOf(y)
	nanY.Set(19, 1, math.NaN())
	bad := newCosine(5, 7)
	bad.bad = 2
	one, two := []float64{1}, []float64{1, 2}
	alone := tensor.New(tensor.WithShape(5, 2), tensor.WithBacking([]float64{1, 0, 1, 0, 2, 0, 3, 0, 4, 1}))
	for _, c := range []struct {
		name string
		m    layers.Map
		x    *tensor.Dense
		y    *mat.Dense
		o    RidgeOptions
		is   error
		want string
	}{
		{"nil x", nil, nil, y, RidgeOptions{}, domain.ErrParam, "x is nil"},
		{"nil y", nil, x, nil, RidgeOptions{}, domain.ErrShape, "23 rows"},
		{"vector", nil, tensor.New(tensor.WithShape(23), tensor.Of(tensor.Float64)), y, RidgeOptions{}, domain.ErrShape, "(23)"},
		{"ints", nil, tensor.New(tensor.WithShape(23, 5), tensor.Of(tensor.Int)), y, RidgeOptions{}, domain.ErrDtype, "int"},
		{"column-major", nil, tensor.New(tensor.WithShape(2, 2), tensor.AsFortran([]float64{1, 2, 3, 4})), y, RidgeOptions{}, domain.ErrShape, "strides"},
		{"no rows", nil, tensor.New(tensor.WithShape(0, 5), tensor.WithBacking([]float64{})), &mat.Dense{}, RidgeOptions{}, domain.ErrShape, "at least one row"},
		{"rows", nil, x, fewY, RidgeOptions{}, domain.ErrShape, "[3 2]"},
		{"dims", newCosine(4, 7), x, y, RidgeOptions{}, domain.ErrShape, "5 columns, the map takes 4"},
		{"map's NaN", bad, x, y, RidgeOptions{BlockRows: 10}, domain.ErrDomain, "row 2 has the feature z[2,0] = NaN"},
		{"x", nil, nan, y, RidgeOptions{BlockRows: 4}, domain.ErrDomain, "row 17 has the feature z[17,3] = +Inf"},
		{"y", nil, x, nanY, RidgeOptions{BlockRows: 4}, domain.ErrDomain, "row 19 has the target y[19,1] = NaN"},
		{"dual y", newCosine(5, 29), x, nanY, RidgeOptions{BlockRows: 4}, domain.ErrDomain, "row 19 has the target y[19,1]"},
		{"zero", nil, zero, y, RidgeOptions{}, domain.ErrDomain, "every feature"},
		{"huge", nil, huge, y, RidgeOptions{}, domain.ErrDomain, "scale the data"},
		{"tiny", nil, tiny, y, RidgeOptions{}, domain.ErrDomain, "lose digits"},
		{"targets", nil, x, hugeY, RidgeOptions{}, domain.ErrDomain, "the differences of target 1 overflow; scale the targets"},
		{"large lambda", nil, x, y, RidgeOptions{Lambdas: []float64{math.MaxFloat64}}, domain.ErrParam, "lower lambda"},
		{"dual zero", nil, tensor.New(tensor.WithShape(3, 5), tensor.Of(tensor.Float64)), fewY, RidgeOptions{}, domain.ErrDomain, "every feature"},
		{"repeated", nil, repeated, y, RidgeOptions{Lambdas: []float64{0}}, domain.ErrParam, "raise lambda"},
		{"row with a feature of its own", nil, alone, mat.NewDense(5, 1, []float64{1, 2, 3, 4, 9}), RidgeOptions{Lambdas: []float64{0, 1e-30}, Select: SelectLOO}, domain.ErrParam, "none of the 2 lambdas"},
		{"negative", nil, x, y, RidgeOptions{Lambdas: []float64{1, -2}, Select: SelectLOO}, domain.ErrParam, "Lambdas[1]: lambda = -2"},
		{"NaN lambda", nil, x, y, RidgeOptions{Lambdas: []float64{math.NaN()}}, domain.ErrParam, "Lambdas[0]"},
		{"no lambda", nil, x, y, RidgeOptions{Lambdas: []float64{}}, domain.ErrParam, "empty"},
		{"two", nil, x, y, RidgeOptions{Lambdas: two, Select: SelectNone}, domain.ErrParam, "choose by SelectLOO"},
		{"selection", nil, x, y, RidgeOptions{Select: 7}, domain.ErrParam, "Select = 7"},
		{"block", nil, x, y, RidgeOptions{BlockRows: -1}, domain.ErrParam, "BlockRows = -1"},
		{"one row", nil, tensor.New(tensor.WithShape(1, 5), tensor.Of(tensor.Float64)), mat.NewDense(1, 1, one), RidgeOptions{Select: SelectLOO}, domain.ErrShape, "at least 2 rows"},
		{"few", nil, few, y, RidgeOptions{}, domain.ErrShape, "3 rows"},
	} {
		f, err := FitRidge(context.Background(), c.m, data.Pairs{X: c.x, Y: c.y}, c.o)
		if f != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "train: Ridge: ") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestRidgeProgressAndCancel(t *testing.T) {
	x, y := trial.Problem(23, 5, 1, 19)
	for s, total := range map[Selection]int{SelectAuto: 23, SelectNone: 23, SelectLOO: 46} {
		last, of := 0, 0
		ctx, cancel := context.WithCancel(context.Background())
		o := RidgeOptions{Select: s, BlockRows: 4, Progress: func(done, all int) {
			if done <= last {
				t.Errorf("%v: done %d after %d", s, done, last)
			}
			last, of = done, all
		}}
		if _, err := FitRidge(ctx, nil, data.Pairs{X: x, Y: y}, o); err != nil || last != total || of != total {
			t.Errorf("%v: %d of %d, want %d; %v", s, last, of, total, err)
		}
		o.Progress = func(int, int) { cancel() }
		if _, err := FitRidge(ctx, nil, data.Pairs{X: x, Y: y}, o); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "after 4 of") {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// endsLater is a context that ends at a number of looks after the last block of rows.
type endsLater struct {
	context.Context
	counts bool
	left   int
}

func (c *endsLater) Err() error {
	if c.counts {
		c.left--
	}
	if c.counts && c.left <= 0 {
		return context.Canceled
	}
	return nil
}

// TestRidgeStopsInTheSystem: a context that ends once all rows are read ends the fit within the system's products, its
// factor or its reduction, and what they have left is no fit.
func TestRidgeStopsInTheSystem(t *testing.T) {
	for name, shape := range map[string][2]int{"primal": {400, 256}, "dual": {256, 400}} {
		x, y := trial.Problem(shape[0], shape[1], 1, 19)
		for _, o := range []RidgeOptions{{Lambdas: []float64{.1}, Select: SelectNone}, {}, {Lambdas: []float64{.1, 1}, Select: SelectLOO}} {
			for _, after := range []int{2, 3, 5} {
				ctx := &endsLater{Context: context.Background(), left: after}
				o.Progress = func(done, all int) { ctx.counts = done >= shape[0] }
				fit, err := FitRidge(ctx, nil, data.Pairs{X: x, Y: y}, o)
				if fit != nil || !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %v, ended %d looks after the rows: %v, %v", name, o.Select, after, fit != nil, err)
				}
				if ctx.left < -40 {
					t.Errorf("%s, %v: %d looks after the context has ended", name, o.Select, -ctx.left)
				}
			}
		}
	}
}

// differ is the largest difference of two heads in proportion to the weights.
func differ(a, b *RidgeFit) float64 {
	var diff mat.Dense
	diff.Sub(a.W, b.W)
	e := mat.Norm(&diff, math.Inf(1))
	for j := range a.B {
		e = max(e, math.Abs(a.B[j]-b.B[j]))
	}
	return e / mat.Norm(b.W, math.Inf(1))
}

// TestRidgeBlocks: rows that come in blocks of any sizes give the fit of rows in memory, for every way to choose lambda.
func TestRidgeBlocks(t *testing.T) {
	x, y := trial.Problem(331, 6, 2, 23)
	ctx := context.Background()
	for name, m := range map[string]layers.Map{"identity": nil, "fourier": trial.Fourier(t, 6, 40, 8), "signed": trial.TwoSigns{D: 6, Plus: 4}} {
		for _, o := range []RidgeOptions{{}, {Lambdas: []float64{.3}}, {Lambdas: []float64{1e-3, .1, 3}, Select: SelectLOO}} {
			want := fit(t, m, x, y, o)
			for _, sizes := range [][]int{{331}, {1, 2, 50}, {64}} {
				got, err := FitRidge(ctx, m, trial.InBlocks(t, x, y, sizes...), o)
				if err != nil {
					t.Fatal(name, err)
				}
				if e := differ(got, want); e > 1e-7 || got.Lambda != want.Lambda || len(got.Scores) != len(want.Scores) {
					t.Errorf("%s, %+v, blocks of %v: off by %.2g, lambda %v, want %v", name, o, sizes, e, got.Lambda, want.Lambda)
				}
			}
		}
	}
}

// TestRowsOfStream: a scaler and a head that are fitted on a stream are those of the file in memory, however it is cut; the sums of each file,
// merged, are those of all.
func TestRowsOfStream(t *testing.T) {
	x, y := trial.Problem(211, 3, 1, 29)
	var lines []string
	for i := range 211 {
		lines = append(lines, fmt.Sprintf("%v,%v,%v,%d\n", x.Float64s()[3*i], x.Float64s()[3*i+1], x.Float64s()[3*i+2], int(math.Abs(y.At(i, 0)))%3))
	}
	dir, ctx := t.TempDir(), context.Background()
	var files []string
	for i, cut := range [][2]int{{0, 30}, {30, 31}, {31, 211}} {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.csv", i)))
		if err := os.WriteFile(files[i], []byte(strings.Join(lines[cut[0]:cut[1]], "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set, err := data.ReadAll(ctx, data.Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	m := trial.Fourier(t, 3, 20, 2)
	whole, _ := data.ParseScalers("standard")
	if err := errors.Join(whole.Fit(set.X), whole.ApplyInPlace(set.X)); err != nil {
		t.Fatal(err)
	}
	classes := data.NewClasses(set.Labels)
	labels, err := classes.Index(set.Labels)
	if err != nil {
		t.Fatal(err)
	}
	targets, err := data.OneVersusRest(labels, len(classes))
	if err != nil {
		t.Fatal(err)
	}
	want := fit(t, m, set.X.(*tensor.Dense), targets, RidgeOptions{Lambdas: []float64{.1}})
	rowsOf := func(paths ...string) data.Streamed {
		s, err := data.OpenStream(data.StreamOptions{BlockRows: 16}, paths...)
		if err != nil {
			t.Fatal(err)
		}
		return data.Streamed{Stream: s, Scaler: whole, Classes: classes, Dtype: tensor.Float64}
	}
	rows := rowsOf(dir)
	scaler, _ := data.ParseScalers("standard")
	if err := scaler.FitBlocks(rows.Matrices(ctx)); err != nil {
		t.Fatal(err)
	}
	rows.Scaler = scaler
	got, err := FitRidge(ctx, m, rows, RidgeOptions{Lambdas: []float64{.1}})
	if err != nil || differ(got, want) > 1e-9 {
		t.Errorf("the stream gives another fit (%v)", err)
	}
	var sum RidgeStats
	for _, f := range files {
		var part RidgeStats
		if err := errors.Join(part.AddRows(ctx, m, rowsOf(f)), sum.Merge(&part)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err = sum.Solve(.1); err != nil || differ(got, want) > 1e-9 {
		t.Errorf("the files give another fit (%v)", err)
	}

	rows.Classes = classes[:2]
	if _, err := FitRidge(ctx, m, rows, RidgeOptions{}); !errors.Is(err, data.ErrLabel) || !strings.Contains(err.Error(), ".csv") {
		t.Error(err)
	}
	rows.Classes = nil
	if _, err := FitRidge(ctx, m, rows, RidgeOptions{}); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
	semigroup, err := layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: .1}, 3, 16, layers.WithSeed(1))
	if err != nil {
		t.Fatal(err)
	}
	rows.Classes = classes
	_, err = FitRidge(ctx, semigroup, rows, RidgeOptions{})
	if !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "0.csv") {
		t.Error(err)
	}
}

func TestRidgeBlocksErrors(t *testing.T) {
	x, y := trial.Problem(20, 3, 1, 31)
	ctx, broken := context.Background(), errors.New("broken")
	none := trial.Blocks(func(func(data.Pairs, error) bool) {})
	fails := trial.Blocks(func(yield func(data.Pairs, error) bool) { yield(data.Pairs{}, broken) })
	located := data.Pairs{X: x, Y: y, Locate: func(err error) error { return errors.Join(err, broken) }}
	one := trial.InBlocks(t, x, y, 20)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		ctx      context.Context
		m        layers.Map
		b        data.Examples
		o        RidgeOptions
		sentinel error
	}{
		"no rows":   {ctx, nil, none, RidgeOptions{}, domain.ErrShape},
		"blocks":    {ctx, nil, fails, RidgeOptions{}, broken},
		"located":   {ctx, trial.Fourier(t, 4, 8, 1), located, RidgeOptions{}, broken},
		"options":   {ctx, nil, one, RidgeOptions{Lambdas: []float64{1, 2}, Select: SelectNone}, domain.ErrParam},
		"cancelled": {cancelled, nil, one, RidgeOptions{}, context.Canceled},
	} {
		if _, err := FitRidge(c.ctx, c.m, c.b, c.o); !errors.Is(err, c.sentinel) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
