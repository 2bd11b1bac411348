package linear

import (
	"context"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
)

// HeadKind is "linear".
func (RidgeOptions) HeadKind() string { return "linear" }

// HeadKind is "linear".
func (CGOptions) HeadKind() string { return "linear" }

// HeadKind is "linear".
func (SVMOptions) HeadKind() string { return "linear" }

// HeadKind is "softmax".
func (LogisticOptions) HeadKind() string { return "softmax" }

// Freezes is what a message about a map that is to be tuned calls it.
func (RidgeOptions) Freezes() string { return "ridge" }

// Freezes is what a message about a map that is to be tuned calls it.
func (CGOptions) Freezes() string { return "conjugate gradients" }

// Freezes is what a message about a map that is to be tuned calls it.
func (SVMOptions) Freezes() string { return "a support vector machine" }

// Freezes is what a message about a map that is to be tuned calls it.
func (LogisticOptions) Freezes() string { return "logistic regression by Newton's method" }

// Fit is FitRidge.
func (o RidgeOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	if err := given.Missing("Ridge", given.Arg("the head", head)); err != nil {
		return nil, err
	}
	f, err := FitRidge(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda, Scores: f.Scores}, head.SetWeights(f.W.RawMatrix().Data, f.B)
}

// Fit is FitRidgeCG.
func (o CGOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	if err := given.Missing("RidgeCG", given.Arg("the head", head)); err != nil {
		return nil, err
	}
	f, err := FitRidgeCG(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda}, head.SetWeights(f.W.RawMatrix().Data, f.B)
}

// Fit is FitSVM. Targets want the loss SquaredInsensitive.
func (o SVMOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	if err := given.Missing("SVM", given.Arg("the head", head)); err != nil {
		return nil, err
	}
	f, err := FitSVM(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda, Scores: f.Scores}, head.SetWeights(f.W.RawMatrix().Data, f.B)
}

// Fit is FitLogistic.
func (o LogisticOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	if err := given.Missing("Logistic", given.Arg("the head", head)); err != nil {
		return nil, err
	}
	f, err := FitLogistic(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda, Scores: f.Scores}, head.SetWeights(f.W.RawMatrix().Data, f.B)
}
