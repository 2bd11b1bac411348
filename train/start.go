package train

import (
	"cmp"
	"context"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
	"gorgonia.org/tensor"
)

// startScaled returns a map that has a scale for each column, learned by the marginal likelihood on at most 256 features,
// if a short fit that starts with it has less loss on n held-out rows, by a share 1/√n, than one that starts with the map
// as drawn or with Directions; otherwise nil. It is for dense rows in memory, at least 100 of at most 512 columns, as
// Directions are.
func (p *prepared) startScaled(ctx context.Context, t *trial, b sgd.MiniBatch) (layers.Layer, error) {
	const leastRows, columns = 100, 512
	rows, memory := t.rows.(data.Pairs)
	if !memory {
		return nil, nil
	}
	x, dense := rows.X.(*tensor.Dense)
	if !dense || x.Shape()[0] < leastRows || x.Shape()[1] > columns {
		return nil, nil
	}
	if n := x.Shape()[0]; n > shortRows {
		rows = given.Pick(rows, data.Shuffle(n, b.Seed)[:shortRows])
	}
	b = shortFit(b)
	b.HeldOut, b.Patience, b.ScoreRows, b.Checkpoints, b.Progress = .2, b.Epochs, -1, sgd.Checkpoints{}, nil
	learned, held := data.Split(rows.X.Shape()[0], b.HeldOut, b.Seed) // as the fits divide them
	part := newTrial(given.Pick(rows, learned), nil)
	c := &tuning{Tuner: Tuner{Evidence: evidence.Options{MaxEvaluations: evaluations, Seed: b.Seed}}, p: p, twin: twin / 2,
		scaled: map[layers.Policy]stretched{}}
	drawn, err := p.draw(b)
	if err == nil {
		part.m, err = p.draw(b)
	}
	if err == nil {
		err = c.goOn(ctx, part)
	}
	if err != nil { // the map has no scales, or the rows say nothing of them
		return nil, given.Stopped(ctx)
	}
	loss := func(m layers.Layer) (float64, error) {
		head, err := headFor(b, m, p.outputs)
		if err != nil {
			return 0, err
		}
		c, err := sgd.Fit(ctx, m, head, rows, b.FitOptions)
		if err != nil {
			return math.Inf(1), given.Stopped(ctx)
		}
		return c.Epochs[len(c.Epochs)-1].HeldLoss, nil
	}
	from, err := p.draw(b)
	if err == nil {
		err = layers.Continue(from, part.m)
	}
	if err != nil {
		return nil, err
	}
	least, err := loss(drawn)
	b.Directions = false
	if with, failed := loss(part.m); err != nil || failed != nil || !(with < least*(1-1/math.Sqrt(float64(len(held))))) {
		return nil, cmp.Or(err, failed)
	}
	t.found = part.found
	return from, nil
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
