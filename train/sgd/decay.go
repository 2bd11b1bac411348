package sgd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gorgonia.org/tensor"
)

// ForTuning returns the MiniBatch of a train.Recipe that tunes its map and has no Fitter. It chooses a MapDecay of 0.01,
// 0.1, 0.3 or 1, and smooths the labels of several classes, which lowers their log loss on new rows. For targets it also
// chooses whether to start with Directions.
func ForTuning(head string) MiniBatch {
	return MiniBatch{Head: head, FitOptions: FitOptions{MapDecays: []float64{.01, .1, .3, 1}, LabelSmoothing: -1,
		Directions: head != "softmax"}}
}

// begin sets the map to where the fit starts, as it is or turned by Directions, and sets MapDecay. Of MapDecays, with
// either start, it takes what has the least heldLoss, and stops at the first that has more than the one before.
// Directions then says how the fit starts.
func (o *FitOptions) begin(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) error {
	short, divisions := o.short(rows)
	starts, least, failed := [][]*tensor.Dense{snapshot(m, head)}, math.Inf(1), error(nil)
	if o.Directions {
		turned, err := direct(ctx, m, rows, o.Seed)
		if err != nil {
			return err
		}
		if o.Directions = turned; turned {
			starts = append(starts, snapshot(m, head))
		}
	}
	if o.MapDecays == nil {
		return nil
	}
	best := 0
	for i, start := range starts {
		last := math.Inf(1)
		for _, d := range o.MapDecays {
			short.MapDecay = d
			loss, err := short.heldLoss(ctx, m, head, rows, start, divisions, true)
			switch {
			case errors.Is(err, given.ErrDiverged):
				failed = err
				continue
			case err != nil:
				return err
			case loss < least:
				best, least, o.MapDecay = i, loss, d
			}
			if loss > last {
				break
			}
			last = loss
		}
	}
	o.Directions = best > 0
	if err := restore(m, head, starts[best]); err != nil {
		return err
	}
	if math.IsInf(least, 1) {
		return cmp.Or(failed, fmt.Errorf("train: Fit: no held-out row has a finite loss under any of MapDecays = %v; "+
			"give one MapDecay: %w", o.MapDecays, domain.ErrDomain))
	}
	return nil
}

// shortRows is the most rows in memory of a short fit, the held-out ones included.
const shortRows = 50_000

// short are the options of short fits that hold a fifth of the rows out, and how many there are for one loss.
func (o FitOptions) short(rows data.Examples) (short FitOptions, divisions int) {
	const share, enough, most = .2, 600, 8
	const visits, epochs = 120_000, 8 // rows that the fits of a loss go over in all epochs, and the fewest epochs
	n := visits / epochs
	divisions = 1
	if all := inMemory(rows); all > 0 {
		n = min(all, shortRows)
		divisions = min(most, max(1, int(math.Ceil(enough/(share*float64(n))))))
	}
	short = o
	short.MapDecays, short.Directions, short.Checkpoints, short.Progress, short.HeldOut = nil, false, Checkpoints{}, nil, share
	short.ScoreRows = -1
	short.Epochs = min(o.Epochs, max(epochs, visits/(n*divisions)))
	short.WarmUp, short.Patience = min(o.WarmUp, short.Epochs-1), short.Epochs
	return short, divisions
}

// HeldLoss returns the sum of the head's losses on held-out rows in the best epoch of one to eight short fits to the
// others, as those by which Fit chooses one of MapDecays, with the MapDecay and the Directions of the options. It
// leaves the parameters of the map and the head as they are. Errors: see Fit.
func HeldLoss(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, o FitOptions) (float64, error) {
	if err := complete(ctx, m, head, rows, &o); err != nil {
		return 0, err
	}
	short, divisions := o.short(rows)
	drawn := snapshot(m, head)
	if o.Directions {
		if _, err := direct(ctx, m, rows, o.Seed); err != nil {
			return 0, err
		}
	}
	loss, err := short.heldLoss(ctx, m, head, rows, snapshot(m, head), divisions, false)
	if back := restore(m, head, drawn); err == nil {
		err = back
	}
	return loss, err
}

// heldLoss is the sum of the losses of the held-out rows after the last or the best epoch of fits from a start, with the
// seeds from Seed on. It leaves the parameters at the start.
func (o FitOptions) heldLoss(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, start []*tensor.Dense,
	divisions int, last bool) (loss float64, err error) {
	if err := restore(m, head, start); err != nil {
		return 0, err
	}
	for range divisions {
		f, err := newFitter(ctx, m, head, rows, o, shortRows)
		if err != nil {
			return 0, err
		}
		f.short = last
		_, err = f.run()
		if back := restore(m, head, start); err == nil {
			err = back
		}
		if err != nil {
			return 0, err
		}
		loss += f.best
		o.Seed++
	}
	return loss, nil
}
