package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Weigh is z·diag(a | a | ...), which multiplies the features of each frequency by an amplitude. z [n, c·m] are
// features of m frequencies in c blocks, such as the pair form with c = 2; the amplitudes a are [m], of any sign.
//
// Backward: dz = g·diag(a | a | ...). The amplitudes have no gradient.
//
// Errors while building: shapes. Errors while running: a product that is not finite (ErrDomain).
func Weigh(z, amplitudes *G.Node, a Attr) (*G.Node, error) {
	o := &op{kind: "Weigh", in: []Inputs{X, 0}, ranks: "212", attr: a, spread: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) { return in[0].Clone(), weighable(o.who(), in[0], in[1]) }
	o.forward = func(_ Matrix, in []*tensor.Dense) (Matrix, error) { return WeighInto(nil, in[0], in[1], a) }
	o.backward = func(t *tracer) { t.gradient(X, weighGradOp, t.grad, t.in[1]) }
	return apply(o, z, amplitudes)
}

// WeighInto writes Weigh(z, a) to dst [n, c·m], allocated if nil, without a graph. dst may be z.
func WeighInto(dst, z, amplitudes *tensor.Dense, a Attr) (*tensor.Dense, error) {
	who := a.who("Weigh")
	z, err := contiguous(z)
	if err != nil {
		return nil, fmt.Errorf("%s: z: %w", who, err)
	}
	if amplitudes, err = contiguous(amplitudes); err != nil {
		return nil, fmt.Errorf("%s: the amplitudes: %w", who, err)
	}
	if z.Dtype() != amplitudes.Dtype() {
		return nil, fmt.Errorf("%s: z is %v, the amplitudes %v: %w", who, z.Dtype(), amplitudes.Dtype(), ErrDtype)
	}
	if err := weighable(who, z.Shape(), amplitudes.Shape()); err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, z.Dtype(), z.Shape()...); err != nil {
		return nil, err
	}
	typed(z.Dtype(), weigh[float32], weigh[float64])(dst, z, amplitudes)
	return dst, CheckRows(domain.Reals(), who, dst)
}

func weigh[T domain.Float](dst, z, amplitudes *tensor.Dense) {
	out, in, a := data[T](dst), data[T](z), data[T](amplitudes)
	for lo := 0; lo < len(in); lo += len(a) {
		simd.Multiply(out[lo:lo+len(a)], in[lo:lo+len(a)], a)
	}
}

func weighable(who string, z, a tensor.Shape) error {
	if z.Dims() != 2 || a.Dims() != 1 || a[0] < 1 || z[1]%a[0] != 0 {
		return fmt.Errorf("%s: the features are %v and the amplitudes %v, want [n, c·m] and [m]: %w", who, z, a,
			ErrShape)
	}
	return nil
}

var weighGradOp = &op{kind: "gradient of Weigh", ranks: "212", shape: likeFirst,
	fill: func(dz *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		typed(dz.Dtype(), weigh[float32], weigh[float64])(dz, in[0], in[1])
		return nil
	}}
