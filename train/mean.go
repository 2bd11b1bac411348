package train

import (
	"cmp"
	"context"
	"errors"
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

// meanOf returns maps of some of these columns side by side, and the head whose scores are the weighted sum of the scores
// of all. The probabilities of classes are in proportion to the weighted geometric means of the probabilities.
func meanOf(columns int, all []share) (layers.Layer, layers.Head, error) {
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
	m, err := layers.NewConcat(columns, parts)
	if err != nil {
		return nil, nil, err
	}
	head, err := layers.NewHead(first.Kind(), m.Features(), len(b), layers.WithDtype(m.Dtype()), layers.WithName("head"))
	if err != nil {
		return nil, nil, err
	}
	return m, head, head.SetWeights(w, b)
}

// two says whether the model is the mean of two fits: mini-batches that choose a decay tune a map that the recipe leaves
// open.
func (p *prepared) two(b sgd.MiniBatch) bool {
	head := b.HeadKind()
	return p.open && b.MapDecays != nil && p.model.Spec.Tune == layers.All.String() && (head == "linear" || head == "softmax")
}

// again is a start with other random numbers.
func (p *prepared) again(s start) (start, error) {
	spec := p.model.Spec
	if s.spec.Map != "" {
		spec = s.spec
	}
	s.spec, s.twin = renumbered(spec, spec.Seed, 1), true
	s.spec.Name = spec.Name + "2"
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

// fitFrom fits a trial from one start, or from two, and returns them with what their fits have chosen. The two models then
// stand side by side, with the means of their scores. A twin does as the first one has chosen, and a second fit that
// diverges is left out.
func (p *prepared) fitFrom(ctx context.Context, t *trial, starts []start, b sgd.MiniBatch) ([]start, error) {
	starts = slices.Clone(starts)
	chosen, trials, errs := make(chan sgd.FitOptions, 1), []*trial{t}, make([]error, len(starts))
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
	if len(starts) == 1 {
		return starts, fit(0, b)
	}
	second := b
	second.Seed, second.ScoreRows, second.Progress = second.Seed+seedsApart, -1, nil
	if second.Checkpoints.Path != "" {
		second.Checkpoints.Path += ".second"
	}
	trials = append(trials, newTrial(t.rows, nil))
	twin := starts[1].twin && starts[1].course == nil
	given.OnWorkers(workers(p.x.Shape().TotalSize()), len(starts), func(i int) {
		own := b
		if i == 0 {
			defer close(chosen)
			own.Chosen = func(o sgd.FitOptions) {
				select {
				case chosen <- o:
				default: // what was chosen first has failed
				}
			}
		} else if own = second; twin {
			o, begun := <-chosen
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
	first, other := starts[0].course, starts[1].course
	if twin && (errors.Is(errs[1], given.ErrDiverged) || errs[1] == nil && other.MapDecay != first.MapDecay) {
		starts[1].course = nil
		errs[1] = fit(1, settled(second, first))
	}
	switch {
	case errors.Is(errs[1], given.ErrDiverged):
		return starts[:1], nil
	case errs[1] != nil:
		return nil, errs[1]
	}
	both := []share{{t.m, t.head, 0, .5}, {trials[1].m, trials[1].head, 0, .5}}
	var err error
	if t.m, t.head, err = meanOf(t.m.Dims(), both); err != nil {
		return nil, err
	}
	t.found = cmp.Or(t.found, trials[1].found)
	t.spec, err = layers.SpecOf(t.m)
	t.spec.Features = t.m.Features()
	return starts, err
}
