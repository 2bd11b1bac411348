package layers

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
)

// Cite returns the BibTeX entries of the papers behind layers: of the feature map, of the kernel if it has another
// source, and of the sampler, the coupling or the choice of landmarks. Each paper is there once, sorted by author and
// year. Heads have none. The column Paper of the table of maps ([Entry].Paper) names the same sources.
//
//	fmt.Print(layers.Cite(m.Map))
func Cite(ls ...Layer) string {
	names := sources(ls...)
	slices.Sort(names)
	var entries []string
	for _, name := range slices.Compact(names) {
		entries = append(entries, bibliography()[name])
	}
	return strings.Join(entries, "\n")
}

// sources returns the names of the papers in bibliography.
func sources(ls ...Layer) (all []string) {
	for _, l := range ls {
		if domain.IsNil(l) {
			continue
		}
		switch v := l.(type) {
		case interface{ Layers() []Layer }:
			all = append(all, sources(v.Layers()...)...)
			continue
		case *BagLayer:
			if v.inner != nil {
				all = append(all, "Muandet et al. 2012")
			}
			all = append(all, sources(v.inner, v.over)...)
			continue
		case interface{ Unwrap() Layer }:
			all = append(all, sources(v.Unwrap())...)
			continue
		}
		name := typeName(l)
		if d, ok := l.(*HDDLayer); ok && d.of.l2() {
			name += " of ∫(p - q)²"
		}
		all = append(all, layerSources[name]...)
		all = append(all, kernelPapers(kernelBehind(l))...)
		if d, ok := l.(interface{ drawSources() []string }); ok {
			all = append(all, d.drawSources()...)
		}
	}
	return all
}

// kernelPapers returns the papers of a kernel, from kernelSources or from the map of the table that has the kernel.
func kernelPapers(k spectral.Kernel) []string {
	if papers, known := kernelSources[fmt.Sprintf("%T", k)]; known || k == nil {
		return papers
	}
	for _, e := range Entries() {
		if paper, _, _ := strings.Cut(e.Paper, ","); sameKind(e.Kernel, k) && bibliography()[paper] != "" {
			return []string{paper}
		}
	}
	return nil
}

// kernelBehind returns the kernel that a layer approximates, or nil.
func kernelBehind(l Layer) spectral.Kernel {
	switch v := l.(type) {
	case *Identity:
		return spectral.Linear{}
	case interface{ Kernel() spectral.Kernel }:
		return v.Kernel()
	case interface{ Kernel() spectral.Random }:
		return v.Kernel()
	case interface{ Kernel() spectral.SignedLaw }:
		return v.Kernel()
	}
	return nil
}

// The papers of what a layer draws by.
func (l *RandomLayer) drawSources() []string {
	return slices.Concat(transforms[l.law.Transform].papers, spectral.Papers(l.sampler))
}
func (l *composed) drawSources() []string     { return spectral.Papers(l.outer.sampler) }
func (l *GORFLayer) drawSources() []string    { return couplingSources[l.coupling] }
func (l *NystromLayer) drawSources() []string { return landmarkSources[l.choice] }

// The papers behind the types of layers and of kernels, by their names in bibliography. Heads, compositions and the
// linear kernel have none, nor have Gaussian and Laplacian, which are older than their features. A kernel is here if
// its source is not the Paper of its map. It has one even if the paper of its layer introduces it, because a fitted
// layer can take it, too.
var (
	layerSources = map[string][]string{
		"BinningLayer":          {"Rahimi and Recht 2007", "Wu et al. 2016", "Dietzfelbinger 1996"},
		"Dense":                 {"Glorot and Bengio 2010"},
		"PeriodicLayer":         {"Gorishniy et al. 2022"},
		"HomogeneousLayer":      {"Vedaldi and Zisserman 2012"},
		"ExponentiatedLayer":    {"Vedaldi and Zisserman 2012", "Rahimi and Recht 2007"},
		"LevyLayer":             {"Berg et al. 1984", "Rahimi and Recht 2007"},
		"HDDLayer":              {"Sutherland et al. 2016", "Rahimi and Recht 2007"},
		"HDDLayer of ∫(p - q)²": {"Oliva et al. 2014", "Rahimi and Recht 2007"},
		"GORFLayer":             {"Luo et al. 2021"},
		"RandomMaclaurinLayer":  {"Kar and Karnick 2012"},
		"TensorSketchLayer":     {"Pham and Pagh 2013"},
		"NystromLayer":          {"Williams and Seeger 2001"},
		"AddKPCALayer":          {"Perronnin et al. 2010"},
		"MajiBergLayer":         {"Maji and Berg 2009"},
	}
	kernelSources = map[string][]string{
		"spectral.Gaussian":         {}, // older than the features of their maps
		"spectral.Laplacian":        {},
		"spectral.Exponentiated":    {"Vedaldi and Zisserman 2012"},
		"spectral.Stationary":       {"Vedaldi and Zisserman 2012"},
		"spectral.SpherePolynomial": {"Pennington et al. 2015"},
		"spectral.DeltaGaussian":    {"Oglic and Gärtner 2018"},
	}
	couplingSources = map[spectral.Coupling][]string{
		spectral.SharedCoupled: {"Yu et al. 2016", "Reid et al. 2025"},
		spectral.Joint:         {}, // those two are of Luo et al.
		spectral.Independent:   {},
	}
	landmarkSources = map[LandmarkChoice][]string{
		CholeskyLandmarks: {"Chen et al. 2022"},
	}
)

// bibliography maps the name of every paper, with which the Paper of an Entry begins, to its BibTeX entry. Few programs
// cite, so it is read at the first call.
var bibliography = sync.OnceValue(spectral.References)
