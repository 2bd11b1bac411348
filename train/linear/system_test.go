package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// naiveKrein is the definition: the normal equations of [z 1] with the penalty λ s Σ, without the row leave.
func naiveKrein(z, y *mat.Dense, signature []float64, effective float64, leave int) (w *mat.Dense, b []float64) {
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
	for j, s := range signature {
		a.Set(j, j, a.At(j, j)+s*effective)
	}
	var c mat.Dense
	if err := c.Solve(a, r); err != nil {
		panic(err)
	}
	return mat.DenseCopyOf(c.Slice(0, d, 0, k)), append([]float64{}, c.RawRowView(d)...)
}

// TestKreinRidge: with a signature, W and b are those of the definition, for more and for fewer rows than features, from one block and
// from many, from parts that were merged; the leave-one-out error is the one of fits without each row; and the penalty is not that of the
// squared norm.
func TestKreinRidge(t *testing.T) {
	for _, n := range []int{67, 7} {
		const d, k = 11, 2
		x, y := trial.Problem(n, d, k, 3)
		m := trial.TwoSigns{D: d, Plus: 7}
		z := trial.MatOf(x)
		for _, lambda := range []float64{1e-3, .1, 3} {
			effective := lambda * meanSpread(z)
			w, b := naiveKrein(z, y, m.Signature(), effective, -1)
			for _, block := range []int{0, 3} {
				got := fit(t, m, x, y, RidgeOptions{Lambdas: []float64{lambda}, BlockRows: block})
				if f := far(got, w, b); f > 1e-8 {
					t.Errorf("n = %d, lambda = %v, blocks of %d: %v from the definition", n, lambda, block, f)
				}
			}
			if f := far(fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{lambda}}), w, b); f < 1e-6 {
				t.Errorf("n = %d, lambda = %v: the signs make no difference", n, lambda)
			}
			loo := 0.
			for i := range n {
				w, b := naiveKrein(z, y, m.Signature(), effective, i)
				for j := range k {
					e := y.At(i, j) - b[j]
					for l := range d {
						e -= z.At(i, l) * w.At(l, j)
					}
					loo += e * e / float64(n*k)
				}
			}
			got := fit(t, m, x, y, RidgeOptions{Lambdas: []float64{lambda, 7}, Select: SelectLOO})
			if s := got.Scores[0].MSE; math.Abs(s-loo) > 1e-7*loo {
				t.Errorf("n = %d, lambda = %v: leave-one-out error %v, by fits without each row %v", n, lambda, s, loo)
			}
		}
	}
}

