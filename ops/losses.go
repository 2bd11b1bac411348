package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Softmax is exp(x_j) / Σ_k exp(x_k) for each row of scores x [n, k]. It subtracts the largest score of a row first, so
// that nothing overflows; sums are in float64. A row with a NaN or +∞, or with -∞ alone, becomes NaN. Attr.Domain is
// not used; the dst of Into may be x. Log-probabilities are those of CrossEntropy, which are exact where a probability
// underflows to 0.
//
// Backward, from the output z alone: dx_j = z_j (g_j - Σ_k g_k z_k). Errors while building: shapes.
func Softmax(a Attr) Op { return Op{decl: &softmax, attr: a} }

var softmax = decl{kind: "Softmax", sig: parse("nk->nk"), names: []string{"x"}, in: []Inputs{X}, unchecked: true,
	forward: kernel{softmaxForward[float32], softmaxForward[float64]}, reads: []int{theOutput},
	backward: kernel{softmaxBackward[float32], softmaxBackward[float64]}}

func softmaxForward[T domain.Float](c *call) error {
	dst, x, k := result[T](c), cells[T](c, 0), c.at('k')
	for ; len(x) > 0; x, dst = x[k:], dst[k:] {
		_, sum := simd.ShiftedExp(dst[:k], x[:k])
		for j, e := range dst[:k] {
			dst[j] = T(float64(e) / sum)
		}
	}
	return nil
}

func softmaxBackward[T domain.Float](c *call) error {
	dx, z, g, k := gradientFor[T](c, 0), outputOf[T](c), gradientOf[T](c), c.at('k')
	for ; len(z) > 0; dx, z, g = dx[k:], z[k:], g[k:] {
		sum := 0.0
		for j, v := range z[:k] {
			sum += float64(g[j]) * float64(v)
		}
		for j, v := range z[:k] {
			dx[j] = T(float64(v) * (float64(g[j]) - sum))
		}
	}
	return nil
}

// CrossEntropy is -Σ_j t_j ln Softmax(x)_j of x and t, for each row of the scores x and the targets t, both [n, k]. The
// result is [n].
//
// Backward: dx_j = g (Softmax(x)_j Σ_k t_k - t_j), dt_j = -g ln Softmax(x)_j. Attr.Domain is not used. Errors while
// building: shapes.
func CrossEntropy(a Attr) Op { return Op{decl: &crossEntropy, attr: a} }

var crossEntropy = decl{kind: "CrossEntropy", sig: parse("nk,nk->n"), names: []string{"x", "the targets"},
	in: []Inputs{X, T}, unchecked: true, forward: kernel{entropyForward[float32], entropyForward[float64]},
	reads: []int{0, 1}, backward: kernel{entropyBackward[float32], entropyBackward[float64]}}

func entropyForward[T domain.Float](c *call) error {
	losses, k := result[T](c), c.at('k')
	e := make([]T, k)
	for i := range losses {
		x, t, loss := cells[T](c, 0)[i*k:][:k], cells[T](c, 1)[i*k:][:k], 0.0
		top, sum := simd.ShiftedExp(e, x)
		ln := math.Log(sum)
		for j, v := range x {
			loss -= float64(t[j]) * (float64(v) - top - ln)
		}
		losses[i] = T(loss)
	}
	return nil
}

func entropyBackward[T domain.Float](c *call) error {
	allX, allT, k := gradientFor[T](c, 0), gradientFor[T](c, 1), c.at('k')
	scores, targets, e := cells[T](c, 0), cells[T](c, 1), make([]T, k)
	for i, g := range gradientOf[T](c) {
		g, x, t, mass := float64(g), scores[i*k:][:k], targets[i*k:][:k], 0.0
		top, sum := simd.ShiftedExp(e, x)
		for _, v := range t {
			mass += float64(v)
		}
		if mass /= sum; allX != nil {
			dx := allX[i*k:][:len(e)]
			for j, v := range e {
				dx[j] = T(g * (float64(v)*mass - float64(t[j])))
			}
		}
		if allT != nil {
			dt, ln := allT[i*k:][:len(x)], math.Log(sum)
			for j, v := range x {
				dt[j] = T(-g * (float64(v) - top - ln))
			}
		}
	}
	return nil
}

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
