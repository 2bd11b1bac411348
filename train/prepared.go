package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// prepared is a recipe together with its rows.
type prepared struct {
	recipe  Recipe
	model   *Model        // with the fitted scaler and the classes, and without Map and Head; ready finishes its Spec
	n       int           // the number of rows
	counts  []int         // the number of rows of each class; nil for targets
	outputs int           // the number of classes or of targets
	x       ops.Matrix    // the scaled rows, or of a stream a sample of them
	rows    data.Examples // nil of rows without targets
	named   func(error) error
	wrap    func(layers.Layer) layers.Layer // as in Start
	drawn   layers.Layer                    // the map, once it is drawn and if no fit changes it
	open    bool                            // whether the recipe leaves the choice of the map to the fit
	wide    bool                            // whether it left it open, and the rows have so many columns that it is "linear"
}

// prepare fits the scalers, learns the classes, and takes the rows that the map's parameters come from: all rows in
// memory, or a sample of a stream. It reads a stream once for the survey, and once for each scaler that learns. Rows
// may lack labels and targets.
func (r Recipe) prepare(ctx context.Context, rows data.Source) (*prepared, error) {
	if err := given.Missing("Recipe", "the context", ctx); err != nil {
		return nil, err
	}
	r.Fitter = byValue(r.Fitter)
	scale := cmp.Or(r.Scale, r.scaleOf(rows))
	if f, table := rows.(*data.Frame); table && f != nil {
		set, err := r.learn(f)
		if err != nil {
			return nil, err
		}
		rows = set
	}
	_, streamed := rows.(*data.Stream)
	p := &prepared{recipe: r, open: r.open()}
	r.Scale = scale
	m, err := r.newModel(!streamed)
	if set, memory := rows.(*data.Set); err == nil && memory && r.wide(set) && m.Spec.Tuned() {
		p.recipe.Fitter = linearFitter(set.Labels != nil, set.Rows(), r.Spec.Seed)
		p.open, p.wide = false, true
		r.Spec.Map, r.Spec.Tune = "linear", layers.Frozen.String()
		m, err = r.newModel(false)
	}
	if err != nil {
		return nil, err
	}
	p.model = m
	switch s := rows.(type) {
	case *data.Set:
		if s == nil || domain.IsNil(s.X) {
			break
		}
		m.Columns, p.named = s.Columns, s.Locate
		return p, p.locate(p.memory(ctx, s))
	case *data.Stream:
		if s == nil {
			break
		}
		if r.Columns != nil {
			if _, err := s.Learn(ctx, *r.Columns); err != nil {
				return nil, err
			}
		}
		m.Columns = s.Options().Columns
		return p, p.read(ctx, s)
	}
	return nil, fmt.Errorf("train: Recipe: there are no rows; give a *data.Set with X, a *data.Frame or a "+
		"*data.Stream: %w", domain.ErrParam)
}

// learn makes a set of a table.
func (r Recipe) learn(f *data.Frame) (*data.Set, error) {
	c, err := f.Learn(*cmp.Or(r.Columns, new(data.ColumnOptions)))
	if err != nil {
		return nil, err
	}
	return c.Set(f)
}

// locate adds the file, the row and the column to an error about rows in memory, which are all rows or, of a stream, the
// sample: other errors of a stream have their file already.
func (p *prepared) locate(err error) error {
	err = p.model.inColumn(err)
	if p.named == nil {
		return err
	}
	return p.named(err)
}

// locateScaled is locate for an error about scaled rows.
func (p *prepared) locateScaled(err error) error { return p.locate(p.model.Scaler.Locate(err)) }

// locateFit is locate for the error of a fit.
func (p *prepared) locateFit(err error) error {
	if p.streamed() {
		return p.model.inColumn(err)
	}
	return p.locateScaled(err)
}

// streamed says whether the rows come from a stream.
func (p *prepared) streamed() bool {
	_, ok := p.rows.(data.Streamed)
	return ok
}

