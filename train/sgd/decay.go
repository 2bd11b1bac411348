package sgd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
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
	epochs     int     // of the fit to all rows
	err        error   // that one of the fits has diverged
}

// choices are where the fit may begin, the best first: with the map as it is or turned by Directions, and with one of
// MapDecays. No larger decay counts after one that has more loss than the one before. What misses more classes than
// another by two standard errors is left out: a fit that has learned nothing may have less loss than one that is too
// sure. If the number of epochs is free and rows are in memory, it is the short fits' where the best choice would learn
// noise in more.
func (o *FitOptions) choices(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples,
	free bool) ([]choice, error) {
	short, divisions, held := o.short(m, rows)
	starts := []choice{{start: snapshot(m, head), decay: o.MapDecay, epochs: o.Epochs}}
	if o.Directions {
		turned, err := direct(ctx, m, rows, o.Seed)
		if err != nil {
			return nil, err
		}
		if turned {
			starts = append(starts, choice{start: snapshot(m, head), directions: true, decay: o.MapDecay,
				epochs: o.Epochs})
		}
	}
	if o.MapDecays == nil {
		return starts[len(starts)-1:], nil
	}
	var all []choice
	var diverged error
	over, last := map[bool]bool{}, map[bool]float64{false: math.Inf(1), true: math.Inf(1)} // by directions
	twins := twinsOf(m, head, rows)
	atOnce := 1 + (twins.workers-1)/(divisions*len(starts)) // so that no core is idle
	for decays := range slices.Chunk(o.MapDecays, atOnce) {
		var tried []choice
		for _, decay := range decays {
			for _, c := range starts {
				if c.decay = decay; !over[c.directions] {
					tried = append(tried, c)
				}
			}
		}
		if err := short.try(ctx, rows, twins, tried, divisions, true); err != nil {
			return nil, err
		}
		for _, c := range tried {
			switch d := c.directions; {
			case over[d]:
			case c.err != nil:
				diverged = c.err
			default:
				over[d], last[d] = c.loss > last[d], c.loss
				all = append(all, c)
			}
		}
	}
	all = slices.DeleteFunc(all, func(c choice) bool { return math.IsInf(c.loss, 1) })
	if len(all) == 0 {
		return nil, cmp.Or(diverged, fmt.Errorf("train: Fit: no held-out row has a finite loss under any of MapDecays = %v; "+
			"give one MapDecay: %w", o.MapDecays, domain.ErrDomain))
	}
	fewest := slices.MinFunc(all, func(a, b choice) int { return cmp.Compare(a.missed, b.missed) }).missed
	enough := fewest + 2*math.Sqrt(max(fewest*(1-fewest), 1/held)/held)
	all = slices.DeleteFunc(all, func(c choice) bool { return c.missed > enough })
	slices.SortStableFunc(all, func(a, b choice) int { return cmp.Compare(a.loss, b.loss) })
	if free && inMemory(rows) > 0 {
		noise, err := o.learnsNoise(ctx, rows, twins, all[0], short, divisions)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if noise {
				all[i].epochs = short.Epochs
			}
		}
	}
	return all, nil
}

// learnsNoise says whether a choice has more loss after all epochs than after those of the short fits, and misses no
// fewer classes. It does not if few are missed, or if the short fits have all epochs.
func (o FitOptions) learnsNoise(ctx context.Context, rows data.Examples, twins twins, c choice, short FitOptions,
	divisions int) (bool, error) {
	const noisy = .05 // the share of missed rows above which their labels may contradict one another
	if c.missed <= noisy || short.Epochs >= o.Epochs {
		return false, nil
	}
	short.Epochs, short.WarmUp, short.Patience = o.Epochs, o.WarmUp, o.Epochs
	long := []choice{c}
	err := short.try(ctx, rows, twins, long, divisions, true)
	return long[0].loss > c.loss && long[0].missed >= c.missed, err
}

