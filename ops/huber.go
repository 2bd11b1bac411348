package ops

import (
	"fmt"
	"math"
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

var huber = pointwise("Huber", func(delta, r float64) float64 { return HuberLoss(r, delta) }, 0,
	func(delta, r float64) float64 { return math.Min(math.Max(r, -delta), delta) })
