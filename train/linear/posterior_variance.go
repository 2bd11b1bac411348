package linear

import (
	"fmt"
	"math"
	"slices"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// varianceRows is the number of rows that Variance handles at a time.
const varianceRows = 512

// Variance returns v(z) for features z [n, D], float64 or float32. Noise[t] v is the variance of the function value of
// target t, and Noise[t] (1 + v) the variance of a new target. It writes to dst [n]; nil: a new slice.
//
// It takes D²/2 multiply-adds a row, in float64 for either dtype, since float32 would lose the digits of a v that is
// small beside ‖z‖²/ρ. It is safe for concurrent use. Errors: domain.ErrParam for nil z and an empty Posterior;
// domain.ErrShape and domain.ErrDtype; domain.ErrDomain for features that are not finite or whose variance overflows.
func (p *Posterior) Variance(dst []float64, z *tensor.Dense) ([]float64, error) {
	return p.variance("Variance", dst, z, nil)
}

// VarianceResidual is Variance plus the prior variance that the features lack, max(0, k(x,x) - ‖z‖²)/ρ. kxx [n] has
// k(x, x) for each row: 1 for a stationary kernel, 2.5 for 2.5 times one, or At of the map's Kernel.
//
// It is the variance of the deterministic training conditional, Quiñonero-Candela and Rasmussen (2005), A unifying view
// of sparse approximate Gaussian process regression, (20). Far from the landmarks of Nyström features, where z is 0, it
// is the variance of the prior; with all rows as landmarks it is the variance of the Gaussian process everywhere. The
// fully independent training conditional (FITC) adds the same part for a new row; it also adds noise to the training
// rows, which this does not. Features with ‖z‖² = k(x, x), such as random Fourier features, gain nothing. Errors:
// as for Variance; domain.ErrShape for another number of kxx, domain.ErrDomain for one that is negative or
// not finite.
func (p *Posterior) VarianceResidual(dst []float64, z *tensor.Dense, kxx []float64) ([]float64, error) {
	for i, v := range kxx {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("train: Posterior.VarianceResidual: kxx[%d] = %v is not a finite number >= 0: %w", i, v, domain.ErrDomain)
		}
	}
	if kxx == nil {
		kxx = []float64{}
	}
	return p.variance("VarianceResidual", dst, z, kxx)
}

// variance adds the residual if kxx is not nil.
func (p *Posterior) variance(who string, dst []float64, z *tensor.Dense, kxx []float64) ([]float64, error) {
	if err := p.check(who); err != nil {
		return nil, err
	}
	whole, err := data.RowMajor("train: Posterior."+who, "features", z)
	if err != nil {
		return nil, err
	}
	z = whole.(*tensor.Dense)
	n, d := z.Shape()[0], len(p.mean)
	switch {
	case z.Shape()[1] != d:
		return nil, fmt.Errorf("train: Posterior.%s: the features are %v, those of the fit have %d columns: %w", who, z.Shape(), d, domain.ErrShape)
	case dst != nil && len(dst) != n:
		return nil, fmt.Errorf("train: Posterior.%s: dst has %d numbers for %d rows; nil makes one: %w", who, len(dst), n, domain.ErrShape)
	case kxx != nil && len(kxx) != n:
		return nil, fmt.Errorf("train: Posterior.%s: kxx has %d numbers for %d rows: %w", who, len(kxx), n, domain.ErrShape)
	}
	out := make([]float64, n)
	var block, product []float64
	for i := 0; i < n; i += varianceRows {
		rows := min(varianceRows, n-i)
		block = slices.Grow(block[:0], rows*d)[:rows*d]
		if z.Dtype() == tensor.Float32 {
			widen(block, z.Float32s()[i*d:(i+rows)*d])
		} else {
			copy(block, z.Float64s()[i*d:(i+rows)*d])
		}
		if r, j, v := given.NotFinite(block, rows, d, d); r >= 0 {
			return nil, fmt.Errorf("train: Posterior.%s: z[%d,%d] = %v is not a finite number: %w", who, i+r, j, v, domain.ErrDomain)
		}
		part := out[i : i+rows]
		given.InParallel(rows, func(r int) {
			row := block[r*d : (r+1)*d]
			if part[r] = 1 / p.mass; kxx != nil {
				part[r] += max(kxx[i+r]-floats.Dot(row, row), 0) / p.Penalty
			}
			floats.Sub(row, p.mean)
		})
		product = p.addSquares(part, block, product)
		if r, _, v := given.NotFinite(part, rows, 1, 1); r >= 0 {
			return nil, fmt.Errorf("train: Posterior.%s: the variance of row %d is %v; scale the features: %w", who, i+r, v, domain.ErrDomain)
		}
	}
	if dst == nil {
		return out, nil
	}
	copy(dst, out)
	return dst, nil
}

// addSquares adds ‖L⁻¹ z‖² of each row of z to v. It takes some rows of L⁻¹ at a time, up to the diagonal.
func (p *Posterior) addSquares(v, z, work []float64) []float64 {
	d, rows := len(p.mean), len(v)
	for j := 0; j < d; j += ridgeDepth {
		c := min(ridgeDepth, d-j)
		work = slices.Grow(work[:0], rows*c)[:rows*c]
		fast.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, rows, c, j+c, 1, z, d, p.inverse[j*d:], d, 0, work, c)
		given.InParallel(rows, func(r int) { v[r] += floats.Dot(work[r*c:(r+1)*c], work[r*c:(r+1)*c]) })
	}
	return work
}
