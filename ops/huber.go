package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// Huber is the Huber loss of each residual r of x [n, k]: r²/2 for |r| <= δ and δ(|r| - δ/2) beyond, δ > 0. Huber
// (1964).
//
// Backward: dx = g·min(max(r, -δ), δ). Attr.Domain is not used. Errors while building: shapes, δ.
func Huber(delta float64, a Attr) Op {
	o := Op{decl: &huber, attr: a, params: delta}
	if !(delta > 0) || math.IsInf(delta, 1) {
		o.err = fmt.Errorf("%s: δ = %v, want a finite number above 0: %w", o.who(), delta, ErrParam)
	}
	return o
}

// HuberLoss is Huber of one residual. It does not check δ.
func HuberLoss(r, delta float64) float64 {
	q := math.Min(math.Abs(r), delta)
	return q * (math.Abs(r) - q/2)
}

var huber = decl{kind: "Huber", sig: parse("nk->nk"), names: []string{"x"}, in: []Inputs{X}, unchecked: true,
	forward: kernel{huberForward[float32], huberForward[float64]}, reads: []int{0},
	backward: kernel{huberBackward[float32], huberBackward[float64]}}

func huberForward[T domain.Float](c *call) error {
	for i, r := range cells[T](c, 0) {
		result[T](c)[i] = T(HuberLoss(float64(r), c.params.(float64)))
	}
	return nil
}

func huberBackward[T domain.Float](c *call) error {
	dx, g, delta := gradientFor[T](c, 0), gradientOf[T](c), paramsOf[float64](c)
	for i, r := range cells[T](c, 0) {
		dx[i] = T(float64(g[i]) * math.Min(math.Max(float64(r), -delta), delta))
	}
	return nil
}
