package spectral

import (
	_ "embed"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// Samplers returns all samplers, in the order of reports.
func Samplers() []Sampler {
	return []Sampler{
		IID{},
		Orthogonal{},
		Orthogonal{Coupled: true},
		Antithetic{},
		Structured{},
		Halton{},
		Sobol{},
		LatinHypercube{},
		Stratified{},
	}
}

// SamplerByName returns the sampler with the given name in specs and flags. The error for an unknown name wraps
// ErrParam.
func SamplerByName(name string) (Sampler, error) {
	var names []string
	for _, s := range Samplers() {
		if s.String() == name {
			return s, nil
		}
		names = append(names, s.String())
	}
	return nil, invalid("no sampler is called %q%s; there are %s", name, domain.Guess(name, names),
		strings.Join(names, ", "))
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
	switch s {
	case Orthogonal{}, Structured{}:
		return []string{"Yu et al. 2016"}
	case Orthogonal{Coupled: true}:
		return []string{"Yu et al. 2016", "Reid et al. 2025"}
	case Antithetic{}:
		return []string{"Hammersley and Morton 1956"}
	case Halton{}:
		return []string{"Yang, Sindhwani et al. 2014", "Owen 2017"}
	case Sobol{}:
		return []string{"Yang, Sindhwani et al. 2014", "Joe and Kuo 2008", "Matoušek 1998"}
	case Stratified{}:
		return []string{"Yu et al. 2016", "McKay et al. 1979"}
	case LatinHypercube{}:
		return []string{"McKay et al. 1979"}
	}
	return nil
}
