package sgd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
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
// CacheBytes has no effect. The training score of an epoch is over the first 2000 rows of the first epoch.
//
// Errors: domain.ErrShape and domain.ErrDtype for rows, map, head and targets that do not fit together; domain.ErrShape
// for no rows; domain.ErrParam for options out of range and for a head that does not suit the rows; domain.ErrDomain
// for values outside the map's domain, for targets that the element type cannot hold beside their mean or the δ of a
// HuberHead, and for squares of targets that overflow where held-out rows choose; an error with a remedy for a loss
// that is not finite; the errors of the rows, with the file and the row; ctx.Err(), which is checked before each step.
func Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, o FitOptions) (*fits.Course, error) {
	if err := given.Missing("Fit", given.Arg("the context", ctx), given.Arg("the map", m), given.Arg("the head", head), given.Arg("the source of rows", rows)); err != nil {
		return nil, err
	}
	if err := o.fill(tunes(m)); err != nil {
		return nil, err
	}
	p, memory := given.Memory(rows)
	if !memory {
		f, err := fitRead(ctx, m, head, rows, o)
		if err != nil {
			return nil, err
		}
		f.keeper.identify(o, f.identity(f.src.(*fitStream).identity), m, head)
		return f.run(ctx)
	}
	whole, err := p.Check("train: Fit")
	if err != nil {
		return nil, given.Located(p, err)
	}
	p = whole
	targets := targetsOf(head, p.Y)
	if err := fitShapes(m, head, p.X, targets); err != nil {
		return nil, fmt.Errorf("train: Fit: %w", err)
	}
	cached, z, err := forFit(m, p.X, o.CacheBytes)
	if err != nil {
		return nil, err
	}
	f, err := fitInMemory(ctx, cached, head, z, p.Y, o)
	if err != nil {
		return nil, err
	}
	f.keeper.identify(o, f.identity((&fitMemory{x: p.X, targets: targets}).identity), m, head)
	return f.run(ctx)
}

// targetsOf are the targets y in the form that the head learns.
func targetsOf(head layers.Head, y *mat.Dense) *tensor.Dense {
	var f func(float64) float64
	if head.Classifies() {
		f = probability
	}
	return Targets(y, head.Dtype(), f)
}

func fitShapes(m layers.Layer, head layers.Head, x ops.Matrix, targets *tensor.Dense) error {
	switch x.(type) {
	case *tensor.Dense, *ops.CSR, *ops.Bags:
	default:
		return fmt.Errorf("x is %T, want a *tensor.Dense, a *ops.CSR or a *ops.Bags: %w", x, domain.ErrDtype)
	}
	switch {
	case x.Dims() != 2 || x.Shape()[1] != m.Dims():
		return fmt.Errorf("x has shape %v and the map takes %d columns: %w", x.Shape(), m.Dims(), domain.ErrShape)
	case m.Features() != head.Dims():
		return fmt.Errorf("the map makes %d columns and the head takes %d: %w", m.Features(), head.Dims(), domain.ErrShape)
	case targets.Dims() != 2 || targets.Shape()[0] != x.Shape()[0] || targets.Shape()[1] != head.Features():
		return fmt.Errorf("targets have shape %v, want (%d, %d): %w", targets.Shape(), x.Shape()[0], head.Features(), domain.ErrShape)
	case x.Dtype() != m.Dtype() || head.Dtype() != m.Dtype() || targets.Dtype() != m.Dtype():
		return fmt.Errorf("x is %v, the map %v, the head %v, the targets %v; all must be the same: %w", x.Dtype(), m.Dtype(), head.Dtype(), targets.Dtype(), domain.ErrDtype)
	}
	return nil
}

// fitter is the state of a Fit.
type fitter struct {
	FitOptions
	m       layers.Layer
	head    layers.Head
	src     fitSource
	classes bool       // whether a score is an accuracy
	weigh   rowWeight  // for a head that does not classify; nil: 1
	solvers [2]*solver // for the map and for the head
	keeper  *keeper
	report  *fits.Course
	at      position
	best    float64         // the least loss on the held-out rows,
	kept    []*tensor.Dense // and the parameters of its epoch
	steps   map[int]*step   // by batch size: graphs are static, and they share the parameters

	unit  *given.Unit // in which the head is fitted, and the targets are; nil: as given
	delta float64     // the δ of a HuberHead as given; 0: another head
	gain  float64     // the unit of Adam's gradients, which a small δ makes small
}

