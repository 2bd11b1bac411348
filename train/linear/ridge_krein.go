package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Ridge regression on the features of an indefinite kernel, k(x, x') = Σ_j σ_j z_j(x) z_j(x') with the signature σ and
// Σ = diag(σ). In place of the minimum for a positive definite kernel the solution is the stationary point of
//
//	‖Zc W - Yc‖² + λ s Wᵀ Σ W,   W = (Zcᵀ Zc + λ s Σ)⁻¹ Zcᵀ Yc,
//
// with the indefinite square <f, f> of the kernel's Kreĭn space as the penalty. It is kernel ridge regression on the
// matrix of k: W = Σ Zcᵀ α with (Zc Σ Zcᵀ + λ s I) α = Yc. The system is symmetric and indefinite, and is solved as it
// is; no eigenvalue is clipped or flipped. It is singular if -λ s is an eigenvalue of the centred kernel matrix, and
// results near such a λ are erratic; choose λ by SelectLOO. Ong, Mary, Canu and Smola (2004), Learning
// with non-positive kernels; Oglic and Gärtner (2018).

// kreinFactor is the LU factor of G + shift·Σ.
type kreinFactor struct {
	lu    blas64.General
	pivot []int
}

// factorKrein overwrites g and reads its lower triangle. It returns false for a matrix that is singular to working
// precision.
func factorKrein(g []float64, n int, shift float64, signature []float64) (f kreinFactor, ok bool) {
	dense.Mirror(g, n, blas.Lower)
	for i, s := range signature {
		g[i*n+i] += shift * s
	}
	f = kreinFactor{general(n, n, n, g), make([]int, n)}
	norm := lapack64.Lange(lapack.MaxColumnSum, f.lu, make([]float64, n))
	if !(norm <= math.MaxFloat64) || !lapack64.Getrf(f.lu, f.pivot) {
		return f, false
	}
	rcond := lapack64.Gecon(lapack.MaxColumnSum, f.lu, norm, make([]float64, 4*n), make([]int, n))
	return f, rcond > dense.Rounding(n)
}

// solve overwrites b, [n, k], by the solution.
func (f kreinFactor) solve(b []float64, k int) {
	lapack64.Getrs(blas.NoTrans, f.lu, general(f.lu.Rows, k, k, b), f.pivot)
}

