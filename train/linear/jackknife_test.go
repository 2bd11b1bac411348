package linear

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func jackknife(t *testing.T, m layers.Map, rows data.Examples, lambda float64) *Jackknife {
	t.Helper()
	j, err := NewJackknife(context.Background(), m, rows, lambda)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// bruteForce refits without each row in turn: the residual of that row, and the bounds of the rows of test by sorting.
func bruteForce(z, y, test *mat.Dense, effective, level float64) (residuals, mean, lower, upper *mat.Dense) {
	n, k := y.Dims()
	m, _ := test.Dims()
	residuals, mean, lower, upper = mat.NewDense(n, k, nil), mat.NewDense(m, k, nil), mat.NewDense(m, k, nil), mat.NewDense(m, k, nil)
	lo, hi := make([][]float64, m*k), make([][]float64, m*k)
	at := func(w *mat.Dense, b []float64, row mat.Vector, t int) float64 {
		return b[t] + mat.Dot(row, w.ColView(t))
	}
	w, b := naive(z, y, effective, -1)
	for i := range m * k {
		mean.Set(i/k, i%k, at(w, b, test.RowView(i/k), i%k))
	}
	for i := range n {
		w, b := naive(z, y, effective, i)
		for t := range k {
			e := y.At(i, t) - at(w, b, z.RowView(i), t)
			residuals.Set(i, t, e)
			for r := range m {
				f := at(w, b, test.RowView(r), t)
				lo[r*k+t], hi[r*k+t] = append(lo[r*k+t], f-math.Abs(e)), append(hi[r*k+t], f+math.Abs(e))
			}
		}
	}
	q := int(math.Ceil(float64(n+1)*level - 1e-9))
	for i := range m * k {
		slices.Sort(lo[i])
		slices.Sort(hi[i])
		lower.Set(i/k, i%k, lo[i][n-q])
		upper.Set(i/k, i%k, hi[i][q-1])
	}
	return residuals, mean, lower, upper
}

// apart is the largest difference in proportion to the largest number.
func apart(a, b *mat.Dense) float64 {
	var diff mat.Dense
	diff.Sub(a, b)
	return max(mat.Max(&diff), -mat.Min(&diff)) / max(mat.Max(b), -mat.Min(b))
}

func TestJackknifeDefinition(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{43, 7, 2}, {41, 37, 1}, {13, 31, 3}, {2, 1, 1}, {2, 5, 1}, {53, 53, 1}, {61, 71, 1}} {
		x, y := trial.Problem(c.n, c.d, c.k, 23)
		test, _ := trial.Problem(19, c.d, c.k, 24)
		z := trial.MatOf(x)
		for _, lambda := range []float64{1e-3, .1, 10} {
			for _, level := range []float64{.6, .9} {
				j := jackknife(t, nil, data.Pairs{X: x, Y: y}, lambda)
				mean, lower, upper, err := j.Intervals(context.Background(), test, level)
				if float64(c.n+1)*level > float64(c.n) {
					if !errors.Is(err, domain.ErrShape) {
						t.Errorf("%+v level %v: %v", c, level, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				residuals, wantMean, wantLower, wantUpper := bruteForce(z, y, trial.MatOf(test), lambda*meanSpread(z), level)
				for what, e := range map[string]float64{"residuals": apart(j.Residuals(), residuals), "mean": apart(mean, wantMean), "lower": apart(lower, wantLower), "upper": apart(upper, wantUpper)} {
					if !(e < 1e-9) {
						t.Errorf("%+v lambda %v level %v: %s is off by %.2g", c, lambda, level, what, e)
					}
				}
			}
		}
	}
}

// The mean is what FitRidge predicts, through a map, of rows in memory and of rows that are read; of float32 to their
// digits.
func TestJackknifeIsRidge(t *testing.T) {
	x, y := trial.Problem(300, 5, 2, 29)
	test, _ := trial.Problem(40, 5, 2, 30)
	for _, features := range []int{24, 400} {
		m := newCosine(5, features)
		f := fit(t, m, x, y, RidgeOptions{Lambdas: []float64{.01}})
		z, err := m.Transform(nil, test)
		if err != nil {
			t.Fatal(err)
		}
		var want mat.Dense
		want.Mul(trial.MatOf(z), f.W)
		want.Apply(func(_, c int, v float64) float64 { return v + f.B[c] }, &want)
		j := jackknife(t, m, data.Pairs{X: x, Y: y}, .01)
		mean, lower, upper, err := j.Intervals(context.Background(), test, .8)
		if err != nil {
			t.Fatal(err)
		}
		if e := apart(mean, &want); e > 1e-9 {
			t.Errorf("%d features: the mean is off by %.2g", features, e)
		}
		read := jackknife(t, m, trial.InBlocks(t, x, y, 70, 31), .01)
		_, l, u, err := read.Intervals(context.Background(), test, .8)
		if err != nil {
			t.Fatal(err)
		}
		if e := max(apart(l, lower), apart(u, upper)); e > 1e-9 {
			t.Errorf("%d features: of rows that are read the bounds are off by %.2g", features, e)
		}
	}
	single := func(x *tensor.Dense) *tensor.Dense {
		v := make([]float32, 0, len(x.Float64s()))
		for _, c := range x.Float64s() {
			v = append(v, float32(c))
		}
		return tensor.New(tensor.WithShape(x.Shape()...), tensor.WithBacking(v))
	}
	_, l, u, err := jackknife(t, nil, data.Pairs{X: single(x), Y: y}, .01).Intervals(context.Background(), single(test), .8)
	if err != nil {
		t.Fatal(err)
	}
	_, lower, upper, err := jackknife(t, nil, data.Pairs{X: x, Y: y}, .01).Intervals(context.Background(), test, .8)
	if err != nil {
		t.Fatal(err)
	}
	if e := max(apart(l, lower), apart(u, upper)); e > 1e-5 || e == 0 {
		t.Errorf("float32: the bounds are off by %.2g", e)
	}
}

func TestJackknifeWorkers(t *testing.T) {
	x, y := trial.Problem(700, 9, 2, 31)
	run := func(workers int) *mat.Dense {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		_, lower, _, err := jackknife(t, newCosine(9, 130), data.Pairs{X: x, Y: y}, .01).Intervals(context.Background(), x, .9)
		if err != nil {
			t.Fatal(err)
		}
		return lower
	}
	if !mat.Equal(run(1), run(3)) {
		t.Error("bounds depend on GOMAXPROCS")
	}
}

// Over draws of rows and of a new one. Where the fit is stable both intervals cover as often as asked, to 1/(n+1) and
// the change by a row. Where there are nearly as many features as rows those of the jackknife+ keep their bound,
// 2·level - 1.
func TestJackknifeCovers(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("thousands of fits, too slow under the race detector")
	}
	const draws, m, level = 1500, 4, .9
	for _, c := range []struct {
		n, d        int
		lambda      float64
		least, most float64
	}{{60, 3, 1e-2, .88, .93}, {25, 24, 1e-6, .8, 1}, {25, 40, 1e-4, .8, 1}} {
		rng := rand.New(rand.NewPCG(uint64(c.d), 1))
		draw := func(n int) (*tensor.Dense, *mat.Dense) {
			x, y := make([]float64, n*c.d), mat.NewDense(n, 1, nil)
			for i := range n {
				for j := range c.d {
					x[i*c.d+j] = rng.NormFloat64()
				}
				y.Set(i, 0, x[i*c.d]+rng.ExpFloat64()*(1+math.Abs(x[i*c.d])))
			}
			return tensor.New(tensor.WithShape(n, c.d), tensor.WithBacking(x)), y
		}
		var sum, squares, plain float64
		for range draws {
			x, y := draw(c.n)
			j := jackknife(t, nil, data.Pairs{X: x, Y: y}, c.lambda)
			test, target := draw(m)
			mean, lower, upper, err := j.Intervals(context.Background(), test, level)
			if err != nil {
				t.Fatal(err)
			}
			share, err := calibrate.Coverage(target, lower, upper)
			if err != nil {
				t.Fatal(err)
			}
			v, err := calibrate.IntervalsOfResiduals(j.Residuals(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if lower, upper, err = v.Bounds(level, mean, nil); err != nil {
				t.Fatal(err)
			}
			of, err := calibrate.Coverage(target, lower, upper)
			if err != nil {
				t.Fatal(err)
			}
			sum, squares, plain = sum+share[0]/draws, squares+share[0]*share[0]/draws, plain+of[0]/draws
		}
		se := math.Sqrt((squares - sum*sum) / draws)
		t.Logf("%d rows of %d: coverage %.4f, of the jackknife %.4f, standard error %.4f", c.n, c.d, sum, plain, se)
		if sum < c.least-4*se || sum > c.most+4*se {
			t.Errorf("%d rows of %d: coverage %.4f, want %v to %v, standard error %.4f", c.n, c.d, sum, c.least, c.most, se)
		}
	}
}

func TestSmallest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for n := 1; n < 60; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(rng.IntN(n)) // with equal ones
		}
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		for k := range n {
			if got := smallest(slices.Clone(x), k); got != sorted[k] {
				t.Fatalf("the %d-th of %v: %v", k, x, got)
			}
		}
	}
}

func TestJackknifeErrors(t *testing.T) {
	x, y := trial.Problem(23, 5, 2, 17)
	p := data.Pairs{X: x, Y: y}
	one := data.Pairs{X: tensor.New(tensor.WithShape(1, 5), tensor.Of(tensor.Float64)), Y: mat.NewDense(1, 2, nil)}
	wide, _ := trial.Problem(5, 23, 1, 17)
	six, sixY := trial.Problem(6, 5, 1, 17)
	five, fiveY := trial.Problem(5, 5, 1, 17)
	bad := mat.DenseCopyOf(y)
	bad.Set(19, 1, math.NaN())
	for _, c := range []struct {
		name   string
		m      layers.Map
		rows   data.Examples
		lambda float64
		want   error
		text   string
	}{
		{"nil rows", nil, nil, 1, domain.ErrParam, "nil"},
		{"a negative lambda", nil, p, -1, domain.ErrParam, "lambda"},
		{"one row", nil, one, 1, domain.ErrShape, "2 rows"},
		{"rows that determine their fit", nil, data.Pairs{X: six, Y: sixY}, 0, domain.ErrParam, "determines its own fit"},
		{"a singular system", nil, data.Pairs{X: five, Y: fiveY}, 0, domain.ErrParam, "positive definite"},
		{"a target that is NaN", nil, data.Pairs{X: x, Y: bad}, 1, domain.ErrDomain, "row 19"},
		{"signs", trial.TwoSigns{D: 5, Plus: 2}, p, 1, domain.ErrParam, "indefinite"},
	} {
		if _, err := NewJackknife(context.Background(), c.m, c.rows, c.lambda); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	j := jackknife(t, nil, p, .1)
	for _, c := range []struct {
		name  string
		x     ops.Matrix
		level float64
		want  error
		text  string
	}{
		{"nil", nil, .5, domain.ErrParam, "nil"},
		{"other columns", wide, .5, domain.ErrShape, "23"},
		{"level 1", x, 1, domain.ErrParam, "level"},
		{"NaN", x, math.NaN(), domain.ErrParam, "level"},
		{"too few rows", x, .99, domain.ErrShape, "99 rows"},
	} {
		if _, _, _, err := j.Intervals(context.Background(), c.x, c.level); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := j.Intervals(ended, x, .5); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
