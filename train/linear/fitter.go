package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Fit is a linear head, f(z) = z W + B, or softmax(z W + B) of FitLogistic, and how it was fitted.
type Fit struct {
	W      *mat.Dense // [D, k]
	B      []float64  // [k], the intercept; of FitLogistic with the sum 0
	Lambda float64    // the relative lambda that was chosen
	// Scores has one entry for each lambda, in the given order, or ascending for the built-in grid; nil without a
	// choice. A lambda whose fit is not done has the score +Inf.
	Scores []fits.LambdaScore
	Dual   bool    // of FitRidge: whether the n x n system was solved instead of the D x D one
	C      float64 // of FitSVM: lambda as C of LIBLINEAR, 1/(2 λ s)
	// Objective is the penalised loss at the end, of FitLogistic: [1], Σ loss + ½ λ s ‖W‖²; and of FitSVM: [k], ½(‖w‖² +
	// v²) + C Σ cᵢ loss, with v the weight of the constant feature; +Inf if its squares overflow.
	Objective []float64
	// Residual is the norm of the gradient at the end: relative to the one at W = 0, of FitLogistic [1]; in the unit of
	// Tol, of FitSVM [k], and above Tol if rounding ended the search; of FitRidgeCG [1] the largest of a target.
	Residual []float64
	Steps    int // Newton steps of the last fit, or iterations of FitRidgeCG
	Passes   int // over the features, of the last fit of FitLogistic or FitSVM

	shift float64     // λ s
	unit  *given.Unit // of the targets in the fit
}

// Head returns a head of a kind, such as "linear", or "softmax" for FitLogistic, with the weights of the fit. Errors: as for
// layers.NewHead; domain.ErrParam for a fit without weights.
func (f *Fit) Head(kind string, opts ...layers.Option) (layers.Head, error) {
	if f.W == nil {
		return nil, fmt.Errorf("train: Fit.Head: W is nil; take a Fit of FitRidge or another solver: %w", domain.ErrParam)
	}
	d, k := f.W.Dims()
	head, err := layers.NewHead(kind, d, k, opts...)
	if err != nil {
		return nil, err
	}
	return head, head.SetWeights(mat.DenseCopyOf(f.W).RawMatrix().Data, f.B)
}

// HeadKind returns "linear".
func (RidgeOptions) HeadKind() string { return "linear" }

// HeadKind returns "linear".
func (CGOptions) HeadKind() string { return "linear" }

// HeadKind returns "linear".
func (SVMOptions) HeadKind() string { return "linear" }

// HeadKind returns "softmax".
func (LogisticOptions) HeadKind() string { return "softmax" }

// Frozen returns true: the map stays as drawn.
func (RidgeOptions) Frozen() bool { return true }

// Frozen returns true: the map stays as drawn.
func (CGOptions) Frozen() bool { return true }

// Frozen returns true: the map stays as drawn.
func (SVMOptions) Frozen() bool { return true }

// Frozen returns true: the map stays as drawn.
func (LogisticOptions) Frozen() bool { return true }

// Fit calls FitRidge and sets the weights of the head.
func (o RidgeOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	return fitHead("Ridge", head, func() (*Fit, error) { return FitRidge(ctx, m, rows, o) })
}

// Fit calls FitRidgeCG and sets the weights of the head.
func (o CGOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	return fitHead("Ridge", head, func() (*Fit, error) { return FitRidgeCG(ctx, m, rows, o) })
}

// Fit calls FitSVM and sets the weights of the head. Targets that are not classes need the loss SquaredInsensitive.
func (o SVMOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	return fitHead("SVM", head, func() (*Fit, error) { return FitSVM(ctx, m, rows, o) })
}

// Fit calls FitLogistic and sets the weights of the head.
func (o LogisticOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	return fitHead("Logistic", head, func() (*Fit, error) { return FitLogistic(ctx, m, rows, o) })
}

// fitHead sets the weights of a head to those of a fit.
func fitHead(who string, head layers.Head, fit func() (*Fit, error)) (*fits.Report, error) {
	if err := given.Missing(who, "the head", head); err != nil {
		return nil, err
	}
	f, err := fit()
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda, Scores: f.Scores}, f.unit.SetWeights(who, head, f.W.RawMatrix().Data, f.B)
}

// solvesDual says whether the n x n system is solved.
func (o RidgeOptions) solvesDual(rows, features int, signed bool) bool {
	return rows < features && !signed && o.ClassWeights == nil
}

// choice says whether lambda is chosen, and among how many.
func (o RidgeOptions) choice(p fits.Problem) (chosen bool, lambdas float64) {
	if o.selects(p.Rows, p.Features, p.Signed) == SelectNone {
		return false, 1
	}
	return true, float64(len(o.grid(1, 1).First()))
}

// Cost estimates the cost of FitRidge.
func (o RidgeOptions) Cost(p fits.Problem) fits.Cost {
	if p.Streamed || !o.solvesDual(p.Rows, p.Features, p.Signed) {
		return o.costPrimal(p)
	}
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	choice, lambdas := o.choice(p)
	var c fits.Cost
	c.Hold(8*d*k, "the %d x %d coefficients", p.Features, p.Outputs)
	if p.Stored > 0 {
		c.Hold(24*float64(p.Stored)+24*d, "the sparse features, by rows and by columns")
		c.Operations = 2*float64(p.Stored)*math.Ceil(float64(p.Stored)/d) + 2*float64(p.Stored)*k
	} else {
		c.Hold(8*n*d, "the %d x %d features", p.Rows, p.Features)
		c.Operations = o.products(p)*n*n*d + 2*n*d*k
		if o.products(p) < 1 {
			c.Hold(4*n*min(d, ridgeDepth), "columns of float32 features")
		}
	}
	copies, solve := 1., n*n*n/3+2*n*n*k
	if choice { // the reduction to a band, its rotations, and the matrix
		scored := min(n, rows.Scored)
		copies, solve = 2+scored/n, solve+n*n*(n+scored)+lambdas*2*64*n*scored
		holdFactors(&c, n, lambdas)
	}
	c.Hold(8*copies*n*n, "%.2g matrices of %d x %d numbers, of the rows", copies, p.Rows, p.Rows)
	c.Operations += solve
	return c
}

