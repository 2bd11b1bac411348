package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Huber is the Huber loss of each residual r of x [n, k]: r²/2 for |r| <= δ and δ(|r| - δ/2) beyond, δ > 0. Huber
// (1964).
//
// Backward: dx = g·min(max(r, -δ), δ). Attr.Domain is not used. Errors while building: shapes, δ.
func Huber(x *G.Node, delta float64, a Attr) (*G.Node, error) {
	if !(delta > 0) || math.IsInf(delta, 1) {
		return nil, fmt.Errorf("%s: δ = %v, want a finite number above 0: %w", a.who("Huber"), delta, ErrParam)
	}
	o := &op{kind: "Huber", params: delta, in: []Inputs{X}, ranks: "22", attr: a, shape: likeFirst,
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), huber[float32], huber[float64])(out, in[0], delta)
			return nil
		},
		backward: func(t *tracer) { t.gradient(X, huberGrad(delta), t.in[0], t.grad) }}
	return apply(o, x)
}

// HuberLoss is Huber of one residual. It does not check δ.
func HuberLoss(r, delta float64) float64 {
	q := math.Min(math.Abs(r), delta)
	return q * (math.Abs(r) - q/2)
}

func huber[T domain.Float](out, in *tensor.Dense, delta float64) {
	dst := data[T](out)
	for i, r := range data[T](in) {
		dst[i] = T(HuberLoss(float64(r), delta))
	}
}

func huberGrad(delta float64) *op {
	const kind = "gradient of Huber"
	return &op{kind: kind, params: delta, ranks: "222", shape: likeAll(kind),
		fill: func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(dx.Dtype(), huberBackward[float32], huberBackward[float64])(dx, in[0], in[1], delta)
			return nil
		}}
}

func huberBackward[T domain.Float](out, residuals, grad *tensor.Dense, delta float64) {
	dx, g := data[T](out), data[T](grad)
	for i, r := range data[T](residuals) {
		dx[i] = T(float64(g[i]) * math.Min(math.Max(float64(r), -delta), delta))
	}
}