// TestKreinStats: merged sums solve as those of all rows, and Solve leaves them as they are.
func TestKreinStats(t *testing.T) {
	const n, d = 31, 5
	x, y := trial.Problem(n, d, 1, 7)
	m := trial.TwoSigns{D: d, Plus: 3}
	all, first, second := RidgeStats{Signature: m.Signature()}, RidgeStats{Signature: m.Signature()}, RidgeStats{}
	rows := func(lo, hi int) (*tensor.Dense, *mat.Dense) {
		return tensor.New(tensor.WithShape(hi-lo, d), tensor.WithBacking(x.Float64s()[lo*d:hi*d])), y.Slice(lo, hi, 0, 1).(*mat.Dense)
	}
	for _, err := range []error{all.Add(x, y), first.Add(rows(0, 13)), second.Add(rows(13, n)), first.Merge(&second)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want, err := all.Solve(.1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := first.Solve(.1)
		if err != nil {
			t.Fatal(err)
		}
		if f := far(got, want.W, want.B); f > 1e-10 {
			t.Errorf("merged sums give another fit, by %v", f)
		}
	}
	for _, bad := range [][]float64{{1, 1}, {1, 1, 0, 1, 1}} {
		first.Signature = bad
		if _, err := first.Solve(.1); !errors.Is(err, domain.ErrShape) && !errors.Is(err, domain.ErrParam) {
			t.Errorf("signature %v: %v", bad, err)
		}
	}
}

// TestKreinRidgeOfKernel: FitRidge on the features of an indefinite kernel is ridge regression on its matrix, α = (H K H + λ s I)⁻¹ (y - ȳ).
func TestKreinRidgeOfKernel(t *testing.T) {
	const n, d = 41, 3
	x, y := trial.Problem(n, d, 2, 9)
	for i := range x.Float64s() {
		x.Float64s()[i] /= 10
	}
	k := spectral.DeltaGaussian{Sigmas: []float64{2, .5}, Weights: []float64{1, -1}}
	l, err := layers.NewGORFLayer(k, d, 256, layers.WithSeed(3))
	if err != nil {
		t.Fatal(err)
	}
	gram, err := report.ApproxGram(l, x)
	if err != nil {
		t.Fatal(err)
	}
	const lambda = .03
	primal := fit(t, l, x, y, RidgeOptions{Lambdas: []float64{lambda}})
	z, err := l.Transform(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	centred := centredGram(gram)
	for i := range n {
		centred.Set(i, i, centred.At(i, i)+lambda*meanSpread(trial.MatOf(z)))
	}
	var alpha, got, want mat.Dense
	if err := alpha.Solve(centred, centredColumns(y)); err != nil {
		t.Fatal(err)
	}
	got.Mul(gram, &alpha)
	want.Mul(trial.MatOf(z), primal.W)
	for j := range 2 {
		b := mat.Sum(y.ColView(j))/n - mat.Sum(got.ColView(j))/n
		for i := range n {
			if v := want.At(i, j) + primal.B[j]; math.Abs(got.At(i, j)+b-v) > 1e-7*(1+math.Abs(v)) {
				t.Fatalf("row %d: %v by the kernel, %v by the features", i, got.At(i, j)+b, v)
			}
		}
	}
	if _, err := FitKernelRidge(gram, y, lambda); err == nil {
		t.Error("FitKernelRidge accepts this matrix, so that nothing is tested")
	}
}

// centredGram is H k H.
func centredGram(k *mat.Dense) *mat.Dense {
	n, _ := k.Dims()
	h := mat.NewDense(n, n, nil)
	h.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 1 - 1/float64(n)
		}
		return -1 / float64(n)
	}, h)
	var out mat.Dense
	out.Product(h, k, h)
	return &out
}

// centredColumns is y less the means of its columns.
func centredColumns(y *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Apply(func(_, j int, v float64) float64 { return v - mat.Sum(y.ColView(j))/float64(y.RawMatrix().Rows) }, y)
	return &out
}

// TestKreinRidgeErrors: a penalty that is minus an eigenvalue is an error that says so.
func TestKreinRidgeErrors(t *testing.T) {
	// Zc is diagonal in effect: G = diag(4, 4), the signature (1, -1), so λ s = 4 is singular; s is the mean of the squared norms, 2, about a mean of 0.
	x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{math.Sqrt2, 0, -math.Sqrt2, 0, 0, math.Sqrt2, 0, -math.Sqrt2}))
	y := mat.NewDense(4, 1, []float64{1, 2, 3, 5})
	_, err := FitRidge(context.Background(), trial.TwoSigns{D: 2, Plus: 1}, data.Pairs{X: x, Y: y}, RidgeOptions{Lambdas: []float64{2}})
	wantErr(t, err, domain.ErrParam, "singular", "2 x 2", "choose another lambda")
	_, err = FitRidge(context.Background(), trial.TwoSigns{D: 2, Plus: 1}, data.Pairs{X: x, Y: y}, RidgeOptions{Lambdas: []float64{2, 2}, Select: SelectLOO})
	wantErr(t, err, domain.ErrParam, "none of the 2 lambdas")
}

// wantErr checks that err wraps target and says what it should.
func wantErr(t *testing.T, err, target error, parts ...string) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error %v does not wrap %q", err, target)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

// TestKernelRidgeIsRidge: on K = Z Zᵀ it predicts what ridge on Z does, with more rows than features and with fewer.
func TestKernelRidgeIsRidge(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{43, 7, 2}, {13, 31, 3}, {1, 3, 1}, {73, 71, 1}} {
		x, y := trial.Problem(c.n, c.d, c.k, 47)
		other, _ := trial.Problem(11, c.d, c.k, 53)
		for _, lambda := range []float64{1e-4, 0.1, 10} {
			f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{lambda}})
			var k, cross, want mat.Dense
			k.Mul(trial.MatOf(x), trial.MatOf(x).T())
			cross.Mul(trial.MatOf(other), trial.MatOf(x).T())
			saved := mat.DenseCopyOf(&k)
			r, err := FitKernelRidge(&k, y, lambda)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Predict(&cross)
			if err != nil {
				t.Fatal(err)
			}
			want.Mul(trial.MatOf(other), f.W)
			for i := range 11 {
				for j := range c.k {
					w := want.At(i, j) + f.B[j]
					if e := math.Abs(got.At(i, j) - w); e > 1e-8*(1+math.Abs(w)) {
						t.Errorf("%+v lambda %g: f[%d,%d] is off by %.2g", c, lambda, i, j, e)
					}
				}
			}
			if !mat.Equal(&k, saved) {
				t.Error("k was changed")
			}
		}
	}
}