// memory takes rows in memory.
func (p *prepared) memory(ctx context.Context, s *data.Set) error {
	if _, err := data.RowMajor("train: Recipe", "x", s.X); err != nil {
		return err
	}
	p.n = s.Rows()
	if p.recipe.Groups != nil && len(p.recipe.Groups) != p.n {
		return fmt.Errorf("train: Recipe: %d Groups for %d rows; give one for each row: %w", len(p.recipe.Groups), p.n,
			domain.ErrShape)
	}
	y, err := p.learnTargets(s)
	if err != nil {
		return err
	}
	if y != nil && p.recipe.Spec.Dtype == "" && p.model.Spec.Dtype == "float32" && !given.FitFloat32(y) {
		p.model.Spec.Dtype = "float64"
	}
	if scales, spec, f := p.scaleChoice(s, y); len(scales) > 1 {
		if p.model.Scaler, err = p.chooseScale(ctx, s, y, scales, spec, f); err != nil {
			return err
		}
	}
	return p.scale(s, y)
}

// scale fits the scaler of the model, and scales the rows.
func (p *prepared) scale(s *data.Set, y *mat.Dense) error {
	own, err := own(s.X, true)
	if err != nil {
		return err
	}
	scaled := &data.Set{X: own}
	err = p.model.Scaler.Fit(own)
	if errors.Is(err, data.ErrZeros) { // which it moves
		if err = p.spread(s.Dims()); err == nil {
			scaled.X, err = scaled.Dense()
		}
		if err == nil {
			err = p.model.Scaler.Fit(scaled.X)
		}
	}
	if err == nil {
		scaled.X, err = p.model.Scaler.ApplyInPlace(scaled.X)
	}
	if err != nil {
		return err
	}
	p.x, err = scaled.As(p.model.Spec.ElementType())
	if y != nil {
		p.rows = data.Pairs{X: p.x, Y: y}
	}
	return p.model.Scaler.Locate(err)
}

// spread asks Afford whether sparse rows may become dense.
func (p *prepared) spread(dims int) error {
	if p.recipe.Afford == nil {
		return nil
	}
	what := fmt.Sprintf("the scaler %q makes the rows dense: %d rows of %d columns", p.model.Scaler.Name(), p.n, dims)
	return p.recipe.Afford(what, 8*float64(p.n)*float64(dims))
}

// learnTargets takes the classes and the targets of a set.
func (p *prepared) learnTargets(s *data.Set) (*mat.Dense, error) {
	switch n := s.Rows(); {
	case s.Labels != nil && s.Y != nil:
		return nil, fmt.Errorf("train: Recipe: the rows have both Labels and Y; leave one out: %w", domain.ErrParam)
	case s.Labels != nil && len(s.Labels) != n || s.Y != nil && len(s.Y) != n*s.Targets() || n == 0:
		return nil, fmt.Errorf("train: Recipe: %d rows, %d labels, %d targets; give one for each row and each of "+
			"LabelNames: %w", n, len(s.Labels), len(s.Y), domain.ErrShape)
	case s.Y != nil:
		p.outputs = s.Targets()
		return mat.NewDense(n, p.outputs, s.Y), nil
	case s.Labels != nil:
		p.model.Classes = data.NewClasses(s.Labels)
		if err := p.checkClasses(); err != nil {
			return nil, err
		}
		labels, err := p.model.Classes.Index(s.Labels)
		if err != nil {
			return nil, err
		}
		p.counts = make([]int, len(p.model.Classes))
		for _, l := range labels {
			p.counts[l]++
		}
		return data.OneVersusRest(labels, len(p.model.Classes))
	}
	return nil, nil
}

func (p *prepared) checkClasses() error {
	if c := p.model.Classes; len(c) == 1 {
		return fmt.Errorf("all rows have the class %q; a classifier needs two: %w", c[0], data.ErrLabel)
	}
	p.outputs = len(p.model.Classes)
	return p.model.Classes.Check(p.n)
}