func newFitter(ctx context.Context, m layers.Layer, head layers.Head, src fitSource, o FitOptions) (*fitter, error) {
	f := &fitter{FitOptions: o, m: m, head: head, src: src, weigh: rowWeigher(head, o.ClassWeights), gain: 1}
	f.solvers = [2]*solver{{kind: o.Solver, rate: o.MapRate}, {kind: o.Solver, rate: o.LearnRate}}
	f.keeper = newKeeper(o)
	if f.classes = head.Classifies(); !f.classes && head.Features() > 1 {
		var err error
		if f.classes, err = src.classes(ctx); err != nil {
			return nil, err
		}
	}
	return f, f.start(ctx)
}

// identity is the identity of the rows with the unit of their targets.
func (f *fitter) identity(rows func(io.Writer)) func(io.Writer) {
	return func(w io.Writer) {
		if rows(w); f.unit != nil {
			fmt.Fprintln(w, *f.unit)
		}
	}
}

// position is how far a fit is: an epoch, and the batches of it that are done.
type position struct {
	Epoch, Batches, Rows int
	loss                 float64 // summed over the rows
}

// run fits the head and leaves it in the unit of the targets, after an error too.
func (f *fitter) run(ctx context.Context) (*fits.Course, error) {
	r, err := f.epochs(ctx)
	if left := f.leave(); err == nil {
		err = left
	}
	return r, err
}

// epochs is run without leaving the unit.
func (f *fitter) epochs(ctx context.Context) (*fits.Course, error) {
	f.steps = map[int]*step{}
	defer func() {
		for _, s := range f.steps {
			s.close()
		}
	}()
	f.report, f.best, f.at = new(fits.Course), math.Inf(1), position{Epoch: 1}
	if err := f.keeper.begin(f); err != nil {
		return f.report, err
	}
	for f.at.Epoch <= f.Epochs && !f.report.Stopped {
		e, err := f.epoch(ctx)
		if err != nil {
			return f.report, err
		}
		if f.observe(e) {
			f.kept = f.snapshot()
		}
		f.at = position{Epoch: e.Number + 1}
		if f.Progress != nil {
			if err := f.show(func() { f.Progress(e) }); err != nil {
				return f.report, err
			}
		}
		if err := f.keeper.due(f, e.Number); err != nil {
			return f.report, err
		}
	}
	if f.kept == nil {
		return f.report, nil
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

func (f *fitter) epoch(ctx context.Context) (fits.Epoch, error) {
	n, skip := f.at.Epoch, f.at.Batches
	e := fits.Epoch{Number: n, Of: f.Epochs, HeldLoss: math.NaN(), HeldScore: math.NaN()}
	for b, err := range f.src.epoch(ctx, n) {
		if stop := given.Stopped(ctx); stop != nil {
			return e, errors.Join(fmt.Errorf("train: Fit: stopped in epoch %d of %d%s: %w", n, f.Epochs, f.keeper.hint(), stop), f.keeper.save(f))
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
			return e, fmt.Errorf("train: Fit: the loss is %v in epoch %d after %d rows at the learning rate %v: %w", loss, n, f.at.Rows, f.LearnRate, given.ErrDiverged)
		}
		f.at.Batches++
		f.at.Rows += len(b.rows)
		f.at.loss += loss * float64(len(b.rows))
		if err := f.keeper.due(f, 0); err != nil {
			return e, err
		}
	}
	e.Loss = f.at.loss / float64(f.at.Rows)
	var err error
	if _, e.Score, err = f.evaluate(f.src.sample(ctx)); err != nil {
		return e, err
	}
	if held := f.src.held(ctx); held != nil {
		e.HeldLoss, e.HeldScore, err = f.evaluate(held)
	}
	f.outOfUnit(&e)
	return e, err
}

// locate turns the error of a shuffled batch into the error of the row of x that caused it, if there is one.
func (f *fitter) locate(b batch, err error) error {
	for _, i := range b.rows {
		if _, e := layers.Apply(f.m, nil, data.RowsOf(b.x, []int{i})); e != nil {
			err = domain.InBlock(i, e)
			break
		}
	}
	if b.locate != nil {
		return b.locate(err)
	}
	return err
}

// tuned are the learnable parameters of map and head.
func (f *fitter) tuned() []*tensor.Dense {
	var ts []*tensor.Dense
	for _, l := range []layers.Layer{f.m, f.head} {
		for _, p := range l.Params() {
			if p.Tuned {
				ts = append(ts, p.Value)
			}
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

func (f *fitter) restore(kept []*tensor.Dense) error {
	for i, t := range f.tuned() {
		if err := tensor.Copy(t, kept[i]); err != nil {
			return fmt.Errorf("train: Fit: back to the best epoch: %w", err)
		}
	}
	return nil
}
