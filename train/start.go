package train

import (
	"cmp"
	"context"
	"math"
	"runtime"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
	"gorgonia.org/tensor"
)

// start is what a fit begins with. The zero value is the map of the recipe, as drawn or with Directions.
type start struct {
	scaled layers.Layer     // the map with a scale for each column
	found  *evidence.Result // these scales
	spec   layers.Spec      // takes the place of the map if it names one
	rates  *sgd.FitOptions  // of mini-batches that fit this spec
	solver fits.Fitter      // takes the place of mini-batches if it is not nil
	learns effort           // by which each trial learns scales; none if it is the zero value
}

// chooseStart compares short fits to the rows of fewColumns, by their losses on n that are held out: to at most shortRows
// or, with networks, startRows of them. The map starts with a scale for each column, learned by the marginal likelihood
// on at most 256 features, if it then has less loss by a share 1/√n than as drawn or with Directions. If the recipe
// leaves the map open, the best network takes its place if it has less loss by such a share than the map with these
// starts, with a middle of MapDecays, or as drawn, also with the first.
func (p *prepared) chooseStart(ctx context.Context, from data.Examples, b sgd.MiniBatch) (best start, err error) {
	rows, n := fewColumns(from)
	if n == 0 {
		return best, nil
	}
	var networks []start
	most := shortRows
	if p.open && b.LearnRate == 0 && b.MapRate == 0 { // which are options for the map
		if networks, err = p.networks(rows.X); err != nil {
			return best, err
		}
	}
	if networks != nil {
		most = startRows
	}
	if n > most {
		rows = rows.Take(data.Shuffle(n, b.Seed)[:most])
	}
	first := b.MapDecays[0]
	b = shortFit(b, 8*startRows/rows.X.Shape()[0])
	b.HeldOut, b.Patience, b.ScoreRows, b.Checkpoints, b.Progress = .2, b.Epochs, -1, sgd.Checkpoints{}, nil
	learned, held := data.Split(rows.X.Shape()[0], b.HeldOut, b.Seed) // as the fits divide them
	scaled, err := p.learnScales(ctx, rows.Take(learned), brief, b)
	if err != nil || scaled.scaled == nil && networks == nil {
		return best, err
	}
	type attempt struct {
		start
		decay, loss float64
	}
	all := []attempt{{decay: b.MapDecay}}
	if scaled.scaled != nil {
		all = append(all, attempt{start: scaled, decay: b.MapDecay})
	}
	if networks != nil {
		all = append(all, attempt{decay: first})
	}
	for _, network := range networks {
		all = append(all, attempt{start: network, decay: b.MapDecay})
	}
	err = given.Try(runtime.GOMAXPROCS(0), len(all), func(i int) (err error) {
		own := b
		own.MapDecay = all[i].decay
		all[i].loss, err = p.heldLoss(ctx, all[i].start, rows, own)
		return err
	})
	least, share := all[0].loss, 1-1/math.Sqrt(float64(len(held)))
	for _, a := range all[1:] {
		switch network := a.spec.Map != ""; {
		case !network && a.scaled == nil: // the map may do better with another decay
			least = min(least, a.loss)
		case a.loss < least*share, network && best.spec.Map != "" && a.loss < least:
			best, least = a.start, a.loss
		}
	}
	return best, err
}

// heldLoss returns the loss on the held-out rows after a fit from a start; +Inf if the fit fails.
func (p *prepared) heldLoss(ctx context.Context, s start, rows data.Pairs, b sgd.MiniBatch) (float64, error) {
	t := newTrial(rows, nil)
	f, err := s.begin(ctx, p, t, b)
	if err != nil {
		return 0, err
	}
	if err := t.fit(ctx, f, p.outputs); err != nil {
		return math.Inf(1), given.Stopped(ctx)
	}
	epochs := t.report.Epochs.Epochs
	return epochs[len(epochs)-1].HeldLoss, nil
}

// learnScales returns the map with scales that the marginal likelihood of the rows finds. It is empty if the map has
// none, or if the rows say nothing of them.
func (p *prepared) learnScales(ctx context.Context, rows data.Pairs, by effort, b sgd.MiniBatch) (start, error) {
	c := &tuning{Tuner: Tuner{Evidence: evidence.Options{MaxEvaluations: by.evaluations, Seed: b.Seed}}, p: p, twin: by.features,
		scaled: map[layers.Policy]start{}}
	t := newTrial(rows, nil)
	var err error
	if t.m, err = p.draw(b); err == nil {
		err = c.goOn(ctx, t)
	}
	if err != nil {
		return start{}, given.Stopped(ctx)
	}
	return start{scaled: t.m, found: t.found}, nil
}

// fewColumns returns rows from which scales for their columns are learned, and their number, which is 0 for others: those
// are dense, in memory, at least 100 of at most 512 columns.
func fewColumns(from data.Examples) (rows data.Pairs, n int) {
	const least, columns = 100, 512
	rows, _ = from.(data.Pairs)
	if x, dense := rows.X.(*tensor.Dense); dense && x.Shape()[0] >= least && x.Shape()[1] <= columns {
		return rows, x.Shape()[0]
	}
	return rows, 0
}

// inPlace completes the spec of a model that may take the place of the map.
func (p *prepared) inPlace(s layers.Spec, x ops.Matrix) (layers.Spec, error) {
	s = renumbered(s, p.model.Spec.Seed, 0)
	s.Name, s.Dims, s.Dtype = cmp.Or(p.recipe.Spec.Name, s.Map), x.Shape()[1], p.model.Spec.Dtype
	return s, s.FillDefaults(x)
}

// begin sets the map of a trial, and returns the Fitter of its fit.
func (s start) begin(ctx context.Context, p *prepared, t *trial, b sgd.MiniBatch) (_ fits.Fitter, err error) {
	if t.spec = s.spec; s.spec.Map != "" {
		t.m, err = s.spec.Fit(p.x)
		if s.solver != nil {
			return s.solver, err
		}
		return forNetwork(b, s.rates, t.rows.(data.Pairs).X.Shape()[0]), err
	}
	if s.learns != (effort{}) {
		own, err := p.learnScales(ctx, t.rows.(data.Pairs), s.learns, b)
		if err == nil && own.scaled == nil {
			err = errNoStep
		}
		t.m, t.found = own.scaled, own.found
		return s.solver, err
	}
	t.found = s.found
	if t.m, err = p.draw(b); err == nil && s.scaled != nil {
		b.Directions = false
		err = layers.Continue(t.m, s.scaled)
	}
	return b, err
}

// shortRows is the most rows of the short fits that choose a scaler.
const shortRows = 4000

// startRows is the most rows of the short fits that choose between the map and networks. Of few rows a map learns more
// than a network, which may be the better one of many.
const startRows = 5 * shortRows

// shortFit returns the options of these fits: at most 16 epochs, or fewer, and a middle one of the decays.
func shortFit(b sgd.MiniBatch, epochs int) sgd.MiniBatch {
	const most = 16
	epochs = min(epochs, most)
	b.Epochs = min(cmp.Or(b.Epochs, epochs), epochs)
	b.WarmUp = min(b.WarmUp, b.Epochs-1)
	b.MapDecay, b.MapDecays = b.MapDecays[(len(b.MapDecays)-1)/2], nil
	return b
}
