package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Coefficients are those of functions on an orthonormal basis, pΦ: p is [n, V], the values of functions at V points, Φ [V, B], the basis
// functions at the points times their weights of integration, and the result [n, B]. As for HDD a row of p may be k functions, one after
// another, [n, kV], and the result is then [n, kB]. Squared distances of coefficients are about ∫ (p - q)². Φ has no gradient.
//
// Backward: dp = gΦᵀ. Errors: shapes while building; a value of p outside Attr.Domain while running.
func Coefficients(p, basis *G.Node, a Attr) (*G.Node, error) {
	a.Frozen |= Second
	return apply(coefficientsOp{base{kind: "Coefficients", ranks: "222", attr: a}}, p, basis)
}

// CoefficientsInto writes Coefficients(p, Φ) to dst, allocated if nil, without a graph.
func CoefficientsInto(dst, p, basis *tensor.Dense, a Attr) (*tensor.Dense, error) {
	who := a.who("Coefficients")
	ts, err := sameType(who, typeOf(p), []string{"p", "Φ"}, p, basis)
	if err != nil {
		return nil, err
	}
	shape, err := coefficientsShape(who, ts[0].Shape(), ts[1].Shape())
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, ts[0].Dtype(), shape...); err != nil {
		return nil, err
	}
	if err := CheckRows(a.Domain, who, ts[0]); err != nil {
		return nil, err
	}
	rowsTimes(dst, ts[0], ts[1], false)
	return dst, nil
}

func coefficientsShape(who string, p, basis tensor.Shape) (tensor.Shape, error) {
	if p.Dims() != 2 || basis.Dims() != 2 || basis[0] < 1 || p[1] < 1 || p[1]%basis[0] != 0 {
		return nil, fmt.Errorf("%s: p is %v and Φ %v, want [n, V], or a multiple of V, and [V, B]: %w", who, p, basis, ErrShape)
	}
	return tensor.Shape{p[0], p[1] / basis[0] * basis[1]}, nil
}

// rowsTimes is dst = xΦ or, transposed, xΦᵀ, for as many rows as x has of that width.
func rowsTimes(dst, x, basis *tensor.Dense, transposed bool) {
	if x.Dtype() == tensor.Float32 {
		timesBasis[float32](dst, x, basis, transposed)
	} else {
		timesBasis[float64](dst, x, basis, transposed)
	}
}

func timesBasis[T domain.Float](dst, x, basis *tensor.Dense, transposed bool) {
	v, b := basis.Shape()[0], basis.Shape()[1]
	in, out := v, b
	if transposed {
		in, out = b, v
	}
	if n := x.Shape().TotalSize() / in; n > 0 {
		simd.Gemm(false, transposed, n, out, in, 1, data[T](x), in, data[T](basis), b, 0, data[T](dst), out)
	}
}

type coefficientsOp struct{ base }

var (
	_ backwarder = coefficientsOp{}
	_ G.Op       = coefficientsGrad{}
)

func (o coefficientsOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return coefficientsShape(o.attr.who("Coefficients"), ss[0], ss[1])
}

func (o coefficientsOp) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	return result(CoefficientsInto(nil, ts[0], ts[1], o.attr))
}

func (o coefficientsOp) backward(t *tracer, in []any, _, grad any) []any {
	return []any{t.apply(coefficientsGrad{base{kind: "gradient of Coefficients", ranks: "222"}}, grad, in[1]), nil}
}

// coefficientsGrad is gΦᵀ.
type coefficientsGrad struct{ base }

func (o coefficientsGrad) shape(g, basis tensor.Shape) tensor.Shape {
	return tensor.Shape{g[0], g[1] / basis[1] * basis[0]}
}

func (o coefficientsGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.shape(ss[0], ss[1]), nil
}

func (o coefficientsGrad) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	g, basis := ts[0], ts[1]
	if g.Shape()[1]%basis.Shape()[1] != 0 {
		return nil, fmt.Errorf("ops: %s of shape %v for a basis %v: %w", o.kind, g.Shape(), basis.Shape(), ErrShape)
	}
	out := tensor.New(tensor.WithShape(o.shape(g.Shape(), basis.Shape())...), tensor.Of(g.Dtype()))
	rowsTimes(out, g, basis, true)
	return out, nil
}
