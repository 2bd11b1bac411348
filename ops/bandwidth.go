package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Bandwidth is W = W₀·exp(-ρ): the frequencies of a bandwidth that is exp(ρ) times that of W₀, which stays positive
// whatever ρ is. W₀ is [d, m], or a vector [d] of scales; ρ has one entry, or one a dimension (a row of W₀ each).
//
// Backward: dρ = -<dW, W>, over everything or over a row each; dW₀ = dW·exp(-ρ).
func Bandwidth(w0, rho *G.Node, a Attr) (*G.Node, error) {
	ranks := "212"
	if w0 != nil && w0.Dims() == 1 {
		ranks = "111"
	}
	return apply(bandwidthOp{base{kind: "Bandwidth", ranks: ranks, attr: a}}, w0, rho)
}

// BandwidthInto writes Bandwidth(W₀, ρ) to dst, of the shape of W₀, allocated if nil, without a graph.
func BandwidthInto(dst, w0, rho *tensor.Dense, a Attr) (*tensor.Dense, error) {
	who := a.who("Bandwidth")
	w0, err := contiguous(w0)
	if err != nil {
		return nil, fmt.Errorf("%s: W: %w", who, err)
	}
	if rho, err = contiguous(rho); err != nil {
		return nil, fmt.Errorf("%s: log bandwidth: %w", who, err)
	}
	if w0.Dims() != 1 && w0.Dims() != 2 || w0.Dtype() != rho.Dtype() {
		return nil, fmt.Errorf("%s: W is %v %v and the log bandwidth %v: %w", who, w0.Dtype(), w0.Shape(), rho.Dtype(), ErrShape)
	}
	d := w0.Shape()[0]
	if k := rho.Shape().TotalSize(); k != 1 && k != d {
		return nil, lengthError(who, "the log bandwidth", k, d)
	}
	if dst, err = output(who, dst, w0.Dtype(), w0.Shape()...); err != nil {
		return nil, err
	}
	if w0.Dtype() == tensor.Float32 {
		scaleRows[float32](dst, w0, rho)
	} else {
		scaleRows[float64](dst, w0, rho)
	}
	return dst, nil
}

func scaleRows[T domain.Float](dst, w0, rho *tensor.Dense) {
	out, w, r := data[T](dst), data[T](w0), data[T](rho)
	m := rowLength(w0.Shape())
	for i := range w0.Shape()[0] {
		s := math.Exp(-float64(r[i%len(r)]))
		for j := i * m; j < i*m+m; j++ {
			out[j] = T(float64(w[j]) * s)
		}
	}
}

// rowLength is the length of a row of a matrix, 1 for a vector.
func rowLength(s tensor.Shape) int {
	if s.Dims() == 1 {
		return 1
	}
	return s[1]
}

type bandwidthOp struct{ base }

var _ backwarder = bandwidthOp{}

func (o bandwidthOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	if k, d := ss[1][0], ss[0][0]; k != 1 && k != d {
		return nil, lengthError(o.attr.who(o.kind), "the log bandwidth", k, d)
	}
	return ss[0].Clone(), nil
}

func (o bandwidthOp) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	return result(BandwidthInto(nil, ts[0], ts[1], o.attr))
}

func (o bandwidthOp) backward(t *tracer, in []any, out, grad any) []any {
	grads := make([]any, 2)
	if o.wants(0) {
		grads[0] = t.apply(bandwidthOp{base{kind: o.kind, ranks: o.ranks}}, grad, in[1])
	}
	if o.wants(1) {
		op := bandwidthGrad{base{kind: "bandwidthGrad", ranks: o.ranks[2:] + o.ranks[2:] + "1"}}
		if length(in[1]) == 1 {
			op.kind = "bandwidthGradOfOne"
		}
		grads[1] = t.apply(op, out, grad)
	}
	return grads
}

// bandwidthGrad is dρ = -<dW, W> from W and dW: of all entries, or row by row.
type bandwidthGrad struct{ base }

var _ G.Op = bandwidthGrad{}

func (o bandwidthGrad) entries(d int) int {
	if o.kind == "bandwidthGradOfOne" {
		return 1
	}
	return d
}

func (o bandwidthGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return tensor.Shape{o.entries(ss[0][0])}, nil
}

func (o bandwidthGrad) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	w, g := ts[0], ts[1]
	if !w.Shape().Eq(g.Shape()) {
		return nil, fmt.Errorf("ops: %s of shapes %v and %v: %w", o.kind, w.Shape(), g.Shape(), ErrShape)
	}
	out := tensor.New(tensor.WithShape(o.entries(w.Shape()[0])), tensor.Of(w.Dtype()))
	if w.Dtype() == tensor.Float32 {
		minusRowDots(data[float32](out), data[float32](w), data[float32](g), rowLength(w.Shape()))
	} else {
		minusRowDots(data[float64](out), data[float64](w), data[float64](g), rowLength(w.Shape()))
	}
	return out, nil
}

// minusRowDots writes -Σ_j w[i,j]·g[i,j], or its sum over i where out has one entry. Sums are in float64: the frequencies
// of a heavy-tailed law span many orders of magnitude.
func minusRowDots[T domain.Float](out, w, g []T, m int) {
	sums := make([]float64, len(out))
	for i := range len(w) / max(m, 1) {
		for j := i * m; j < i*m+m; j++ {
			sums[i%len(out)] -= float64(w[j]) * float64(g[j])
		}
	}
	for i, s := range sums {
		out[i] = T(s)
	}
}
