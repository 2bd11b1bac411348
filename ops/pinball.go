package ops

import "fmt"

// Pinball is the quantile loss of each residual r of x [n, k], a prediction less its target: (1-q)·r for r > 0 and -q·r
// else. The prediction with the least mean is the quantile q of the targets, 0 < q < 1; two of them bound an interval.
// Koenker and Bassett (1978), Regression quantiles.
//
// Backward: dx = (1-q)·g for r > 0, -q·g for r < 0, and 0 for r = 0. Attr.Domain is not used. Errors while building:
// shapes, q.
func Pinball(q float64, a Attr) Op {
	o := Op{decl: &pinball, attr: a, params: q}
	if !(q > 0 && q < 1) {
		o.err = fmt.Errorf("%s: quantile %v, want a number between 0 and 1: %w", o.who(), q, ErrParam)
	}
	return o
}

var pinball = pointwise("Pinball", func(q, r float64) float64 { return r * pinballSlope(q, r) }, 0, pinballSlope)

func pinballSlope(q, r float64) float64 {
	switch {
	case r > 0:
		return 1 - q
	case r < 0:
		return -q
	}
	return 0
}
