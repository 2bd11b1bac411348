package layers

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Entry is a row of the table of maps: a description of a map, and the form that builds it from a Spec.
type Entry struct {
	Name    string
	Formula string // the kernel
	Inputs  string // the domain of x, in words
	Paper   string // the source
	Form    Form
	Traits  // of the form; Register fills them in
}

// Form is a kind of map. It declares the parameters of its maps, finds their defaults, and builds, fits and restores
// them. A kernel of your own takes one of the forms Drawn, TwoSigns, Homogeneous and Exponentiated, see Register.
type Form interface {
	traits() Traits
	// params are the parameters that there always are. more are those that depend on the values given.
	params() []ParamDef
	more(given Values) []ParamDef
	// together returns an error for values that are each in range but contradict each other.
	together(given Values) error
	// fill fills in the parameters that depend on the data.
	fill(v Values, x ops.Matrix) error
	// plan makes the plan of a spec that has all its parameters.
	plan(s Spec) (plan, error)
}

// plan is a map, or another layer of a tree, with its parameters as Go types.
type plan struct {
	traits  Traits          // the entry's where the form does not say otherwise
	kernel  spectral.Kernel // nil: it has none
	on      spectral.Domain // the kernel's
	columns int             // the output columns; 0: Features
	// through maps a row, for a layer without parameters; else nil.
	through func(dst, row []float64) []float64
	lifted  int    // the number of columns that the frequencies multiply; 0: the input's
	inner   int    // the number of coordinates that the frequencies of a map of samples have
	sampler string // the sampler where the spec names none; empty: iid
	build   func(opts []Option) (Layer, error)
	// A map that is fitted on data has fit in place of build, and in state the shapes of what is fitted. The sample is
	// nil for a layer whose parameters SetParams will set.
	fit   func(sample *tensor.Dense, opts []Option) (Layer, error)
	state map[string]tensor.Shape
}

// Draws says which random numbers a map draws.
type Draws int

const (
	// DrawsNothing is for maps without randomness and for maps that are fitted on data.
	DrawsNothing Draws = iota
	// DrawsFrequencies is for maps that draw frequencies by a sampler.
	DrawsFrequencies
	// DrawsWeights is for dense layers.
	DrawsWeights
	// DrawsSigns is for maps that draw random signs, degrees or buckets, which no sampler does.
	DrawsSigns
	// DrawsSigned is for maps of indefinite kernels, see SignatureOf. They draw the frequencies of two signs by the
	// parameter coupling, and have no sampler. It is the largest value, because the Draws of a tree is the maximum over
	// its parts. A sequential has it only if its last part does.
	DrawsSigned
)

// Traits are properties that all maps of a form share.
type Traits struct {
	Draws   Draws
	Tunable bool   // the map has parameters to tune, and so a policy
	Fitted  bool   // it is fitted on data: Spec.Fit builds it, Build does not, Restore needs its Params
	Bags    bool   // it maps sets of samples, ops.Bags; Dims is then the number of coordinates of a sample
	Zeros   bool   // all features of 0 are 0, so that sparse rows have sparse features, see KeepsZeros
	Width   string // its number of columns, in words, if the user does not choose a number of features
	lends   bool   // whether a fitted map or a mean map can take its kernel
}

// Sampled says whether the map draws random numbers, by a seed.
func (t Traits) Sampled() bool { return t.Draws != DrawsNothing }

// Signed says whether the kernel of the map is indefinite.
func (t Traits) Signed() bool { return t.Draws == DrawsSigned }

// Discrete says whether the map draws random signs, degrees or buckets.
func (t Traits) Discrete() bool { return t.Draws == DrawsSigns }

// HasSampler says whether a sampler draws the frequencies of the map.
func (t Traits) HasSampler() bool { return t.Draws == DrawsFrequencies }

// HasFeatures says whether the user chooses the number of features. If not, Width says what it is.
func (t Traits) HasFeatures() bool { return t.Width == "" }

// form returns the form. The zero Entry has one without parameters.
func (e *Entry) form() Form {
	if e.Form == nil {
		return linearForm{}
	}
	return e.Form
}

// Params returns the declarations of the parameters that the map always has. ParamsOf adds those that depend on values.
func (e *Entry) Params() []ParamDef { return slices.Clone(e.form().params()) }

