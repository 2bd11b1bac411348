package linear

import (
	"context"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
)

// HeadKind returns "linear".
func (RidgeOptions) HeadKind() string { return "linear" }

// HeadKind returns "linear".
func (CGOptions) HeadKind() string { return "linear" }

// HeadKind returns "linear".
func (SVMOptions) HeadKind() string { return "linear" }

// HeadKind returns "softmax".
func (LogisticOptions) HeadKind() string { return "softmax" }

// Frozen returns true: the map stays as it is drawn.
func (RidgeOptions) Frozen() bool { return true }

// Frozen returns true: the map stays as it is drawn.
func (CGOptions) Frozen() bool { return true }

// Frozen returns true: the map stays as it is drawn.
func (SVMOptions) Frozen() bool { return true }

// Frozen returns true: the map stays as it is drawn.
func (LogisticOptions) Frozen() bool { return true }

// Fit calls FitRidge and sets the weights of the head.
func (o RidgeOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	if err := given.Missing("Ridge", given.Arg("the head", head)); err != nil {
		return nil, err
	}
	f, err := FitRidge(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda, Scores: f.Scores}, f.unit.SetWeights("Ridge", head, f.W.RawMatrix().Data, f.B)
}

// Fit calls FitRidgeCG and sets the weights of the head.
func (o CGOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	if err := given.Missing("RidgeCG", given.Arg("the head", head)); err != nil {
		return nil, err
	}
	f, err := FitRidgeCG(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda}, f.unit.SetWeights("Ridge", head, f.W.RawMatrix().Data, f.B)
}

// Fit calls FitSVM and sets the weights of the head. Targets that are not classes need the loss SquaredInsensitive.
func (o SVMOptions) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	if err := given.Missing("SVM", given.Arg("the head", head)); err != nil {
		return nil, err
	}
	f, err := FitSVM(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	return &fits.Report{Lambda: f.Lambda, Scores: f.Scores}, f.unit.SetWeights("SVM", head, f.W.RawMatrix().Data, f.B)
}

// Fit calls FitLogistic and sets the weights of the head.
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
