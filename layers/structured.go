package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
)

// A Fourier map with the sampler spectral.Structured keeps the signs and norms of the draw. If the columns are few,
// package ops forms W from them. The parameters by policy are
//
//	Frozen       signs [3·blocks, d'], norms [m], b
//	Bandwidth    signs, norms, log_bandwidth*, b
//
// The other policies are errors, because they tune W or rows of it, which the map does not have.

// drawStructured draws the signs and norms of a structured sampler, or makes zeros of their shapes.
func (l *RandomLayer) drawStructured(m int) error {
	if err := (spectral.Structured{}).Fits(l.dims, l.kernel); err != nil {
		return fmt.Errorf("%s: %w", l.who(), err)
	}
	if l.policy != Frozen && l.policy != Bandwidth {
		return fmt.Errorf("%s: policy %v tunes frequencies one by one or a dimension at a time, and the structured "+
			"sampler keeps signs and norms in their place; use policy frozen or bandwidth, or the sampler "+
			"orthogonal: %w", l.who(), l.policy, ErrParam)
	}
	p := spectral.PaddedDims(l.dims)
	blocks := (m + p - 1) / p
	if err := l.checkSize(3*blocks, p); err != nil {
		return err
	}
	signs, norms := make([]float64, 3*blocks*p), make([]float64, m)
	if !l.undrawn {
		s, r, err := spectral.StructuredFrequencies(l.kernel, l.dims, m, l.sourceSeed())
		if err != nil {
			return fmt.Errorf("%s: %w", l.who(), err)
		}
		signs, norms = s.Float64s(), r.Float64s()
	}
	l.add("signs", false, signs, 3*blocks, p)
	l.add("norms", false, norms)
	return l.checkNorms(l.kernel, norms)
}

// checkNorms is checkFloat32 for the norms of frequencies.
func (b *base) checkNorms(of spectral.Kernel, norms []float64) error {
	return b.checkFloat32(norms, func(j int) string { return fmt.Sprintf("%T drew for frequency %d the norm", of, j) })
}
