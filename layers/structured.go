package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"gorgonia.org/tensor"
)

// A Fourier map with the sampler spectral.Structured keeps the signs and norms of the draw. If the columns are few,
// package ops forms W from them. The parameters by policy are
//
//	Frozen       signs [3·blocks, d'], norms [m], b
//	Bandwidth    signs, norms, log_bandwidth*, b
//
// The other policies are errors, because they tune W or rows of it, which the map does not have.

// drawStructured makes the parameters of a map with a structured sampler. Without a draw they are zeros.
func (l *randomMap) drawStructured(m int, undrawn bool) (*randomMap, error) {
	l.structured = true
	if l.policy != Frozen && l.policy != Bandwidth {
		return nil, fmt.Errorf("%s: policy %v tunes frequencies one by one or a dimension at a time, and the "+
			"structured sampler keeps signs and norms in their place; "+
			"use policy frozen or bandwidth, or the sampler orthogonal: %w", l.who(), l.policy, ErrParam)
	}
	p := spectral.PaddedDims(l.dims)
	blocks := (m + p - 1) / p
	if err := l.checkSize(3*blocks, p); err != nil {
		return nil, err
	}
	signs, norms := make([]float64, 3*blocks*p), make([]float64, m)
	if !undrawn {
		s, r, err := spectral.StructuredFrequencies(l.kernel, l.dims, m, l.source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.who(), err)
		}
		signs, norms = s.Float64s(), r.Float64s()
		for j, v := range norms {
			if l.dt == tensor.Float32 && v > math.MaxFloat32 {
				return nil, fmt.Errorf("%s: %T drew the norm %v for frequency %d, which float32 cannot hold; use "+
					"float64, or scale the data and the parameters: %w",
					l.who(), l.kernel, v, j, ErrParam)
			}
		}
	}
	l.params = []Param{{"signs", newTensor(l.dt, signs, 3*blocks, p), false}, {"norms", newTensor(l.dt, norms, m),
		false}}
	if l.policy == Bandwidth {
		l.params = append(l.params, Param{"log_bandwidth", newTensor(l.dt, []float64{0}, 1), true})
	}
	if l.phase {
		l.params = append(l.params, Param{"b", newTensor(l.dt, l.phases(m), m), false})
	}
	return l, nil
}
