package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Softmax is exp(x_j) / Σ_k exp(x_k) for each row of scores x [n, k]. It subtracts the largest score of a row first, so
// that nothing overflows; sums are in float64. A row with a NaN or +∞, or with -∞ alone, becomes NaN. Attr.Domain is
// not used. Gorgonia v0.9.18 merges its own SoftMax and LogSoftMax of the same node; these two are distinct ops.
//
// Backward, from the output z alone: dx_j = z_j (g_j - Σ_k g_k z_k). Errors while building: shapes.
func Softmax(x *G.Node, a Attr) (*G.Node, error) {
	return apply(softmaxOp("Softmax", false, a), x)
}

// LogSoftmax is ln Softmax(x), that is, x_j - ln Σ_k exp(x_k). It is exact where the probability underflows to 0.
// Attr.Domain is not used.
//
// Backward, from the output z alone: dx_j = g_j - exp(z_j) Σ_k g_k. Errors while building: shapes.
func LogSoftmax(x *G.Node, a Attr) (*G.Node, error) {
	return apply(softmaxOp("LogSoftmax", true, a), x)
}

// SoftmaxInto writes Softmax(x) to dst [n, k], allocated if nil, without a graph. dst may be x.
func SoftmaxInto(dst, x *tensor.Dense, a Attr) (*tensor.Dense, error) {
	return softmaxInto(dst, x, a.who("Softmax"), false)
}

// LogSoftmaxInto writes LogSoftmax(x) to dst [n, k], allocated if nil, without a graph. dst may be x.
func LogSoftmaxInto(dst, x *tensor.Dense, a Attr) (*tensor.Dense, error) {
	return softmaxInto(dst, x, a.who("LogSoftmax"), true)
}

func softmaxInto(dst, x *tensor.Dense, who string, log bool) (*tensor.Dense, error) {
	x, err := matrixOf(who, "x", "[n, k]", x)
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()...); err != nil {
		return nil, err
	}
	typed(x.Dtype(), softmax[float32], softmax[float64])(dst, x, log)
	return dst, nil
}

func softmax[T domain.Float](out, in *tensor.Dense, log bool) {
	dst, x, k := data[T](out), data[T](in), in.Shape()[1]
	e := dst // the exponentials, where they may lie; a logarithm wants its x
	if log {
		e = make([]T, k)
	}
	for ; len(x) > 0; x, dst = x[k:], dst[k:] {
		if !log {
			e = dst
		}
		top, sum := simd.ShiftedExp(e[:k], x[:k])
		ln := math.Log(sum)
		for j := range dst[:k] {
			if log {
				dst[j] = T(float64(x[j]) - top - ln)
			} else {
				dst[j] = T(float64(e[j]) / sum)
			}
		}
	}
}

// softmaxOp is Softmax or LogSoftmax. The kinds differ, and so do the hashes.
func softmaxOp(kind string, log bool, a Attr) *op {
	return &op{kind: kind, in: []Inputs{X}, ranks: "22", attr: a, shape: likeFirst,
		forward: func(_ Matrix, in []*tensor.Dense) (Matrix, error) {
			return softmaxInto(nil, in[0], a.who(kind), log)
		},
		backward: func(t *tracer) { t.gradient(X, softmaxGrad("gradient of "+kind, log), t.out, t.grad) }}
}

// softmaxGrad is dx from the output z and its gradient g.
func softmaxGrad(kind string, log bool) *op {
	return &op{kind: kind, ranks: "222", shape: likeAll(kind),
		fill: func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(dx.Dtype(), softmaxBackward[float32], softmaxBackward[float64])(dx, in[0], in[1], log)
			return nil
		}}
}

