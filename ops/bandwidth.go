package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Bandwidth is W = W₀·exp(-ρ): frequencies whose bandwidth is exp(ρ) times the one of W₀, and positive for every ρ. W₀ is
// [d, m], or a vector [d] of scales. ρ is [1], or [d] with an entry for each row of W₀.
//
// Backward: dρ = -<dW, W>, over everything or over each row; dW₀ = dW·exp(-ρ). Errors while building: shapes.
func Bandwidth(w0, rho *G.Node, a Attr) (*G.Node, error) {
	ranks := "212"
	if w0 != nil && w0.Dims() == 1 {
		ranks = "111"
	}
	return apply(bandwidthOp(ranks, a), w0, rho)
}

// BandwidthInto writes Bandwidth(W₀, ρ) to dst, which has the shape of W₀ and is allocated if nil, without a graph.
func BandwidthInto(dst, w0, rho *tensor.Dense, a Attr) (*tensor.Dense, error) {
	who := a.who("Bandwidth")
	w0, err := contiguous(w0)
	if err != nil {
		return nil, fmt.Errorf("%s: W: %w", who, err)
	}
	if rho, err = contiguous(rho); err != nil {
		return nil, fmt.Errorf("%s: log bandwidth: %w", who, err)
	}
	if w0.Dtype() != rho.Dtype() {
		return nil, fmt.Errorf("%s: W is %v and the log bandwidth %v; give both one type: %w", who, w0.Dtype(), rho.Dtype(), ErrDtype)
	}
	if w0.Dims() != 1 && w0.Dims() != 2 {
		return nil, fmt.Errorf("%s: W is %v, want a vector or a matrix: %w", who, w0.Shape(), ErrShape)
	}
	d := w0.Shape()[0]
	if k := rho.Shape().TotalSize(); k != 1 && k != d {
		return nil, lengthError(who, "the log bandwidth", k, d)
	}
	if dst, err = output(who, dst, w0.Dtype(), w0.Shape()...); err != nil {
		return nil, err
	}
	typed(w0.Dtype(), scaleRows[float32], scaleRows[float64])(dst, w0, rho)
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

func bandwidthOp(ranks string, a Attr) *op {
	o := &op{kind: "Bandwidth", in: []Inputs{W, Rho}, ranks: ranks, attr: a}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if k, d := in[1][0], in[0][0]; k != 1 && k != d {
			return nil, lengthError(o.who(), "the log bandwidth", k, d)
		}
		return in[0].Clone(), nil
	}
	o.forward = func(_ Matrix, in []*tensor.Dense) (Matrix, error) { return BandwidthInto(nil, in[0], in[1], a) }
	o.backward = func(t *tracer) {
		t.gradient(W, bandwidthOp(ranks, Attr{}), t.grad, t.in[1])
		t.gradient(Rho, bandwidthGrad(ranks[2:], length(t.in[1])), t.out, t.grad)
	}
	return o
}

// bandwidthGrad is dρ = -<dW, W> with the given number of entries, from W and dW.
func bandwidthGrad(rank string, entries int) *op {
	return &op{kind: "bandwidthGrad", params: entries, ranks: rank + rank + "1",
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if !in[0].Eq(in[1]) {
				return nil, misfit("bandwidthGrad", in)
			}
			return tensor.Shape{entries}, nil
		},
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), minusRowDots[float32], minusRowDots[float64])(out, in[0], in[1])
			return nil
		}}
}

// minusRowDots writes -Σ_j w[i,j]·g[i,j], or its sum over i where out has one entry. Sums are in float64: the
// frequencies of a heavy-tailed distribution span many orders of magnitude.
func minusRowDots[T domain.Float](dst, ws, gs *tensor.Dense) {
	out, w, g, m := data[T](dst), data[T](ws), data[T](gs), rowLength(ws.Shape())
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
