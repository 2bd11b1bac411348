package sgd

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// start measures the units of the learning rates, so that the units of x and of the targets do not change a fit. A step
// of Adam has the size of its rate. The rate is therefore relative to the layers.Param.Scales of the tuned parameters
// of the map, and for a head that does not classify to the standard deviation of its targets. A step of plain descent
// is a gradient, in the unit of the loss over the unit of the parameter, so the rate of the map is relative to the
// square of the scales over the variance of the targets.
func (f *fitter) start() error {
	scales, variance := []float64{1}, 1.
	if !f.classes {
		targets, err := f.spread()
		if err != nil {
			return err
		}
		deviation := make([]float64, f.head.Features())
		f.classes = len(deviation) > 1 && targets.Classes()
		if err := f.enter(targets); err != nil {
			return err
		}
		for j := range deviation {
			deviation[j] = targets.Deviation(j) / f.unit.Largest()
			if !(deviation[j] > 0 && deviation[j] <= math.MaxFloat64) {
				deviation[j] = 1
			}
		}
		if f.Solver == Adam {
			scales = deviation
		}
		variance = floats.Dot(deviation, deviation) / float64(len(deviation))
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
		f.solvers[0].add(p, sizes)
	}
	for _, p := range f.head.Params() {
		if p.Tuned {
			f.solvers[1].add(p, scales)
		}
	}
	return nil
}

// enter makes the fit one to targets in their unit, unless they are of classes or the head is not ours, and takes the
// head there. A head whose tuned parameters are all 0 starts with the mean targets as its intercept.
func (f *fitter) enter(targets *given.Spread) error {
	k := f.head.Features()
	mean, w := make([]float64, k), make([]float64, f.head.Dims()*k)
	for j := range mean {
		mean[j] = targets.Mean(j)
	}
	fresh := !slices.ContainsFunc(f.head.Params(), func(p layers.Param) bool {
		return p.Tuned && slices.ContainsFunc(ops.Float64s(p.Value), func(v float64) bool { return v != 0 })
	})
	huber, isHuber := f.head.(*layers.HuberHead)
	if _, ours := f.head.(*layers.LinearHead); f.classes || !ours && !isHuber {
		if fresh {
			return f.head.SetWeights(w, mean)
		}
		return nil
	}
	var err error
	if f.unit, err = targets.Unit("Fit", true); err != nil {
		return err
	}
	scale := f.unit.Largest()
	if isHuber {
		least, most := 1e-290, 1e150
		if huber.Dtype() == tensor.Float32 {
			least, most = 1e-30, 1e30
		}
		f.delta = [2]float64{huber.Delta(), min(huber.Delta()/scale, most)}
		if !(huber.Delta()/scale >= least) {
			return fmt.Errorf("train: Fit: the δ of the head is %v and targets vary by about %v, which a fit in %v "+
				"cannot hold together; raise δ, or scale the targets: %w", f.delta[0], scale, huber.Dtype(), domain.ErrDomain)
		}
		f.setDelta(f.delta[1])
		f.gain = 1 / min(f.delta[1], 1)
	}
	if !fresh { // its intercept stays where it is
		w, f.unit.Centre = slices.Clone(f.ofHead("W")), slices.Clone(f.ofHead("b"))
		floats.Scale(1/scale, w)
	}
	if f.HeldOut > 0 {
		if _, err := given.Square("Fit", scale); err != nil {
			return err
		}
	}
	return f.head.SetWeights(w, make([]float64, k))
}

// leave takes the head back to the unit of the targets as they were given.
func (f *fitter) leave() error {
	if f.unit == nil {
		return nil
	}
	f.setDelta(f.delta[0])
	w, b := slices.Clone(f.ofHead("W")), slices.Clone(f.ofHead("b"))
	if err := f.unit.Weights("Fit", w, b); err != nil {
		return err
	}
	return f.unit.SetWeights("Fit", f.head, w, b)
}

// show calls Progress while the head is as it will be after the fit.
func (f *fitter) show(e fits.Epoch) error {
	if f.Progress == nil {
		return nil
	}
	kept := snapshot(f.m, f.head)
	if err := f.leave(); err != nil {
		return err
	}
	f.Progress(e)
	f.setDelta(f.delta[1])
	return restore(f.m, f.head, kept)
}

// ofHead are the numbers of a parameter of the head.
func (f *fitter) ofHead(name string) []float64 {
	for _, p := range f.head.Params() {
		if p.Name == name {
			return ops.Float64s(p.Value)
		}
	}
	return nil
}

// setDelta sets the δ of a HuberHead.
func (f *fitter) setDelta(v float64) {
	for _, p := range f.head.Params() {
		if p.Name == "delta" && v > 0 {
			given.SetCell(p.Value, 0, v)
		}
	}
}
