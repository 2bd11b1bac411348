package train

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/dense"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// FitKreinRidge is FitKernelRidge for the matrix of an indefinite kernel, whose eigenvalues have both signs:
//
//	α = (H K H + λ s I)⁻¹ (y - ȳ),    b = mean(y - K α),    H = I - 1 1ᵀ/n,    s = (1/n) Σ |eigenvalues of H K H|
//
// s is (tr H K H)/n where no eigenvalue is negative, and tr K may be 0. It is the limit that FitRidge approaches on more and more features of
// the kernel, but for s, which there is the mean squared distance of a feature row from their mean. The system is solved by its eigenvectors as it is, neither
// clipped nor turned over: α is that of the stationary point of Σᵢ (f(xᵢ) - yᵢ)² + λ s <f, f> in the kernel's Kreĭn space. Ong, Mary, Canu
// and Smola (2004), Learning with non-positive kernels.
//
// Errors: those of FitKernelRidge, and domain.ErrParam for a lambda with an eigenvalue of H K H next to -λ s.
func FitKreinRidge(k *mat.Dense, y *mat.Dense, lambda float64) (*KernelRidge, error) {
	const who = "KreinRidge"
	if err := checkKernelRidge(who, k, y, lambda); err != nil {
		return nil, err
	}
	n := k.RawMatrix().Rows
	work, _ := copyGram(k)
	dual := newRidgeDual(work, n, y.RawMatrix()) // the vector of ones has the eigenvalue mu there
	values, v, err := dense.Eigen(work, n)
	if err != nil {
		return nil, fmt.Errorf("train: %s: the eigenvalues of k were not found; scale the kernel: %w", who, err)
	}
	vectors := general(n, n, n, v)
	spread := -dual.mu
	for _, v := range values {
		spread += math.Abs(v)
	}
	if spread /= float64(n); !(spread > roundedKernel*dual.mu) {
		spread = 0
	}
	scale, err := penaltyScale(who, spread, math.Abs(dual.mean), roundedKernel)
	if err != nil {
		return nil, err
	}
	largest := 0.
	for _, v := range values {
		largest = max(largest, math.Abs(v+lambda*scale))
	}
	targets := dual.targets
	turned := make([]float64, n*targets)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, vectors, general(n, targets, targets, dual.y), 0, general(n, targets, targets, turned))
	for i, value := range values {
		value += lambda * scale
		if !(math.Abs(value) > dense.Rounding(n)*largest) {
			return nil, notRegular(who, n, lambda)
		}
		for t := range targets {
			turned[i*targets+t] /= value
		}
	}
	alpha := make([]float64, n*targets)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, vectors, general(n, targets, targets, turned), 0, general(n, targets, targets, alpha))
	return dual.fitted(who, alpha, lambda)
}
