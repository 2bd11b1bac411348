package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
)

// symmetryTolerance is how much K[i,j] and K[j,i] may differ, in proportion to the largest entry: float32 arithmetic
// stays below it, a wrong matrix does not.
const symmetryTolerance = 1e-5

// KernelRidge is ridge regression on an exact kernel: f(x) = Σᵢ Alpha[i] k(x, xᵢ) + B.
type KernelRidge struct {
	Alpha  *mat.Dense         // [n, targets]; its columns sum to 0
	B      []float64          // [targets], the intercept
	Lambda float64            // the relative lambda
	Scores []fits.LambdaScore // of FitKernelRidgeLOO, as in RidgeFit; else nil
}

// FitKernelRidge solves the problem of FitRidge for K = Z Zᵀ, from the n×n Gram matrix k alone, which stays as it is:
//
//	α = (H K H + λ s I)⁻¹ (y - ȳ),    b = mean(y - K α),    H = I - 1 1ᵀ/n,    s = (tr H K H)/n
//
// with s = (tr K)/n if all entries of k are equal. k comes from spectral.Gram or, for sparse rows, report.ExactGram. y
// is [n, targets]; lambda is relative, finite and >= 0. k must be symmetric up to float32 rounding; its lower triangle
// is used. Memory is one more n×n matrix. Saunders, Gammerman and Vovk (1998), Ridge regression learning algorithm in
// dual variables.
//
// K need not be positive semi-definite; the Gram matrix of a random-feature estimate may not be. It needs tr H K H > 0,
// or equal entries above 0, and a λ s above minus the least eigenvalue of H K H on the vectors that sum to 0.
// For an indefinite kernel fit its features by FitRidge.
//
// Errors: domain.ErrShape for a k that is not square or shapes that do not fit; domain.ErrDomain for an entry that is
// not finite, a k that is not symmetric, and a trace that is not above 0; domain.ErrParam for a lambda that is out of
// range or too small.
func FitKernelRidge(k *mat.Dense, y *mat.Dense, lambda float64) (*KernelRidge, error) {
	p, err := newKernelProblem(k, y, lambda)
	if err != nil {
		return nil, err
	}
	return p.fit(lambda)
}

// FitKernelRidgeLOO is FitKernelRidge with the lambda of the least leave-one-out error, which is exact (see SelectLOO).
// One reduction of the centred k to a band serves all lambdas. nil lambdas are the built-in grid of RidgeOptions,
// which also says which score is best. A lambda that is too small for k has the score +Inf. Memory is two more n×n
// matrices.
//
// Errors: as for FitKernelRidge; domain.ErrShape for fewer than 2 rows; domain.ErrParam for an empty list of lambdas
// and for lambdas that are all too small.
func FitKernelRidgeLOO(k *mat.Dense, y *mat.Dense, lambdas []float64) (*KernelRidge, error) {
	p, err := newKernelProblem(k, y, lambdas...)
	if err != nil {
		return nil, err
	}
	switch {
	case lambdas != nil && len(lambdas) == 0:
		return nil, fmt.Errorf("train: KernelRidge: there are no lambdas to choose from; give one at least, or nil: %w", domain.ErrParam)
	case p.n < 2:
		return nil, fmt.Errorf("train: KernelRidge: %v needs at least 2 rows, got %d; use FitKernelRidge: %w", SelectLOO, p.n, domain.ErrShape)
	}
	alpha, scores, best, err := p.leaveOneOut(context.Background(), nil, RidgeOptions{Lambdas: lambdas}.grid(p.n, 1), p.scale)
	if err != nil {
		return nil, err
	}
	fit, err := p.fitted(alpha, scores[best].Lambda)
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	scoresOutOf(p.unit, scores)
	return fit, nil
}

// kernelProblem is a centred copy of k, with the targets and the scale of lambda.
type kernelProblem struct {
	*ridgeDual
	scale float64
}

// newKernelProblem checks k, y and the lambdas.
func newKernelProblem(k, y *mat.Dense, lambdas ...float64) (*kernelProblem, error) {
	if err := checkKernelRidge("KernelRidge", k, y, lambdas...); err != nil {
		return nil, err
	}
	unit, err := given.UnitOf("KernelRidge", y, true)
	if err != nil {
		return nil, err
	}
	copied, diagonal := copyGram(k)
	p := &kernelProblem{ridgeDual: newRidgeDual("KernelRidge", copied, k.RawMatrix().Rows, unit.Targets(y))}
	p.unit = unit
	if p.spread < -roundedKernel*p.mu || !(p.spread > 0 || diagonal > 0) {
		return nil, fmt.Errorf("train: KernelRidge: the mean of the diagonal of k is %v after centring, not a positive number; check the kernel, or fit the features of an indefinite one by FitRidge: %w", p.spread, domain.ErrDomain)
	}
	p.scale, err = penaltyScale("KernelRidge", p.spread, max(diagonal, 0), roundedKernel)
	return p, err
}

// copyGram is a copy of k, and the mean of its diagonal.
func copyGram(k *mat.Dense) (copied []float64, diagonal float64) {
	g := k.RawMatrix()
	n := g.Rows
	copied = make([]float64, n*n)
	for i := range n {
		copy(copied[i*n:(i+1)*n], g.Data[i*g.Stride:])
		diagonal += g.Data[i*g.Stride+i] / float64(n)
	}
	return copied, diagonal
}

