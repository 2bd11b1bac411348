package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/rows"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// spoilt is a map whose features are NaN from a row of each block on.
type spoilt struct {
	layers.Map
	from int
}

func (m spoilt) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	z, err := m.Map.Transform(dst, x)
	for i := m.from * m.Features(); err == nil && i < z.DataSize(); i++ {
		z.Float64s()[i] = math.NaN()
	}
	return z, err
}

// TestRidgeScale: the lambda is relative, so a common factor of the features divides W and leaves the predictions. A
// mean at which features vary in the 9th digit leaves W. Uncentred moments would keep no digit of their variance; what
// changes here is the rounding of the features themselves, 1e8 ε.
func TestRidgeScale(t *testing.T) {
	for _, n := range []int{53, 5} {
		x, y := trial.Problem(n, 7, 2, 13)
		o := RidgeOptions{Lambdas: []float64{0.3}, BlockRows: 20}
		want := fit(t, nil, x, y, o)
		for _, c := range []struct{ factor, mean, tol float64 }{{0x1p-300, 0, 1e-12}, {0x1p300, 0, 1e-12}, {1, 1e8, 1e-7}} {
			moved := x.Clone().(*tensor.Dense)
			for i, v := range moved.Float64s() {
				moved.Float64s()[i] = c.factor*v + c.mean
			}
			f := fit(t, nil, moved, y, o)
			if f.W.Scale(c.factor, f.W); c.mean != 0 {
				f.B = want.B // for W alone
			}
			if e := far(f, want); e > c.tol {
				t.Errorf("n = %d, %+v: off by %.2g", n, c, e)
			}
		}
	}
}

// TestFitHead: a head of a fit has z W + B, also of a W that is a part of another matrix; one of an unknown kind is an error.
func TestFitHead(t *testing.T) {
	all := mat.NewDense(2, 3, []float64{1, 2, 9, 3, 4, 9})
	f := &Fit{W: all.Slice(0, 2, 0, 2).(*mat.Dense), B: []float64{.5, -.5}}
	y := must(must(f.Head("linear", layers.WithDtype(tensor.Float32))).Transform(nil, tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float32{1, 10}))))
	if want := []float32{31.5, 41.5}; !slices.Equal(y.Float32s(), want) {
		t.Errorf("%v, want %v", y, want)
	}
	if _, err := f.Head("none"); !errors.Is(err, domain.ErrParam) {
		t.Errorf("a head of an unknown kind: %v", err)
	}
}