// inverse overwrites the factor. For many right-hand sides a product with it is several times faster than solve.
func (f kreinFactor) inverse() blas64.General {
	work := make([]float64, 1)
	lapack64.Getri(f.lu, f.pivot, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Getri(f.lu, f.pivot, work, len(work))
	return f.lu
}

// coefficients returns W = (G + shift·Σ)⁻¹ R. It leaves G as it is unless last is true. Without a signature Σ is I, and
// the matrix must be positive definite.
func (s *RidgeStats) coefficients(ctx context.Context, shift float64, last bool) (w []float64, ok bool) {
	w = slices.Clone(s.r)
	if s.Signature != nil {
		f, ok := factorKrein(slices.Clone(s.g), s.features, shift, s.Signature)
		if ok {
			f.solve(w, s.targets)
		}
		return w, ok
	}
	d := s.features
	diagonal := make([]float64, d)
	if !last {
		for j := range diagonal {
			diagonal[j] = s.g[j*d+j]
		}
		dense.Mirror(s.g, d, blas.Lower)
	}
	l, ok := dense.Cholesky(ctx, s.g, d, shift)
	if ok {
		choleskySolve(l, w, s.targets)
	}
	if last {
		return w, ok
	}
	dense.Mirror(s.g, d, blas.Upper)
	for j, v := range diagonal {
		s.g[j*d+j] = v
	}
	return w, ok
}

// unsolvable is the error for a lambda whose system coefficients cannot solve.
func (s *RidgeStats) unsolvable(lambda, effective float64) error {
	if s.Signature == nil || math.IsInf(effective, 1) {
		return notPositive("Ridge", s.features, lambda, effective)
	}
	return notRegular("Ridge", s.features, lambda)
}

// notPositive is the error for a system of the given size that could not be factored at lambda; effective is lambda in
// the unit of the matrix.
func notPositive(who string, size int, lambda, effective float64) error {
	if math.IsInf(effective, 1) {
		return fmt.Errorf("train: %s: lambda = %g times the mean squared norm of a row overflows; lower lambda or scale the data: %w", who, lambda, domain.ErrParam)
	}
	return fmt.Errorf("train: %s: with lambda = %g the %d x %d system is not positive definite to working precision, as when features or rows repeat others or a kernel is indefinite; raise lambda: %w",
		who, lambda, size, size, domain.ErrParam)
}

// notRegular is the error for an indefinite system that is singular.
func notRegular(who string, size int, lambda float64) error {
	return fmt.Errorf("train: %s: with lambda = %g the %d x %d system of an indefinite kernel is singular to working precision, as when an eigenvalue of the kernel matrix is minus the penalty; choose another lambda: %w",
		who, lambda, size, size, domain.ErrParam)
}

// checkSignature wants a sign for each feature.
func (s *RidgeStats) checkSignature() error {
	if s.Signature == nil {
		return nil
	}
	if len(s.Signature) != s.features {
		return fmt.Errorf("train: Ridge: the signature has %d signs for %d features: %w", len(s.Signature), s.features, domain.ErrShape)
	}
	for j, v := range s.Signature {
		if v != 1 && v != -1 {
			return fmt.Errorf("train: Ridge: Signature[%d] = %v is not 1 or -1: %w", j, v, domain.ErrParam)
		}
	}
	return nil
}

// kreinLeaveOneOut is leaveOneOut for an indefinite kernel: hᵢᵢ = 1/n + zᵢᵀ (G + λ s Σ)⁻¹ zᵢ, by the Sherman-Morrison
// formula, which needs no definite matrix. 1 - hᵢᵢ can have either sign. Every lambda has its own factor and its own
// pass over the rows, so that memory holds one factor at a time.
func (s *RidgeStats) kreinLeaveOneOut(ctx context.Context, src eachRows, grid cv.Grid) (*RidgeFit, error) {
	scale, err := s.scale()
	if err != nil {
		return nil, err
	}
	if err := checkSquares(s.yy); err != nil {
		return nil, err
	}
	scores, best, err := chooseUsable(grid, func(lambdas []float64) ([]fits.LambdaScore, error) {
		scores := make([]fits.LambdaScore, len(lambdas))
		for l, lambda := range lambdas {
			if err := given.Stopped(ctx); err != nil {
				return nil, fmt.Errorf("train: Ridge: stopped after %d of %d lambdas: %w", l, len(lambdas), err)
			}
			if scores[l], err = s.kreinScore(src, lambda, scale); err != nil {
				return nil, err
			}
		}
		return scores, nil
	})
	if err != nil {
		return nil, err
	}
	fit, err := s.solve(ctx, scores[best].Lambda, false)
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	return fit, nil
}

// kreinScore is the leave-one-out score of a lambda.
func (s *RidgeStats) kreinScore(src eachRows, lambda, scale float64) (fits.LambdaScore, error) {
	d, k := s.features, s.targets
	f, ok := factorKrein(slices.Clone(s.g), d, lambda*scale, s.Signature)
	if !ok {
		return cv.Unusable(lambda), nil
	}
	w := slices.Clone(s.r)
	f.solve(w, k)
	wt, inverse := transposed(w, d, k, k), f.inverse()
	var p, solved []float64
	var sums lossSums
	err := src.each(func(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
		if err := checkFinite("Ridge", z, y, rows.at); err != nil {
			return err
		}
		b := z.Shape()[0]
		p = s.centred(p, z)
		weight, err := s.rowWeights(y, rows.at)
		if err != nil {
			return err
		}
		pred := make([]float64, b*k)
		addProduct(1, general(b, d, d, p), general(k, d, d, wt), general(b, k, k, pred))
		solved = slices.Grow(solved[:0], b*d)[:b*d]
		clear(solved)
		addProduct(1, general(b, d, d, p), inverse, general(b, d, d, solved)) // the inverse is symmetric
		for i := range b {
			w := weightAt(weight, i)
			left := 1 - w/s.mass - w*floats.Dot(p[i*d:(i+1)*d], solved[i*d:(i+1)*d])
			ok = ok && math.Abs(left) >= decisive
			s.leaveOut(pred[i*k:(i+1)*k], y.RawRowView(i), left)
			sums.add(y.RawRowView(i), pred[i*k:(i+1)*k], w)
		}
		return nil
	})
	if err != nil || !ok {
		return cv.Unusable(lambda), err
	}
	return sums.score(lambda, k), nil
}
