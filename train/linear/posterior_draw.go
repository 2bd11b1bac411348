package linear

import (
	"fmt"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Draw samples a function from the posterior, as a linear head. With ε₀ and ε [D] standard normal for each target,
//
//	w = W + σ L⁻ᵀ ε,    b = ȳ - z̄ᵀw + σ ε₀/√n
//
// Its values at any rows are jointly normal with the mean and the covariance of the posterior. Given the rows, the
// targets are independent. The same seed gives the same function, on every machine up to rounding. It takes D² k
// multiply-adds and is safe for concurrent use. Errors: domain.ErrParam and domain.ErrShape for a Posterior that
// neither RidgeStats nor RestorePosterior made; domain.ErrDomain if numbers overflow.
func (p *Posterior) Draw(seed uint64) (*RidgeFit, error) {
	if err := p.check("Draw"); err != nil {
		return nil, err
	}
	d, k := p.Fit.W.Dims()
	rng := rand.New(spectral.Stream(seed, "linear/posterior"))
	f := &RidgeFit{W: mat.DenseCopyOf(p.Fit.W), B: make([]float64, k), Lambda: p.Lambda}
	eps, moved := make([]float64, k*d), make([]float64, k*d)
	for t := range k {
		f.B[t] = p.Fit.B[t] + math.Sqrt(p.Noise[t]/p.mass)*rng.NormFloat64()
		for j := range d {
			eps[t*d+j] = rng.NormFloat64()
		}
	}
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, k, d, d, 1, eps, d, p.inverse, d, 0, moved, d)
	for t := range k {
		row := moved[t*d : (t+1)*d]
		floats.Scale(math.Sqrt(p.Noise[t]), row)
		f.B[t] -= floats.Dot(p.mean, row)
		for j, v := range row {
			f.W.Set(j, t, f.W.At(j, t)+v)
		}
	}
	if i, j, v := given.NotFinite(f.W.RawMatrix().Data, d, k, k); i >= 0 {
		return nil, fmt.Errorf("train: Posterior.Draw: the coefficient W[%d,%d] is %v; scale the features or the targets: %w", i, j, v, domain.ErrDomain)
	}
	if i, j, v := given.NotFinite(f.B, 1, k, k); i >= 0 {
		return nil, fmt.Errorf("train: Posterior.Draw: the intercept B[%d] is %v; scale the features or the targets: %w", j, v, domain.ErrDomain)
	}
	return f, nil
}
