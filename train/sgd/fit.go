// Package sgd fits a head, and the map under it if its policy says so, by mini-batches on a Gorgonia graph.
//
// Fit is the solver, with checkpoints to resume from. MiniBatch makes it a way to fit a train.Recipe. A program trains
// its own graph, with other nodes below or between layers, by Backprop and a solver of Gorgonia.
package sgd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Fit minimises the head's loss over rows and their targets by mini-batches on a Gorgonia graph. It changes the head in
// place, and the map m if its policy tunes it. Class targets (data.OneVersusRest) become probabilities (y + 1)/2 for a
// head that classifies. A LinearHead or HuberHead whose weights are all 0 starts with the mean targets as its
// intercept. Other targets are fitted less that intercept and in the unit of their deviation, so that a fit does not
// depend on their unit and origin.
//
// Rows in memory are shuffled in every epoch. Other rows are read once per epoch in the order of the stream, and memory
// holds only blocks. Their Shuffle should be several times Batch, and BlockRows a multiple of Batch, since blocks are
// cut into batches. HeldOut divides them by data.Part. The features of a frozen map are computed in every epoch, and
// CacheBytes has no effect. The training score of an epoch is over the first ScoreRows rows of the first epoch.
//
// Errors: domain.ErrShape and domain.ErrDtype for rows, map, head and targets that do not fit together; domain.ErrShape
// for no rows; domain.ErrParam for options out of range and for a head that does not suit the rows; domain.ErrDomain
// for values outside the map's domain, for targets that are not finite or that the element type cannot hold beside their
// mean or the δ of a HuberHead, and for squares of targets that overflow where held-out rows choose; an error with a
// remedy for a loss that is not finite; the errors of the rows, with the file and the row; ctx.Err(), which is checked
// before each step.
func Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, o FitOptions) (*fits.Course,
	error) {
	free := o.Epochs == 0
	if err := complete(ctx, m, head, rows, &o); err != nil {
		return nil, err
	}
	choices := []choice{{decay: o.MapDecay, epochs: o.Epochs}}
	if (o.MapDecays != nil || o.Directions) && tunes(m) {
		var err error
		if choices, err = o.choices(ctx, m, head, rows, free); err != nil {
			return nil, err
		}
	}
	if o.Checkpoints.Path != "" { // of one fit
		choices = choices[:1]
	}
	for {
		c := choices[0]
		if err := restore(m, head, c.start); err != nil {
			return nil, err
		}
		o.MapDecay, o.Epochs = c.decay, c.epochs
		if o.Chosen != nil {
			own := o
			own.MapDecays, own.Directions, own.Chosen = nil, c.directions, nil
			o.Chosen(own)
		}
		f, err := newFitter(ctx, m, head, rows, o, math.MaxInt)
		if err != nil {
			return nil, err
		}
		f.report.MapDecay, f.report.HeldLoss, f.report.Directions = c.decay, c.loss, c.directions
		course, err := f.run()
		if choices = choices[1:]; len(choices) == 0 || !c.failed(course, err, f.FitOptions) {
			return course, err
		}
	}
}

// complete checks that all arguments are there, and fills the options in.
func complete(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, o *FitOptions) error {
	err := given.Missing("Fit", "the context", ctx, "the map", m, "the head", head, "the source of rows", rows)
	if err != nil {
		return err
	}
	return o.fill(tunes(m), inMemory(rows))
}

// inMemory is the number of rows in memory; 0 for others.
func inMemory(rows data.Examples) int {
	p, memory := rows.(data.Pairs)
	if !memory || p.Y == nil {
		return 0
	}
	n, _ := p.Y.Dims()
	return n
}

