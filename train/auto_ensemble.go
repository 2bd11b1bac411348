package train

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// mostMembers is the largest number of maps in an ensemble.
const mostMembers = 8

// member is a fit of a trial in the ensemble, under the random numbers of a candidate.
type member struct {
	of *run
	candidate
	model *Model // nil: there was no time for it
	fit   *fits.Report
	whole bool // whether it has learned from all rows
}

// assemble fits the model that the trials speak for.
func (a *race) assemble(ctx context.Context) (*Model, error) {
	chosen := a.choose()
	if chosen == nil {
		return a.single(ctx)
	}
	members, err := a.refit(ctx, chosen)
	if err != nil {
		return nil, err
	}
	a.report.Whole, a.report.Report = true, *members[0].fit
	for _, m := range members {
		a.report.Whole = a.report.Whole && m.whole
		a.report.Trials[m.of.trial].Weight = m.of.weight
	}
	if len(members) == 1 && a.Uncertainty == nil {
		return members[0].model, nil
	}
	m, err := combine(members)
	if err != nil || a.Uncertainty == nil {
		return m, err
	}
	held := chosen[0].out
	held.scores, held.std = pool(chosen, a.classes != nil), nil
	m.Uncertainty = new(Uncertainty)
	return m, m.Uncertainty.learn(held, a.classes != nil, *a.Uncertainty)
}

// single fits the best recipe on all rows. Among trials of as many rows whose loss is within a standard error of the
// least, the best is the one with the most features.
func (a *race) single(ctx context.Context) (*Model, error) {
	best := a.best()
	least := best.losses
	for _, r := range a.runs {
		if r.rows == best.rows && r.t.m.Features() > best.t.m.Features() {
			worse := make([]float64, len(least))
			floats.SubTo(worse, r.losses, least)
			if mean, std := stat.MeanStdDev(worse, nil); mean < std/math.Sqrt(float64(len(worse))) {
				best = r
			}
		}
	}
	a.report.Trials[best.trial].Weight = 1
	p, learn, err := a.all(ctx, best.candidate, best.features)
	if err == nil {
		p.recipe.Uncertainty = a.Uncertainty
		var m *Model
		if m, err = p.finish(ctx, learn, a.report); err == nil {
			a.report.Whole = true
			return m, nil
		}
	}
	if given.Stopped(ctx) == nil {
		return nil, err
	}
	a.report.Report = *best.t.report
	return best.model, nil
}

// all prepares the fit of a candidate on all rows.
func (a *race) all(ctx context.Context, c candidate, features int) (*prepared, learner, error) {
	p, err := a.prepare(ctx, a.at(c, size{a.set.Rows(), features}), c.factor)
	if err != nil {
		return nil, nil, err
	}
	learn, err := p.learner(ctx, new(Report))
	return p, learn, err
}

// choose returns the trials whose mean has the least loss, by greedy selection with replacement, in the order of their
// weights. It returns nil where trials cannot be members of one model.
func (a *race) choose() (best []*run) {
	if _, bags := a.set.X.(*ops.Bags); bags || a.Uncertainty != nil && a.Uncertainty.Laplace {
		return nil
	}
	kind := "linear"
	if a.classes != nil {
		kind = "softmax"
	}
	for _, r := range a.ranked(-1) {
		if r.t.head.Kind() == kind {
			best = append(best, r)
		}
	}
	if len(best) == 0 {
		return nil
	}
	counts := greedy(best, a.classes != nil)
	total := floats.Sum(counts)
	for i, r := range best {
		r.weight = counts[i] / total
	}
	best = slices.DeleteFunc(best, func(r *run) bool { return r.weight == 0 })
	slices.SortStableFunc(best, func(x, y *run) int { return cmp.Compare(y.weight, x.weight) })
	return best
}

// greedy adds in each round the trial with which the mean of all so far has the least loss, starting from the best, and
// returns how often the best of these means has each.
func greedy(runs []*run, classes bool) (best []float64) {
	const rounds = 20
	least := math.Inf(1)
	counts, distinct := make([]float64, len(runs)), 0
	first := runs[0].out
	sum, trial := make([]float64, len(runs[0].logs)), make([]float64, len(runs[0].logs))
	for round := range rounds {
		pick, loss := -1, math.Inf(1)
		for i, r := range runs {
			if counts[i] == 0 && distinct == mostMembers {
				continue
			}
			floats.AddTo(trial, sum, r.logs)
			floats.Scale(1/float64(round+1), trial)
			if l := lossOf(trial, first.y, first.k, classes); l < loss {
				pick, loss = i, l
			}
		}
		if pick < 0 {
			break
		}
		if counts[pick] == 0 {
			distinct++
		}
		counts[pick]++
		floats.Add(sum, runs[pick].logs)
		if loss < least {
			best, least = slices.Clone(counts), loss
		}
	}
	return best
}

