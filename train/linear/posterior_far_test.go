package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// TestVarianceResidual: with all rows as landmarks it is the variance of the exact Gaussian process, among the rows and
// far from them, where Variance is nearly 0.
func TestVarianceResidual(t *testing.T) {
	const n = 37
	x, y := trial.Problem(n, 3, 1, 5)
	kernel := spectral.Gaussian{Sigma: 2}
	m, err := layers.NewNystromLayer(layers.Nystrom{Kernel: kernel}, x, n, layers.WithSeed(1))
	if err != nil {
		t.Fatal(err)
	}
	at, _ := trial.Problem(20, 3, 1, 7)
	for i := range 15 {
		at.Float64s()[i] += 1000
	}
	p, z := posteriorOn(t, m, x, y, at)
	kxx := make([]float64, 20)
	for i := range kxx {
		kxx[i] = 1
	}
	v, err := p.VarianceResidual(nil, z, kxx)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := p.Variance(nil, z)
	if err != nil {
		t.Fatal(err)
	}
	gram, err := spectral.Gram(kernel, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	cross, err := spectral.Gram(kernel, x, at)
	if err != nil {
		t.Fatal(err)
	}
	gp := newProcess(gram, p.Penalty)
	for i := range kxx {
		_, want := gp.at(mat.VecDenseCopyOf(y.ColView(0)), mat.VecDenseCopyOf(cross.ColView(i)), 1)
		if !near(v[i], want, 1e-6) { // of the eigenvalues that Nyström leaves out
			t.Errorf("row %d: the variance is %v, that of the process %v", i, v[i], want)
		}
		norm := mat.Dot(trial.MatOf(z).RowView(i), trial.MatOf(z).RowView(i))
		if want := plain[i] + max(0, 1-norm)/p.Penalty; !near(v[i], want, 1e-13) {
			t.Errorf("row %d: the variance is %v, want %v", i, v[i], want)
		}
		if i < 5 && plain[i] > .7*v[i] {
			t.Errorf("far away, row %d: the variance is %v, with the residual %v", i, plain[i], v[i])
		}
	}
}

// posteriorOn is that of features of the rows, and the features of others.
func posteriorOn(t *testing.T, m layers.Map, x *tensor.Dense, y *mat.Dense, at *tensor.Dense) (*Posterior, *tensor.Dense) {
	t.Helper()
	var s RidgeStats
	if err := s.AddRows(context.Background(), m, data.Pairs{X: x, Y: y}); err != nil {
		t.Fatal(err)
	}
	p, err := s.Posterior(.1)
	if err != nil {
		t.Fatal(err)
	}
	z, err := m.Transform(nil, at)
	if err != nil {
		t.Fatal(err)
	}
	return p, z
}

// TestVarianceFar: far from the rows the variance of random features is (1 - γ/D) σ²/ρ on average, and what z̄ and the
// intercept add, within 4 standard errors; and the residual of such features is 0.
func TestVarianceFar(t *testing.T) {
	const n, far, features = 97, 400, 128
	x, y := trial.Problem(n, 2, 1, 5)
	at, _ := trial.Problem(far, 2, 1, 7)
	for i := range at.Float64s() {
		at.Float64s()[i] *= 1000
	}
	p, z := posteriorOn(t, trial.Fourier(t, 2, features, 1.5), x, y, at)
	kxx := make([]float64, far)
	for i := range kxx {
		kxx[i] = 1
	}
	v, err := p.VarianceResidual(nil, z, kxx)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := p.Variance(nil, z)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range plain {
		if !near(v[i], w, 1e-12) {
			t.Errorf("row %d has a residual: %v, not %v", i, v[i], w)
		}
		v[i] = w * p.Penalty
	}
	zero, err := p.Variance(nil, tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(1, features))) // 1/n + z̄ᵀ (G + ρI)⁻¹ z̄
	if err != nil {
		t.Fatal(err)
	}
	want := 1 - p.Effective/features + zero[0]*p.Penalty
	mean, std := stat.MeanStdDev(v, nil)
	if se := std / math.Sqrt(far); math.Abs(mean-want) > 4*se || p.Effective < 20 {
		t.Errorf("the variance is %.4f of the prior's, want %.4f ± %.4f; γ = %.1f", mean, want, se, p.Effective)
	}
}

// TestPosteriorWorkers: nothing depends on GOMAXPROCS, bit by bit.
func TestPosteriorWorkers(t *testing.T) {
	x, y := trial.Problem(601, 97, 3, 11)
	var want string
	for _, workers := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(workers)
		var s RidgeStats
		err := errors.Join(s.Add(x, y), s.Forget(.7))
		e, errE := s.Evidence(context.Background(), nil)
		p, errP := s.Posterior(.01)
		if err = errors.Join(err, errE, errP); err == nil {
			var v []float64
			v, errE = p.Variance(nil, x)
			f, errF := p.Draw(1)
			if err = errors.Join(errE, errF); err == nil {
				if got := fmt.Sprint(*e, *p.Fit.W, p.Noise, p.LogEvidence, p.Effective, v, *f.W, f.B); want == "" {
					want = got
				} else if got != want {
					t.Errorf("%d workers change the results", workers)
				}
			}
		}
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
	}
}
