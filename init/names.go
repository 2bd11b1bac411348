package spectral

import (
	_ "embed"
	"fmt"
	"strings"
)

// Samplers returns all samplers, in the order of reports.
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
	}
}

// SamplerNames returns the names of all samplers in specs and flags as a list for messages: "iid, orthogonal, ...".
func SamplerNames() string {
	var names []string
	for _, s := range Samplers() {
		names = append(names, s.String())
	}
	return strings.Join(names, ", ")
}

// SamplerByName returns the sampler with the given name in specs and flags. The error for an unknown name wraps
// ErrParam.
func SamplerByName(name string) (Sampler, error) {
	for _, s := range Samplers() {
		if s.String() == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("spectral: no sampler is called %q; there are %s: %w", name, SamplerNames(), ErrParam)
}

//go:embed refs.bib
var refs string

// References returns the BibTeX entries of all papers that the library cites, by author and year, such as "Yu et al.
// 2016".
func References() map[string]string {
	all := map[string]string{}
	for _, paper := range strings.Split(refs, "% ")[1:] { // a line with the name stands before each entry
		name, entry, _ := strings.Cut(paper, "\n")
		all[name] = strings.TrimRight(entry, "\n") + "\n"
	}
	return all
}

// Papers returns the names in References of the papers on a sampler. IID and samplers of other packages have none.
func Papers(s Sampler) []string {
	if s, ok := s.(interface{ papers() []string }); ok {
		return s.papers()
	}
	return nil
}