// read surveys a stream.
func (p *prepared) read(ctx context.Context, s *data.Stream) error {
	m := p.model
	if p.recipe.Groups != nil {
		return fmt.Errorf("train: Recipe: Groups are of rows in memory, and these are read; leave them out, or "+
			"read the rows whole: %w", domain.ErrParam)
	}
	v, err := s.SurveyScaled(ctx, layers.SampleRows, m.Scaler)
	if err != nil {
		return err
	}
	p.n, p.counts, m.Classes, p.named = v.Rows, v.Counts, v.Classes, v.Sample.Locate
	if v.Classes == nil {
		p.outputs = v.Targets
	} else if err := p.checkClasses(); err != nil {
		return fmt.Errorf("%s: %w", s.Files()[0], err)
	}
	rows := data.Streamed{Stream: s, Scaler: m.Scaler, Classes: v.Classes, Dtype: m.Spec.ElementType()}
	p.rows = rows
	err = v.FitScaler(ctx)
	if errors.Is(err, data.ErrZeros) { // which it moves
		s.Dense()
		if v.Sample.X, err = v.Sample.Dense(); err == nil {
			err = m.Scaler.FitBlocks(rows.Matrices(ctx))
		}
	}
	if err != nil {
		return err
	}
	v.Sample.X, err = m.Scaler.ApplyInPlace(v.Sample.X)
	if err == nil {
		p.x, err = v.Sample.As(rows.Dtype)
		err = m.Scaler.Locate(err)
	}
	return p.locate(err)
}

// ready finishes the Spec, which is its Dims and the parameters that are left to the data, and calls Ready.
func (p *prepared) ready() error {
	spec := &p.model.Spec
	spec.Dims = p.x.Shape()[1]
	if err := spec.FillDefaults(p.x); err != nil {
		return p.locateScaled(err)
	}
	on, err := spec.Domain()
	if err == nil {
		err = ops.CheckRows(on, "map "+spec.Map, p.x)
	}
	if err != nil {
		return p.locateScaled(err)
	}
	features := p.features(*spec)
	if b, batches := p.fitterOf(*spec).(sgd.MiniBatch); batches && p.recipe.Tuner == nil {
		features *= p.members(b)
	}
	return p.begin(features)
}

// begin calls Ready for maps of at most so many features.
func (p *prepared) begin(features int) error {
	if p.recipe.Ready == nil {
		return nil
	}
	s := Start{Model: p.model, Problem: p.problem(p.model.Spec, features), Counts: p.counts, Fitter: p.recipe.Fitter}
	if err := p.recipe.Ready(&s); err != nil {
		return err
	}
	p.recipe.Fitter, p.wrap = byValue(s.Fitter), s.Wrap
	return nil
}

// features is the number of features of a spec, as far as it is known before the map is made.
func (p *prepared) features(s layers.Spec) int {
	s.Dims = p.x.Shape()[1]
	if n, err := s.Columns(); err == nil {
		return n
	}
	return s.Features
}

// problem is the size of a fit on a number of features of the map of a spec.
func (p *prepared) problem(s layers.Spec, features int) fits.Problem {
	q := fits.Problem{Rows: p.n, Features: features, Outputs: max(1, p.outputs), Streamed: p.streamed(),
		Single: s.ElementType() == tensor.Float32}
	t, err := s.Traits()
	if err != nil {
		return q
	}
	q.Signed = t.Signed
	x, sparse := p.x.(*ops.CSR)
	switch {
	case q.Streamed:
	case t.Stored > 0:
		q.Stored = max(1, p.n*t.Stored)
	case sparse && t.Zeros:
		q.Stored = max(1, x.Stored()) * max(1, features/max(1, x.Cols()))
	}
	return q
}

// learner fits a map and a head in a trial.
type learner func(ctx context.Context, t *trial) error

// fitted is the learner of a Fitter. Mini-batches choose decay, start and epochs in the fit to all rows, and keep
// them in later fits.
func (p *prepared) fitted(f fits.Fitter) learner {
	b, batches := f.(sgd.MiniBatch)
	if batches {
		return p.descended(b)
	}
	return func(ctx context.Context, t *trial) (err error) {
		if t.m, err = p.draw(f); err != nil {
			return err
		}
		return p.fit(ctx, t, f)
	}
}

// fit fits a trial, on all rows through the wrapped map.
func (p *prepared) fit(ctx context.Context, t *trial, f fits.Fitter) error {
	if m := t.m; p.wrap != nil && t.held == nil {
		t.m = p.wrap(m)
		defer func() { t.m = m }()
	}
	return t.fit(ctx, f, p.outputs)
}

