package spectral

import (
	"errors"
	"fmt"
)

// ErrNotBuilt marks a name that stands for something that this version of the library does not have yet.
var ErrNotBuilt = errors.New("not built yet")

// SamplerByName returns the sampler that specs and flags call name: iid, orthogonal or structured. For coupled, antithetic,
// halton and sobol the error wraps ErrNotBuilt, for any other name ErrParam.
func SamplerByName(name string) (Sampler, error) {
	switch name {
	case IID{}.String():
		return IID{}, nil
	case Orthogonal{}.String():
		return Orthogonal{}, nil
	case Structured{}.String():
		return Structured{}, nil
	case "coupled", "antithetic", "halton", "sobol":
		return nil, fmt.Errorf("spectral: sampler %q is %w; use iid, orthogonal or structured", name, ErrNotBuilt)
	default:
		return nil, fmt.Errorf("spectral: no sampler is called %q; known are iid, orthogonal and structured, and, not built yet, "+
			"coupled, antithetic, halton and sobol: %w", name, ErrParam)
	}
}
