package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// trial fits a map and a head on some rows, and predicts the rows that are held out. Cross-validation, the Tuner, Auto
// and Uncertainty consist of trials.
type trial struct {
	rows, held data.Examples
	maps       map[string]layers.Layer // by the steps of a Tuner so far
	spec       layers.Spec             // of m, if it has taken the place of the map of the recipe
	m          layers.Layer            // of the last fit, with its head and its report
	head       layers.Head
	report     *fits.Report
	ridge      float64          // the lambda of the head if ridge regression has solved for it, and otherwise 0
	found      *evidence.Result // of StepEvidence and StepBoth
}

func newTrial(rows, held data.Examples) *trial {
	return &trial{rows: rows, held: held, maps: map[string]layers.Layer{}}
}

// fit fits a new head with so many outputs on the features of t.m, and the map as well if the Fitter tunes it.
func (t *trial) fit(ctx context.Context, f fits.Fitter, outputs int) (err error) {
	if t.head, err = headFor(f, t.m, outputs); err != nil {
		return err
	}
	if t.report, err = f.Fit(ctx, t.m, t.head, t.rows); err != nil {
		return err
	}
	t.ridge = 0
	switch f.(type) {
	case linear.RidgeOptions, linear.CGOptions:
		t.ridge = t.report.Lambda
	}
	return nil
}

// manyCells is the most cells of rows that several fits have side by side.
const manyCells = 1 << 24

