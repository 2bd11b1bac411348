package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Phase is the phase form of random Fourier features,
//
//	z(x) = √(2/m) cos(xW + b),   b ~ U[0, 2π),
//
// with half the columns of Fourier for the same frequencies and a higher variance. x is [n, d], W [d, m], b [m], z [n,
// m]. Rahimi and Recht (2007), algorithm 1; Li et al. (2010), equation (5).
//
// Backward: dP = -√(2/m) sin(P)·g with P = xW + b, dx = dP·Wᵀ, dW = xᵀ·dP, db = the column sums of dP. The output does
// not determine sin(P). For at most 128 columns of x the backward computes P again, in blocks of rows; for more, P is a
// node of the graph, which takes as much memory as z. Errors are as for Fourier.
func Phase(x, w, b *G.Node, a Attr) (*G.Node, error) {
	if x == nil || x.Dims() != 2 || x.Shape()[1] <= projectAgain || a.Frozen&(X|W|B) == X|W|B {
		o := projectionOp("Phase", "2212", a, 1, func(x Matrix, w *Weights, in []*tensor.Dense) (*tensor.Dense, error) {
			return PhaseInto(nil, x, w, in[2], a)
		})
		o.backward = func(t *tracer) { t.ofRows(phaseMap, t.in[2]) }
		return apply(o, x, w, b)
	}
	auxiliary := a
	auxiliary.Frozen = X | W | B
	p, err := Affine(x, w, b, auxiliary)
	if err != nil {
		return nil, err
	}
	o := projectionOp("Phase with xW + b", "22122", a, 1, nil) // P has no gradient: it is there to be read
	o.forward = func(_ Matrix, in []*tensor.Dense) (Matrix, error) { return cosineOf(in[3], a) }
	o.backward = func(t *tracer) { t.ofRows(cosMap, t.in[3]) }
	return apply(o, x, w, b, p)
}

// projectAgain is the largest number of columns of x for which a product is faster than writing and reading its result.
const projectAgain = 128

// PhaseInto writes Phase(x, W, b), of dense or sparse rows, to dst [n, m], allocated if nil, without a graph.
func PhaseInto(dst *tensor.Dense, x Matrix, w *Weights, b *tensor.Dense, a Attr) (*tensor.Dense, error) {
	_, m := w.Dims()
	b, err := bias("Phase", a, w, b)
	if err != nil {
		return nil, err
	}
	if dst, x, err = circular("Phase", a, dst, x, w, m); err != nil {
		return nil, err
	}
	bad := typed(w.Dtype(), phase[float32], phase[float64])(dst, x, b, w, phaseScale(m))
	return dst, notFinite("Phase", a, x, bad)
}

// bias returns b [m] as a contiguous vector and checks its element type.
func bias(op string, a Attr, w projection, b *tensor.Dense) (*tensor.Dense, error) {
	if err := given(a.who(op), "W", w); err != nil {
		return nil, err
	}
	_, m := w.Dims()
	b, err := contiguous(b)
	if err != nil {
		return nil, fmt.Errorf("%s: b: %w", a.who(op), err)
	}
	if b.Dtype() != w.Dtype() {
		return nil, fmt.Errorf("%s: b is %v, W is %v: %w", a.who(op), b.Dtype(), w.Dtype(), ErrDtype)
	}
	if b.Shape().TotalSize() != m {
		return nil, fmt.Errorf("%s: b has shape %v, want [%d]: %w", a.who(op), b.Shape(), m, ErrShape)
	}
	return b, nil
}

func phaseScale(m int) float64 { return math.Sqrt(2 / float64(m)) }

// cosine is √(2/m) cos(P) of a projection P [n, m] that is a node of its own, made from the given inputs. A structured
// W cannot compute P again for less.
func cosine(p *G.Node, inputs Inputs, a Attr) (*G.Node, error) {
	own := Attr{Layer: a.Layer}
	if a.Frozen&inputs == inputs {
		own.Frozen = X
	}
	return apply(&op{kind: "Phase", in: []Inputs{X}, ranks: "22", attr: own, shape: likeFirst,
		forward:  func(_ Matrix, in []*tensor.Dense) (Matrix, error) { return cosineOf(in[0], own) },
		backward: func(t *tracer) { t.gradient(X, cosGradOp, t.in[0], t.grad) },
	}, p)
}

// cosineOf is √(2/m) cos(P) of a contiguous P [n, m].
func cosineOf(p *tensor.Dense, a Attr) (*tensor.Dense, error) {
	z := tensor.New(tensor.WithShape(p.Shape().Clone()...), tensor.Of(p.Dtype()))
	bad := typed(p.Dtype(), cosines[float32], cosines[float64])(z, p)
	return z, overflow("Phase", a, bad, p.Dtype())
}

func cosines[T domain.Float](z, p *tensor.Dense) (badRow int) {
	n, m := p.Shape()[0], p.Shape()[1]
	return simd.Cos(data[T](z), data[T](p), n, m, phaseScale(m))
}
