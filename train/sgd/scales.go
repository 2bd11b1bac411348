package sgd

import (
	"context"
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

// enter makes the fit one to targets in their unit, unless they are of classes or the head is not ours, and takes the
// head there. A head that is untouched starts with the mean targets as its intercept.
func (f *fitter) enter(targets *given.Spread) error {
	d, k := f.head.Dims(), f.head.Features()
	mean, w := make([]float64, k), make([]float64, d*k)
	for j := range mean {
		mean[j] = targets.Mean(j)
	}
	fresh := untouched(f.head)
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
	scale, b := f.unit.Largest(), make([]float64, k)
	if isHuber {
		least, most := 1e-290, 1e150
		if huber.Dtype() == tensor.Float32 {
			least, most = 1e-30, 1e30
		}
		if f.delta = huber.Delta(); !(f.delta/scale >= least) {
			return fmt.Errorf("train: Fit: the δ of the head is %v and targets vary by about %v, which a fit in %v cannot "+
				"hold together; raise δ, or scale the targets: %w", f.delta, scale, huber.Dtype(), domain.ErrDomain)
		}
		f.setDelta(min(f.delta/scale, most))
		f.gain = 1 / min(f.delta/scale, 1)
	}
	if !fresh { // its intercept stays where it is
		w, f.unit.Centre = f.weights()
		for i := range w {
			w[i] /= scale
		}
	}
	return f.head.SetWeights(w, b)
}

// leave takes the head back to the unit of the targets as they were given.
func (f *fitter) leave() error {
	if f.unit == nil {
		return nil
	}
	if f.delta > 0 {
		f.setDelta(f.delta)
	}
	w, b := f.weights()
	if err := f.unit.Weights("Fit", w, b); err != nil {
		return err
	}
	return f.unit.SetWeights("Fit", f.head, w, b)
}

// show calls do while the head is as it will be after the fit.
func (f *fitter) show(do func()) error {
	if f.unit == nil {
		do()
		return nil
	}
	kept := make([]*tensor.Dense, 0, 3)
	for _, p := range f.head.Params() {
		kept = append(kept, p.Value.Clone().(*tensor.Dense))
	}
	if err := f.leave(); err != nil {
		return err
	}
	do()
	for i, p := range f.head.Params() {
		if err := tensor.Copy(p.Value, kept[i]); err != nil {
			return err
		}
	}
	return nil
}

// weights are a copy of A and b.
func (f *fitter) weights() (w, b []float64) {
	for _, p := range f.head.Params() {
		switch p.Name {
		case "W":
			w = slices.Clone(ops.Float64s(p.Value))
		case "b":
			b = slices.Clone(ops.Float64s(p.Value))
		}
	}
	return w, b
}

func (f *fitter) setDelta(v float64) {
	for _, p := range f.head.Params() {
		if p.Name == "delta" {
			given.SetCell(p.Value, 0, v)
		}
	}
}

// outOfUnit takes the losses and scores of an epoch out of the unit of the targets.
func (f *fitter) outOfUnit(e *fits.Epoch) {
	s := f.unit.Largest()
	e.Loss, e.HeldLoss = e.Loss*s*s, e.HeldLoss*s*s
	e.Score, e.HeldScore = e.Score*s, e.HeldScore*s
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
		if err == nil && targets.Empty() {
			err = fmt.Errorf("train: Fit: there are no rows to fit; add some: %w", domain.ErrShape)
		}
		if err == nil {
			err = f.enter(targets)
		}
		if err == nil && f.unit != nil && f.HeldOut > 0 {
			_, err = given.Square("Fit", f.unit.Largest())
		}
		if err != nil {
			return err
		}
		f.src.inUnit(f.unit)
		deviation := make([]float64, f.head.Features())
		for j := range deviation {
			if deviation[j] = targets.Deviation(j) / f.unit.Largest(); !(deviation[j] > 0 && deviation[j] <= math.MaxFloat64) {
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
		f.solvers[0].scales = append(f.solvers[0].scales, sizes)
	}
	for range f.head.Params() {
		f.solvers[1].scales = append(f.solvers[1].scales, scales)
	}
	return nil
}

// untouched says whether all parameters of a head that are learned are 0.
func untouched(head layers.Head) bool {
	for _, p := range head.Params() {
		if !p.Tuned {
			continue
		}
		for i := range p.Value.Shape().TotalSize() {
			if given.Cell(p.Value, i) != 0 {
				return false
			}
		}
	}
	return true
}
