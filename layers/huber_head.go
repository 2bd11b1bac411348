package layers

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// HuberHead is zA + b, the head of regression with outliers. Input [n, d]; output [n, k]. Its loss is Huber's, summed
// over the k outputs and averaged over rows: r²/2 for a residual |r| <= δ, and δ(|r| - δ/2) beyond, where the gradient
// is at most δ. A and b start at 0. Huber (1964).
type HuberHead struct{ *affine }

var _ Head = (*HuberHead)(nil)

// WithDelta sets the δ of a HuberHead, in the unit of the targets. The default is 1. With 1.345 standard deviations of
// the residuals the head keeps 95 % of the efficiency of least squares if the residuals are Gaussian.
func WithDelta(delta float64) Option {
	return option("WithDelta", func(o *options) { o.delta = delta })
}

// NewHuberHead makes a head of k outputs on d features. Errors: d or k < 1, a δ that is not finite and above 0
// (ErrParam); an element type other than float32 and float64 (ErrDtype).
func NewHuberHead(d, k int, opts ...Option) (*HuberHead, error) {
	a, err := newAffine("HuberHead", "huber", d, k, opts, "WithDelta")
	if err != nil {
		return nil, err
	}
	o := apply(opts)
	if !(o.delta > 0) || math.IsInf(o.delta, 1) {
		return nil, fmt.Errorf("%s: δ = %v, want a finite number above 0: %w", a.who(), o.delta, ErrParam)
	}
	a.params = append(a.params, Param{"delta", newTensor(a.dt, []float64{o.delta}, 1), false})
	return &HuberHead{a}, nil
}

// Delta returns δ.
func (l *HuberHead) Delta() float64 { return ops.Float64s(l.param("delta"))[0] }

// Kind is "huber".
func (l *HuberHead) Kind() string { return "huber" }

// Classifies is false.
func (l *HuberHead) Classifies() bool { return false }

// Logits writes zA + b to dst, as Transform does.
func (l *HuberHead) Logits(dst *tensor.Dense, z ops.Matrix) (*tensor.Dense, error) {
	return l.scores(dst, z)
}

// RowLoss returns the sum of Huber's losses of the residuals. It panics unless both slices have Features numbers.
func (l *HuberHead) RowLoss(logits, targets []float64) float64 {
	l.checkRow(logits, targets)
	sum, delta := 0., l.Delta()
	for j, t := range targets {
		sum += ops.HuberLoss(logits[j]-t, delta)
	}
	return sum
}

// Loss adds the mean over rows of the sum of Huber's losses of the residuals.
func (l *HuberHead) Loss(z, targets *G.Node) (*G.Node, error) {
	each, err := l.losses(z, targets)
	if err != nil {
		return nil, err
	}
	return rowMean(each)
}

// WeightedLoss adds the sum of Huber's losses times weights [n, Features], divided by the n rows.
func (l *HuberHead) WeightedLoss(z, targets, weights *G.Node) (*G.Node, error) {
	each, err := l.losses(z, targets)
	if err != nil {
		return nil, err
	}
	if each, err = l.weighted(each, weights); err != nil {
		return nil, err
	}
	return rowMean(each)
}

// losses adds the loss of each output of each row.
func (l *HuberHead) losses(z, targets *G.Node) (*G.Node, error) {
	r, err := l.residuals(z, targets)
	if err != nil {
		return nil, err
	}
	return ops.Huber(l.Delta(), l.attr()).Node(r)
}