// fit solves for one lambda and overwrites p.a.
func (p *kernelProblem) fit(lambda float64) (*KernelRidge, error) {
	alpha, ok := p.solve(context.Background(), lambda*p.scale, true)
	if !ok {
		return nil, p.unsolvable(lambda, lambda*p.scale)
	}
	return p.fitted(alpha, lambda)
}

// fitted is the result for α [n, targets].
func (d *ridgeDual) fitted(alpha []float64, lambda float64) (*KernelRidge, error) {
	b := d.intercept(alpha)
	for t, v := range b {
		if v-v != 0 {
			return nil, fmt.Errorf("train: %s: the intercept of target %d is %v; scale the targets or the kernel: %w", d.who, t, v, domain.ErrDomain)
		}
	}
	if err := d.unit.Weights(d.who, alpha, b); err != nil {
		return nil, err
	}
	return &KernelRidge{Alpha: mat.NewDense(d.n, d.k, alpha), B: b, Lambda: lambda}, nil
}

// checkKernelRidge wants a symmetric k, a row of y for each of its rows, and a lambda in range.
func checkKernelRidge(who string, k, y *mat.Dense, lambdas ...float64) error {
	if k == nil || y == nil || k.IsEmpty() || y.IsEmpty() {
		return fmt.Errorf("train: %s: k is %v and y is %v; give at least one row of each: %w", who, given.DimsOf(k), given.DimsOf(y), domain.ErrShape)
	}
	g, t := k.RawMatrix(), y.RawMatrix()
	if g.Rows != g.Cols || t.Rows != g.Rows {
		return fmt.Errorf("train: %s: k is %v and y is %v; k must be square with one row of y for each of its rows: %w", who, given.DimsOf(k), given.DimsOf(y), domain.ErrShape)
	}
	for _, lambda := range lambdas {
		if err := given.CheckLambda(lambda); err != nil {
			return fmt.Errorf("train: %s: %w", who, err)
		}
	}
	if i, j, v := given.NotFinite(t.Data, t.Rows, t.Cols, t.Stride); i >= 0 {
		return fmt.Errorf("train: %s: y[%d,%d] = %v is not a finite number; drop the row or fill the value in: %w", who, i, j, v, domain.ErrDomain)
	}
	return checkGram(who, k)
}

// checkGram wants finite entries and a symmetric matrix.
func checkGram(who string, k *mat.Dense) error {
	g := k.RawMatrix()
	if i, j, v := given.NotFinite(g.Data, g.Rows, g.Cols, g.Stride); i >= 0 {
		return fmt.Errorf("train: %s: k[%d,%d] = %v is not a finite number; check row %d of the data: %w", who, i, j, v, i, domain.ErrDomain)
	}
	largest := 0.0
	for i := range g.Rows {
		for _, v := range g.Data[i*g.Stride : i*g.Stride+g.Cols] {
			largest = max(largest, math.Abs(v))
		}
	}
	for i := range g.Rows {
		for j := range i {
			a, b := g.Data[i*g.Stride+j], g.Data[j*g.Stride+i]
			if math.Abs(a-b) > symmetryTolerance*largest {
				return fmt.Errorf("train: %s: k[%d,%d] = %v but k[%d,%d] = %v; a Gram matrix is symmetric, so give rows against the same rows: %w", who, i, j, a, j, i, b, domain.ErrDomain)
			}
		}
	}
	return nil
}

// Predict returns f for new rows, [rows, targets]. kTest [rows, n] has their kernel values with the n training rows.
// Errors: domain.ErrParam for an empty KernelRidge, domain.ErrShape for another number of columns, domain.ErrDomain for
// an entry that is not finite.
func (r *KernelRidge) Predict(kTest *mat.Dense) (*mat.Dense, error) {
	if r.Alpha == nil {
		return nil, fmt.Errorf("train: KernelRidge: Alpha is nil; fit it, as by FitKernelRidge: %w", domain.ErrParam)
	}
	n, targets := r.Alpha.Dims()
	if len(r.B) != targets {
		return nil, fmt.Errorf("train: KernelRidge: Alpha is %v and B has %d numbers; give one for each column: %w",
			given.DimsOf(r.Alpha), len(r.B), domain.ErrShape)
	}
	if kTest == nil || kTest.RawMatrix().Cols != n {
		return nil, fmt.Errorf("train: KernelRidge: kTest is %v, want [rows,%d]: one column for each training row: %w", given.DimsOf(kTest), n, domain.ErrShape)
	}
	g := kTest.RawMatrix()
	if i, j, v := given.NotFinite(g.Data, g.Rows, g.Cols, g.Stride); i >= 0 {
		return nil, fmt.Errorf("train: KernelRidge: kTest[%d,%d] = %v is not a finite number; check row %d of the data: %w", i, j, v, i, domain.ErrDomain)
	}
	out := slices.Repeat(r.B, g.Rows)
	at := transposed(r.Alpha.RawMatrix().Data, n, targets, r.Alpha.RawMatrix().Stride)
	addProduct(1, g, general(targets, n, n, at), general(g.Rows, targets, targets, out))
	return mat.NewDense(g.Rows, targets, out), nil
}
