package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Softmax is exp(x_j) / Σ_k exp(x_k) of each row of x [n, k], dense scores. The largest number of a row is subtracted
// before, so that nothing overflows, and sums are in float64. A row with a NaN or +∞, or of nothing but -∞, becomes
// NaN; Attr.Domain is not looked at. Gorgonia v0.9.18 takes its own SoftMax and LogSoftMax of one node for the same;
// here they are two.
//
// Backward, from the output z alone: dx_j = z_j (g_j - Σ_k g_k z_k). Errors while building: shapes.
func Softmax(x *G.Node, a Attr) (*G.Node, error) {
	return apply(softmaxOp("Softmax", false, a), x)
}

// LogSoftmax is ln Softmax, x_j - ln Σ_k exp(x_k), which is exact where the probability is 0 in floating point: the
// log-likelihoods of a cross-entropy.
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
	for ; len(x) > 0; x, dst = x[k:], dst[k:] {
		top, sum := math.Inf(-1), 0.0
		for _, v := range x[:k] {
			top = math.Max(top, float64(v))
		}
		for _, v := range x[:k] {
			sum += math.Exp(float64(v) - top)
		}
		if log {
			ln := math.Log(sum)
			for j, v := range x[:k] {
				dst[j] = T(float64(v) - top - ln)
			}
			continue
		}
		for j, v := range x[:k] {
			dst[j] = T(math.Exp(float64(v)-top) / sum)
		}
	}
}

// softmaxOp is both, of two kinds, and so of two hashes.
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
