package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Phase is the phase form of random Fourier features,
//
//	z(x) = √(2/m) cos(xW + b),   b ~ U[0, 2π),
//
// with half the columns of Fourier for the same frequencies and a higher variance. x is [n, d], W [d, m], b [m], z [n, m].
// Rahimi and Recht (2007), algorithm 1; Li et al. (2010), equation (5).
//
// The cosine alone loses the sign of the sine, so the backward goes back to the projection P = xW + b: for at most 128 columns of x it
// computes P again, block by block of rows; for more P is a node of the graph, which costs as much memory as z. dP = -√(2/m) sin(P)·g,
// dx = dP·Wᵀ, dW = xᵀ·dP, db = the column sums of dP. Errors as for Fourier.
func Phase(x, w, b *G.Node, a Attr) (*G.Node, error) {
	if x == nil || x.Dims() != 2 || x.Shape()[1] <= projectAgain || a.Frozen == First|Second|Third {
		return apply(phaseOp{base{kind: "Phase", ranks: "2212", attr: a}}, x, w, b)
	}
	auxiliary := a
	auxiliary.Frozen = First | Second | Third
	p, err := Affine(x, w, b, auxiliary)
	if err != nil {
		return nil, err
	}
	a.Frozen |= fourth
	return apply(phaseOp{base{kind: "Phase with xW + b", ranks: "22122", attr: a}}, x, w, b, p)
}

// projectAgain is up to how many columns of x a product is quicker than writing and reading its result.
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
	bad := -1
	if w.f32 != nil {
		bad = phase(dst, x, b, w, w.f32, phaseScale(m))
	} else {
		bad = phase(dst, x, b, w, w.f64, phaseScale(m))
	}
	return dst, notFinite("Phase", a, x, bad)
}

// bias is b [m], contiguous and of W's element type.
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

// phaseOp is √(2/m) cos(xW + b) of x, W and b, or of these and P = xW + b, which then has no gradient: it is there to be read.
type phaseOp struct{ base }

const fourth = Third << 1

var _ backwarder = phaseOp{}

func (o phaseOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) { return o.inferAffine(ds, 1) }

func (o phaseOp) Do(in ...G.Value) (G.Value, error) {
	if o.Arity() == 4 {
		_, ts, err := o.mixed(in, o.wants(0))
		if err != nil {
			return nil, err
		}
		return result(cosineOf(ts[3], o.attr))
	}
	return o.doProjection(in, func(x Matrix, w *Weights) (*tensor.Dense, error) {
		return PhaseInto(nil, x, w, in[2].(*tensor.Dense), o.attr)
	})
}

func (o phaseOp) backward(t *tracer, in []any, _, grad any) []any {
	if o.Arity() == 4 {
		return append(t.gradients(cosMap, o, in[0], in[1], in[3], grad), nil)
	}
	return t.gradients(phaseMap, o, in[0], in[1], in[2], grad)
}
