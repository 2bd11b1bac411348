package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Coefficients is pΦ, the coefficients of functions on an orthonormal basis. p is [n, V], the values of functions at V
// points; Φ is [V, B], the basis functions at the points times their weights of integration; the result is [n, B]. As
// in HDD, a row of p may hold k functions one after another, [n, kV], and the result is then [n, kB]. Squared distances
// of coefficients approximate ∫ (p - q)². Φ has no gradient.
//
// Backward: dp = gΦᵀ. Errors while building: shapes. Errors while running: a value of p outside Attr.Domain
// (ErrDomain).
func Coefficients(p, basis *G.Node, a Attr) (*G.Node, error) {
	return apply(&op{kind: "Coefficients", in: []Inputs{X, 0}, ranks: "222", attr: a,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			return coefficientsShape(a.who("Coefficients"), in[0], in[1])
		},
		forward: func(_ Matrix, in []*tensor.Dense) (Matrix, error) {
			return CoefficientsInto(nil, in[0], in[1], a)
		},
		backward: func(t *tracer) { t.gradient(X, coefficientsGradOp, t.grad, t.in[1]) },
	}, p, basis)
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
	typed(dst.Dtype(), timesBasis[float32], timesBasis[float64])(dst, ts[0], ts[1], false)
	return dst, nil
}

func coefficientsShape(who string, p, basis tensor.Shape) (tensor.Shape, error) {
	if p.Dims() != 2 || basis.Dims() != 2 || basis[0] < 1 || p[1] < 1 || p[1]%basis[0] != 0 {
		return nil, basisError(who, p, basis)
	}
	return tensor.Shape{p[0], p[1] / basis[0] * basis[1]}, nil
}

func basisError(who string, p, basis tensor.Shape) error {
	return fmt.Errorf("%s: p is %v and Φ %v, want [n, V], or a multiple of V, and [V, B]: %w", who, p, basis, ErrShape)
}

// timesBasis computes xΦ or, if transposed, xΦᵀ. x may have several rows of that width in each of its rows.
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

// coefficientsGradOp is gΦᵀ.
var coefficientsGradOp = &op{kind: "gradient of Coefficients", ranks: "222",
	shape: func(in []tensor.Shape) (tensor.Shape, error) {
		g, basis := in[0], in[1]
		if basis[1] == 0 || g[1]%basis[1] != 0 {
			return nil, misfit("gradient of Coefficients", in)
		}
		return tensor.Shape{g[0], g[1] / basis[1] * basis[0]}, nil
	},
	fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		typed(out.Dtype(), timesBasis[float32], timesBasis[float64])(out, in[0], in[1], true)
		return nil
	}}
