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
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// start is what a fit begins with. The zero value is the map of the recipe, as drawn or with Directions.
type start struct {
	scaled layers.Layer     // the map with a scale for each column
	each   layers.Layer     // these scales apart from its frequencies
	found  *evidence.Result // these scales
	spec   layers.Spec      // takes the place of the map if it names one
	rates  *sgd.FitOptions  // of mini-batches that fit this spec
	solver fits.Fitter      // takes the place of mini-batches if it is not nil
	learns effort           // by which each trial learns scales; none if it is the zero value
	twin   bool             // whether it is another one with other random numbers
	course *fits.Course     // of the fit to all rows, which later fits follow
}

// chooseStarts compares short fits to the rows of fewColumns, by their losses on n that are held out: to at most shortRows
// or, with networks, startRows of them. The map starts with a scale for each column, learned by the marginal likelihood
// on at most 256 features, if it then has less loss by a share 1/√n than as drawn or with Directions. If the recipe
// leaves the map open, the best network takes its place if it has less loss by such a share than the map with these
// starts, with a middle of MapDecays, or as drawn, also with the first. The second start is the best network beside the
// map, if the mean of their predictions has less loss by such a share. The others are these with other random numbers.
func (p *prepared) chooseStarts(ctx context.Context, from data.Examples, b sgd.MiniBatch) ([]start, error) {
	one, other, err := p.chooseStart(ctx, from, b)
	members := p.members(b)
	if err != nil || members == 1 {
		return []start{one}, err
	}
	starts := []start{one}
	if other != nil {
		starts = append(starts, *other)
	}
	leaders := len(starts)
	for i := leaders; i < members; i++ {
		s, err := p.again(starts[i%leaders], i/leaders)
		if err != nil {
			return nil, err
		}
		starts = append(starts, s)
	}
	return starts, nil
}

// attempt is a start and what comes of it.
type attempt struct {
	start
	decay, loss float64
	logs        []float64 // as in judgement, for the rows that are held out
}

// chooseStart returns the first start, and the second one if that is a network beside a map.
func (p *prepared) chooseStart(ctx context.Context, from data.Examples, b sgd.MiniBatch) (best start, other *start, err error) {
	rows, n := fewColumns(from)
	if n == 0 {
		return best, nil, nil
	}
	var networks []start
	most := shortRows
	if p.open && b.LearnRate == 0 && b.MapRate == 0 { // which are options for the map
		if networks, err = p.networks(rows.X); err != nil {
			return best, nil, err
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
	b.HeldOut, b.ScoreRows, b.Checkpoints, b.Progress, b.Chosen = 0, -1, sgd.Checkpoints{}, nil, nil
	kept, scored := data.Split(rows.X.Shape()[0], .2, b.Seed)
	learned, held := rows.Take(kept), rows.Take(scored)
	scaled, err := p.learnScales(ctx, learned, brief, b)
	if err != nil || scaled.scaled == nil && networks == nil {
		return best, nil, err
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
		return p.attempt(ctx, &all[i], newTrial(learned, held), own)
	})
	if err != nil {
		return best, nil, err
	}
	at, least, share := 0, all[0].loss, 1-1/math.Sqrt(float64(len(scored)))
	network := -1 // the best one
	for i, a := range all {
		if a.rates != nil && (network < 0 || a.loss < all[network].loss) {
			network = i
		}
		switch {
		case a.rates == nil && a.scaled == nil: // the map may do better with another decay
			if a.loss < least && all[at].scaled == nil {
				at = i
			}
			least = min(least, a.loss)
		case a.loss < least*share, i == network && all[at].rates != nil && a.loss < least:
			at, least = i, a.loss
		}
	}
	best = all[at].start
	if network >= 0 && best.rates == nil && !math.IsInf(max(least, all[network].loss), 1) {
		mean := all[at].logs
		floats.Add(mean, all[network].logs)
		floats.Scale(.5, mean)
		if lossOf(mean, held.Y.RawMatrix().Data, p.outputs, p.model.Classes != nil) < least*share {
			other = &all[network].start
		}
	}
	return best, other, nil
}

// attempt fits a trial from a start, and predicts the held-out rows; the loss is +Inf if the fit fails.
func (p *prepared) attempt(ctx context.Context, a *attempt, t *trial, b sgd.MiniBatch) error {
	a.loss = math.Inf(1)
	f, err := a.begin(ctx, p, t, b)
	if err != nil {
		return err
	}
	var o outcome
	if err = t.fit(ctx, f, p.outputs); err == nil {
		err = o.score(ctx, t)
	}
	if err != nil {
		return given.Stopped(ctx)
	}
	a.logs = o.logs()
	a.loss = lossOf(a.logs, o.y, o.k, o.classifies)
	return nil
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
	return start{scaled: t.m, each: t.maps[StepEvidence], found: t.found}, nil
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
	if s.course != nil {
		b = settled(b, s.course)
	}
	t.spec, t.found = s.spec, s.found
	switch {
	case s.learns != (effort{}):
		own, err := p.learnScales(ctx, t.rows.(data.Pairs), s.learns, b)
		if err == nil && own.scaled == nil {
			err = errNoStep
		}
		t.m, t.found = own.scaled, own.found
		return s.solver, err
	case s.spec.Map != "":
		t.m, err = s.spec.Fit(p.x)
	default:
		t.m, err = p.draw(b)
	}
	switch {
	case s.solver != nil:
		return s.solver, err
	case s.rates != nil:
		return forNetwork(b, s.rates, t.rows.(data.Pairs).X.Shape()[0]), err
	case err == nil && s.scaled != nil:
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
