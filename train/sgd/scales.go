package sgd

import (
	"context"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
)

// targetSpread is the weighted mean of each target and the sum of squares about it, by the update of West (1979).
type targetSpread struct {
	mass         float64
	mean, square []float64
}

func newTargetSpread(k int) targetSpread {
	return targetSpread{0, make([]float64, k), make([]float64, k)}
}

func (t *targetSpread) add(weight float64, y func(j int) float64) {
	t.mass += weight
	for j := range t.mean {
		off := y(j) - t.mean[j]
		t.mean[j] += off * weight / t.mass
		t.square[j] += weight * off * (y(j) - t.mean[j])
	}
}

// deviation is the standard deviation of each target, and 1 if that is 0.
func (t *targetSpread) deviation() []float64 {
	out := make([]float64, len(t.square))
	for j, v := range t.square {
		if out[j] = math.Sqrt(v / t.mass); !(out[j] > 0 && out[j] <= math.MaxFloat64) {
			out[j] = 1
		}
	}
	return out
}

// start measures the units of the learning rates, so that the units of x and of the targets do not change a fit. A step
// of Adam has the size of its rate. The rate is therefore relative to the layers.Param.Scales of the tuned parameters
// of the map, and for a head that does not classify to the standard deviation of its targets. A step of plain descent
// is a gradient, in the unit of the loss over the unit of the parameter, so the rate of the map is relative to the
// square of the scales over the variance of the targets. A head that does not classify and is untouched starts with the
// mean targets as its intercept.
func (f *fitter) start(ctx context.Context) error {
	scales, variance := []float64{1}, 1.
	if !f.head.Classifies() {
		targets, err := f.src.spread(ctx)
		if err != nil {
			return err
		}
		deviation := targets.deviation()
		if f.Solver == Adam {
			scales = deviation
		}
		variance = floats.Dot(deviation, deviation) / float64(len(deviation))
		if untouched(f.head) {
			if err := f.head.SetWeights(make([]float64, f.head.Dims()*f.head.Features()), targets.mean); err != nil {
				return err
			}
		}
	}
	for _, p := range f.m.Params() {
		if !p.Tuned {
			continue
		}
		sizes := p.Scales()
		for i, v := range sizes {
			if f.Solver == SGD {
				sizes[i] = v * v / variance
			}
		}
		f.solvers[0].scales = append(f.solvers[0].scales, sizes)
	}
	for range f.head.Params() {
		f.solvers[1].scales = append(f.solvers[1].scales, scales)
	}
	return nil
}

// untouched says whether all parameters of a head are 0.
func untouched(head layers.Head) bool {
	for _, p := range head.Params() {
		for i := range p.Value.Shape().TotalSize() {
			if given.Cell(p.Value, i) != 0 {
				return false
			}
		}
	}
	return true
}