// fitter is the state of a Fit.
type fitter struct {
	FitOptions
	m           layers.Layer // of the rows that are handed out
	head        layers.Head
	train, held *rows.Source
	order       []int        // of train, in memory
	sample      []data.Pairs // of train, a stream, for the score
	unit        *given.Unit  // in which targets are handed out; nil: as given

	classes bool       // whether a score is an accuracy
	solvers [2]*solver // for the map and for the head
	keeper  *keeper
	report  *fits.Course
	at      position
	best    float64         // the least loss on the held-out rows,
	kept    []*tensor.Dense // and the parameters of its epoch
	steps   map[int]*step   // by batch size: graphs are static, and they share the parameters
	delta   [2]float64      // the δ of a HuberHead as given and in the unit; 0: another head
	gain    float64         // the unit of Adam's gradients, which a small δ makes small
	short   bool            // the last epoch alone is scored on the held-out rows
}

// newFitter returns a fitter that uses at most so many of the rows in memory.
func newFitter(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, o FitOptions, most int) (*fitter,
	error) {
	f := &fitter{FitOptions: o, m: m, head: head, classes: head.Classifies(), gain: 1, steps: map[int]*step{},
		report: new(fits.Course), best: math.Inf(1), at: position{Epoch: 1}}
	f.keeper = &keeper{Checkpoints: o.Checkpoints, m: m, rows: rows}
	f.solvers = [2]*solver{{kind: f.Solver, rate: f.MapRate, decay: f.MapDecay},
		{kind: f.Solver, rate: f.LearnRate, decay: f.WeightDecay}}
	if err := f.open(ctx, rows, most); err != nil {
		return nil, err
	}
	return f, f.start()
}

// position is how far a fit is: an epoch, and the batches of it that are done.
type position struct {
	Epoch, Batches, Rows int
	loss                 float64 // summed over the rows
}

// run fits the head in a unit of the targets, and takes it back to the targets as they were given.
func (f *fitter) run() (c *fits.Course, err error) {
	defer func() {
		for _, s := range f.steps {
			s.machine.Close()
		}
		if left := f.leave(); err == nil {
			err = left
		}
	}()
	if err := f.keeper.begin(f); err != nil {
		return f.report, err
	}
	f.train.Stop = f.stop
	for f.at.Epoch <= f.Epochs && !f.report.Stopped {
		e, err := f.pass()
		if err != nil {
			return f.report, err
		}
		if f.observe(e) {
			f.kept = snapshot(f.m, f.head)
		}
		f.at = position{Epoch: e.Number + 1}
		if err := f.show(e); err != nil {
			return f.report, err
		}
		if err := f.keeper.due(f, e.Number); err != nil {
			return f.report, err
		}
	}
	return f.report, restore(f.m, f.head, f.kept)
}

// observe adds an epoch to the report, and says whether it is the best one on the held-out rows.
func (f *fitter) observe(e fits.Epoch) (best bool) {
	r := f.report
	r.Epochs = append(r.Epochs, e)
	switch {
	case e.HeldLoss != e.HeldLoss: // nothing is held out
		r.Best = e.Number
	case e.HeldLoss < f.best:
		f.best, r.Best = e.HeldLoss, e.Number
		return true
	default:
		r.Stopped = e.Number-r.Best >= f.Patience
	}
	return false
}

// pass takes the steps of an epoch.
func (f *fitter) pass() (fits.Epoch, error) {
	n, skip := f.at.Epoch, f.at.Batches
	e := fits.Epoch{Number: n, Of: f.Epochs, Score: math.NaN(), HeldLoss: math.NaN(), HeldScore: math.NaN()}
	err := f.epoch(n, func(names rows.Names, x ops.Matrix, y *mat.Dense) error {
		if skip > 0 {
			skip--
			return nil
		}
		loss, err := f.step(x, y)
		if err != nil {
			return names.Blame(f.m, x, err)
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("the loss is %v after %d rows at the learning rate %v: %w", loss, f.at.Rows, f.LearnRate,
				given.ErrDiverged)
		}
		b := x.Shape()[0]
		f.at.Batches++
		f.at.Rows += b
		f.at.loss += loss * float64(b)
		return f.keeper.due(f, 0)
	})
	if err == nil {
		s := f.unit.Largest()
		e.Loss = f.at.loss / float64(f.at.Rows) * s * s
	}
	if err == nil && f.ScoreRows > 0 {
		_, e.Score, err = f.evaluate(f.sampled)
	}
	if err == nil && f.held != nil && (!f.short || n == f.Epochs) {
		e.HeldLoss, e.HeldScore, err = f.evaluate(func(do rows.Matrix) error { return scored(f.held, do) })
	}
	if err != nil {
		err = fmt.Errorf("train: Fit: epoch %d of %d: %w", n, f.Epochs, err)
	}
	return e, err
}

