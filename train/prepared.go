package train

import (
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

// Prepared is a recipe together with its rows. A program takes the steps Complete, Build and Fit one by one if it has
// something to do in between, such as changing the Spec after cross-validation.
type Prepared struct {
	// Model has the fitted scaler and the classes. Complete finishes its Spec, Build makes its Map, and Fit makes its
	// Head.
	Model  *Model
	Rows   int   // the number of rows to fit
	Counts []int // the number of rows of each class; nil for targets
	// Outputs is the number of classes or of targets.
	Outputs int

	x      ops.Matrix    // the scaled rows, or of a stream a sample of them
	rows   data.Examples // nil of rows in memory without targets
	locate func(error) error
	groups []int // as in Recipe
	done   bool  // whether Spec is complete
	// again repeats the latest Fit or Tune on the rows of a trial; nil before.
	again func(ctx context.Context, t *trial) error
	ridge float64 // as in trial
}

// Prepare fits the scalers, learns the classes, and takes the rows that the map's parameters come from: all rows in
// memory, or a sample of a stream. It reads a stream once for the survey, and once for each scaler that learns. Rows
// may lack labels and targets; Fit then refuses them. Errors: see Recipe.Fit.
func (r Recipe) Prepare(ctx context.Context, rows data.Source) (*Prepared, error) {
	m, err := r.model()
	if err != nil {
		return nil, err
	}
	p := &Prepared{Model: m, groups: r.Groups}
	switch s := rows.(type) {
	case *data.Set:
		if s == nil || domain.IsNil(s.X) {
			break
		}
		m.Columns, p.locate = s.Columns, s.Locate
		return p, p.Locate(p.memory(r, s))
	case *data.Frame:
		if s == nil {
			break
		}
		set, err := r.learn(s)
		if err != nil {
			return nil, err
		}
		m.Columns, p.locate = set.Columns, set.Locate
		return p, p.Locate(p.memory(r, set))
	case *data.Stream:
		if s == nil {
			break
		}
		if err := given.Missing("Recipe", given.Arg("the context", ctx)); err != nil {
			return nil, err
		}
		if r.Columns != nil {
			if _, err := s.Learn(ctx, *r.Columns); err != nil {
				return nil, err
			}
		}
		m.Columns = s.Options().Columns
		return p, p.read(ctx, r, s)
	}
	return nil, fmt.Errorf("train: Recipe: there are no rows; give a *data.Set with X, a *data.Frame or a *data.Stream: %w", domain.ErrParam)
}

// learn makes a set of a table.
func (r Recipe) learn(f *data.Frame) (*data.Set, error) {
	var o data.ColumnOptions
	if r.Columns != nil {
		o = *r.Columns
	}
	c, err := f.Learn(o)
	if err != nil {
		return nil, err
	}
	return c.Set(f)
}

// Locate adds the file and the row to an error about X.
func (p *Prepared) Locate(err error) error {
	if p.locate == nil {
		return err
	}
	return p.locate(err)
}

// ready wants rows.
func (p *Prepared) ready() error {
	if p.Model == nil || p.x == nil {
		return fmt.Errorf("train: Recipe: this Prepared has no rows; make it by Recipe.Prepare: %w", domain.ErrParam)
	}
	return nil
}

// X returns the rows of a set, or a sample of the rows of a stream, scaled and in the element type of the map. They
// belong to p; do not change them.
func (p *Prepared) X() ops.Matrix { return p.x }

// Examples returns the rows with their targets, scaled and in the element type of the map: data.Pairs for rows in
// memory, data.Streamed for a stream, and nil for rows in memory without targets.
func (p *Prepared) Examples() data.Examples { return p.rows }

// streamed says whether the rows come from a stream.
func (p *Prepared) streamed() bool {
	_, ok := p.rows.(data.Streamed)
	return ok
}

// memory takes rows in memory.
func (p *Prepared) memory(r Recipe, s *data.Set) error {
	if _, err := data.RowMajor("train: Recipe", "x", s.X); err != nil {
		return err
	}
	p.Rows = s.Rows()
	if p.groups != nil && len(p.groups) != p.Rows {
		return fmt.Errorf("train: Recipe: %d Groups for %d rows; give one for each row: %w", len(p.groups), p.Rows,
			domain.ErrShape)
	}
	y, err := p.learnTargets(s)
	if err != nil {
		return err
	}
	own, err := own(s.X, true)
	if err != nil {
		return err
	}
	scaled := &data.Set{X: own}
	err = p.Model.Scaler.Fit(own)
	if errors.Is(err, data.ErrZeros) { // which it moves
		if err = p.spread(r, p.Rows, s.Dims()); err == nil {
			scaled.X, err = scaled.Dense()
		}
		if err == nil {
			err = p.Model.Scaler.Fit(scaled.X)
		}
	}
	if err == nil {
		err = p.Model.Scaler.ApplyInPlace(scaled.X)
	}
	if err != nil {
		return err
	}
	p.x, err = scaled.As(p.Model.Spec.ElementType())
	if y != nil {
		p.rows = data.Pairs{X: p.x, Y: y}
	}
	return err
}

// spread asks Afford whether sparse rows may become dense.
func (p *Prepared) spread(r Recipe, rows, dims int) error {
	if r.Afford == nil {
		return nil
	}
	what := fmt.Sprintf("the scaler %q makes the rows dense: %d rows of %d columns", p.Model.Scaler.Name(), rows, dims)
	return r.Afford(what, 8*float64(rows)*float64(dims))
}

// learnTargets takes the classes and the targets of a set.
func (p *Prepared) learnTargets(s *data.Set) (*mat.Dense, error) {
	switch n := s.Rows(); {
	case s.Labels != nil && s.Y != nil:
		return nil, fmt.Errorf("train: Recipe: the rows have both Labels and Y; leave one out: %w", domain.ErrParam)
	case s.Labels != nil && len(s.Labels) != n || s.Y != nil && len(s.Y) != n*s.Targets() || n == 0:
		return nil, fmt.Errorf("train: Recipe: %d rows, %d labels, %d targets; give one for each row and each of LabelNames: %w", n, len(s.Labels), len(s.Y), domain.ErrShape)
	case s.Y != nil:
		p.Outputs = s.Targets()
		return mat.NewDense(n, p.Outputs, s.Y), nil
	case s.Labels != nil:
		p.Model.Classes = data.NewClasses(s.Labels)
		if err := p.checkClasses(); err != nil {
			return nil, err
		}
		labels, err := p.Model.Classes.Index(s.Labels)
		if err != nil {
			return nil, err
		}
		p.Counts = make([]int, len(p.Model.Classes))
		for _, l := range labels {
			p.Counts[l]++
		}
		return data.OneVersusRest(labels, len(p.Model.Classes))
	}
	return nil, nil
}

func (p *Prepared) checkClasses() error {
	if c := p.Model.Classes; len(c) == 1 {
		return fmt.Errorf("all rows have the class %q; a classifier needs two: %w", c[0], data.ErrLabel)
	}
	p.Outputs = len(p.Model.Classes)
	return p.Model.Classes.Check(p.Rows)
}

// read surveys a stream.
func (p *Prepared) read(ctx context.Context, r Recipe, s *data.Stream) error {
	m := p.Model
	if p.groups != nil {
		return fmt.Errorf("train: Recipe: Groups are of rows in memory, and these are read; leave them out, or read the "+
			"rows whole: %w", domain.ErrParam)
	}
	v, err := s.SurveyScaled(ctx, layers.SampleRows, m.Scaler)
	if err != nil {
		return err
	}
	p.Rows, p.Counts, m.Classes, p.locate = v.Rows, v.Counts, v.Classes, v.Sample.Locate
	if v.Classes == nil {
		p.Outputs = v.Targets
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
	err = m.Scaler.ApplyInPlace(v.Sample.X)
	if err == nil {
		p.x, err = v.Sample.As(rows.Dtype)
	}
	return p.Locate(err)
}

// Complete finishes the Spec: its Dims, and the parameters that are left to the data. Later calls do nothing. Errors:
// domain.ErrDomain for rows outside the domain of the kernel; the errors of Spec.FillDefaults.
func (p *Prepared) Complete() error {
	if p.done {
		return nil
	}
	if err := p.ready(); err != nil {
		return err
	}
	spec := &p.Model.Spec
	spec.Dims = p.x.Shape()[1]
	if err := spec.FillDefaults(p.x); err != nil {
		return p.Locate(err)
	}
	on, err := spec.Domain()
	if err == nil {
		err = ops.CheckRows(on, "map "+spec.Map, p.x)
	}
	p.done = err == nil
	return p.Locate(err)
}

// Build calls Complete and makes the Map, fitted on X if it is a map that learns from the data. Errors: see Complete
// and Spec.Fit.
func (p *Prepared) Build() error {
	err := p.Complete()
	if err != nil {
		return err
	}
	m := p.Model
	if m.Map, err = m.Spec.Fit(p.x); err != nil {
		return err
	}
	if m.Spec.Features == 0 {
		m.Spec.Features = m.Map.Features()
	}
	return nil
}

// Problem returns the size of a fit on a number of features of the map of Model.Spec, as the Cost of a Fitter takes it.
func (p *Prepared) Problem(features int) fits.Problem {
	m := p.Model
	if m == nil {
		return fits.Problem{Features: features}
	}
	q := fits.Problem{Rows: p.Rows, Features: features, Outputs: max(1, p.Outputs), Single: m.Spec.ElementType() == tensor.Float32, Streamed: p.streamed()}
	if t, err := m.Spec.Traits(); err == nil {
		q.Signed = t.Signed
	}
	if s, sparse := p.x.(*ops.CSR); sparse && !q.Streamed && p.keepsZeros() {
		q.Stored = max(1, s.Stored()) * max(1, features/max(1, s.Cols()))
	}
	return q
}

// keepsZeros says whether sparse rows have sparse features. It asks the map or, if there is none yet, the spec.
func (p *Prepared) keepsZeros() bool {
	if p.Model.Map != nil {
		return layers.KeepsZeros(p.Model.Map)
	}
	t, err := p.Model.Spec.Traits()
	return err == nil && t.Zeros
}

// Fit makes the Head and fits it on the features of all rows, after Build. nil is the default of Recipe.Fitter. A
// program may wrap Model.Map before, to watch it (see layers.Unwrap). Errors: domain.ErrParam for a nil context, before
// Build, for rows without targets, for a softmax head and targets, and for a Spec that tunes its map with a Fitter that
// leaves it frozen; the errors of the Fitter; ctx.Err().
func (p *Prepared) Fit(ctx context.Context, f fits.Fitter) (*fits.Report, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	m := p.Model
	switch {
	case ctx == nil:
		return nil, fmt.Errorf("train: Recipe: the context is nil; give context.Background(): %w", domain.ErrParam)
	case m.Map == nil:
		return nil, fmt.Errorf("train: Recipe: there is no map yet; call Build: %w", domain.ErrParam)
	case p.rows == nil:
		return nil, p.Locate(errNoTargets)
	case f == nil && m.Spec.Tuned():
		f = batches(m.Spec, m.Classes != nil)
	case f == nil:
		f = p.solver(m.Map.Features())
	}
	var err error
	if m.Head, err = headFor(f, m.Map, p.Outputs); err != nil {
		return nil, err
	}
	if m.Head.Classifies() && m.Classes == nil {
		return nil, p.Locate(fmt.Errorf("train: Recipe: a %s head learns classes, and the rows have targets; take another Head: %w", f.HeadKind(), domain.ErrParam))
	}
	t := newTrial(p.rows, nil)
	t.m = m.Map
	if err = checkPolicy(m.Spec, f); err != nil {
		err = fmt.Errorf("train: Recipe: %w", err)
	} else {
		err = t.fit(ctx, f, p.Outputs)
		m.Head = t.head
	}
	if err != nil && !p.streamed() { // a stream names its rows
		err = p.Locate(err)
	}
	if err == nil {
		p.ridge, p.again = t.ridge, func(ctx context.Context, t *trial) error { return p.refit(ctx, t, f) }
	}
	return t.report, err
}

// fitted gives the model the map and the head of a trial on all rows, and keeps how to fit them again.
func (p *Prepared) fitted(t *trial, again func(ctx context.Context, t *trial) error) {
	*p.Model = *t.model(p.Model)
	p.ridge, p.again = t.ridge, again
}

// refit fits a map and a head in a trial. It keeps the model's map if the fitter does not change it.
func (p *Prepared) refit(ctx context.Context, t *trial, f fits.Fitter) (err error) {
	if t.m = p.Model.Map; !f.Frozen() && p.Model.Spec.Tuned() {
		if t.m, err = p.Model.Spec.Fit(p.x); err != nil {
			return err
		}
	}
	if b, ok := f.(sgd.MiniBatch); ok {
		b.Checkpoints = sgd.Checkpoints{} // which are of the fit to all rows
		f = b
	}
	return t.fit(ctx, f, p.Outputs)
}

// solver fits the head of a map that does not change.
func (p *Prepared) solver(features int) fits.Fitter {
	seed := p.Model.Spec.Seed
	if q := p.Problem(features); p.Model.Classes != nil && !q.Signed && (linear.LogisticOptions{}).Keeps(q) {
		return linear.LogisticOptions{Seed: seed}
	}
	return linear.RidgeOptions{Seed: seed}
}

// solverOf is solver for the map of another spec.
func (p *Prepared) solverOf(s layers.Spec) fits.Fitter {
	q := *p
	q.Model = &Model{Spec: s, Classes: p.Model.Classes}
	s.Dims = p.x.Shape()[1]
	features, err := s.Columns()
	if err != nil {
		features = s.Features
	}
	return q.solver(features)
}

// batches fits the head of a map that is tuned.
func batches(s layers.Spec, classes bool) fits.Fitter {
	return sgd.MiniBatch{FitOptions: sgd.FitOptions{Seed: s.Seed}, Head: map[bool]string{true: "softmax"}[classes]}
}

// checkPolicy refuses a spec that tunes its map if the fitter leaves the map as it is drawn.
func checkPolicy(s layers.Spec, f fits.Fitter) error {
	if !f.Frozen() || !s.Tuned() {
		return nil
	}
	tuned := s.Tune
	if tuned == "" {
		tuned = "its parts"
	}
	return fmt.Errorf("the Spec tunes %s, and %T leaves the map as it is drawn; use MiniBatch: %w", tuned, f, domain.ErrParam)
}
