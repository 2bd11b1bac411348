package layers

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	spectral "github.com/bochner-go/bochner/init"
	"gorgonia.org/tensor"
)

// year ends the name of a paper in the Source column of the table of maps; a place in it may follow.
var year = regexp.MustCompile(`^.*? (\d{4})`)

// TestEveryMapIsCited: Cite of a layer has the paper that the table of maps names for its map; of a layer that takes
// the kernel of another map the paper of that kernel too, but for those that are older than the features of their map;
// and those of its choice of landmarks, of its sampler and of its coupling, which each have their sources, if only
// none.
func TestEveryMapIsCited(t *testing.T) {
	named := 0
	for _, e := range Entries() {
		if e.Name == "linear" {
			continue
		}
		// The Paper begins with the name of a paper of init/refs.bib, such as "Cho and Saul 2009".
		paper := year.FindString(e.Paper)
		cites(t, layerOf(t, e), paper)
		for _, p := range e.Params() {
			for i, word := range p.Words {
				switch {
				case p.Name == kernelParam:
					papers := []string{paper}
					if !slices.Contains([]string{"linear", "gaussian", "laplacian"}, word) {
						papers = append(papers, year.FindString(must(Lookup(word)).Paper))
					}
					cites(t, layerOf(t, e, p.Name, word), papers...)
					named++
				case p.Name == "select" && i > 0: // the uniform choice has no source
					sources := landmarkSources[LandmarkChoice(i)]
					if len(sources) != 1 {
						t.Errorf("select=%s: add its source to landmarkSources in layers/cite.go", word)
					}
					cites(t, layerOf(t, e, p.Name, word), sources...)
					named++
				}
			}
		}
	}
	if named < 10 {
		t.Fatalf("%d maps take the kernel of another, or choose landmarks", named)
	}
	for _, s := range spectral.Samplers() {
		papers := spectral.Papers(s)
		if (len(papers) == 0) != (s == spectral.IID{}) {
			t.Errorf("sampler %v has %d papers; give it a method papers", s, len(papers))
		}
		cites(t, Must(NewFourierLayer(spectral.Gaussian{Sigma: 1}, 16, 8, WithSampler(s))), papers...)
		cites(t, Must(NewExponentiatedLayer(spectral.Exponentiated{Of: spectral.Chi2{Gamma: 1}, Sigma: 1}, 16, 8,
			WithSampler(s))), papers...)
	}
	for _, c := range spectral.Couplings() {
		if _, ok := couplingSources[c]; !ok {
			t.Errorf("coupling %v: add its sources to couplingSources in layers/cite.go", c)
		}
		cites(t, Must(NewGORFLayer(spectral.NeuralTangent{}, 4, 8, WithCoupling(c))),
			append(couplingSources[c], "Jacot et al. 2018", "Luo et al. 2021")...)
	}
}

// layerOf is a small layer of a map with parameters, names and values.
func layerOf(t *testing.T, e *Entry, params ...string) Layer {
	t.Helper()
	x := tensor.New(tensor.WithShape(12, 3), tensor.Of(tensor.Float64))
	for i := range x.Float64s() {
		x.Float64s()[i] = float64(i*7%10+1) / 10
	}
	s := Spec{Map: e.Name, Dims: 3, Params: Values{}}
	for i := 0; i < len(params); i += 2 {
		s.Params[params[i]] = params[i+1]
	}
	if e.HasFeatures() {
		s.Features = 8
	}
	return must(must(s, s.FillDefaults(x)).Fit(x))
}

// cites wants the papers in the text of Cite.
func cites(t *testing.T, l Layer, papers ...string) {
	t.Helper()
	for _, p := range papers {
		if bibliography()[p] == "" || !strings.Contains(Cite(l), bibliography()[p]) {
			t.Errorf("Cite of %v lacks %q; add it to the tables in layers/cite.go", l, p)
		}
	}
}

// TestBibliography: the entries are BibTeX of their own keys, with the first author and the year that they are called
// by, and each is the source of something.
func TestBibliography(t *testing.T) {
	form := regexp.MustCompile(`^@(inproceedings|article|book|misc)\{([a-z]+(\d{4})[a-z0-9]+),\n` +
		`(  [a-z]+ += \{.*\},?\n)+\}\n$`)
	used, keys := map[string]bool{}, map[string]string{}
	use := func(papers ...string) {
		for _, p := range papers {
			if used[p] = true; bibliography()[p] == "" {
				t.Errorf("%q is a source and not in bibliography", p)
			}
		}
	}
	for _, e := range Entries()[1:] { // the first is the baseline
		use(year.FindString(e.Paper))
	}
	for _, s := range spectral.Samplers() {
		use(spectral.Papers(s)...)
	}
	for _, sources := range [][][]string{slices.Collect(maps.Values(layerSources)),
		slices.Collect(maps.Values(kernelSources)), slices.Collect(maps.Values(couplingSources)),
		slices.Collect(maps.Values(landmarkSources))} {
		use(slices.Concat(sources...)...)
	}
	for name, entry := range bibliography() {
		m := form.FindStringSubmatch(entry)
		if m == nil {
			t.Errorf("%s: not an entry of the common form:\n%s", name, entry)
			continue
		}
		if keys[m[2]] != "" || !used[name] {
			t.Errorf("%s: key %s, the key of %q; a source of something: %v", name, m[2], keys[m[2]], used[name])
		}
		keys[m[2]] = name
		for _, field := range []string{"  author", "  title", "  year"} {
			if !strings.Contains(entry, "\n"+field) || strings.Count(entry, "{") != strings.Count(entry, "}") {
				t.Errorf("%s: no%s, or braces do not match", name, field)
			}
		}
		first := strings.ToLower(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == ',' })[0])
		if plain := strings.ReplaceAll(first, "š", "s"); !strings.HasPrefix(m[2], plain) || !strings.HasSuffix(name, m[3]) ||
			!strings.Contains(entry, "= {"+m[3]+"}") {
			t.Errorf("%s: key %s", name, m[2])
		}
		if i := strings.IndexFunc(entry, func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 {
			t.Errorf("%s: %q is not for every BibTeX; write it as LaTeX does", name, entry[i:i+2])
		}
	}
}

// TestCiteOfCompositions: the parts' papers, each once; heads have none.
func TestCiteOfCompositions(t *testing.T) {
	a := Must(NewFourierLayer(spectral.Matern{Nu: 1.5, Ell: 1}, 3, 8, WithSampler(spectral.Orthogonal{})))
	b := Must(NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 8))
	head := MustHead(NewLinearHead(16, 1))
	all := Must(NewSequential(Must(NewConcat(5, []Part{{a, 0, 3, 1}, {b, 3, 5, 1}})), head))
	want := bibliography()["Rahimi and Recht 2007"] + "\n" + bibliography()["Rasmussen and Williams 2006"] + "\n" +
		bibliography()["Yu et al. 2016"]
	if got := Cite(all); got != want {
		t.Errorf("cited\n%s", got)
	}
	if got := Cite(head); got != "" {
		t.Errorf("a head cites %q", got)
	}
}
