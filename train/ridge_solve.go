package train

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// singular is how small a pivot of an n x n matrix may be, in proportion to the diagonal element that it is left of,
// before it is rounding and no more: √n ε is the size of the error of a sum of n products, 10 a margin.
func singular(n int) float64 { return 10 * math.Sqrt(float64(n)) * 0x1p-52 }

// ridgeCholesky overwrites the lower triangle of the n x n matrix g by L with L Lᵀ = g + shift I; not ok means that this
// matrix is not positive definite to working precision. The lower triangle is the fast one here: its update is of the
// form a·bᵀ.
func ridgeCholesky(g []float64, n int, shift float64) (l blas64.Triangular, ok bool) {
	diagonal := make([]float64, n)
	for i := range n {
		g[i*n+i] += shift
		diagonal[i] = g[i*n+i]
	}
	l, ok = lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: g})
	if !ok {
		return l, false
	}
	for i, d := range diagonal {
		if p := g[i*n+i]; !(p*p > singular(n)*d) {
			return l, false
		}
	}
	return l, true
}

// choleskySolve overwrites b, [n, k], by (L Lᵀ)⁻¹ b.
func choleskySolve(l blas64.Triangular, b []float64, k int) {
	lapack64.Potrs(l, general(l.N, k, k, b))
}

// notPositive is the error for a system of the given size that could not be factored at lambda, which is effective in the
// unit of the matrix.
func notPositive(who string, size int, lambda, effective float64) error {
	if math.IsInf(effective, 1) {
		return fmt.Errorf("train: %s: lambda = %g times the mean squared norm of a row overflows; lower lambda or scale the data: %w", who, lambda, domain.ErrParam)
	}
	return fmt.Errorf("train: %s: with lambda = %g the %d x %d system is not positive definite to working precision, as when features or rows repeat others or a kernel is indefinite; raise lambda: %w",
		who, lambda, size, size, domain.ErrParam)
}