// TestKernelRidgeLOO: the scores are those of fits without each row in turn, at the same effective lambda, and of ridge on the
// features; the fit is that of the best.
func TestKernelRidgeLOO(t *testing.T) {
	lambdas := []float64{0.01, 0.3, 5}
	for _, c := range []struct{ n, d, k int }{{13, 31, 3}, {17, 5, 2}} {
		x, y := trial.Problem(c.n, c.d, c.k, 61)
		var k mat.Dense
		k.Mul(trial.MatOf(x), trial.MatOf(x).T())
		saved := mat.DenseCopyOf(&k)
		r, err := FitKernelRidge(&k, y, lambdas...)
		if err != nil {
			t.Fatal(err)
		}
		want, err := FitKernelRidge(&k, y, r.Lambda)
		if err != nil || !mat.EqualApprox(r.Alpha, want.Alpha, 1e-9*mat.Norm(want.Alpha, 2)) || !mat.Equal(&k, saved) {
			t.Errorf("%+v: not the fit at lambda %v (%v), or k was changed", c, r.Lambda, err)
		}
		f := fit(t, nil, x, y, RidgeOptions{Lambdas: lambdas, Select: SelectLOO})
		if f.Lambda != r.Lambda {
			t.Errorf("%+v: ridge on the features chooses %v, not %v", c, f.Lambda, r.Lambda)
		}
		for l, s := range r.Scores {
			left := leftOut(t, &k, y, s.Lambda)
			if s.Lambda != lambdas[l] || math.Abs(s.MSE-left) > 1e-9*left || math.Abs(s.MSE-f.Scores[l].MSE) > 1e-9*left {
				t.Errorf("%+v, lambda %v: %v, without each row in turn %v, ridge on the features %v", c, s.Lambda, s.MSE, left, f.Scores[l].MSE)
			}
		}
	}
}

// centredTrace is the mean of the diagonal of k less the mean of all entries.
func centredTrace(k *mat.Dense) float64 {
	n := float64(k.RawMatrix().Rows)
	return mat.Trace(k)/n - mat.Sum(k)/n/n
}

// leftOut is the mean squared error of rows under a fit to the others, whose lambda is such that the penalty is that of all rows.
func leftOut(t *testing.T, k, y *mat.Dense, lambda float64) (mse float64) {
	t.Helper()
	n, targets := y.Dims()
	for out := range n {
		rest, target, cross := mat.NewDense(n-1, n-1, nil), mat.NewDense(n-1, targets, nil), mat.NewDense(1, n-1, nil)
		at := func(i int) int { // the row of k that is row i of the rest
			if i < out {
				return i
			}
			return i + 1
		}
		for i := range n - 1 {
			for j := range n - 1 {
				rest.Set(i, j, k.At(at(i), at(j)))
			}
			target.SetRow(i, y.RawRowView(at(i)))
			cross.Set(0, i, k.At(out, at(i)))
		}
		r, err := FitKernelRidge(rest, target, lambda*centredTrace(k)/centredTrace(rest))
		if err != nil {
			t.Fatal(err)
		}
		pred, err := r.Predict(cross)
		if err != nil {
			t.Fatal(err)
		}
		for j := range targets {
			e := y.At(out, j) - pred.At(0, j)
			mse += e * e / float64(n*targets)
		}
	}
	return mse
}

// TestKernelRidgeIndefinite: K with the eigenvalues 3, 1, -1 on vectors that sum to 0 works once λ s exceeds 1.
func TestKernelRidgeIndefinite(t *testing.T) {
	q := mat.NewDense(4, 3, []float64{1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1})
	q.Scale(0.5, q)
	var k mat.Dense
	k.Product(q, mat.NewDiagDense(3, []float64{3, 1, -1}), q.T())
	y := mat.NewDense(4, 1, []float64{1, 2, 3, 5})
	s := mat.Trace(&k) / 4
	if _, err := FitKernelRidge(&k, y, 0.9/s); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "indefinite") {
		t.Errorf("lambda too small: %v", err)
	}
	r, err := FitKernelRidge(&k, y, 1.5/s)
	if err != nil {
		t.Fatal(err)
	}
	pred, err := r.Predict(&k)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 { // y - f = λ s α
		if e := y.At(i, 0) - pred.At(i, 0) - 1.5*r.Alpha.At(i, 0); math.Abs(e) > 1e-12 {
			t.Errorf("row %d: the equation is off by %.2g", i, e)
		}
	}
}

