package spectral

import (
	"fmt"
	"strings"
)

// Samplers are all samplers, in the order in which reports show them.
func Samplers() []Sampler {
	return []Sampler{
		IID{},
		Orthogonal{},
		Coupled{},
		Antithetic{},
		Structured{},
		Halton{},
		Sobol{},
		LatinHypercube{},
		Leverage{},
	}
}

// SamplerNames are what specs and flags call them, as a list for messages: "iid, orthogonal, ...".
func SamplerNames() string {
	var names []string
	for _, s := range Samplers() {
		names = append(names, s.String())
	}
	return strings.Join(names, ", ")
}

// SamplerByName returns the sampler that specs and flags call name. For a name that is not in SamplerNames the error
// wraps ErrParam.
func SamplerByName(name string) (Sampler, error) {
	for _, s := range Samplers() {
		if s.String() == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("spectral: no sampler is called %q; there are %s: %w", name, SamplerNames(), ErrParam)
}

// Papers are the BibTeX entries of the papers on a sampler, by author and year ("Yu et al. 2016"); a sampler of a
// user's own and IID have none.
func Papers(s Sampler) map[string]string {
	if s, ok := s.(interface{ papers() map[string]string }); ok {
		return s.papers()
	}
	return nil
}