// try makes short fits for each of some choices, one for each division of the rows, and sets what they came to after the
// last or the best epoch.
func (o FitOptions) try(ctx context.Context, rows data.Examples, twins twins, of []choice, divisions int, last bool) error {
	results := make([]choice, len(of)*divisions)
	err := given.Try(twins.workers, len(results), func(i int) error {
		m, head, err := twins.next()
		if err != nil {
			return err
		}
		r, own := &results[i], o
		own.MapDecay, own.Seed = of[i/divisions].decay, o.Seed+uint64(i%divisions)
		var score float64
		r.loss, score, r.err = own.heldLoss(ctx, m, head, rows, of[i/divisions].start, last)
		if head.Classifies() {
			r.missed = 1 - score
		}
		if errors.Is(r.err, given.ErrDiverged) {
			return nil
		}
		return r.err
	})
	for i := range of {
		c := &of[i]
		c.loss, c.missed = 0, 0
		for _, r := range results[i*divisions : (i+1)*divisions] {
			c.loss += r.loss / float64(divisions)
			c.missed += r.missed / float64(divisions)
			c.err = cmp.Or(c.err, r.err)
		}
	}
	return err
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

// short are the options of short fits of a map that hold a fifth of the rows out, how many there are for one loss, and
// about how many rows they hold out in all.
func (o FitOptions) short(m layers.Layer, rows data.Examples) (short FitOptions, divisions int, held float64) {
	const share, enough, epochs = .2, 600, 8                 // epochs are the fewest
	const large, larger, largest = 1 << 16, 1 << 18, 1 << 20 // numbers of a map, whose steps take long
	most, visits, size := 8, 120_000, 0                      // visits are the rows that the fits of a loss go over in all epochs
	for _, p := range m.Params() {
		if p.Tuned {
			size += p.Value.Shape().TotalSize()
		}
	}
	if size > large {
		visits = int(float64(visits) / 2 * min(1, larger/float64(size)))
	}
	if size > largest {
		most = 4
	}
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

// HeldLoss returns the mean of the head's loss of held-out rows in the best epoch of one to eight short fits to the
// others, as those by which Fit chooses one of MapDecays, with the MapDecay and the Directions of the options. It
// leaves the parameters of the map and the head as they are. Errors: see Fit.
func (o FitOptions) HeldLoss(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (float64, error) {
	if err := complete(ctx, m, head, rows, &o); err != nil {
		return 0, err
	}
	short, divisions, _ := o.short(m, rows)
	drawn := snapshot(m, head)
	if o.Directions {
		if _, err := direct(ctx, m, rows, o.Seed); err != nil {
			return 0, err
		}
	}
	one := []choice{{start: snapshot(m, head), decay: o.MapDecay}}
	err := short.try(ctx, rows, twinsOf(m, head, rows), one, divisions, false)
	return one[0].loss, cmp.Or(err, one[0].err, restore(m, head, drawn))
}

// heldLoss is the loss of the held-out rows after the last or the best epoch of a fit from a start, and their score. It
// leaves the parameters at the start.
func (o FitOptions) heldLoss(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, start []*tensor.Dense,
	last bool) (loss, score float64, err error) {
	if err := restore(m, head, start); err != nil {
		return 0, 0, err
	}
	f, err := newFitter(ctx, m, head, rows, o, shortRows)
	if err != nil {
		return 0, 0, err
	}
	f.short = last
	_, err = f.run()
	if back := restore(m, head, start); err == nil {
		err = back
	}
	if n := f.report.Best; n > 0 {
		score = f.report.Epochs[n-1].HeldScore
	}
	return f.best, score, err
}

// twins are a map and a head for each of several fits, and how many of these may run at a time.
type twins struct {
	workers int
	next    func() (layers.Layer, layers.Head, error)
}

// twinsOf makes copies of a map and a head of package layers for rows in memory. Others serve one fit after the other.
func twinsOf(m layers.Layer, head layers.Head, rows data.Examples) twins {
	same, workers := twins{1, func() (layers.Layer, layers.Head, error) { return m, head, nil }}, runtime.GOMAXPROCS(0)
	spec, err := layers.SpecOf(m)
	if err != nil || workers == 1 || inMemory(rows) == 0 {
		return same
	}
	values := map[string]*tensor.Dense{}
	for _, p := range m.Params() {
		values[p.Name] = p.Value
	}
	copies := func() (layers.Layer, layers.Head, error) {
		own, err := spec.Restore(values)
		if err != nil {
			return nil, nil, err
		}
		top, err := layers.NewHead(head.Kind(), head.Dims(), head.Features(), layers.WithDtype(head.Dtype()),
			layers.WithName(head.Name()))
		if err == nil {
			err = layers.Continue(top, head)
		}
		return own, top, err
	}
	own, top, err := copies()
	alike := func(a, b layers.Layer) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }
	if err != nil || !alike(own, layers.Unwrap(m)) || !alike(top, head) {
		return same
	}
	return twins{workers, copies}
}