// descended is fitted for mini-batches.
func (p *prepared) descended(b sgd.MiniBatch) learner {
	part := b // of fits to a part of the rows
	part.Checkpoints, part.Progress, part.Chosen, part.ScoreRows = sgd.Checkpoints{}, nil, nil, -1
	var kept []start // of later fits
	return func(ctx context.Context, t *trial) (err error) {
		own, from := part, kept
		if t.held == nil {
			own = b
		}
		if from == nil {
			from = []start{{}}
		}
		chooses := kept == nil && own.MapDecays != nil && p.model.Spec.Tune == layers.All.String()
		if chooses {
			if from, err = p.chooseStarts(ctx, t.rows, own); err != nil {
				return err
			}
		}
		if from, err = p.fitFrom(ctx, t, from, own); err != nil {
			return err
		}
		if chooses && plain(own) {
			if from, err = p.orSolved(ctx, t, from, part); err == nil && from[0].solver != nil {
				from, err = p.fitFrom(ctx, t, from, part)
			}
		}
		if t.held == nil {
			kept = from
		}
		return err
	}
}

// settled are mini-batches that do as a fit has chosen.
func settled(b sgd.MiniBatch, c *fits.Course) sgd.MiniBatch {
	b.MapDecay, b.MapDecays, b.Directions, b.Epochs = c.MapDecay, nil, c.Directions, c.Epochs[0].Of
	return b
}

// workers is how many trials of a Fitter may run side by side: several, where mini-batches tune a map of rows in memory.
// Other Fitters use all cores, or may not be made for it.
func (p *prepared) workers(f fits.Fitter) int {
	_, batches := f.(sgd.MiniBatch)
	_, memory := p.rows.(data.Pairs)
	if batches && memory && p.model.Spec.Tuned() && p.recipe.Tuner == nil {
		return workers(p.x.Shape().TotalSize())
	}
	return 1
}

// draw returns the map: a new one for each fit if the fitter changes it.
func (p *prepared) draw(f fits.Fitter) (layers.Layer, error) {
	if p.drawn != nil {
		return p.drawn, nil
	}
	m, err := p.model.Spec.Fit(p.x)
	if err == nil && (f.Frozen() || !p.model.Spec.Tuned()) {
		p.drawn = m
	}
	return m, err
}

// fitter returns the Fitter of a fit to all rows, after a check that it suits the rows and the Spec.
func (p *prepared) fitter() (fits.Fitter, error) {
	f := p.fitterOf(p.model.Spec)
	head, err := layers.NewHead(f.HeadKind(), 1, 1)
	switch {
	case err != nil:
		return nil, err
	case head.Classifies() && p.model.Classes == nil:
		return nil, fmt.Errorf("train: Recipe: a %s head learns classes, and the rows have targets; take another "+
			"Head: %w", f.HeadKind(), domain.ErrParam)
	}
	if err := p.checkPolicy(p.model.Spec, f); err != nil {
		return nil, fmt.Errorf("train: Recipe: %w", err)
	}
	return f, nil
}

// fitterOf is the Fitter of the recipe or, without one, the default for the map of a spec.
func (p *prepared) fitterOf(s layers.Spec) fits.Fitter {
	if p.recipe.Fitter != nil || !s.Tuned() {
		return p.solverOf(s)
	}
	return p.batches(s)
}

// batches are the mini-batches that tune a map by default.
func (p *prepared) batches(s layers.Spec) sgd.MiniBatch {
	head := ""
	if p.model.Classes != nil {
		head = "softmax"
	}
	b := sgd.ForTuning(head)
	b.Seed = s.Seed
	return b
}

// solverOf is the Fitter of the recipe or, without one, the default for a map that does not change.
func (p *prepared) solverOf(s layers.Spec) fits.Fitter {
	if p.recipe.Fitter != nil {
		return p.recipe.Fitter
	}
	q := p.problem(s, p.features(s))
	if p.model.Classes != nil && !q.Signed && (linear.LogisticOptions{}).Keeps(q) {
		return linear.LogisticOptions{Seed: s.Seed}
	}
	return linear.RidgeOptions{Seed: s.Seed}
}

// checkPolicy refuses a spec that tunes its map if the fitter leaves the map as drawn.
func (p *prepared) checkPolicy(s layers.Spec, f fits.Fitter) error {
	if p.recipe.Tuner != nil || !f.Frozen() || !s.Tuned() {
		return nil
	}
	return fmt.Errorf("the Spec tunes %s, and %T leaves the map as drawn; use MiniBatch: %w",
		cmp.Or(s.Tune, "its parts"), f, domain.ErrParam)
}