// TestRidgeConstantFeatures: features that are the same in all rows predict the mean.
func TestRidgeConstantFeatures(t *testing.T) {
	for _, n := range []int{3, 7} {
		x := doubles(slices.Repeat([]float64{2}, 5*n), n, 5)
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

// TestUnusableLambda: a lambda that leaves the system singular scores +Inf and another is chosen; so is one with which
// a row determines its own fit: with as many features as rows nothing is left of it.
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

// TestRidgeChoosesLambda: the zero value is leave-one-out over the built-in grid, in memory, in blocks and in the space
// of the rows, and its minimum is inside the grid.
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
		blocks := must(FitRidge(context.Background(), nil, trial.InBlocks(t, x, y, 20), RidgeOptions{}))
		at := slices.IndexFunc(auto.Scores, func(s fits.LambdaScore) bool { return s.Lambda == auto.Lambda })
		grown := len(auto.Scores) > 9
		if (at == 0 || at == len(auto.Scores)-1) && auto.Lambda < 1e3*float64(c.n) || c.noise > 0 && !grown {
			t.Errorf("%+v: %v of %v", c, auto.Lambda, auto.Scores)
		}
		for name, f := range map[string]*Fit{"leave-one-out": loo, "blocks": blocks} {
			if e := far(f, auto); f.Lambda != auto.Lambda || e > 1e-8 {
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

// TestRowSample: many rows are sampled evenly, whatever the blocks; lambda is then chosen by the errors of these rows.
func TestRowSample(t *testing.T) {
	const n, d = 3 * rows.Scored, 3
	x, y, _ := trial.Overlapping(t, n, d, 2)
	var first []int
	for _, size := range []int{1000, 777} {
		s := rows.NewSample(5)
		for lo := 0; lo < n; lo += size {
			xs, ys := trial.RowsOf(x, y, lo, min(lo+size, n))
			ok(t, s.Add(rows.Names{First: lo}, xs, ys))
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
	fewY := mat.DenseCopyOf(y.Slice(0, 3, 0, 2))
	repeated, tiny, huge := x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense)
	for i := range 23 {
		repeated.Float64s()[i*5+1] = repeated.Float64s()[i*5]
	}
	for i := range huge.Float64s() {
		huge.Float64s()[i] *= 1e200
		tiny.Float64s()[i] *= 1e-150
	}
	hugeY := mat.NewDense(23, 2, nil)
	hugeY.Set(0, 1, math.MaxFloat64)
	hugeY.Set(4, 1, -math.MaxFloat64)
	nanY := mat.DenseCopyOf(y)
	nanY.Set(19, 1, math.NaN())
	bad := spoilt{trial.Fourier(t, 5, 8, 1), 2}
	alone := tensor.New(tensor.WithShape(5, 2), tensor.WithBacking([]float64{1, 0, 1, 0, 2, 0, 3, 0, 4, 1}))
	// G = diag(4, 4) with the signs (1, -1), and s is the mean of the squared norms, 2, about a mean of 0: of λ s = 4
	// the system is singular.
	cross := doubles([]float64{math.Sqrt2, 0, -math.Sqrt2, 0, 0, math.Sqrt2, 0, -math.Sqrt2}, 4, 2)
	signed, four := twoSigns{2, 1}, mat.NewDense(4, 1, []float64{1, 2, 3, 5})
	for _, c := range []struct {
		name string
		m    layers.Map
		x    *tensor.Dense
		y    *mat.Dense
		o    RidgeOptions
		is   error
		want string
	}{
		{"vector", nil, tensor.New(tensor.WithShape(23), tensor.Of(tensor.Float64)), y, RidgeOptions{}, domain.ErrShape, "(23)"},
		{"ints", nil, tensor.New(tensor.WithShape(23, 5), tensor.Of(tensor.Int)), y, RidgeOptions{}, domain.ErrDtype, "int"},
		{"no rows", nil, tensor.New(tensor.WithShape(0, 5), tensor.WithBacking([]float64{})), &mat.Dense{}, RidgeOptions{}, domain.ErrShape, "at least one row"},
		{"dims", trial.Fourier(t, 4, 8, 1), x, y, RidgeOptions{}, domain.ErrShape, "5 columns, the map takes 4"},
		{"map's NaN", bad, x, y, RidgeOptions{BlockRows: 10}, domain.ErrDomain, "row 2 has the feature z[2,0] = NaN"},
		{"dual y", trial.Fourier(t, 5, 30, 1), x, nanY, RidgeOptions{BlockRows: 4}, domain.ErrDomain, "row 19 has the target y[19,1]"},
		{"huge", nil, huge, y, RidgeOptions{}, domain.ErrDomain, "scale the data"},
		{"tiny", nil, tiny, y, RidgeOptions{}, domain.ErrDomain, "lose digits"},
		{"targets", nil, x, hugeY, RidgeOptions{}, domain.ErrDomain, "the differences of target 1 overflow; scale the targets"},
		{"large lambda", nil, x, y, RidgeOptions{Lambdas: []float64{math.MaxFloat64}}, domain.ErrParam, "lower lambda"},
		{"dual zero", nil, tensor.New(tensor.WithShape(3, 5), tensor.Of(tensor.Float64)), fewY, RidgeOptions{}, domain.ErrDomain, "every feature"},
		{"repeated", nil, repeated, y, RidgeOptions{Lambdas: []float64{0}}, domain.ErrParam, "raise lambda"},
		{"row with a feature of its own", nil, alone, mat.NewDense(5, 1, []float64{1, 2, 3, 4, 9}), RidgeOptions{Lambdas: []float64{0, 1e-30}, Select: SelectLOO}, domain.ErrParam, "none of the 2 lambdas"},
		{"minus an eigenvalue", signed, cross, four, RidgeOptions{Lambdas: []float64{2}}, domain.ErrParam,
			"the 2 x 2 system of an indefinite kernel is singular"},
		{"what to do", signed, cross, four, RidgeOptions{Lambdas: []float64{2}}, domain.ErrParam, "choose another lambda"},
		{"two of them", signed, cross, four, RidgeOptions{Lambdas: []float64{2, 2}, Select: SelectLOO}, domain.ErrParam,
			"none of the 2 lambdas"},
		{"negative", nil, x, y, RidgeOptions{Lambdas: []float64{1, -2}, Select: SelectLOO}, domain.ErrParam, "Lambdas[1]: lambda = -2"},
		{"NaN lambda", nil, x, y, RidgeOptions{Lambdas: []float64{math.NaN()}}, domain.ErrParam, "Lambdas[0]"},
		{"no lambda", nil, x, y, RidgeOptions{Lambdas: []float64{}}, domain.ErrParam, "Lambdas = []"},
		{"selection", nil, x, y, RidgeOptions{Select: 7}, domain.ErrParam, "Select = 7"},
		{"block", nil, x, y, RidgeOptions{BlockRows: -1}, domain.ErrParam, "BlockRows = -1"},
		{"one row", nil, doubles(make([]float64, 5), 1, 5), mat.NewDense(1, 1, nil), RidgeOptions{Select: SelectLOO},
			domain.ErrShape, "at least 2 rows"},
	} {
		f, err := FitRidge(context.Background(), c.m, data.Pairs{X: c.x, Y: c.y}, c.o)
		if refused(t, c.name, err, c.is, c.want); f != nil || !strings.HasPrefix(fmt.Sprint(err), "train: Ridge: ") {
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
		_, err := FitRidge(ctx, nil, data.Pairs{X: x, Y: y}, o)
		refused(t, s.String(), err, context.Canceled, "after 4 of")
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

// TestScoresStop: a context that ends in the last solution is an error, and not a lambda without a score, by the sums of
// folds and by parts of a Gram matrix.
func TestScoresStop(t *testing.T) {
	x, y := trial.Problem(40, 5, 1, 19)
	var all, held RidgeStats
	ok(t, all.Add(x, y), held.Add(x, y))
	gram := make([]float64, 40*40)
	addSquare(t.Context(), 40, 5, x.Float64s(), gram)
	for name, score := range map[string]func(ctx context.Context) ([]fits.LambdaScore, error){
		"sums": func(ctx context.Context) ([]fits.LambdaScore, error) {
			return all.scores(ctx, &held, nil, []float64{.1, 1})
		},
		"Gram matrix": func(ctx context.Context) ([]fits.LambdaScore, error) {
			src := must(rows.New(t.Context(), "Ridge", nil, data.Pairs{X: x, Y: y}))
			src.Ctx = ctx
			return dualScores(src, gram, indices(30), indices(40)[30:], 1, []float64{.1, 1})
		},
	} {
		const looks = 1000
		whole := &endsLater{Context: t.Context(), counts: true, left: looks}
		must(score(whole))
		for after := 1; after <= looks-whole.left; after++ {
			scores, err := score(&endsLater{Context: t.Context(), counts: true, left: after})
			if scores != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended at look %d: %v, %v", name, after, scores, err)
			}
		}
	}
}
