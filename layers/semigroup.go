package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
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
