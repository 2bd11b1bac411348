package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// SkewedFourierInto writes SkewedFourier(x, c, W), of dense or sparse rows, to dst [n, 2m], allocated if nil, without a graph. The logarithm
// of dense rows is taken on their way into the product, that of sparse rows of their entries.
func SkewedFourierInto(dst *tensor.Dense, x Matrix, c *tensor.Dense, w *Weights, a Attr) (*tensor.Dense, error) {
	const op = "SkewedFourier"
	if s, ok := x.(*CSR); ok {
		u, err := LogShiftCSR(s, c, a)
		if err != nil {
			return nil, err
		}
		return FourierInto(dst, u, w, Attr{Layer: a.Layer})
	}
	_, m := w.Dims()
	dst, xs, cs, err := skewedInput(op, a, dst, x, c, w, 2*m)
	if err != nil {
		return nil, err
	}
	n, scale, bad := xs.Shape()[0], 1/math.Sqrt(float64(m)), -1
	if w.f32 != nil {
		bad = simd.SkewedPair(data[float32](dst), data[float32](xs), data[float32](cs), n, w.f32, scale)
	} else {
		bad = simd.SkewedPair(data[float64](dst), data[float64](xs), data[float64](cs), n, w.f64, scale)
	}
	return dst, overflow(op, a, bad, dst.Dtype())
}

// SkewedPhaseInto writes SkewedPhase(x, c, W, b), of dense or sparse rows, to dst [n, m], allocated if nil, without a graph.
func SkewedPhaseInto(dst *tensor.Dense, x Matrix, c *tensor.Dense, w *Weights, b *tensor.Dense, a Attr) (*tensor.Dense, error) {
	const op = "SkewedPhase"
	if s, ok := x.(*CSR); ok {
		u, err := LogShiftCSR(s, c, a)
		if err != nil {
			return nil, err
		}
		return PhaseInto(dst, u, w, b, Attr{Layer: a.Layer})
	}
	b, err := bias(op, a, w, b)
	if err != nil {
		return nil, err
	}
	_, m := w.Dims()
	dst, xs, cs, err := skewedInput(op, a, dst, x, c, w, m)
	if err != nil {
		return nil, err
	}
	n, bad := xs.Shape()[0], -1
	if w.f32 != nil {
		bad = simd.SkewedPhase(data[float32](dst), data[float32](xs), data[float32](cs), data[float32](b), n, w.f32, phaseScale(m))
	} else {
		bad = simd.SkewedPhase(data[float64](dst), data[float64](xs), data[float64](cs), data[float64](b), n, w.f64, phaseScale(m))
	}
	return dst, overflow(op, a, bad, dst.Dtype())
}

// skewedInput is the start of both for dense rows.
func skewedInput(op string, a Attr, dst *tensor.Dense, x Matrix, c *tensor.Dense, w *Weights, cols int) (out, xs, cs *tensor.Dense, err error) {
	out, in, err := projected(op, a, dst, x, w, cols)
	if err != nil {
		return nil, nil, nil, err
	}
	xs, cs, err = shiftable(a.who(op), in.(*tensor.Dense), c)
	return out, xs, cs, err
}
