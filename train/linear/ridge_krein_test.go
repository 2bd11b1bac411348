package linear

import (
	"context"
	"errors"
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
