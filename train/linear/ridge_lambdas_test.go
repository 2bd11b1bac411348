package linear

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

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
		for name, f := range map[string]func(k, y *mat.Dense, lambda float64) (*KernelRidge, error){"kernel": FitKernelRidge} {
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
		kernel, err := FitKernelRidgeLOO(&k, y, lambdas)
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
	const n, d = 3 * scoredRows, 3
	x, y, _ := trial.Overlapping(t, n, d, 2)
	var first []int
	for _, size := range []int{1000, 777} {
		s := newRowSample(5)
		for lo := 0; lo < n; lo += size {
			hi := min(lo+size, n)
			part := make([]int, hi-lo)
			for i := range part {
				part[i] = lo + i
			}
			if err := s.add(rowNames{first: lo}, data.Rows(x, part), trial.TakeRows(y, part)); err != nil {
				t.Fatal(err)
			}
		}
		var rows []int
		third := 0
		for _, b := range s.all() {
			for i, r := range b.rows.index {
				if rows = append(rows, r); r < n/3 {
					third++
				}
				if b.z[i*d] != x.Float64s()[r*d] || b.y.At(i, 0) != y.At(r, 0) {
					t.Fatalf("row %d is not itself", r)
				}
			}
		}
		if first == nil {
			first = rows
		}
		if len(rows) != scoredRows || !slices.IsSorted(rows) || !slices.Equal(rows, first) || math.Abs(float64(third)-scoredRows/3.) > 4*math.Sqrt(scoredRows*2./9) {
			t.Errorf("blocks of %d: %d rows, %d of the first third", size, len(rows), third)
		}
	}
	all, some := fit(t, nil, x, y, RidgeOptions{Select: SelectLOO}), fit(t, nil, x, y, RidgeOptions{})
	for l, s := range some.Scores { // both are shares of one population of rows
		if p := all.Scores[l]; math.Abs(s.ErrorRate-p.ErrorRate) > 4*math.Sqrt(p.ErrorRate*(1-p.ErrorRate)/scoredRows) {
			t.Errorf("λ = %v: error rate %v of the sample, %v of all", s.Lambda, s.ErrorRate, p.ErrorRate)
		}
	}
	if fmt.Sprint(some.Scores) == fmt.Sprint(all.Scores) {
		t.Error("all rows were scored")
	}
}
