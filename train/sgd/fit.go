// Package sgd fits a head, and the map under it if its policy says so, by mini-batches on a Gorgonia graph.
//
// Fit is the solver, with checkpoints to resume from. MiniBatch makes it a way to fit a train.Recipe. A program trains
// its own graph, with other nodes below or between layers, by Backprop and a solver of Gorgonia.
package sgd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
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
// CacheBytes has no effect. The training score of an epoch is over the first 2000 rows of the first epoch.
//
// Errors: domain.ErrShape and domain.ErrDtype for rows, map, head and targets that do not fit together; domain.ErrShape
// for no rows; domain.ErrParam for options out of range and for a head that does not suit the rows; domain.ErrDomain
// for values outside the map's domain, for targets that the element type cannot hold beside their mean or the δ of a
// HuberHead, and for squares of targets that overflow where held-out rows choose; an error with a remedy for a loss
// that is not finite; the errors of the rows, with the file and the row; ctx.Err(), which is checked before each step.
func Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, o FitOptions) (*fits.Course,
	error) {
	if err := given.Missing("Fit", given.Arg("the context", ctx), given.Arg("the map", m), given.Arg("the head", head),
		given.Arg("the source of rows", rows)); err != nil {
		return nil, err
	}
	if err := o.fill(tunes(m)); err != nil {
		return nil, err
	}
	src, err := newSource(m, head, rows, o)
	if err != nil {
		return nil, err
	}
	f, err := newFitter(ctx, src)
	if err != nil {
		return nil, err
	}
	f.keeper.identify(f, m, rows)
	r, err := f.run(ctx)
	if left := f.leave(); err == nil {
		err = left
	}
	return r, err
}

// fitter is the state of a Fit.
type fitter struct {
	*source
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
}

func newFitter(ctx context.Context, src *source) (*fitter, error) {
	f := &fitter{source: src, classes: src.head.Classifies(), gain: 1, steps: map[int]*step{}}
	f.solvers = [2]*solver{{kind: f.Solver, rate: f.MapRate}, {kind: f.Solver, rate: f.LearnRate}}
	f.keeper = &keeper{Checkpoints: f.Checkpoints}
	f.report, f.best, f.at = new(fits.Course), math.Inf(1), position{Epoch: 1}
	return f, f.start(ctx)
}

// position is how far a fit is: an epoch, and the batches of it that are done.
type position struct {
	Epoch, Batches, Rows int
	loss                 float64 // summed over the rows
}

// run fits the head, in the unit of the targets.
func (f *fitter) run(ctx context.Context) (*fits.Course, error) {
	defer func() {
		for _, s := range f.steps {
			s.machine.Close()
		}
	}()
	if err := f.keeper.begin(f); err != nil {
		return f.report, err
	}
	for f.at.Epoch <= f.Epochs && !f.report.Stopped {
		e, err := f.pass(ctx)
		if err != nil {
			return f.report, err
		}
		if f.observe(e) {
			f.kept = f.snapshot()
		}
		f.at = position{Epoch: e.Number + 1}
		if err := f.show(e); err != nil {
			return f.report, err
		}
		if err := f.keeper.due(f, e.Number); err != nil {
			return f.report, err
		}
	}
	return f.report, f.restore(f.kept)
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
func (f *fitter) pass(ctx context.Context) (fits.Epoch, error) {
	n, skip := f.at.Epoch, f.at.Batches
	e := fits.Epoch{Number: n, Of: f.Epochs, HeldLoss: math.NaN(), HeldScore: math.NaN()}
	for b, err := range f.epoch(ctx, n) {
		if stop := given.Stopped(ctx); stop != nil {
			return e, errors.Join(fmt.Errorf("train: Fit: stopped in epoch %d of %d%s: %w", n, f.Epochs,
				f.keeper.hint(), stop), f.keeper.save(f))
		}
		if err != nil {
			return e, fmt.Errorf("train: Fit: epoch %d: %w", n, err)
		}
		if skip > 0 {
			skip--
			continue
		}
		loss, err := f.step(b)
		if err != nil {
			return e, fmt.Errorf("train: Fit: epoch %d: %w", n, f.locate(b, err))
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return e, fmt.Errorf("train: Fit: the loss is %v in epoch %d after %d rows at the learning rate %v: %w",
				loss, n, f.at.Rows, f.LearnRate, given.ErrDiverged)
		}
		f.at.Batches++
		f.at.Rows += len(b.rows)
		f.at.loss += loss * float64(len(b.rows))
		if err := f.keeper.due(f, 0); err != nil {
			return e, err
		}
	}
	if f.at.Rows == 0 {
		return e, fmt.Errorf("train: Fit: epoch %d: there are no rows to fit: %w", n, domain.ErrShape)
	}
	s := f.unit.Largest()
	e.Loss = f.at.loss / float64(f.at.Rows) * s * s
	var err error
	if _, e.Score, err = f.evaluate(f.scored(ctx)); err != nil {
		return e, err
	}
	if held := f.held(ctx); held != nil {
		e.HeldLoss, e.HeldScore, err = f.evaluate(held)
	}
	return e, err
}

// evaluate returns the loss of the head without the penalty, and its score, on some rows, in the unit of the targets as
// given.
func (f *fitter) evaluate(batches iter.Seq2[batch, error]) (loss, score float64, err error) {
	const block = 512
	n := 0
	for b, err := range batches {
		if err != nil {
			return 0, 0, err
		}
		for part := range slices.Chunk(b.rows, block) {
			z := data.RowsOf(b.X, part)
			if !layers.IsIdentity(f.m) {
				if z, err = layers.Apply(f.m, nil, z); err != nil {
					return 0, 0, f.locate(b, err)
				}
			}
			y, err := f.head.Logits(nil, z)
			if err != nil {
				return 0, 0, f.locate(b, err)
			}
			l, s := f.rowErrors(y, data.Rows(b.targets, part))
			loss, score, n = loss+l, score+s, n+len(part)
		}
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
		for j := range k {
			p[j], t[j] = given.Cell(y, i*k+j), given.Cell(targets, i*k+j)
		}
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

// locate turns the error of a shuffled batch into the error of the row of x that caused it, if there is one.
func (f *fitter) locate(b batch, err error) error {
	for _, i := range b.rows {
		if _, e := layers.Apply(f.m, nil, data.RowsOf(b.X, []int{i})); e != nil {
			err = domain.InBlock(i, e)
			break
		}
	}
	return given.Located(b.Pairs, err)
}

// tuned are the learnable parameters of map and head.
func (f *fitter) tuned() []*tensor.Dense {
	var ts []*tensor.Dense
	for _, p := range append(slices.Clone(f.m.Params()), f.head.Params()...) {
		if p.Tuned {
			ts = append(ts, p.Value)
		}
	}
	return ts
}

func (f *fitter) snapshot() []*tensor.Dense {
	var out []*tensor.Dense
	for _, t := range f.tuned() {
		out = append(out, t.Clone().(*tensor.Dense))
	}
	return out
}

// restore takes the parameters of a snapshot, if there is one.
func (f *fitter) restore(kept []*tensor.Dense) error {
	for i, t := range f.tuned()[:len(kept)] {
		if err := tensor.Copy(t, kept[i]); err != nil {
			return fmt.Errorf("train: Fit: back to earlier parameters: %w", err)
		}
	}
	return nil
}
