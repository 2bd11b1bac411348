package linear

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
)

// Selection is how FitRidge chooses lambda.
type Selection int

const (
	// SelectAuto fits the one lambda that is given. Among several, and where none is given among a built-in grid, it is
	// SelectLOO by at most 4096 of the rows, drawn at random. It needs no second pass over the rows; beside the fit it
	// takes an eigenproblem of the D x D or n x n system, which is one to four times the time of a fit of some thousand
	// rows, and less than the time of a fit of many. With no lambda given and more than 512 features of an indefinite kernel, where
	// every lambda wants a factor of its own, and for one row, it is SelectNone.
	SelectAuto Selection = iota
	// SelectNone fits the one lambda that is given, or 1e-6 n for n rows.
	SelectNone
	// SelectLOO takes the lambda of the least leave-one-out error, which is exact: yᵢ - f₋ᵢ(xᵢ) = (yᵢ - f(xᵢ)) / (1 - hᵢᵢ),
	// where h is the hat matrix, intercept included, at the same effective lambda. It needs a second pass through the map.
	SelectLOO
	// SelectHeldOut takes the lambda of the least error on rows that are set aside, and then fits on all rows. The error rate is of at
	// most 4096 of them.
	SelectHeldOut
)

func (s Selection) String() string {
	switch s {
	case SelectAuto:
		return "auto"
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

// RidgeOptions are the options of FitRidge. The zero value chooses lambda.
//
// The best lambda of targets that are classes has the least error rate, among equals the least squared error; of others the least
// squared error; among equals it is the largest. The built-in grid is the powers of ten from 1e-9 n to 1e-1 n, for n rows, and on to 1e-15 n
// or 1e3 n while the best is at an end.
type RidgeOptions struct {
	// Lambdas are relative: the penalty is lambda times the mean squared distance of a feature row from their mean. Each is finite and
	// >= 0; nil: as Select says.
	Lambdas []float64
	Select  Selection // SelectNone wants one lambda
	HeldOut float64   // fraction of the rows that SelectHeldOut sets aside, in (0, 1); 0 is 0.2
	Seed    uint64    // which rows those are, and which SelectAuto takes
	// ClassWeights are as in RidgeStats: with the weight 2 a row of the class counts as two of it would, in s and in the errors by which lambda is
	// chosen too. nil: all are 1. With them the D x D system is solved for any n.
	ClassWeights []float64
	// BlockRows is how many rows go through the map at once; 0 chooses blocks of a few MB. It changes results only by
	// rounding.
	BlockRows int
	// Progress is called after each block with the rows done and to do, which is 0 where nobody knows; every pass of
	// SelectLOO counts the rows again, and so does a fit that reads them again for float64 products. nil: not called.
	Progress func(done, total int)
}

// RidgeFit is a linear head: f(z) = z W + B.
type RidgeFit struct {
	W      *mat.Dense         // [D, k]
	B      []float64          // [k], the intercept
	Lambda float64            // the relative lambda that was chosen
	Scores []fits.LambdaScore // one a lambda, in the order given, or of the built-in grid from the least up; nil where there was no choice
	Dual   bool               // whether the n x n system was solved instead of the D x D one
}

// FitRidge fits linear regression with an l2 penalty on the features z = m(x), in closed form:
//
//	min over W, b of  Σᵢ ‖zᵢ W + b - yᵢ‖² + λ s ‖W‖²,    s = (1/n) Σᵢ ‖zᵢ - z̄‖²
//	W = (Zcᵀ Zc + λ s I)⁻¹ Zcᵀ Yc,    b = ȳ - z̄ W
//
// with Zc, Yc the centred features and targets: the intercept is not penalised. Where all rows have the same features s is ‖z̄‖², and W is 0. Rows are float64 or float32,
// dense or sparse, or bags; a nil map is the identity. Hoerl and Kennard (1970), Ridge regression; leave-one-out by
// Allen's PRESS (1974).
//
// All sums, and the system, are float64. The products of float32 features are float32, in the way of
// RidgeStats.Float32Products, which takes 0.6 of the time, for a lambda of at least RidgeStats.LeastLambda: some 7e-5
// √(n/D), or 9e-9 n for n = 16000 and D = 4096. With fewer rows than features the same holds, columns and rows changing
// places. For a lambda below it, given or chosen, and for an indefinite kernel they are float64; where that turns out
// after the rows were read, they are read again. So they are where lambda is chosen from the built-in grid and neither
// rows nor features are 24 times as many as the others: the grid reaches lower, and to choose twice would take longer
// than float32 products save.
//
// Rows go through the map in blocks, and the n x D matrix of features is never held when D <= n: memory is D² + O(D)
// numbers and the blocks (with SelectHeldOut 2 D², and to choose lambda up to 4096 D). When n < D, W = Zcᵀ (Zc Zcᵀ + λ s I)⁻¹ Yc is computed instead, with
// the features, n D numbers, and n² more; the features of sparse rows in memory stay sparse where the map keeps zeros (layers.KeepsZeros), so that it is
// what they store, O(D) and n² numbers. Results do not depend on GOMAXPROCS. ctx is looked at between blocks and
// before a factorisation.
//
// Rows that are not in memory are read once, and by SelectLOO twice or, while its grid grows, more often, but for a
// lambda that is too small for float32 products; the D x D system is solved whatever their number. SelectHeldOut holds
// each out with the probability HeldOut, by the seed and its number; the progress has no total, which is 0. What is
// computed depends on the blocks by rounding alone. An error names the place by Pairs.Locate.
//
// The features of an indefinite kernel (a map with a layers.SignatureOf) have the penalty λ s Wᵀ Σ W in place of λ s ‖W‖², with the signs
// of the features on the diagonal of Σ: Kreĭn ridge regression, whose solution W = (Zcᵀ Zc + λ s Σ)⁻¹ Zcᵀ Yc is a stationary point and no
// minimum. It is the stationary point of kernel ridge regression on the matrix of the kernel, of which nothing is clipped; here D² numbers are held for any
// n. Ong, Mary, Canu and Smola (2004), Learning with non-positive kernels.
//
// Errors: domain.ErrShape for shapes that do not fit and for too few rows; domain.ErrDtype; domain.ErrDomain for a feature or
// target that is not finite (named by its row of x) and for features that are all zero; domain.ErrParam for options
// out of range and for a lambda that leaves the system singular; what the map returns; and ctx.Err().
func FitRidge(ctx context.Context, m layers.Map, rows data.Examples, o RidgeOptions) (*RidgeFit, error) {
	src, err := newSource(ctx, "Ridge", m, rows)
	if err != nil {
		return nil, err
	}
	n := maxStats // of rows that are read nobody knows the number
	if src.memory != nil {
		n = src.n
	}
	if o, err = o.complete(n); err != nil {
		return nil, err
	}
	src.block, src.progress = o.BlockRows, o.Progress
	if src.memory != nil && o.solvesDual(src.n, src.features, src.signature != nil) {
		return fitRidgeDual(src, o)
	}
	src.total = o.passes(src.signature) * src.n
	return fitRidgePrimal(src, o)
}

// complete checks the options and fills in the defaults for n rows.
func (o RidgeOptions) complete(n int) (RidgeOptions, error) {
	for i, l := range o.Lambdas {
		if err := given.CheckLambda(l); err != nil {
			return o, fmt.Errorf("train: Ridge: Lambdas[%d]: %w", i, err)
		}
	}
	o.HeldOut = o.heldShare()
	var wrong string
	switch {
	case o.Select < SelectAuto || o.Select > SelectHeldOut:
		wrong = fmt.Sprintf("Select = %d is none of SelectAuto, SelectNone, SelectLOO and SelectHeldOut", int(o.Select))
	case o.Lambdas != nil && len(o.Lambdas) == 0:
		wrong = "Lambdas is empty; give one, or nil for the default"
	case o.Select == SelectNone && len(o.Lambdas) > 1:
		wrong = fmt.Sprintf("%d lambdas and SelectNone; give one lambda, or choose by SelectLOO or SelectHeldOut", len(o.Lambdas))
	case !(o.HeldOut > 0 && o.HeldOut < 1):
		wrong = fmt.Sprintf("HeldOut = %v is not between 0 and 1", o.HeldOut)
	case o.BlockRows < 0:
		wrong = fmt.Sprintf("BlockRows = %d is negative; 0 chooses", o.BlockRows)
	case n < 2 && (o.Select > SelectNone || len(o.Lambdas) > 1):
		return o, fmt.Errorf("train: Ridge: %v needs at least 2 rows, got %d; use SelectNone and one lambda: %w", o.Select, n, domain.ErrShape)
	default:
		return o, nil
	}
	return o, fmt.Errorf("train: Ridge: %s: %w", wrong, domain.ErrParam)
}

// kreinChosen is up to how many features of an indefinite kernel lambda is chosen by default: every lambda wants a factor of its own.
const kreinChosen = 512

// chooses says whether SelectAuto chooses among lambdas, by n rows of features with a signature.
func (o RidgeOptions) chooses(n int, signature []float64) bool {
	return o.Select == SelectAuto && o.choosesAmong(n, len(signature), signature != nil)
}

func (o RidgeOptions) choosesAmong(n, features int, signed bool) bool {
	return n > 1 && (len(o.Lambdas) > 1 || o.Lambdas == nil && (!signed || features <= kreinChosen))
}

// heldShare is the fraction of the rows that SelectHeldOut sets aside.
func (o RidgeOptions) heldShare() float64 {
	if o.HeldOut == 0 {
		return .2
	}
	return o.HeldOut
}

// lambda is the one to fit for n rows where there is no choice.
func (o RidgeOptions) lambda(n int) float64 {
	if o.Lambdas == nil {
		return defaultLambda * float64(n)
	}
	return o.Lambdas[0]
}

// grid is what lambda is chosen among for n rows, by more at once where the best is at an end.
func (o RidgeOptions) grid(n, by int) cv.Grid {
	if o.Lambdas != nil {
		return cv.Grid{List: o.Lambdas}
	}
	return builtIn(n, by)
}

// passes is how often the rows go through the map, at least.
func (o RidgeOptions) passes(signature []float64) int {
	switch {
	case o.Select != SelectLOO:
		return 1
	case signature != nil:
		return 1 + max(1, len(o.Lambdas))
	default:
		return 2
	}
}