// ParamsOf returns the declarations of the parameters that the map has with the given values. A map with the parameter
// kernel also has the parameters of that kernel, and a map with way=levy or way=auto also has the order.
func (e *Entry) ParamsOf(v Values) []ParamDef {
	return slices.Concat(e.form().params(), e.form().more(v))
}

// Has says whether the map always has a parameter of that name.
func (e *Entry) Has(param string) bool {
	return slices.ContainsFunc(e.form().params(), func(p ParamDef) bool { return p.Name == param })
}

// plan returns the plan of a spec that has all its parameters.
func (e *Entry) plan(s Spec) (plan, error) {
	if len(s.Parts) > 0 && !e.hasParts() {
		return plan{}, fmt.Errorf("layers: map %s has no parts, and the Spec has %d; leave them out: %w", e.Name,
			len(s.Parts), ErrParam)
	}
	p, err := e.Form.plan(s)
	if err != nil {
		return plan{}, err
	}
	if p.traits == (Traits{}) {
		p.traits = e.Traits
	}
	if p.columns == 0 {
		p.columns = s.Features
	}
	if p.kernel != nil && p.on == (spectral.Domain{}) {
		p.on = p.kernel.Domain()
	}
	return p, nil
}

// simple is the part of forms whose parameters are always the same and have no default from data.
type simple struct{}

func (simple) more(Values) []ParamDef        { return nil }
func (simple) together(Values) error         { return nil }
func (simple) fill(Values, ops.Matrix) error { return nil }

// registered are the entries that Register added to the table.
var registered struct {
	sync.RWMutex
	own []*Entry
}

// Entries returns the table of maps, with what Register added. The programs' -map and -params, model files and the tests
// range over it. The layers of which trees are made (Spec.Parts) are not in it.
func Entries() []*Entry {
	registered.RLock()
	defer registered.RUnlock()
	return slices.Concat(table, registered.own)
}

// BagMaps returns the names of the maps of sets of samples.
func BagMaps() (names []string) {
	for _, e := range Entries() {
		if e.Bags {
			names = append(names, e.Name)
		}
	}
	return names
}

// Lookup returns the entry of a map, or of sequential, concat, dense or normalise, of which trees are made
// (Spec.Parts). Errors: an unknown name (ErrParam).
func Lookup(name string) (*Entry, error) {
	all := Entries()
	for _, e := range slices.Concat(structure, all) {
		if e.Name == name {
			return e, nil
		}
	}
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name
	}
	return nil, fmt.Errorf("layers: there is no map %q; there are %s, and what Register adds: %w", name,
		strings.Join(names, ", "), ErrParam)
}

// Register adds a map of a kernel of your own to the table of this process. From then on you can build, save, load and
// serve a Spec of its name as any other, the maps nystrom and mean-map can take its kernel unless it is indefinite, and
// Check can test it. A program that loads a model of such a map must register it first.
//
// The form is a Drawn, a TwoSigns, a Homogeneous or an Exponentiated. Register fills in the Traits. Errors (ErrParam):
// a name that is empty, taken, or not of letters, digits and hyphens; no form, or a form without a kernel; a parameter
// without a name, declared twice, or called kernel.
func Register(e Entry) error {
	bad := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-')
	}
	if e.Name == "" || strings.ContainsFunc(e.Name, bad) {
		return fmt.Errorf("layers: Register: the name %q is not of letters, digits and hyphens, as my-kernel: %w",
			e.Name, ErrParam)
	}
	ready, ok := e.Form.(interface{ ready() bool })
	if !ok || domain.IsNil(e.Form) || !ready.ready() {
		return fmt.Errorf("layers: Register: %s: the form is %T; give a Drawn, TwoSigns, Homogeneous or "+
			"Exponentiated with a Kernel: %w", e.Name, e.Form, ErrParam)
	}
	seen := map[string]bool{}
	for _, p := range e.Form.params() {
		if p.Name == "" || seen[p.Name] || p.Name == kernelParam {
			return fmt.Errorf("layers: Register: %s: the parameter %q has no name, or one that is taken: %w", e.Name,
				p.Name, ErrParam)
		}
		seen[p.Name] = true
	}
	e.Traits = e.Form.traits()
	registered.Lock()
	defer registered.Unlock()
	for _, other := range slices.Concat(table, structure, registered.own) {
		if other.Name == e.Name {
			return fmt.Errorf("layers: Register: there is a map %q already; choose another name: %w", e.Name, ErrParam)
		}
	}
	registered.own = append(registered.own, &e)
	return nil
}
