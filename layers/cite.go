package layers

import (
	"fmt"
	"slices"
	"strings"

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
		if d, ok := l.(interface{ drawnBy() fmt.Stringer }); ok {
			switch by := d.drawnBy().(type) {
			case spectral.Coupling:
				all = append(all, couplingSources[by]...)
			case LandmarkChoice:
				all = append(all, landmarkSources[by]...)
			case spectral.Sampler:
				all = append(all, spectral.Papers(by)...)
			}
		}
	}
	return all
}

// kernelPapers returns the papers of a kernel, from kernelSources or from the map of the table that has the kernel.
func kernelPapers(k spectral.Kernel) []string {
	if papers, known := kernelSources[fmt.Sprintf("%T", k)]; known {
		return papers
	}
	for _, e := range Entries() {
		if _, drawn := e.of.(drawnForm); !drawn || !sameKind(e.Kernel, k) {
			continue
		}
		paper, _, _ := strings.Cut(e.Paper, ",")
		if bibliography()[paper] != "" {
			return []string{paper}
		}
	}
	return nil
}

// kernelBehind returns the kernel of a layer, or nil.
func kernelBehind(l Layer) spectral.Kernel {
	switch v := l.(type) {
	case interface{ Kernel() spectral.Kernel }:
		return v.Kernel()
	case interface{ Kernel() spectral.Random }:
		return v.Kernel()
	case interface{ Kernel() spectral.SignedLaw }:
		return v.Kernel()
	}
	return nil
}

func (l *randomMap) drawnBy() fmt.Stringer    { return l.sampler }
func (l *composed) drawnBy() fmt.Stringer     { return l.outer.sampler }
func (l *GORFLayer) drawnBy() fmt.Stringer    { return l.coupling }
func (l *NystromLayer) drawnBy() fmt.Stringer { return l.choice }
