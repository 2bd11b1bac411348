// Package fits has the types that all ways to fit a head share: the Fitter, its Report, and the size and Cost of a fit.
package fits

import (
	"context"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
)

// Epoch reports on an epoch of sgd.Fit. Losses and scores are means over rows. Loss is measured on the batches during
// the epoch and includes the penalty; the other numbers are for the parameters at the end of the epoch. A score is the
// accuracy for a head that classifies, or for targets of -1 and +1, and the root mean squared error otherwise. Score is
// over at most 2000 training rows.
type Epoch struct {
	Number, Of int
	Loss       float64
	Score      float64
	HeldLoss   float64 // NaN when nothing is held out
	HeldScore  float64 // NaN when nothing is held out
}

// Course is the course of a fit by mini-batches.
type Course struct {
	Epochs  []Epoch
	Best    int  // the number of the epoch whose parameters were kept
	Stopped bool // whether early stopping ended it
	Resumed bool // whether it resumed from a checkpoint
	// MapDecay is the decay of the tuned parameters of the map, as it was chosen or given.
	MapDecay float64
	// HeldLoss is the mean loss of held-out rows in the short fits that chose MapDecay; 0: it was given.
	HeldLoss float64
	// Directions says whether the map started turned and scaled (sgd.FitOptions.Directions).
	Directions bool
}

// Fitter is a way to fit a head on the features of a map: the options of package linear, MiniBatch of package sgd, or a
// type of the program.
type Fitter interface {
	// Cost estimates the cost of a fit.
	Cost(p Problem) Cost
	// Fit fits a head, and also the map if the Fitter tunes maps, on rows that are already scaled.
	Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*Report, error)
	// HeadKind returns the kind of head that it fits, see layers.NewHead.
	HeadKind() string
	// Frozen reports whether it leaves the map as drawn.
	Frozen() bool
}

// Report describes how a fit went.
type Report struct {
	Lambda float64       // the penalty, as the Fitter takes it
	Scores []LambdaScore // of the lambdas that were tried; nil without a choice
	Epochs *Course       // of sgd.MiniBatch; nil for others
}
