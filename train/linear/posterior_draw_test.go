package linear

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// TestPosteriorDraw: the values of drawn functions have the means, variances and covariances of the posterior, within 4
// standard errors.
func TestPosteriorDraw(t *testing.T) {
	const draws, n, d, k = 4000, 23, 5, 2
	x, y := trial.Problem(n, d, k, 5)
	var s RidgeStats
	if err := s.Add(x, y); err != nil {
		t.Fatal(err)
	}
	p, err := s.Posterior(.05)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := trial.Problem(4, d, 1, 9)
	v, err := p.Variance(nil, at)
	if err != nil {
		t.Fatal(err)
	}
	rows := trial.MatOf(at)
	values := mat.NewDense(draws, 4*k, nil) // target by target
	for i := range draws {
		f, err := p.Draw(uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		for r := range 4 {
			for j := range k {
				values.Set(i, 4*j+r, f.B[j]+mat.Dot(rows.RowView(r), f.W.ColView(j)))
			}
		}
	}
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, values, nil)
	// By L⁻¹: the test of Variance compares it with G.
	shared := func(a, b int) float64 {
		sum, d := 1/p.mass, len(p.mean)
		for i := range d {
			var za, zb float64
			for j := range d {
				za += p.inverse[i*d+j] * (rows.At(a, j) - p.mean[j])
				zb += p.inverse[i*d+j] * (rows.At(b, j) - p.mean[j])
			}
			sum += za * zb
		}
		return sum
	}
	for a := range 4 * k {
		j, r := a/4, a%4
		want := p.Noise[j] * v[r]
		mean := p.Fit.B[j] + mat.Dot(rows.RowView(r), p.Fit.W.ColView(j))
		if got := stat.Mean(mat.Col(nil, a, values), nil); math.Abs(got-mean) > 4*math.Sqrt(want/draws) {
			t.Errorf("target %d, row %d: the mean is %v, want %v", j, r, got, mean)
		}
		for b := range a + 1 {
			want, l := 0., b/4
			if l == j {
				want = p.Noise[j] * shared(r, b%4)
			}
			se := math.Sqrt((p.Noise[j]*v[r]*p.Noise[l]*v[b%4] + want*want) / draws)
			if got := cov.At(a, b); math.Abs(got-want) > 4*se {
				t.Errorf("the covariance of target %d, row %d, and target %d, row %d, is %v, want %v ± %v", j, r, l, b%4, got, want, se)
			}
		}
	}
	one, _ := p.Draw(7)
	again, _ := p.Draw(7)
	if !mat.Equal(one.W, again.W) || one.B[1] != again.B[1] {
		t.Error("one seed draws two functions")
	}
	p.Noise = make([]float64, k)
	if sure, err := p.Draw(1); err != nil || !mat.Equal(sure.W, p.Fit.W) || sure.B[0] != p.Fit.B[0] {
		t.Errorf("without noise a draw is not the mean (%v)", err)
	}
}

// TestPosteriorTensors: a posterior comes back from a file to the bit, and no other tensors are taken for one.
func TestPosteriorTensors(t *testing.T) {
	x, y := trial.Problem(31, 6, 2, 5)
	var s RidgeStats
	if err := errors.Join(s.Add(x, y), s.Forget(.5)); err != nil {
		t.Fatal(err)
	}
	p, err := s.Posterior(.1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "posterior")
	if err := modelfile.Write(path, nil, p.Tensors()); err != nil {
		t.Fatal(err)
	}
	_, tensors, err := modelfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	back, err := RestorePosterior(tensors)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := p.Variance(nil, x)
	b, errB := back.Variance(nil, x)
	f, errF := p.Draw(3)
	g, errG := back.Draw(3)
	if err := errors.Join(errA, errB, errF, errG); err != nil {
		t.Fatal(err)
	}
	text := func(p *Posterior, v []float64, f *RidgeFit) string {
		return fmt.Sprint(v, *f.W, f.B, f.Lambda, *p.Fit.W, p.Fit.B, p.Fit.Lambda, p.Noise, p.Lambda, p.Penalty, p.Effective, p.LogEvidence)
	}
	if got, want := text(back, b, g), text(p, a, f); got != want {
		t.Errorf("came back as %s, want %s", got, want)
	}
	if (&Posterior{}).Tensors() != nil {
		t.Error("an empty posterior has tensors")
	}
	of := func(shape []int, v ...float64) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	turned := of([]int{2, 6}, make([]float64, 12)...)
	if err := turned.T(); err != nil {
		t.Fatal(err)
	}
	negative := p.Tensors()["inverse_factor"]
	negative.Float64s()[2] *= -1
	for name, c := range map[string]struct {
		of string
		is error
		t  *tensor.Dense
	}{
		"nil":              {"W", domain.ErrParam, nil},
		"unknown":          {"more", domain.ErrParam, of([]int{1}, 1)},
		"float32":          {"b", domain.ErrDtype, tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(2))},
		"shape":            {"W", domain.ErrShape, of([]int{2, 6}, make([]float64, 12)...)},
		"view":             {"W", domain.ErrShape, turned},
		"long":             {"inverse_factor", domain.ErrShape, of([]int{36}, make([]float64, 36)...)},
		"fewer targets":    {"noise", domain.ErrShape, of([]int{1}, 1)},
		"scalar":           {"mass", domain.ErrShape, tensor.New(tensor.FromScalar(1.))},
		"NaN":              {"z_mean", domain.ErrDomain, of([]int{6}, 1, 2, math.NaN(), 4, 5, 6)},
		"infinite":         {"log_evidence", domain.ErrDomain, of([]int{1}, math.Inf(-1))},
		"mass":             {"mass", domain.ErrDomain, of([]int{1}, 0)},
		"penalty":          {"penalty", domain.ErrDomain, of([]int{1}, -1)},
		"noise":            {"noise", domain.ErrDomain, of([]int{2}, 1, -1)},
		"diagonal":         {"inverse_factor", domain.ErrDomain, negative},
		"no features":      {"z_mean", domain.ErrShape, tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(0))},
		"a matrix of them": {"z_mean", domain.ErrShape, of([]int{6, 1}, make([]float64, 6)...)},
	} {
		all := p.Tensors()
		all[c.of] = c.t
		if _, err := RestorePosterior(all); !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := RestorePosterior(nil); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
}
