package train

import (
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Selection is how FitRidge chooses among several lambdas.
type Selection int

const (
	// SelectNone fits the one lambda that is given.
	SelectNone Selection = iota
	// SelectLOO takes the lambda of the least leave-one-out error, which is exact: yᵢ - f₋ᵢ(xᵢ) = (yᵢ - f(xᵢ)) / (1 - hᵢᵢ),
	// where h is the hat matrix, intercept included, at the same effective lambda. It needs a second pass through the map.
	SelectLOO
	// SelectHeldOut takes the lambda of the least error on rows that are set aside, and then fits on all rows.
	SelectHeldOut
)

func (s Selection) String() string {
	switch s {
	case SelectNone:
		return "none"
	case SelectLOO:
		return "leave-one-out"
	case SelectHeldOut:
		return "held-out"
	default:
		return fmt.Sprintf("Selection(%d)", int(s))
	}
}

// RidgeOptions are the options of FitRidge. The zero value fits the default lambda.
type RidgeOptions struct {
	// Lambdas are relative: the penalty is lambda times the mean squared norm of a feature row. Each is finite and
	// >= 0; nil is one lambda, 1e-6 n for n rows.
	Lambdas []float64
	Select  Selection // SelectNone wants one lambda
	HeldOut float64   // fraction of the rows that SelectHeldOut sets aside, in (0, 1); 0 is 0.2
	Seed    uint64    // which rows those are
	// ClassWeights are those of RidgeStats: with the weight 2 a row of the class counts as two of it would, in s and in the errors by which lambda is
	// chosen too. nil: all are 1. With them the D x D system is solved for any n.
	ClassWeights []float64
	// BlockRows is how many rows go through the map at once; 0 chooses blocks of a few MB. It changes results only by
	// rounding.
	BlockRows int
	// Progress is called after each block with the rows done and to do; leave-one-out counts every row twice. nil: not called.
	Progress func(done, total int)
}

// LambdaScore is the mean squared error, over rows and targets, of one relative lambda. It is +Inf for a lambda that
// is too small for the rows at hand: the system is singular to working precision, or a row determines its own fit.
type LambdaScore struct{ Lambda, MSE float64 }

// defaultLambda is the default of RidgeOptions.Lambdas, a row.
const defaultLambda = 1e-6

// RidgeFit is a linear head: f(z) = z W + B.
type RidgeFit struct {
	W      *mat.Dense    // [D, k]
	B      []float64     // [k], the intercept
	Lambda float64       // the relative lambda that was chosen
	Scores []LambdaScore // one a lambda, in the order given; nil for SelectNone
	Dual   bool          // whether the n x n system was solved instead of the D x D one
}

// FitRidge fits linear regression with an l2 penalty on the features z = m(x), in closed form:
//
//	min over W, b of  Σᵢ ‖zᵢ W + b - yᵢ‖² + λ s ‖W‖²,    s = (1/n) Σᵢ ‖zᵢ‖²
//	W = (Zcᵀ Zc + λ s I)⁻¹ Zcᵀ Yc,    b = ȳ - z̄ W
//
// with Zc, Yc the centred features and targets: the intercept is not penalised. x is [n, d], float64 or float32, dense or sparse, or n bags; y
// is [n, k]; a nil map is the identity. Sums are float64. Hoerl and Kennard (1970), Ridge regression; leave-one-out by
// Allen's PRESS (1974).
//
// Rows go through the map in blocks, and the n x D matrix of features is never held when D <= n: memory is D² + O(D)
// numbers and the blocks (with SelectHeldOut 2 D²). When n < D, W = Zcᵀ (Zc Zcᵀ + λ s I)⁻¹ Yc is computed instead, with
// the features, n D numbers, and n² more. Results do not depend on GOMAXPROCS. ctx is looked at between blocks and
// before a factorisation.
//
// The features of an indefinite kernel (a map with a layers.SignatureOf) have the penalty λ s Wᵀ Σ W in place of λ s ‖W‖², with the signs
// of the features on the diagonal of Σ: Kreĭn ridge regression, whose solution W = (Zcᵀ Zc + λ s Σ)⁻¹ Zcᵀ Yc is a stationary point and no
// minimum. It is that of kernel ridge regression on the matrix of the kernel, of which nothing is clipped; here D² numbers are held for any
// n. Ong, Mary, Canu and Smola (2004), Learning with non-positive kernels.
//
// Errors: domain.ErrShape for shapes that do not fit and for too few rows; domain.ErrDtype; domain.ErrDomain for a feature or
// target that is not finite (named by its row of x) and for features that are all zero; domain.ErrParam for options
// out of range and for a lambda that leaves the system singular; what the map returns; and ctx.Err().
func FitRidge(ctx context.Context, m Map, x ops.Matrix, y *mat.Dense, o RidgeOptions) (*RidgeFit, error) {
	src, err := newRowSource(ctx, "Ridge", m, x, y)
	if err != nil {
		return nil, err
	}
	if o, err = o.complete(src.n); err != nil {
		return nil, err
	}
	src.block, src.progress = o.BlockRows, o.Progress
	if src.block == 0 {
		src.block = src.blockRows()
	}
	if src.n < src.features && src.signature == nil && o.ClassWeights == nil {
		return fitRidgeDual(src, o)
	}
	src.total = o.passes(src.signature) * src.n
	return fitRidgePrimal(ctx, ridgeRows{src}, o)
}

// complete checks the options and fills in the defaults for n rows.
func (o RidgeOptions) complete(n int) (RidgeOptions, error) {
	o.Lambdas = o.lambdas(n)
	for i, l := range o.Lambdas {
		if err := checkLambda(l); err != nil {
			return o, fmt.Errorf("train: Ridge: Lambdas[%d]: %w", i, err)
		}
	}
	if o.HeldOut == 0 {
		o.HeldOut = 0.2
	}
	var wrong string
	switch {
	case o.Select < SelectNone || o.Select > SelectHeldOut:
		wrong = fmt.Sprintf("Select = %d is none of SelectNone, SelectLOO and SelectHeldOut", int(o.Select))
	case len(o.Lambdas) == 0:
		wrong = "Lambdas is empty; give one, or nil for the default"
	case o.Select == SelectNone && len(o.Lambdas) > 1:
		wrong = fmt.Sprintf("%d lambdas and SelectNone; give one lambda, or choose by SelectLOO or SelectHeldOut", len(o.Lambdas))
	case !(o.HeldOut > 0 && o.HeldOut < 1):
		wrong = fmt.Sprintf("HeldOut = %v is not between 0 and 1", o.HeldOut)
	case o.BlockRows < 0:
		wrong = fmt.Sprintf("BlockRows = %d is negative; 0 chooses", o.BlockRows)
	case o.Select != SelectNone && n < 2:
		return o, fmt.Errorf("train: Ridge: %v needs at least 2 rows, got %d; use SelectNone: %w", o.Select, n, domain.ErrShape)
	default:
		return o, nil
	}
	return o, fmt.Errorf("train: Ridge: %s: %w", wrong, domain.ErrParam)
}

// lambdas are those of n rows.
func (o RidgeOptions) lambdas(n int) []float64 {
	if o.Lambdas == nil {
		return []float64{defaultLambda * float64(n)}
	}
	return o.Lambdas
}

func checkLambda(l float64) error {
	if l >= 0 && !math.IsInf(l, 1) {
		return nil
	}
	return fmt.Errorf("lambda = %v is not a finite number >= 0; 0 is least squares: %w", l, domain.ErrParam)
}

// featureRows are the rows of a fit as features: a rowSource, whose rows are in memory, or a blockSource, which reads them.
type featureRows interface {
	// each calls f with block after block, the same ones at every call. z is valid until the next block.
	each(f addRows) error
	// parts calls train or held with the rows of SelectHeldOut.
	parts(o RidgeOptions, train, held addRows) error
	signs() []float64
}

// addRows takes rows, their features and their targets.
type addRows func(rows rowNames, z *tensor.Dense, y *mat.Dense) error

// fitRidgePrimal solves the D x D system.
func fitRidgePrimal(ctx context.Context, src featureRows, o RidgeOptions) (*RidgeFit, error) {
	s := RidgeStats{Signature: src.signs(), ClassWeights: o.ClassWeights}
	if o.Select == SelectHeldOut {
		held := RidgeStats{Signature: src.signs(), ClassWeights: o.ClassWeights}
		if err := src.parts(o, s.addNamed, held.addNamed); err != nil {
			return nil, err
		}
		return s.Best(ctx, &held, o.lambdas(s.n+held.n))
	}
	if err := src.each(s.addNamed); err != nil {
		return nil, err
	}
	o.Lambdas = o.lambdas(s.n)
	if o.Select == SelectLOO {
		return s.leaveOneOut(src, o.Lambdas)
	}
	return s.Solve(o.Lambdas[0])
}

// passes is how often the rows go through the map.
func (o RidgeOptions) passes(signature []float64) int {
	switch {
	case o.Select != SelectLOO:
		return 1
	case signature != nil:
		return 1 + len(o.Lambdas)
	default:
		return 2
	}
}

// bestScore is the index of the least score, the first of equals; an error when no lambda could be used.
func bestScore(scores []LambdaScore) (int, error) {
	best := 0
	for i, s := range scores {
		if s.MSE < scores[best].MSE {
			best = i
		}
	}
	if math.IsInf(scores[best].MSE, 1) {
		return 0, fmt.Errorf("train: Ridge: none of the %d lambdas leaves a system that can be solved; raise the lambdas: %w", len(scores), domain.ErrParam)
	}
	return best, nil
}
