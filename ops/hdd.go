package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// HDD embeds densities such that squared Euclidean distances approximate squared homogeneous density distances. The
// features are the coefficients, on an orthonormal basis, of functions of p:
//
//	A(p) = [Φᵀ r_j √p cos(λ_j ln p) | Φᵀ r_j √p sin(λ_j ln p)], j = 1 to M.
//
// p is [n, V], densities at V points; λ and r, the roots of the weights, are [M]; Φ is [V, B], the basis functions at
// the points times their weights of integration. The result is [n, 2MB]: coefficients for cos(λ₁ ln p), sin(λ₁ ln p),
// cos(λ₂ ln p) and so on. If even is set, for frequencies of 0, it has no sines and is [n, MB]. A number p = 0 adds 0.
// A row of p may hold k densities one after another, [n, kV]; each is embedded by itself, and the result is [n, k·2MB]
// or [n, kMB]. Sutherland, Oliva, Póczos and Schneider (2016), equations (4) to (6) and (9).
//
// Backward: let g' = gΦᵀ, and c and s the cosine and sine, computed again. dp = Σ_j r_j (½(g'_c c + g'_s s) + λ_j (g'_s
// c - g'_c s))/√p, dλ_j = Σ r_j √p ln p (g'_s c - g'_c s). At p = 0 dp is defined as 0, as in Homogeneous. The roots
// and Φ have no gradient. Attr.Domain is not used.
//
// Errors while building: shapes. Errors while running (ErrDomain): a density that is negative or not finite, a λ that
// is not finite or makes λ ln p overflow.
func HDD(p, lambda, roots, basis *G.Node, even bool, a Attr) (*G.Node, error) {
	return apply(&op{kind: "HDD", params: even, in: []Inputs{X, Lambda, 0, 0}, ranks: "21122", attr: a,
		shape: func(in []tensor.Shape) (tensor.Shape, error) { return hddShape(a.who("HDD"), in, even) },
		forward: func(_ Matrix, in []*tensor.Dense) (Matrix, error) {
			return HDDInto(nil, in[0], in[1], in[2], in[3], even, a)
		},
		backward: func(t *tracer) {
			all := t.apply(hddGrad(even), t.in[0], t.in[1], t.in[2], t.in[3], t.grad)
			t.gradient(X, partOp(0, shapeOf(t.in[0])), all)
			t.gradient(Lambda, partOp(length(t.in[0]), shapeOf(t.in[1])), all)
		},
	}, p, lambda, roots, basis)
}

// HDDInto writes HDD(p, λ, r, Φ) to dst, allocated if nil, without a graph.
func HDDInto(dst, p, lambda, roots, basis *tensor.Dense, even bool, a Attr) (*tensor.Dense, error) {
	who := a.who("HDD")
	ts, err := sameType(who, typeOf(p), []string{"p", "λ", "the roots", "Φ"}, p, lambda, roots, basis)
	if err != nil {
		return nil, err
	}
	shape, err := hddShape(who, shapesOf(ts[0], ts), even)
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, ts[0].Dtype(), shape...); err != nil {
		return nil, err
	}
	if err := CheckRows(domain.NonNegative(), who, ts[0]); err != nil {
		return nil, err
	}
	return dst, typed(dst.Dtype(), project[float32], project[float64])(dst, ts, even, who)
}

func project[T domain.Float](dst *tensor.Dense, in []*tensor.Dense, even bool, who string) error {
	v, b := in[3].Shape()[0], in[3].Shape()[1]
	n, k := in[0].Shape()[0], in[0].Shape()[1]/v
	row := waves[T](in, even).Project(data[T](dst), data[T](in[0]), data[T](in[3]), n*k, v, b)
	if row < 0 {
		return nil
	}
	return fmt.Errorf("%s: λ ln p of row %d is not finite in %v; look for NaN and huge numbers among the "+
		"frequencies λ: %w", who, row/k, dst.Dtype(), ErrDomain)
}

func waves[T domain.Float](in []*tensor.Dense, even bool) *simd.Waves[T] {
	return &simd.Waves[T]{Lambda: data[T](in[1]), Root: data[T](in[2]), Even: even}
}

// hddShape returns the shape of the coefficients for p, λ, the roots and Φ.
func hddShape(who string, in []tensor.Shape, even bool) (tensor.Shape, error) {
	p, lambda, roots, basis := in[0], in[1], in[2], in[3]
	if p.Dims() != 2 || basis.Dims() != 2 || basis[0] < 1 || p[1] < 1 || p[1]%basis[0] != 0 {
		return nil, basisError(who, p, basis)
	}
	m := lambda.TotalSize()
	if m < 1 || roots.TotalSize() != m {
		return nil, fmt.Errorf("%s: %d frequencies λ and %d roots, want as many, one at least: %w",
			who, m, roots.TotalSize(), ErrShape)
	}
	if !even {
		m *= 2
	}
	return tensor.Shape{p[0], p[1] / basis[0] * m * basis[1]}, nil
}

// hddGrad is the vector [dp | dλ] from the inputs and the gradient of the coefficients. The forward has checked the
// values.
func hddGrad(even bool) *op {
	const kind = "gradients of HDD"
	return &op{kind: kind, params: even, ranks: "211221",
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			want, err := hddShape("ops: "+kind, in, even)
			if err != nil {
				return nil, err
			}
			if !in[4].Eq(want) {
				return nil, gradientError(kind, in[4], want)
			}
			return tensor.Shape{in[0].TotalSize() + in[1].TotalSize()}, nil
		},
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), hddGradient[float32], hddGradient[float64])(out, in, even)
			return nil
		}}
}

// gradientError is the error for a gradient of another shape than the features.
func gradientError(kind string, have, want tensor.Shape) error {
	return fmt.Errorf("ops: %s: the gradient has shape %v, want %v: %w", kind, have, want, ErrShape)
}

func hddGradient[T domain.Float](dst *tensor.Dense, in []*tensor.Dense, even bool) {
	v, b := in[3].Shape()[0], in[3].Shape()[1]
	n, out := in[0].Shape().TotalSize()/v, data[T](dst)
	waves[T](in, even).Backward(out[:n*v], out[n*v:], data[T](in[0]), data[T](in[3]), data[T](in[4]), n, v, b)
}
