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
	z, err := ops.UnitLaplace(x, w, a)
	if err != nil {
		return nil, err
	}
	a.Packed = nil
	a.Frozen = a.Frozen&ops.X | ops.S
	s := p["scale"]
	if rho := p["log_bandwidth"]; rho != nil {
		a.Frozen &^= ops.S
		if s, err = ops.Bandwidth(s, rho, ops.Attr{Layer: a.Layer, Frozen: ops.W}); err != nil {
			return nil, err
		}
	}
	return ops.Damp(x, s, z, l.exponent, a)
}

// transformNormalised is transform for rows of the length √k(x, x).
func (l *randomMap) transformNormalised(dst *tensor.Dense, x ops.Matrix, w *ops.Weights,
	a ops.Attr) (*tensor.Dense, error) {
	s := l.param("scale")
	if rho := l.param("log_bandwidth"); rho != nil {
		var err error
		if s, err = ops.BandwidthInto(nil, s, rho, a); err != nil {
			return nil, err
		}
	}
	damped := func(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
		dst, err := ops.UnitLaplaceInto(dst, x, w, a)
		if err != nil {
			return nil, err
		}
		return dst, ops.DampInto(x, s, dst, l.exponent, a)
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
