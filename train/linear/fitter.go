package linear

import (
	"context"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
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
	if err := given.Missing(who, given.Arg("the head", head)); err != nil {
		return nil, err
	}
	f, err := fit()
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda, Scores: f.Scores}, f.unit.SetWeights(who, head, f.W.RawMatrix().Data, f.B)
}