func softmaxBackward[T domain.Float](out, features, grad *tensor.Dense, log bool) {
	dx, z, g, k := data[T](out), data[T](features), data[T](grad), out.Shape()[1]
	for ; len(z) > 0; dx, z, g = dx[k:], z[k:], g[k:] {
		sum := 0.0
		if log {
			for _, v := range g[:k] {
				sum += float64(v)
			}
			for j, v := range z[:k] {
				dx[j] = T(float64(g[j]) - math.Exp(float64(v))*sum)
			}
			continue
		}
		for j, v := range z[:k] {
			sum += float64(g[j]) * float64(v)
		}
		for j, v := range z[:k] {
			dx[j] = T(float64(v) * (float64(g[j]) - sum))
		}
	}
}

// CrossEntropy is -Σ_j t_j ln Softmax(x)_j for each row of the scores x and the targets t, both [n, k]. The result is
// [n].
//
// Backward: dx_j = g (Softmax(x)_j Σ_k t_k - t_j), dt_j = -g ln Softmax(x)_j. Attr.Domain is not used. Errors while
// building: shapes.
func CrossEntropy(x, t *G.Node, a Attr) (*G.Node, error) {
	const kind = "CrossEntropy"
	return apply(&op{kind: kind, in: []Inputs{X, T}, ranks: "221", attr: a,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if !in[0].Eq(in[1]) {
				return nil, misfit(kind, in)
			}
			return tensor.Shape{in[0][0]}, nil
		},
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), crossEntropy[float32], crossEntropy[float64])(out, in[0], in[1])
			return nil
		},
		backward: func(t *tracer) {
			t.gradientsOf([]Inputs{X, T}, crossEntropyGrads, t.in[0], t.in[1], t.grad)
		}}, x, t)
}

func crossEntropy[T domain.Float](out, scores, targets *tensor.Dense) {
	losses, k := data[T](out), scores.Shape()[1]
	e := make([]T, k)
	for i := range losses {
		x, t, loss := data[T](scores)[i*k:][:k], data[T](targets)[i*k:][:k], 0.0
		top, sum := simd.ShiftedExp(e, x)
		ln := math.Log(sum)
		for j, v := range x {
			loss -= float64(t[j]) * (float64(v) - top - ln)
		}
		losses[i] = T(loss)
	}
}

// crossEntropyGrads are dx and dt from x, t and the gradient of the result.
func crossEntropyGrads(wanted Inputs) *op {
	const kind = "crossEntropyGrads"
	names := []Inputs{X, T}
	return &op{kind: kind, params: wanted, ranks: "2211", whole: true,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if !in[0].Eq(in[1]) || in[2][0] != in[0][0] {
				return nil, misfit(kind, in)
			}
			_, all := sizesOf(wanted, names, in)
			return tensor.Shape{all}, nil
		},
		fill: func(out *tensor.Dense, x Matrix, in []*tensor.Dense) error {
			sizes, _ := sizesOf(wanted, names, shapesOf(x, in))
			typed(out.Dtype(), crossEntropyBackward[float32], crossEntropyBackward[float64])(out, sizes, in)
			return nil
		}}
}

func crossEntropyBackward[T domain.Float](out *tensor.Dense, sizes []int, in []*tensor.Dense) {
	parts, k := split(data[T](out), sizes), in[0].Shape()[1]
	scores, targets, e := data[T](in[0]), data[T](in[1]), make([]T, k)
	for i, g := range data[T](in[2]) {
		g, x, t, mass := float64(g), scores[i*k:][:k], targets[i*k:][:k], 0.0
		top, sum := simd.ShiftedExp(e, x)
		ln := math.Log(sum)
		for _, v := range t {
			mass += float64(v)
		}
		if mass /= sum; parts[0] != nil {
			dx := parts[0][i*k:][:len(e)]
			for j, v := range e {
				dx[j] = T(g * (float64(v)*mass - float64(t[j])))
			}
		}
		if parts[1] != nil {
			dt := parts[1][i*k:][:len(x)]
			for j, v := range x {
				dt[j] = T(-g * (float64(v) - top - ln))
			}
		}
	}
}
