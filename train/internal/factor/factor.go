// Package factor has the factor of a positive definite system, the evidence of a ridge regression by it, and products.
package factor

import (
	"context"
	"math"
	"slices"
	"sync"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Product writes alpha op(a) op(b) + beta c to c [m, n], with k products in each sum. No matrix has gaps between its
// rows.
func Product(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b []float64, beta float64, c []float64) {
	lda, ldb := k, n
	if tA == blas.Trans {
		lda = m
	}
	if tB == blas.Trans {
		ldb = k
	}
	fast.Implementation{}.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, n)
}

// Cholesky is the factor of A = L Lᵀ, [n, n], as L or as L⁻¹.
type Cholesky struct {
	l        blas64.Triangular
	inverted bool
}

// Of overwrites the lower triangle of a by the factor of A + mu I. Not ok means that the matrix is not positive
// definite to working precision, or that ctx has ended.
func Of(ctx context.Context, a []float64, n int, mu float64) (f *Cholesky, ok bool) {
	l, ok := dense.Cholesky(ctx, a, n, mu)
	return &Cholesky{l: l}, ok
}

// OfInverse is the factor with the given L⁻¹.
func OfInverse(inverse []float64, n int) *Cholesky {
	return &Cholesky{blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Data: inverse, Stride: n}, true}
}

// LogDet is ln |A|, before Inverse.
func (f *Cholesky) LogDet() float64 {
	sum := 0.
	for i := range f.l.N {
		sum += 2 * math.Log(f.l.Data[i*f.l.Stride+i])
	}
	return sum
}

// Solve overwrites x, [n, k], with A⁻¹ x, before Inverse. It works in blocks of rows, so that all but the diagonal
// blocks are products of matrices.
func (f *Cholesky) Solve(x []float64) {
	const piece = 128
	n, k, l := f.l.N, len(x)/f.l.N, f.l.Data
	part := func(i int) (rows int, own blas64.Triangular, b blas64.General) {
		rows = min(piece, n-i)
		own = blas64.Triangular{N: rows, Stride: n, Data: l[i*n+i:], Uplo: f.l.Uplo, Diag: f.l.Diag}
		return rows, own, blas64.General{Rows: rows, Cols: k, Stride: k, Data: x[i*k:]}
	}
	less := func(transpose blas.Transpose, rows, depth int, l, solved, b []float64) {
		fast.Implementation{}.Dgemm(transpose, blas.NoTrans, rows, k, depth, -1, l, n, solved, k, 1, b, k)
	}
	for i := 0; i < n; i += piece {
		rows, own, b := part(i)
		if i > 0 {
			less(blas.NoTrans, rows, i, l[i*n:], x, b.Data)
		}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, own, b)
	}
	for i := (n - 1) / piece * piece; i >= 0; i -= piece {
		rows, own, b := part(i)
		if below := i + rows; below < n {
			less(blas.Trans, rows, n-below, l[below*n+i:], x[below*k:], b.Data)
		}
		blas64.Trsm(blas.Left, blas.Trans, 1, own, b)
	}
}

// Inverse returns L⁻¹, [n, n], with zeros above the diagonal, in the place of L.
func (f *Cholesky) Inverse() []float64 {
	if !f.inverted {
		dense.InvertLower(f.l.Data, f.l.N)
		f.inverted = true
	}
	return f.l.Data
}

var products sync.Pool // of *[]float64, for Quadratics

// Quadratics puts xᵢᵀ A⁻¹ xᵢ = ‖L⁻¹ xᵢ‖² of rows x into to. It takes some rows of L⁻¹ at a time, up to the diagonal.
func (f *Cholesky) Quadratics(to, x []float64) {
	const depth = 512
	inverse, n, rows := f.Inverse(), f.l.N, len(to)
	scratch, _ := products.Get().(*[]float64)
	if scratch == nil {
		scratch = new([]float64)
	}
	defer products.Put(scratch)
	*scratch = slices.Grow((*scratch)[:0], rows*min(depth, n))
	work := (*scratch)[:rows*min(depth, n)]
	clear(to)
	for j := 0; j < n; j += depth {
		c := min(depth, n-j)
		fast.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, rows, c, j+c, 1, x, n, inverse[j*n:], n, 0, work, c)
		given.InParallel(rows, func(r int) { to[r] += floats.Dot(work[r*c:(r+1)*c], work[r*c:(r+1)*c]) })
	}
}

// LogEvidence is the log marginal likelihood of targets under Bayesian ridge regression with a flat intercept,
//
//	Σₜ -½ [f ln 2πσₜ² + qₜ/σₜ² + ln |I + ZcᵀZc/ρ|],    qₜ = yₜᵀ(I + ZcZcᵀ/ρ)⁻¹yₜ,
//
// with f the degrees of freedom that a target has beside its mean, and the noise variances σ²; nil: those that maximise
// it, qₜ/f.
func LogEvidence(freedom, logDet float64, q, noise []float64) float64 {
	sum := 0.
	for t, v := range q {
		variance := v / freedom
		if noise != nil {
			variance = noise[t]
		}
		sum += freedom*math.Log(2*math.Pi*variance) + v/variance + logDet
	}
	return -sum / 2
}
