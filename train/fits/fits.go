// Package fits has what all ways to fit a head share: the Fitter, its Report, and the size and Cost of a fit.
package fits

import (
	"context"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
)

// Epoch is what Fit tells of an epoch. Errors and losses are means over rows. The training loss is the loss of the batches as they
// came by, penalty included; the others are of the parameters at the end of the epoch. Score is the accuracy under a
// head that classifies, or for targets of -1 and +1, and the root mean squared error otherwise; on the training part it is over at most
// 2000 rows.
type Epoch struct {
	Number, Of int
	Loss       float64
	Score      float64
	HeldLoss   float64 // NaN when nothing is held out
	HeldScore  float64 // NaN when nothing is held out
}

// Course is the course of a fit.
type Course struct {
	Epochs  []Epoch
	Best    int  // the number of the epoch whose parameters were kept
	Stopped bool // whether early stopping ended it
	Resumed bool // whether it went on from a checkpoint
}

// Fitter is a way to fit a head on the features of a map: the options of package linear, MiniBatch of package sgd, or
// one of the caller's own.
type Fitter interface {
	// Cost is what a fit takes, see Cost.
	Cost(p Problem) Cost
	// Fit fits a head, and the map where it is one that tunes it, on rows that are scaled.
	Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*Report, error)
	// HeadKind is the kind of head that it fits, see layers.NewHead.
	HeadKind() string
	// Freezes is what messages call it if it leaves the map as it is drawn, and empty if it tunes the map.
	Freezes() string
}

// Report is how a fit went.
type Report struct {
	Lambda float64       // the penalty, as the Fitter takes it
	Scores []LambdaScore // of the lambdas that were chosen among; nil where there was no choice
	Epochs *Course       // of sgd.MiniBatch; nil of the others
}
