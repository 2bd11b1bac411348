package sgd

import (
	"context"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
)

// MiniBatch fits by mini-batches on a Gorgonia graph, and tunes what the policy of the map says: Fit.
type MiniBatch struct {
	FitOptions
	Head string // the kind of head, see layers.NewHead; empty is linear
}

// Freezes is empty: the map is tuned as its policy says.
func (MiniBatch) Freezes() string { return "" }

// HeadKind is Head, or "linear".
func (o MiniBatch) HeadKind() string {
	if o.Head == "" {
		return "linear"
	}
	return o.Head
}

// Fit is Fit.
func (o MiniBatch) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	epochs, err := Fit(ctx, m, head, rows, o.FitOptions)
	return &fits.Report{Lambda: o.Lambda, Epochs: epochs}, err
}
