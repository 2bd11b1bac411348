package sgd

import (
	"context"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
)

// MiniBatch is a fits.Fitter that calls Fit: it fits the head by mini-batches on a Gorgonia graph, and tunes the map as
// its policy says.
type MiniBatch struct {
	FitOptions
	Head string // the kind of head, see layers.NewHead; empty: "linear"
}

// Frozen returns false: the map is tuned as its policy says.
func (MiniBatch) Frozen() bool { return false }

// HeadKind returns Head, or "linear" if it is empty.
func (o MiniBatch) HeadKind() string {
	if o.Head == "" {
		return "linear"
	}
	return o.Head
}

// Fit calls the function Fit.
func (o MiniBatch) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	epochs, err := Fit(ctx, m, head, rows, o.FitOptions)
	return &fits.Report{Lambda: o.Lambda, Epochs: epochs}, err
}