// costPrimal is the cost of the D x D system.
func (o RidgeOptions) costPrimal(p fits.Problem) fits.Cost {
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	choice, lambdas := o.choice(p)
	var c fits.Cost
	c.Hold(8*d*k, "the %d x %d coefficients", p.Features, p.Outputs)
	copies, solve, scored := 1., d*d*d/3, n // scored: rows by which lambda is chosen
	if o.Select == SelectAuto {
		scored = min(n, rows.Scored)
	}
	passes := 1.
	switch {
	case choice && !p.Signed:
		holdFactors(&c, d, lambdas)
		solve, passes = 4*solve+lambdas*2*64*d*scored, 1+scored/n
	case choice:
		solve, passes = lambdas*solve, 1+2*lambdas*scored/n
	}
	if choice && o.Select == SelectAuto {
		c.Hold(8*d*scored, "the rows that choose lambda")
	}
	if p.Signed {
		copies++
	}
	c.Hold(8*copies*d*d, "%g matrices of %d x %d numbers, of the features", copies, p.Features, p.Features)
	holdBlock(&c, p)
	c.Operations = (passes-1+o.products(p))*n*d*d + 2*n*d*k + solve
	return c
}

// products is the cost of one product of features: two float32 products take the time of one float64 product.
func (o RidgeOptions) products(p fits.Problem) float64 {
	if p.Single && o.float32Pays(p) {
		return .5
	}
	return 1
}

// holdFactors adds the factors of a band matrix of n rows for all lambdas, with 64 numbers a row.
func holdFactors(c *fits.Cost, n, lambdas float64) {
	c.Hold(8*64*n*lambdas, "the factors of %.0f lambdas", lambdas)
}

// holdBlock adds what goes through the map at once.
func holdBlock(c *fits.Cost, p fits.Problem) {
	rows := min(p.Rows, rows.BlockRows(p.Features))
	c.Hold(2*8*float64(rows)*float64(p.Features), "blocks of %d x %d features", rows, p.Features)
}

// Cost estimates the cost of FitRidgeCG with 50 iterations.
func (o CGOptions) Cost(p fits.Problem) fits.Cost {
	d, k := float64(p.Features), float64(p.Outputs)
	rank := float64(min(max(orElse(o.Rank, sketchOfCG), 0), p.Features))
	var c fits.Cost
	c.Hold(8*d*(2*rank+5*k), "%d numbers for each feature", int(2*rank+5*k))
	if p.Stored > 0 {
		c.Hold(p.Bytes(), "the sparse features")
	} else {
		holdBlock(&c, p)
	}
	c.Operations = 4*p.Cells()*(rank+52*k) + 4*d*rank*rank
	return c
}

// Cost estimates the cost of FitSVM with 30 passes over the rows for each lambda.
func (o SVMOptions) Cost(p fits.Problem) fits.Cost {
	return newtonCost(p, o.CacheBytes, 30*tried(o.Lambdas, o.HeldOut))
}

// tried returns how many lambdas a Newton method fits. With its grid six is typical, one more than it begins with.
func tried(lambdas []float64, heldOut float64) int {
	if lambdas == nil && heldOut > 0 {
		return 6
	}
	return max(1, len(lambdas))
}

// newtonCost is the cost of a truncated Newton method with a number of passes over the features, which are kept if
// there is room.
func newtonCost(p fits.Problem, cacheBytes int64, passes int) fits.Cost {
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	var c fits.Cost
	c.Hold(8*(3*n*k+6*d*k), "vectors of %d columns", p.Outputs)
	if all := p.Bytes(); all <= float64(orElse(cacheBytes, defaultCache)) {
		c.Hold(all, "the %d x %d features", p.Rows, p.Features)
	}
	if p.Stored == 0 {
		holdBlock(&c, p)
	}
	c.Operations = float64(passes) * 4 * p.Cells() * k
	return c
}

// CostOfFolds is for any number of rows of dense features.
func (o ridgeFolds) CostOfFolds(p fits.Problem, folds int, lambdas []float64) fits.Cost {
	d, k := float64(p.Features), float64(p.Outputs)
	if !p.Streamed && o.foldsDual(p.Rows, p.Features, p.Stored, p.Signed) {
		n, rest := float64(p.Rows), 1-1/float64(folds)
		var c fits.Cost
		c.Hold(24*float64(p.Stored)+24*d, "the sparse features, by rows and by columns")
		c.Hold(8*(1+rest*rest+rest/float64(folds))*n*n, "parts of a matrix of %d x %d numbers, of the rows", p.Rows, p.Rows)
		m := rest * n
		c.Operations = 2*float64(p.Stored)*math.Ceil(float64(p.Stored)/d) + float64(folds*len(lambdas))*(m*m*m/3+2*n*m*k)
		return c
	}
	copies := folds + 2
	if p.Signed {
		copies++
	}
	var c fits.Cost
	c.Hold(8*float64(copies)*d*d, "%d matrices of %d x %d numbers, of the features", copies, p.Features, p.Features)
	c.Hold(8*d*float64(min(p.Rows, folds*rows.Scored)), "the rows of classes that choose lambda")
	holdBlock(&c, p)
	c.Operations = float64(p.Rows)*d*d + float64(folds*len(lambdas))*(d*d*d/3+2*d*d*k)
	return c
}
