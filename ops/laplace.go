package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Laplace is the random Laplace feature map
//
//	z(x) = exp(-xW) / √m,   x >= 0, W >= 0.
//
// Its inner products are unbiased for E exp(-w·(x + x')). x is [n, d], W [d, m], z [n, m] with 0 <= z <= 1/√m. x = 0
// gives exactly 1/√m, and a feature that underflows is exactly 0. Yang et al. (2014), equation (4).
//
// Backward, from the output alone: dP = -g·z, dx = dP·Wᵀ, dW = xᵀ·dP.
//
// Errors while building: shapes. Errors while running: a cell of x or of W that is negative or not finite (ErrDomain).
func Laplace(x, w *G.Node, a Attr) (*G.Node, error) {
	a.Domain = domain.NonNegative()
	o := laplaceOp("Laplace", a, LaplaceInto)
	o.backward = func(t *tracer) { t.ofRows(expMap, t.out) }
	return apply(o, x, w)
}

// LaplaceInto writes Laplace(x, W), of dense or sparse rows, to dst [n, m], allocated if nil, without a graph. W must
// be non-negative, which it does not check.
func LaplaceInto(dst *tensor.Dense, x Matrix, w *Weights, a Attr) (*tensor.Dense, error) {
	_, m := w.Dims()
	a.Domain = domain.NonNegative()
	dst, x, err := input("Laplace", a, dst, x, w, m)
	if err != nil {
		return nil, err
	}
	typed(w.Dtype(), exponential[float32], exponential[float64])(dst, x, w, 1/math.Sqrt(float64(m)))
	return dst, nil
}

// laplaceOp is a map with one of the forwards of exp(-xW). The caller adds the backward.
func laplaceOp(kind string, a Attr, into func(*tensor.Dense, Matrix, *Weights, Attr) (*tensor.Dense, error)) *op {
	return projectionOp(kind, "222", a, 1, func(x Matrix, w *Weights, in []*tensor.Dense) (*tensor.Dense, error) {
		if err := CheckFrequencies(domain.NonNegative(), a.who("Laplace"), in[1]); err != nil {
			return nil, err
		}
		return into(nil, x, w, a)
	})
}

// UnitLaplace is Laplace with rows of unit length,
//
//	z(x) = exp(-xW) / ‖exp(-xW)‖₂,   x >= 0, W >= 0.
//
// With k(x, x') = E exp(-w·(x + x')), its inner products approximate k(x, x')/√(k(x, x) k(x', x')); Damp multiplies by
// the roots. A row for which all of Laplace underflows still has its direction here. x is [n, d], W [d, m], z [n, m].
//
// Backward, row by row from the output alone: dP = (g·z) z² - g z, dx = dP·Wᵀ, dW = xᵀ·dP.
//
// Errors are as for Laplace.
func UnitLaplace(x, w *G.Node, a Attr) (*G.Node, error) {
	a.Domain = domain.NonNegative()
	o := laplaceOp("UnitLaplace", a, UnitLaplaceInto)
	o.backward = func(t *tracer) {
		dp := t.apply(unitRowsGradOp, t.out, t.grad)
		t.gradient(X, gradXOp, dp, t.in[1])
		t.gradient(W, gradWOp, t.in[0], dp)
	}
	return apply(o, x, w)
}

// UnitLaplaceInto writes UnitLaplace(x, W), of dense or sparse rows, to dst [n, m], allocated if nil, without a graph.
// W must be non-negative, which it does not check.
func UnitLaplaceInto(dst *tensor.Dense, x Matrix, w *Weights, a Attr) (*tensor.Dense, error) {
	_, m := w.Dims()
	a.Domain = domain.NonNegative()
	dst, x, err := input("UnitLaplace", a, dst, x, w, m)
	if err != nil {
		return nil, err
	}
	typed(w.Dtype(), unitLaplace[float32], unitLaplace[float64])(dst, x, w)
	return dst, nil
}

func unitLaplace[T domain.Float](dst *tensor.Dense, x Matrix, w *Weights) {
	n, m := dst.Shape()[0], dst.Shape()[1]
	exponential[T](dst, x, w, 1)
	p := packed[T](w)
	var behind []T // of sparse rows, what is not stored
	if s, ok := x.(*CSR); ok {
		behind = background[T](s, w, nil)
	}
	simd.UnitRows(data[T](dst), n, m, func(row []T, i int) {
		if s, ok := x.(*CSR); ok {
			p.AffineCSR(row, sparseOf[T](s.Slice(i, i+1)).CSR, behind)
			return
		}
		d := x.Shape()[1]
		p.Affine(row, data[T](x.(*tensor.Dense))[i*d:i*d+d], nil, 1)
	})
}