func TestKernelRidgeErrors(t *testing.T) {
	eye := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	y := mat.NewDense(3, 1, []float64{1, 2, 4})
	with := func(i, j int, v float64) *mat.Dense {
		k := mat.DenseCopyOf(eye)
		k.Set(i, j, v)
		return k
	}
	for _, c := range []struct {
		name   string
		k, y   *mat.Dense
		lambda float64
		is     error
		want   string
	}{
		{"nil", nil, y, 1, domain.ErrShape, "at least one row"},
		{"empty", &mat.Dense{}, y, 1, domain.ErrShape, "[0 0]"},
		{"not square", mat.NewDense(3, 2, nil), y, 1, domain.ErrShape, "[3 2]"},
		{"targets", eye, mat.NewDense(2, 1, nil), 1, domain.ErrShape, "[2 1]"},
		{"lambda", eye, y, -1, domain.ErrParam, "lambda = -1"},
		{"NaN", with(1, 2, math.NaN()), y, 1, domain.ErrDomain, "k[1,2] = NaN"},
		{"target", eye, mat.NewDense(3, 1, []float64{1, math.Inf(-1), 0}), 1, domain.ErrDomain, "y[1,0] = -Inf"},
		{"symmetry", with(2, 0, 0.5), y, 1, domain.ErrDomain, "k[2,0] = 0.5 but k[0,2] = 0"},
		{"trace", mat.NewDense(3, 3, nil), y, 1, domain.ErrDomain, "diagonal"},
		{"singular", mat.NewDense(3, 3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}), y, 0, domain.ErrParam, "raise lambda"},
	} {
		if _, err := FitKernelRidge(c.k, c.y, c.lambda); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := FitKernelRidge(c.k, c.y, c.lambda, c.lambda); !errors.Is(err, c.is) || c.name != "singular" && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, leave-one-out: %v", c.name, err)
		}
	}
	if _, err := FitKernelRidge(mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, 1, []float64{1})); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "at least 2 rows") {
		t.Errorf("one row: %v", err)
	}
	r, err := FitKernelRidge(eye, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []*mat.Dense{nil, mat.NewDense(1, 2, nil), {}} {
		if _, err := r.Predict(k); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "[rows,3]") {
			t.Errorf("Predict: %v", err)
		}
	}
	if _, err := r.Predict(with(1, 2, math.NaN())); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "kTest[1,2]") {
		t.Errorf("Predict: %v", err)
	}
}

func ExampleFitKernelRidge() {
	points := []float64{0, 1, 2, 3}
	gauss := func(a, b float64) float64 { return math.Exp(-(a - b) * (a - b) / 2) }
	k, y := mat.NewDense(4, 4, nil), mat.NewDense(4, 1, []float64{1, 2, 1, -1})
	for i, a := range points {
		for j, b := range points {
			k.Set(i, j, gauss(a, b))
		}
	}
	r, err := FitKernelRidge(k, y, 0.1)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := r.Predict(k)
	fmt.Printf("%.3f %v\n", mat.Formatted(f.T()), err)
	// Output: [ 1.017   1.931   0.950  -0.898] <nil>
}