// workers is how many fits may run side by side, each with a copy of rows that have a number of cells.
func workers(cells int) int {
	if cells > manyCells {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// headFor returns a new head of the kind that a Fitter fits.
func headFor(f fits.Fitter, m layers.Layer, outputs int) (layers.Head, error) {
	opts := []layers.Option{layers.WithDtype(m.Dtype()), layers.WithName("head")}
	return layers.NewHead(f.HeadKind(), m.Features(), max(1, outputs), opts...)
}

// model returns a copy of m with the map and the head of the trial.
func (t *trial) model(m *Model) *Model {
	own := *m
	own.Map, own.Head, own.Relevance = t.m, t.head, nil
	if t.spec.Map != "" {
		own.Spec = t.spec
	}
	if len(t.maps) > 0 {
		own.Spec.Tune = policyOf(t.m)
	}
	own.Spec.Features = cmp.Or(own.Spec.Features, t.m.Features())
	if t.found != nil {
		own.Relevance = t.found.Relevance
	}
	return &own
}

// policyOf is the policy by which a map tunes something, and empty if it tunes nothing.
func policyOf(m layers.Layer) string {
	t, ok := m.(interface{ Policy() layers.Policy })
	if ok && slices.ContainsFunc(m.Params(), func(p layers.Param) bool { return p.Tuned }) {
		return t.Policy().String()
	}
	return ""
}

// outcome is what models predict for rows that they have not learned from. Its numbers stand row by row.
type outcome struct {
	k              int
	scores, std, y []float64 // [n, k]; no std without a posterior
	classifies     bool      // whether scores are probabilities, and y is -1 or 1
}

// score predicts the held-out rows of trials and adds them to the outcome.
func (o *outcome) score(ctx context.Context, trials ...*trial) error {
	for _, t := range trials {
		if err := o.add(ctx, t, &Model{Map: t.m, Head: t.head}); err != nil {
			return err
		}
	}
	return nil
}

// add is score of one trial by a model of its map and head, which may have posteriors.
func (o *outcome) add(ctx context.Context, t *trial, m *Model) error {
	o.k, o.classifies = t.head.Features(), t.head.Classifies()
	for b, err := range t.held.Blocks(ctx, 0) {
		if err != nil {
			return err
		}
		p := new(Prediction)
		if m.Uncertainty == nil {
			p.logits, err = m.ScoresPrepared(b.X)
		} else {
			p, err = m.uncertain(b.X)
		}
		if err != nil {
			return given.Located(b, err)
		}
		o.scores = append(o.scores, p.logits.RawMatrix().Data...)
		if std := p.std(); std != nil {
			o.std = append(o.std, std.RawMatrix().Data...)
		}
		for i := range b.X.Shape()[0] {
			o.y = append(o.y, b.Y.RawRowView(i)...)
		}
	}
	return nil
}

// matrix has the numbers of rows as [n, k]; nil of none.
func (o *outcome) matrix(v []float64) *mat.Dense {
	if v == nil {
		return nil
	}
	return mat.NewDense(len(v)/o.k, o.k, v)
}

// losses returns the loss of each row: 1 for a wrong class and 0 for the right one, or the mean squared error over the
// targets, which are probabilities for a head that classifies.
func (o *outcome) losses(metric fits.Metric) []float64 {
	out := make([]float64, 0, len(o.y)/max(1, o.k))
	for at := 0; at < len(o.y); at += o.k {
		y, s, loss := o.y[at:at+o.k], o.scores[at:at+o.k], 0.
		switch {
		case metric != fits.ErrorRate:
			for j, v := range y {
				if o.classifies {
					v = (v + 1) / 2
				}
				loss += (v - s[j]) * (v - s[j]) / float64(o.k)
			}
		case o.k == 1 && (s[0] >= 0) != (y[0] > 0), o.k > 1 && y[max(given.ArgMax(s), 0)] <= 0:
			loss = 1
		}
		out = append(out, loss)
	}
	return out
}

// deal divides the rows 0..n-1 into parts that end at given places, the last at n, of an order in which they are
// shuffled by the seed. Every stretch of the order has the classes in proportion if y are classes. The rows of one
// group follow one another and are in one part; without groups each row is by itself.
func deal(n int, y *mat.Dense, groups []int, seed uint64, ends []int) [][]int {
	classes := y != nil && given.AreClasses(y)
	type unit struct {
		rows  []int
		class int
		place float64 // among the units of its class
	}
	var units []*unit
	byGroup, members := map[int]*unit{}, map[int]int{}
	for _, row := range data.Shuffle(n, seed) {
		if groups != nil {
			if u := byGroup[groups[row]]; u != nil {
				u.rows = append(u.rows, row)
				continue
			}
		}
		u := &unit{rows: []int{row}}
		if classes {
			u.class = given.ArgMax(y.RawRowView(row))
			if y.RawMatrix().Cols == 1 {
				u.class = int(y.At(row, 0))
			}
		}
		u.place = float64(members[u.class]) + .5
		members[u.class]++
		if units = append(units, u); groups != nil {
			byGroup[groups[row]] = u
		}
	}
	if classes {
		slices.SortStableFunc(units, func(a, b *unit) int {
			return cmp.Compare(a.place/float64(members[a.class]), b.place/float64(members[b.class]))
		})
	}
	parts, at, p := make([][]int, len(ends)), 0, 0
	for _, u := range units {
		for at >= ends[p] {
			p++
		}
		parts[p] = append(parts[p], u.rows...)
		at += len(u.rows)
	}
	return parts
}

// enough is the number of held-out rows for which one division of the rows is enough.
const enough = 1000

// divisions are the ends of the parts of n rows that trials hold out one after the other, and then n. Each part is a
// fraction of the rows. There are as many as it takes to hold out some 1000 rows, and at most 1/fraction or most.
func divisions(n int, fraction float64, most int) (ends []int) {
	times := max(1, min(most, int(1/fraction), int(math.Ceil(enough/(fraction*float64(n))))))
	for i := range times {
		ends = append(ends, min(n, int(math.Round(float64(i+1)*fraction*float64(n)))))
	}
	return append(ends, n)
}

// trials hold out a fraction of the rows for who, which errors name: of rows in memory as trialsOf, and of a stream once.
func (p *prepared) trials(who string, fraction float64, seed uint64) (all []*trial, err error) {
	if rows, memory := p.rows.(data.Pairs); memory {
		return trialsOf(who, rows, p.recipe.Groups, fraction, seed)
	}
	return []*trial{trialOf(p.rows, nil, 0, data.Held(fraction, seed, who))}, nil
}

// trialsOf hold out a fraction of rows in memory, several times if they are few.
func trialsOf(who string, rows data.Pairs, groups []int, fraction float64, seed uint64) (all []*trial, err error) {
	n := rows.X.Shape()[0]
	parts := deal(n, rows.Y, groups, seed, divisions(n, fraction, n))
	for i, held := range parts[:len(parts)-1] {
		if len(held) == 0 || len(held) == n {
			return nil, fmt.Errorf("train: %s: HeldOut = %v of %d rows leaves none to learn from or none to score: %w",
				who, fraction, n, domain.ErrParam)
		}
		all = append(all, trialOf(rows, parts, i, nil))
	}
	return all, nil
}

// trialOf holds out part i of rows in memory, or of a stream the rows that held says.
func trialOf(rows data.Examples, parts [][]int, i int, held func(file, row int) bool) *trial {
	if p, memory := rows.(data.Pairs); memory {
		return newTrial(p.Take(cv.Others(parts, i)), p.Take(parts[i]))
	}
	return newTrial(data.Part(rows, func(file, row int) bool { return !held(file, row) }), data.Part(rows, held))
}