// stop is the error of a fit that its context ends, and saves it.
func (f *fitter) stop(cause error) error {
	if f.keeper.Path == "" {
		return fmt.Errorf("stopped: %w", cause)
	}
	return errors.Join(fmt.Errorf("stopped, to be resumed from %s: %w", f.keeper.Path, cause), f.keeper.save(f))
}

// evaluate returns the loss of the head without the penalty, and its score, on some rows, in the unit of the targets as
// given.
func (f *fitter) evaluate(each func(do rows.Matrix) error) (loss, score float64, err error) {
	n := 0
	err = each(func(names rows.Names, x ops.Matrix, y *mat.Dense) error {
		z, err := x, error(nil)
		if !layers.IsIdentity(f.m) {
			z, err = layers.Apply(f.m, nil, x)
		}
		var out *tensor.Dense
		if err == nil {
			out, err = f.head.Logits(nil, z)
		}
		if err != nil {
			return names.Blame(f.m, x, err)
		}
		l, s := f.rowErrors(out, f.targetsOf(nil, y))
		loss, score, n = loss+l, score+s, n+x.Shape()[0]
		return nil
	})
	if err != nil && (n > 0 || !errors.Is(err, domain.ErrShape)) { // a stream may hold no row out
		return 0, 0, err
	}
	unit := f.unit.Largest()
	loss, score = loss/float64(n)*unit*unit, score/float64(n)
	if !f.classes {
		score = math.Sqrt(score/float64(f.head.Features())) * unit
	}
	return loss, score, nil
}

// rowErrors sums over rows the loss, and the hits for classes or the squared errors.
func (f *fitter) rowErrors(y, targets *tensor.Dense) (loss, score float64) {
	k := y.Shape()[1]
	p, t := make([]float64, k), make([]float64, k)
	for i := range y.Shape()[0] {
		given.Cells(p, y, i*k)
		given.Cells(t, targets, i*k)
		loss += f.weight(t) * f.head.RowLoss(p, t)
		switch {
		case !f.classes:
			d := floats.Distance(p, t, 2)
			score += d * d
		case floats.MaxIdx(p) == floats.MaxIdx(t):
			score++
		}
	}
	return loss, score
}

// tuned are the learnable parameters of map and head.
func tuned(m layers.Layer, head layers.Head) []*tensor.Dense {
	var ts []*tensor.Dense
	for _, p := range append(slices.Clone(m.Params()), head.Params()...) {
		if p.Tuned {
			ts = append(ts, p.Value)
		}
	}
	return ts
}

// snapshot is a copy of the learnable parameters.
func snapshot(m layers.Layer, head layers.Head) []*tensor.Dense {
	var out []*tensor.Dense
	for _, t := range tuned(m, head) {
		out = append(out, t.Clone().(*tensor.Dense))
	}
	return out
}

// restore sets the learnable parameters to a snapshot of them, if there is one.
func restore(m layers.Layer, head layers.Head, kept []*tensor.Dense) error {
	for i, t := range tuned(m, head)[:len(kept)] {
		if err := tensor.Copy(t, kept[i]); err != nil {
			return fmt.Errorf("train: Fit: back to earlier parameters: %w", err)
		}
	}
	return nil
}