// TestRidgeCG: the head is that of the factorised system, for any blocks, element type and preconditioner, whatever the means are.
func TestRidgeCG(t *testing.T) {
	x, y := trial.Problem(400, 6, 3, 41)
	ctx := context.Background()
	for _, m := range []layers.Map{nil, trial.Fourier(t, 6, 60, 6), trial.Fourier(t, 6, 300, 9)} {
		for _, lambda := range []float64{0, .5} {
			o := RidgeOptions{Select: SelectNone}
			if lambda > 0 {
				o.Lambdas = []float64{lambda}
			}
			want, err := FitRidge(ctx, m, data.Pairs{X: x, Y: y}, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, rank := range []int{0, 20, -1} {
				if rank != 0 && lambda == 0 {
					continue // hundreds of iterations
				}
				got, err := FitRidgeCG(ctx, m, trial.InBlocks(t, x, y, 100, 33), CGOptions{Lambda: lambda, Rank: rank, Tol: 1e-11})
				if err != nil {
					t.Fatal(err)
				}
				if e := differ(&got.RidgeFit, want); e > 1e-5 || got.Lambda != want.Lambda || !(got.Residual <= 1e-11) {
					t.Errorf("lambda %v, rank %d: off by %.2g after %d iterations", lambda, rank, e, got.Iterations)
				}
			}
		}
	}
	narrow := tensor.New(tensor.WithShape(400, 6), tensor.Of(tensor.Float32))
	for i, v := range x.Float64s() {
		narrow.Float32s()[i] = float32(v)
	}
	want, err := FitRidge(ctx, nil, data.Pairs{X: narrow, Y: y}, RidgeOptions{Select: SelectNone})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := FitRidgeCG(ctx, nil, data.Pairs{X: narrow, Y: y}, CGOptions{Tol: 1e-12}); err != nil || differ(&got.RidgeFit, want) > 1e-9 {
		t.Errorf("float32 gives another fit (%v)", err)
	}
}

// TestRidgeCGPreconditioner: the features of a wide kernel, whose eigenvalues fall fast, take a tenth of the iterations.
func TestRidgeCGPreconditioner(t *testing.T) {
	x, y := trial.Problem(500, 5, 1, 43)
	var iterations [2]int
	for i, rank := range []int{-1, 100} {
		f, err := FitRidgeCG(context.Background(), trial.Fourier(t, 5, 200, 20), data.Pairs{X: x, Y: y}, CGOptions{Lambda: 1e-4, Rank: rank, MaxIterations: 5000})
		if err != nil {
			t.Fatal(err)
		}
		iterations[i] = f.Iterations
	}
	if iterations[1]*10 > iterations[0] {
		t.Errorf("%d iterations with the preconditioner, %d without", iterations[1], iterations[0])
	}
}

func TestRidgeCGErrors(t *testing.T) {
	x, y := trial.Problem(20, 3, 1, 31)
	ctx := context.Background()
	zero := tensor.New(tensor.WithShape(20, 3), tensor.Of(tensor.Float64))
	nan := x.Clone().(*tensor.Dense)
	nan.Float64s()[7] = math.NaN()
	for name, c := range map[string]struct {
		m        layers.Map
		b        data.Examples
		o        CGOptions
		sentinel error
	}{
		"no rows":    {nil, trial.InBlocks(t, tensor.New(tensor.WithShape(0, 3), tensor.Of(tensor.Float64)), y, 1), CGOptions{}, domain.ErrShape},
		"zero":       {nil, data.Pairs{X: zero, Y: y}, CGOptions{}, domain.ErrDomain},
		"nan":        {nil, data.Pairs{X: nan, Y: y}, CGOptions{}, domain.ErrDomain},
		"signs":      {trial.TwoSigns{D: 3, Plus: 2}, data.Pairs{X: x, Y: y}, CGOptions{}, domain.ErrParam},
		"lambda":     {nil, data.Pairs{X: x, Y: y}, CGOptions{Lambda: -1}, domain.ErrParam},
		"tol":        {nil, data.Pairs{X: x, Y: y}, CGOptions{Tol: 1}, domain.ErrParam},
		"iterations": {nil, data.Pairs{X: x, Y: y}, CGOptions{MaxIterations: 1, Rank: -1}, domain.ErrParam},
		"negative":   {nil, data.Pairs{X: x, Y: y}, CGOptions{MaxIterations: -1}, domain.ErrParam},
	} {
		if _, err := FitRidgeCG(ctx, c.m, c.b, c.o); !errors.Is(err, c.sentinel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := FitRidgeCG(cancelled, nil, data.Pairs{X: x, Y: y}, CGOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// Targets without anything to explain are done at once.
	f, err := FitRidgeCG(ctx, nil, data.Pairs{X: x, Y: mat.NewDense(20, 2, nil)}, CGOptions{})
	if err != nil || f.Iterations != 0 || f.B[0] != 0 || f.B[1] != 0 || mat.Norm(f.W, 1) != 0 {
		t.Errorf("targets of 0: %+v, %v", f, err)
	}
}
