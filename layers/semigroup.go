package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// unitOf returns the f of a kernel exp(-Σ f(s(x + z))) and its scale s, β² or 1/λ. Errors (ErrParam): another kernel, a
// scale that the element type cannot hold.
func unitOf(b *base, k spectral.Kernel) (f ops.Exponent, scale float64, err error) {
	switch k := k.(type) {
	case spectral.ExpSemigroup:
		f, scale = ops.Root, k.Beta*k.Beta
	case spectral.ReciprocalSemigroup:
		f, scale = ops.Log1p, 1/k.Lambda
	default:
		return 0, 0, fmt.Errorf("%s: the length √k(x, x) is known for spectral.ExpSemigroup and "+
			"spectral.ReciprocalSemigroup, not for %T; leave WithNormalisation out: %w", b.who(), k, ErrParam)
	}
	least, most := 0x1p-1022, math.MaxFloat64
	if b.dt == tensor.Float32 {
		least, most = 0x1p-126, math.MaxFloat32
	}
	if !(scale >= least && scale <= most) {
		return 0, 0, fmt.Errorf("%s: %s has the scale %v, which %v cannot hold; scale the data and the parameter "+
			"together: %w", b.who(), kernelText(k), scale, b.dt, ErrParam)
	}
	return f, scale, nil
}

// fwdNormalised is fwd for rows of the length √k(x, x).
func (l *randomMap) fwdNormalised(x, w *G.Node, p map[string]*G.Node, a ops.Attr) (*G.Node, error) {
	z, err := l.op(a).Node(x, w)
	if err != nil {
		return nil, err
	}
	a.Packed = nil
	a.Frozen = a.Frozen&ops.X | ops.S
	s := p["scale"]
	if rho := p["log_bandwidth"]; rho != nil {
		a.Frozen &^= ops.S
		if s, err = ops.Bandwidth(ops.Attr{Layer: a.Layer, Frozen: ops.W}).Node(s, rho); err != nil {
			return nil, err
		}
	}
	return ops.Damp(l.exponent, a).Node(x, s, z)
}

// transformNormalised is transform for rows of the length √k(x, x).
func (l *randomMap) transformNormalised(dst *tensor.Dense, x ops.Matrix, w ops.Matrix,
	a ops.Attr) (*tensor.Dense, error) {
	s := l.param("scale")
	if rho := l.param("log_bandwidth"); rho != nil {
		var err error
		if s, err = ops.Bandwidth(a).Into(nil, s, rho); err != nil {
			return nil, err
		}
	}
	damped := func(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
		dst, err := l.op(a).Into(dst, x, w)
		if err != nil {
			return nil, err
		}
		return ops.Damp(l.exponent, a).Into(dst, x, s, dst)
	}
	rows := blockRows(l.features)
	if t, ok := x.(*tensor.Dense); ok && t.Dims() == 2 && t.Shape()[0] > rows && t.Shape()[1] == l.dims &&
		t.Dtype() == l.dt {
		// The blocks stay in cache from one step to the next.
		return ops.InBlocks(l.who(), dst, t, rows, l.features, func(dst, x *tensor.Dense) error {
			_, err := damped(dst, x)
			return err
		})
	}
	return damped(dst, x)
}
