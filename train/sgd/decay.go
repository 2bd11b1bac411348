package sgd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
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

// choice is where a fit begins, a MapDecay, and what short fits with them came to on the rows that they held out.
type choice struct {
	start      []*tensor.Dense
	directions bool
	decay      float64
	loss       float64 // of a row
	missed     float64 // the share of the rows whose class is missed
}

// choices are where the fit may begin, the best first: with the map as it is or turned by Directions, and with one of
// MapDecays. No larger decay is tried after one that has more loss than the one before. What misses more classes than
// another by two standard errors is left out: a fit that has learned nothing may have less loss than one that is too
// sure.
func (o *FitOptions) choices(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) ([]choice, error) {
	short, divisions, held := o.short(rows)
	starts, diverged := []choice{{start: snapshot(m, head), decay: o.MapDecay}}, error(nil)
	if o.Directions {
		turned, err := direct(ctx, m, rows, o.Seed)
		if err != nil {
			return nil, err
		}
		if turned {
			starts = append(starts, choice{start: snapshot(m, head), directions: true, decay: o.MapDecay})
		}
	}
	if o.MapDecays == nil {
		return starts[len(starts)-1:], nil
	}
	var all []choice
	fewest := 1. // missed
	for _, c := range starts {
		last := math.Inf(1)
		for _, c.decay = range o.MapDecays {
			short.MapDecay = c.decay
			loss, score, err := short.heldLoss(ctx, m, head, rows, c.start, divisions, true)
			switch {
			case errors.Is(err, given.ErrDiverged):
				diverged = err
				continue
			case err != nil:
				return nil, err
			}
			if c.loss = loss / float64(divisions); head.Classifies() {
				c.missed = 1 - score
			}
			if !math.IsInf(loss, 1) {
				all, fewest = append(all, c), min(fewest, c.missed)
			}
			if loss > last {
				break
			}
			last = loss
		}
	}
	if all == nil {
		return nil, cmp.Or(diverged, fmt.Errorf("train: Fit: no held-out row has a finite loss under any of MapDecays = %v; "+
			"give one MapDecay: %w", o.MapDecays, domain.ErrDomain))
	}
	most := fewest + 2*math.Sqrt(max(fewest*(1-fewest), 1/held)/held)
	all = slices.DeleteFunc(all, func(c choice) bool { return c.missed > most })
	slices.SortStableFunc(all, func(a, b choice) int { return cmp.Compare(a.loss, b.loss) })
	return all, nil
}

// failed says whether a fit has failed where the short ones did not: it has diverged, or has more than twice their loss on
// the rows that it learns from, as far as the two are comparable.
func (c choice) failed(of *fits.Course, err error, o FitOptions) bool {
	if err != nil {
		return errors.Is(err, given.ErrDiverged)
	}
	return of.Epochs[len(of.Epochs)-1].Loss > 2*c.loss && o.LabelSmoothing == 0 && o.Lambda == 0
}

// shortRows is the most rows in memory of a short fit, the held-out ones included.
const shortRows = 50_000

// short are the options of short fits that hold a fifth of the rows out, how many there are for one loss, and about how
// many rows they hold out in all.
func (o FitOptions) short(rows data.Examples) (short FitOptions, divisions int, held float64) {
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
	return short, divisions, share * float64(n*divisions)
}

// HeldLoss returns the sum of the head's losses on held-out rows in the best epoch of one to eight short fits to the
// others, as those by which Fit chooses one of MapDecays, with the MapDecay and the Directions of the options. It
// leaves the parameters of the map and the head as they are. Errors: see Fit.
func HeldLoss(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, o FitOptions) (float64, error) {
	if err := complete(ctx, m, head, rows, &o); err != nil {
		return 0, err
	}
	short, divisions, _ := o.short(rows)
	drawn := snapshot(m, head)
	if o.Directions {
		if _, err := direct(ctx, m, rows, o.Seed); err != nil {
			return 0, err
		}
	}
	loss, _, err := short.heldLoss(ctx, m, head, rows, snapshot(m, head), divisions, false)
	if back := restore(m, head, drawn); err == nil {
		err = back
	}
	return loss, err
}

// heldLoss is the sum of the losses of the held-out rows after the last or the best epoch of fits from a start, with the
// seeds from Seed on, and the mean of their scores. It leaves the parameters at the start.
func (o FitOptions) heldLoss(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, start []*tensor.Dense,
	divisions int, last bool) (loss, score float64, err error) {
	if err := restore(m, head, start); err != nil {
		return 0, 0, err
	}
	for range divisions {
		f, err := newFitter(ctx, m, head, rows, o, shortRows)
		if err != nil {
			return 0, 0, err
		}
		f.short = last
		_, err = f.run()
		if back := restore(m, head, start); err == nil {
			err = back
		}
		if err != nil {
			return 0, 0, err
		}
		loss += f.best
		if n := f.report.Best; n > 0 {
			score += f.report.Epochs[n-1].HeldScore / float64(divisions)
		}
		o.Seed++
	}
	return loss, score, nil
}
