package train

import (
	"cmp"
	"context"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// NewScaler returns the scalers of r.Scale before they have learnt, as data.ParseScalers reads them, for the rows of
// the map r.Spec, with two exceptions:
//
//   - If numbers may be too small for the map (layers.Spec.BoundedBelow), cube takes the place of minmax, and "auto" is
//     cube. On the rows that they are fitted to, cube and minmax are the same. Later rows below the fitted range would
//     be negative under minmax; cube moves them to 0, and those above to 1, so that the model predicts for them as
//     well.
//   - If the map takes rows of length 1 (layers.Spec.UnitRows), "auto" is "auto,l2".
//
// An empty Scale is "none" here. Errors: domain.ErrParam for an unknown scaler, and the errors of the spec.
func (r Recipe) NewScaler() (*data.Scaler, error) {
	scale := cmp.Or(r.Scale, "none")
	c, err := data.ParseScalers(scale)
	if err != nil {
		return nil, err
	}
	bounded, err := r.Spec.BoundedBelow()
	if err == nil && bounded {
		return c.Clipped(), nil
	}
	if unit, unitErr := r.Spec.UnitRows(); err == nil && unitErr == nil && unit && scale == "auto" {
		return data.ParseScalers("auto,l2")
	}
	return c, err
}

// scaleOf is the scaler of a recipe that names none, where its fit cannot choose one: auto for a table that has names or
// texts.
func (r Recipe) scaleOf(rows data.Source) string {
	table := false
	switch s := rows.(type) {
	case *data.Frame:
		if s != nil {
			_, err := s.Plain()
			table = s.Named || err != nil
		}
	case *data.Stream:
		table = s != nil && (r.Columns != nil || s.Options().Columns != nil)
	}
	if table {
		return "auto"
	}
	return "none"
}

// scalesFor returns the scalers to choose from for rows with classes or targets, of which the first is taken if they
// serve equally well. The classes of rows of many columns, such as counts, images or embeddings, need not depend on the
// length of a row. Very many columns are of one kind, as in spectra, and linear functions of them stay linear.
func scalesFor(x ops.Matrix, classes bool) []string {
	const many, most = 64, 512 // columns
	columns, all := x.Shape()[1], []string{"auto", "none", "quantile", "robust"}
	if d, dense := x.(*tensor.Dense); !dense || binary(d) {
		all = all[1:2:2] // the others move zeros
	} else if columns > most {
		all = all[:2:2]
	}
	if columns > many && classes {
		all = append(all, "l2")
	}
	return all
}

// scaleChoice returns the scalers that short fits can choose from, as Recipe.Scale says, and the spec and the fitter of
// these. Parameters of the map that are given have the unit of the rows, which then stay as they are.
func (p *prepared) scaleChoice(s *data.Set, y *mat.Dense) (scales []string, spec layers.Spec, f sgd.MiniBatch) {
	spec = p.model.Spec
	_, bags := s.X.(*ops.Bags)
	if p.recipe.Scale != "" || bags || y == nil || len(spec.Params)+len(spec.Parts) > 0 {
		return nil, spec, f
	}
	switch t := p.recipe.Tuner; {
	case t != nil:
		policy, err := spec.DefaultPolicy()
		if err != nil || policy != layers.All || !t.descends() {
			return nil, spec, f
		}
		spec.Tune, f = policy.String(), p.batches(spec)
	case p.wide:
		f = p.batches(spec)
	case spec.Tuned():
		f, _ = p.fitterOf(spec).(sgd.MiniBatch)
	}
	bounded, err := spec.BoundedBelow()
	unit, err2 := spec.UnitRows()
	if f.MapDecays != nil && err == nil && !bounded && err2 == nil && !unit {
		scales = scalesFor(s.X, p.model.Classes != nil)
	}
	return scales, spec, f
}

// binary says whether all numbers are 0 or 1.
func binary(x *tensor.Dense) bool {
	for i := range x.Shape().TotalSize() {
		if v := given.Cell(x, i); v != 0 && v != 1 {
			return false
		}
	}
	return true
}

// chooseScale returns the scaler with the least loss on held-out rows after fits to at most 4000 rows.
func (p *prepared) chooseScale(ctx context.Context, s *data.Set, y *mat.Dense, scales []string, spec layers.Spec,
	f sgd.MiniBatch) (best *data.Scaler, err error) {
	solved := p.open && p.recipe.Tuner == nil && plain(f) && p.n <= shortRows
	f = shortFit(f, math.MaxInt)
	if p.n > shortRows {
		part := data.Shuffle(p.n, p.model.Spec.Seed)[:shortRows]
		s, y = &data.Set{X: data.Rows(s.X, part)}, given.TargetRows(y, part)
	}
	models, losses, failed := make([]Model, len(scales)), make([]float64, len(scales)), make([]error, len(scales))
	err = given.Try(workers(s.X.Shape().TotalSize()), len(scales), func(i int) error {
		own := *p
		models[i] = *p.model
		own.model, models[i].Spec = &models[i], spec
		losses[i], failed[i] = own.scaleLoss(ctx, scales[i], s, y, f, solved)
		return given.Stopped(ctx)
	})
	least := math.Inf(1)
	for i, loss := range losses {
		if failed[i] == nil && (best == nil || loss < least) {
			best, least = models[i].Scaler, loss
		}
	}
	if best == nil || err != nil {
		return nil, cmp.Or(cmp.Or(failed...), err)
	}
	return best, nil
}

// scaleLoss returns the loss on held-out rows after fits to the rows under a scaler: the lesser one of short fits and, if
// orSolved may take it, of ridge regression on the map with scales.
func (p *prepared) scaleLoss(ctx context.Context, scale string, s *data.Set, y *mat.Dense, f sgd.MiniBatch,
	solved bool) (float64, error) {
	spec := &p.model.Spec
	var err error
	if p.model.Scaler, err = (Recipe{Scale: scale, Spec: *spec}).NewScaler(); err != nil {
		return 0, err
	}
	if err := p.scale(s, y); err != nil {
		return 0, err
	}
	spec.Dims = p.x.Shape()[1]
	if err := spec.FillDefaults(p.x); err != nil {
		return 0, err
	}
	m, err := spec.Fit(p.x)
	if err != nil {
		return 0, err
	}
	head, err := headFor(f, m, p.outputs)
	if err != nil {
		return 0, err
	}
	loss, err := f.HeldLoss(ctx, m, head, p.rows)
	if err != nil || !solved {
		return loss, err
	}
	const divisions = 2
	rows := p.rows.(data.Pairs)
	for _, from := range p.stretches(rows, brief, f) {
		trials, err := trialsOf("Recipe", rows, nil, .2, f.Seed)
		if err != nil {
			return 0, err
		}
		if v, err := p.judge(ctx, []start{from}, f, trials[:min(divisions, len(trials))]); err == nil {
			loss = min(loss, v.loss*float64(p.outputs))
		}
	}
	return loss, given.Stopped(ctx)
}
