package ops

import (
	"fmt"
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
	return apply(softmaxOp{base{kind: "Softmax", ranks: "22", attr: a}, false}, x)
}

// LogSoftmax is ln Softmax, x_j - ln Σ_k exp(x_k), which is exact where the probability is 0 in floating point: the
// log-likelihoods of a cross-entropy.
//
// Backward, from the output z alone: dx_j = g_j - exp(z_j) Σ_k g_k. Errors while building: shapes.
func LogSoftmax(x *G.Node, a Attr) (*G.Node, error) {
	return apply(softmaxOp{base{kind: "LogSoftmax", ranks: "22", attr: a}, true}, x)
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
	x, err := contiguous(x)
	if err != nil {
		return nil, fmt.Errorf("%s: x: %w", who, err)
	}
	if x.Dims() != 2 {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, k]: %w", who, x.Shape(), ErrShape)
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()...); err != nil {
		return nil, err
	}
	if x.Dtype() == tensor.Float32 {
		softmax(data[float32](dst), data[float32](x), x.Shape()[1], log)
	} else {
		softmax(data[float64](dst), data[float64](x), x.Shape()[1], log)
	}
	return dst, nil
}

func softmax[T domain.Float](dst, x []T, k int, log bool) {
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

// softmaxOp is both: log is in the kind, and so in the hash.
type softmaxOp struct {
	base
	log bool
}

var (
	_ backwarder = softmaxOp{}
	_ G.Op       = softmaxGrad{}
)

func (o softmaxOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return ss[0].Clone(), nil
}

func (o softmaxOp) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	return result(softmaxInto(nil, ts[0], o.attr.who(o.kind), o.log))
}

func (o softmaxOp) backward(t *tracer, _ []any, out, grad any) []any {
	return []any{t.apply(softmaxGrad{base{kind: "gradient of " + o.kind, ranks: "222"}, o.log}, out, grad)}
}

// softmaxGrad is dx from the output z and its gradient g.
type softmaxGrad struct {
	base
	log bool
}

func (o softmaxGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return ss[0].Clone(), nil
}

func (o softmaxGrad) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	z, g := ts[0], ts[1]
	if !z.Shape().Eq(g.Shape()) {
		return nil, fmt.Errorf("ops: %s of shapes %v and %v: %w", o.kind, z.Shape(), g.Shape(), ErrShape)
	}
	dx := unwritten(z.Dtype(), z.Shape().Clone()...)
	if z.Dtype() == tensor.Float32 {
		softmaxBackward(data[float32](dx), data[float32](z), data[float32](g), z.Shape()[1], o.log)
	} else {
		softmaxBackward(data[float64](dx), data[float64](z), data[float64](g), z.Shape()[1], o.log)
	}
	return dx, nil
}

func softmaxBackward[T domain.Float](dx, z, g []T, k int, log bool) {
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
