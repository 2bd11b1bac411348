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
	Scores []fits.LambdaScore // as in Fit; nil without a choice
}

// FitKernelRidge solves the problem of FitRidge for K = Z Zᵀ, from the n×n Gram matrix k alone, which stays as it is:
//
//	α = (H K H + λ s I)⁻¹ (y - ȳ),    b = mean(y - K α),    H = I - 1 1ᵀ/n,    s = (tr H K H)/n
//
// with s = (tr K)/n if all entries of k are equal. k comes from spectral.Gram or, for sparse rows, report.ExactGram. y
// is [n, targets]; lambdas are relative, finite and >= 0. One lambda is used as it is; among several, or the built-in
// grid of RidgeOptions if none is given, the one with the least leave-one-out error is chosen. The error is exact (see
// SelectLOO), one reduction of the centred k serves all lambdas, and a lambda that is too small for k has the score
// +Inf. k must be symmetric up to float32 rounding; its lower triangle is used. Memory is one more n×n matrix, and two
// to choose. Saunders, Gammerman and Vovk (1998), Ridge regression learning algorithm in dual variables.
//
// K need not be positive semi-definite; the Gram matrix of a random-feature estimate may not be. It needs tr H K H > 0,
// or equal entries above 0, and a λ s above minus the least eigenvalue of H K H on the vectors that sum to 0.
// For an indefinite kernel fit its features by FitRidge.
//
// Errors: domain.ErrShape for a k that is not square, shapes that do not fit, and fewer than 2 rows to choose by;
// domain.ErrDomain for an entry that is not finite, a k that is not symmetric, and a trace that is not above 0;
// domain.ErrParam for lambdas that are out of range or all too small.
func FitKernelRidge(k, y *mat.Dense, lambdas ...float64) (*KernelRidge, error) {
	if err := checkKernelRidge(k, y, lambdas); err != nil {
		return nil, err
	}
	unit, err := given.UnitOf("KernelRidge", y, true)
	if err != nil {
		return nil, err
	}
	g := k.RawMatrix()
	n, diagonal := g.Rows, 0.0
	copied := make([]float64, n*n)
	for i := range n {
		copy(copied[i*n:(i+1)*n], g.Data[i*g.Stride:])
		diagonal += g.Data[i*g.Stride+i] / float64(n)
	}
	d := newRidgeDual("KernelRidge", copied, n, unit.Targets(y))
	if d.spread < -roundedKernel*d.mu || !(d.spread > 0 || diagonal > 0) {
		return nil, fmt.Errorf("train: KernelRidge: the mean of the diagonal of k is %v after centring, not a "+
			"positive number; check the kernel, or fit the features of an indefinite one by FitRidge: %w",
			d.spread, domain.ErrDomain)
	}
	scale, err := penaltyScale("KernelRidge", d.spread, max(diagonal, 0), roundedKernel)
	if err != nil {
		return nil, err
	}
	o := RidgeOptions{Lambdas: lambdas, Select: SelectLOO}
	switch len(lambdas) {
	case 0:
		o.Lambdas = nil // an empty list would choose among none
	case 1:
		o.Select = SelectNone
	}
	alpha, lambda, scores, err := d.fit(context.Background(), o, scale)
	if err != nil {
		return nil, err
	}
	b := d.intercept(alpha)
	for t, v := range b {
		if v-v != 0 {
			return nil, fmt.Errorf("train: KernelRidge: the intercept of target %d is %v; scale the targets or the "+
				"kernel: %w", t, v, domain.ErrDomain)
		}
	}
	if err := unit.Weights("KernelRidge", alpha, b); err != nil {
		return nil, err
	}
	scoresOutOf(unit, scores)
	return &KernelRidge{Alpha: mat.NewDense(n, d.k, alpha), B: b, Lambda: lambda, Scores: scores}, nil
}

// checkKernelRidge wants a symmetric k, a row of y for each of its rows, and lambdas in range.
func checkKernelRidge(k, y *mat.Dense, lambdas []float64) error {
	if k == nil || y == nil || k.IsEmpty() || y.IsEmpty() {
		return fmt.Errorf("train: KernelRidge: k is %v and y is %v; give at least one row of each: %w",
			given.DimsOf(k), given.DimsOf(y), domain.ErrShape)
	}
	g, t := k.RawMatrix(), y.RawMatrix()
	if g.Rows != g.Cols || t.Rows != g.Rows {
		return fmt.Errorf("train: KernelRidge: k is %v and y is %v; k must be square with one row of y for each of "+
			"its rows: %w", given.DimsOf(k), given.DimsOf(y), domain.ErrShape)
	}
	if g.Rows < 2 && len(lambdas) != 1 {
		return fmt.Errorf("train: KernelRidge: to choose lambda needs at least 2 rows, got %d; give one lambda: %w",
			g.Rows, domain.ErrShape)
	}
	for _, lambda := range lambdas {
		if err := given.CheckLambda(lambda); err != nil {
			return fmt.Errorf("train: KernelRidge: %w", err)
		}
	}
	if i, j, v := given.NotFinite(t.Data, t.Rows, t.Cols, t.Stride); i >= 0 {
		return fmt.Errorf("train: KernelRidge: y[%d,%d] = %v is not a finite number; drop the row or fill the "+
			"value in: %w", i, j, v, domain.ErrDomain)
	}
	if i, j, v := given.NotFinite(g.Data, g.Rows, g.Cols, g.Stride); i >= 0 {
		return fmt.Errorf("train: KernelRidge: k[%d,%d] = %v is not a finite number; check row %d of the data: %w",
			i, j, v, i, domain.ErrDomain)
	}
	largest := max(mat.Max(k), -mat.Min(k))
	for i := range g.Rows {
		for j := range i {
			a, b := g.Data[i*g.Stride+j], g.Data[j*g.Stride+i]
			if math.Abs(a-b) > symmetryTolerance*largest {
				return fmt.Errorf("train: KernelRidge: k[%d,%d] = %v but k[%d,%d] = %v; a Gram matrix is "+
					"symmetric, so give rows against the same rows: %w", i, j, a, j, i, b, domain.ErrDomain)
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
		return nil, fmt.Errorf("train: KernelRidge: kTest is %v, want [rows,%d]: one column for each training row: "+
			"%w", given.DimsOf(kTest), n, domain.ErrShape)
	}
	g := kTest.RawMatrix()
	if i, j, v := given.NotFinite(g.Data, g.Rows, g.Cols, g.Stride); i >= 0 {
		return nil, fmt.Errorf("train: KernelRidge: kTest[%d,%d] = %v is not a finite number; check row %d of the "+
			"data: %w", i, j, v, i, domain.ErrDomain)
	}
	out := slices.Repeat(r.B, g.Rows)
	at := transposed(r.Alpha.RawMatrix().Data, n, targets, r.Alpha.RawMatrix().Stride)
	addProduct(1, g, general(targets, n, n, at), general(g.Rows, targets, targets, out))
	return mat.NewDense(g.Rows, targets, out), nil
}
