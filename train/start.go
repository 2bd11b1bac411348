package train

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
	"gorgonia.org/tensor"
)

// startScaled lets the map of a trial start with a scale for each column, learned by the marginal likelihood on at most
// 256 features, if that has less loss by a twentieth on held-out rows, in short fits, than the map as drawn or with
// Directions. It returns the map that has learned the scales, or nil if the trial keeps its map. It is for dense rows in
// memory, at least 100 of at most 512 columns, as Directions are.
func (p *prepared) startScaled(ctx context.Context, t *trial, b sgd.MiniBatch) (layers.Layer, error) {
	const leastRows, columns, share = 100, 512, .95
	rows, memory := t.rows.(data.Pairs)
	if !memory {
		return nil, nil
	}
	x, dense := rows.X.(*tensor.Dense)
	if !dense || x.Shape()[0] < leastRows || x.Shape()[1] > columns {
		return nil, nil
	}
	c := &tuning{Tuner: Tuner{Evidence: evidence.Options{MaxEvaluations: evaluations, Seed: b.Seed}}, p: p, twin: twin / 2,
		scaled: map[layers.Policy]stretched{}}
	scaled := newTrial(rows, t.held)
	var err error
	if scaled.m, err = p.draw(b); err == nil {
		err = c.goOn(ctx, scaled)
	}
	if err != nil { // the map has no scales, or the rows say nothing of them
		return nil, given.Stopped(ctx)
	}
	short, part := shortFit(b), rows
	if n := x.Shape()[0]; n > shortRows {
		part = pick(rows, data.Shuffle(n, b.Seed)[:shortRows])
	}
	loss := func(m layers.Layer, directions bool) (float64, error) {
		short.Directions = directions
		head, err := headFor(b, m, p.outputs)
		if err != nil {
			return 0, err
		}
		v, err := sgd.HeldLoss(ctx, m, head, part, short.FitOptions)
		if errors.Is(err, given.ErrDiverged) {
			return math.Inf(1), nil
		}
		return v, err
	}
	drawn, err := loss(t.m, b.Directions)
	if err != nil {
		return nil, err
	}
	switch with, err := loss(scaled.m, false); {
	case err != nil:
		return nil, err
	case !(with < share*drawn):
		return nil, nil
	}
	t.m, t.found = scaled.m, scaled.found
	return scaled.maps[StepEvidence], nil
}

// shortRows is the most rows of the short fits that choose a scaler or a start.
const shortRows = 4000

// shortFit has the options of these fits, a middle one of the decays among them.
func shortFit(b sgd.MiniBatch) sgd.MiniBatch {
	const epochs = 16
	b.Epochs = min(cmp.Or(b.Epochs, epochs), epochs)
	b.MapDecay, b.MapDecays = b.MapDecays[(len(b.MapDecays)-1)/2], nil
	return b
}