// lossOf is the mean loss of predicted targets, or of logits of classes.
func lossOf(v, y []float64, k int, classes bool) (loss float64) {
	if !classes {
		return math.Pow(floats.Distance(v, y, 2), 2) / float64(len(v))
	}
	for at := 0; at < len(v); at += k {
		loss += floats.LogSumExp(v[at : at+k])
		for j := at; j < at+k; j++ {
			if y[j] > 0 {
				loss -= v[j]
			}
		}
	}
	return loss * float64(k) / float64(len(v))
}

// pool are the predictions of an ensemble for the held-out rows: targets, or logarithms of probabilities.
func pool(chosen []*run, classes bool) []float64 {
	out := make([]float64, len(chosen[0].logs))
	for _, r := range chosen {
		floats.AddScaled(out, r.weight, r.logs)
	}
	if classes {
		normalise(out, chosen[0].out.k)
	}
	return out
}

// normalise makes logarithms of probabilities of rows of k logits.
func normalise(logits []float64, k int) {
	for row := range slices.Chunk(logits, k) {
		floats.AddConst(-floats.LogSumExp(row), row)
	}
}

// refit fits the chosen trials on all rows: each once, and within a Budget again with other seeds where their weight is
// large. A trial for which there was no time is a member with its own model.
func (a *race) refit(ctx context.Context, chosen []*run) (members []*member, err error) {
	list := a.copies(chosen)
	given.OnWorkers(a.workers(), len(list), func(i int) { a.fitMember(ctx, list[i], i == 0) })
	for _, r := range chosen {
		n := len(members)
		for _, m := range list {
			if m.of == r && m.model != nil {
				members = append(members, m)
			}
		}
		if len(members) == n {
			members = append(members, &member{of: r, model: r.model, fit: r.t.report})
		}
	}
	for _, m := range members {
		if t := m.of.temperature; t > 0 {
			w, b := headOf(m.model.Head)
			w.Scale(1/t, w)
			floats.Scale(1/t, b)
			if err := m.model.Head.SetWeights(w.RawMatrix().Data, b); err != nil {
				return nil, err
			}
		}
	}
	return members, nil
}

// copies are the members to fit, the more useful ones first.
func (a *race) copies(chosen []*run) (list []*member) {
	counts := map[*run]float64{}
	for _, r := range chosen {
		list, counts[r] = append(list, &member{of: r, candidate: r.candidate}), 1
	}
	for a.Budget > 0 && len(list) < mostMembers {
		var pick *run
		for _, r := range chosen {
			if r.drawn() && (pick == nil || r.weight/(counts[r]+1) > pick.weight/(counts[pick]+1)) {
				pick = r
			}
		}
		if pick == nil {
			break
		}
		again := a.candidate(pick.kind, pick.Recipe, pick.factor)
		again.number = pick.number
		list = append(list, &member{of: pick, candidate: again})
		counts[pick]++
	}
	return list
}

// fitMember fits a member on all rows, unless it would end too late and need not be made.
func (a *race) fitMember(ctx context.Context, m *member, must bool) {
	ends := a.start.Add(a.Budget)
	c, ok := a.within(m.candidate, size{a.set.Rows(), m.of.features}, 1, ends)
	if !ok && !must {
		return
	}
	if a.Budget > 0 && !must {
		limited, stop := context.WithDeadline(ctx, ends.Add(a.Budget/20))
		defer stop()
		ctx = limited
	}
	p, learn, err := a.all(ctx, c, m.of.features)
	if err != nil {
		return
	}
	t := newTrial(p.rows, nil)
	if err := learn(ctx, t); err == nil {
		m.model, m.fit, m.whole = t.model(p.model), t.report, true
	}
}

// combine is one model of the members: their scalers and their maps side by side, and a head that adds up the scores by
// weight.
func combine(members []*member) (*Model, error) {
	counts := map[*run]float64{}
	for _, m := range members {
		counts[m.of]++
	}
	own, dims := *members[0].model, members[0].model.Dims()
	var scalers []*data.Scaler
	from, columns := map[string]int{}, 0 // where the columns of a scaler begin
	parts := make([]share, len(members))
	for i, m := range members {
		s := m.model.Scaler
		if _, there := from[s.Name()]; !there {
			from[s.Name()], columns, scalers = columns, columns+s.Lists()*dims, append(scalers, s)
		}
		parts[i] = share{m.model.Map, m.model.Head, from[s.Name()], m.of.weight / counts[m.of]}
	}
	var err error
	if own.Scaler, err = data.SideBySide(scalers...); err != nil {
		return nil, err
	}
	own.Relevance = nil
	own.Spec, own.Map, own.Head, err = meanOf(columns, parts)
	return &own, err
}
