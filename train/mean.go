package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// share is a map and its head with a weight in a mean, for the columns that begin at from.
type share struct {
	m      layers.Layer
	head   layers.Head
	from   int
	weight float64
}

// meanOf returns maps of some of these columns side by side, with their spec, and the head whose scores are the weighted
// sum of the scores of all. The probabilities of classes are in proportion to the weighted geometric means of the
// probabilities.
func meanOf(columns int, all []share) (s layers.Spec, m layers.Layer, head layers.Head, err error) {
	parts, first := make([]layers.Part, len(all)), all[0].head
	var w []float64
	b := make([]float64, first.Features())
	for i, s := range all {
		parts[i] = layers.Part{Layer: s.m, From: s.from, To: s.from + s.m.Dims(), Weight: 1}
		weights, intercept := headOf(s.head)
		weights.Scale(s.weight, weights)
		w = append(w, weights.RawMatrix().Data...)
		floats.AddScaled(b, s.weight, intercept)
	}
	if m, err = layers.NewConcat(columns, parts); err != nil {
		return s, nil, nil, err
	}
	head, err = layers.NewHead(first.Kind(), m.Features(), len(b), layers.WithDtype(m.Dtype()), layers.WithName("head"))
	if err == nil {
		err = head.SetWeights(w, b)
	}
	if err == nil {
		s, err = layers.SpecOf(m)
	}
	s.Features = m.Features()
	return s, m, head, err
}

// members is the number of fits whose mean a model is: several where mini-batches that choose a decay tune a map that the
// recipe leaves open, and more of few rows, which take little time and err more by chance. There is one of rows too large
// for fits side by side, for which several would take several times as long.
func (p *prepared) members(b sgd.MiniBatch) int {
	const few, two, four = 10_000, 2, 4
	head := b.HeadKind()
	switch {
	case !p.open || b.MapDecays == nil || p.model.Spec.Tune != layers.All.String() || head != "linear" && head != "softmax" ||
		p.x.Shape().TotalSize() > manyCells:
		return 1
	case p.n > few:
		return two
	}
	return four
}

// again is start n of those that differ by their random numbers alone.
func (p *prepared) again(s start, n int) (start, error) {
	spec := p.model.Spec
	if s.spec.Map != "" {
		spec = s.spec
	}
	s.spec, s.twin = renumbered(spec, spec.Seed, n), true
	s.spec.Name = fmt.Sprintf("%s%d", spec.Name, n+1)
	if s.scaled == nil {
		return s, nil
	}
	drawn := s.spec
	drawn.Tune = policyOf(s.each)
	m, err := drawn.Fit(p.x)
	if err != nil {
		return s, err
	}
	values, learned := map[string]*tensor.Dense{}, s.each.Params()
	for i, p := range m.Params() {
		if values[p.Name] = p.Value; p.Tuned {
			values[p.Name] = learned[i].Value
		}
	}
	s.scaled = m
	return s, m.SetParams(values)
}

// fitFrom fits a trial from each of some starts, and returns these with what the fits have chosen. The models of several
// stand side by side, with the means of their scores. Twins come last, and do as the first ones have chosen, in turn. What
// diverges beside the first one is left out.
func (p *prepared) fitFrom(ctx context.Context, t *trial, starts []start, b sgd.MiniBatch) ([]start, error) {
	starts = slices.Clone(starts)
	trials, errs := []*trial{t}, make([]error, len(starts))
	for range starts[1:] {
		trials = append(trials, newTrial(t.rows, nil))
	}
	leaders := slices.IndexFunc(starts, func(s start) bool { return s.twin && s.course == nil })
	if leaders < 0 {
		leaders = len(starts)
	}
	options := func(i int) sgd.MiniBatch {
		own := b
		if i > 0 {
			own.Seed, own.ScoreRows, own.Progress, own.Chosen = own.Seed+seedsApart*uint64(i), -1, nil, nil
			if own.Checkpoints.Path != "" {
				own.Checkpoints.Path += fmt.Sprintf(".%d", i+1)
			}
		}
		return own
	}
	fit := func(i int, b sgd.MiniBatch) error {
		f, err := starts[i].begin(ctx, p, trials[i], b)
		if err == nil && i == 0 {
			err = p.fit(ctx, t, f)
		} else if err == nil {
			err = trials[i].fit(ctx, f, p.outputs)
		}
		if err == nil && starts[i].course == nil {
			starts[i].course = trials[i].report.Epochs
		}
		return err
	}
	chosen := make([]chan sgd.FitOptions, leaders)
	for i := range chosen {
		chosen[i] = make(chan sgd.FitOptions, len(starts))
	}
	given.OnWorkers(workers(p.x.Shape().TotalSize()), len(starts), func(i int) {
		own, of := options(i), chosen[i%leaders]
		if i < leaders {
			defer close(of)
			asked := own.Chosen
			own.Chosen = func(o sgd.FitOptions) {
				for len(of) < cap(of) { // for those that follow
					of <- o
				}
				if asked != nil {
					asked(o)
				}
			}
		} else {
			o, begun := <-of
			if !begun {
				return
			}
			own.MapDecay, own.MapDecays, own.Directions, own.Epochs = o.MapDecay, nil, o.Directions, o.Epochs
		}
		errs[i] = fit(i, own)
	})
	if errs[0] != nil {
		return nil, errs[0]
	}
	var kept []start
	var parts []share
	for i, one := range trials {
		lead := i % leaders
		if errs[lead] != nil {
			errs[i] = errs[lead]
		} else if c := starts[lead].course; i >= leaders && (errs[i] != nil || starts[i].course.MapDecay != c.MapDecay) {
			starts[i].course = c // the first choice has failed
			errs[i] = fit(i, options(i))
		}
		switch {
		case errs[i] == nil:
			kept, parts = append(kept, starts[i]), append(parts, share{one.m, one.head, 0, 1})
			t.found = cmp.Or(t.found, one.found)
		case !errors.Is(errs[i], given.ErrDiverged):
			return nil, errs[i]
		}
	}
	if len(parts) == 1 {
		return kept, nil
	}
	for i := range parts {
		parts[i].weight = 1 / float64(len(parts))
	}
	var err error
	t.spec, t.m, t.head, err = meanOf(t.m.Dims(), parts)
	return kept, err
}
