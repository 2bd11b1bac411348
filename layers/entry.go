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

// Entry is a row of the table of maps: a description, and the form by which a Spec of that name is built.
type Entry struct {
	Name    string
	Formula string // the kernel
	Inputs  string // what x may be
	Paper   string // where it comes from
	Form    Form
	Traits  // of the form; Register fills them in
}

// Form is a kind of map. It declares the parameters of its maps, finds their defaults, and builds, fits and restores
// them. Kernels of your own take one of the forms Drawn, TwoSigns, Homogeneous and Exponentiated, see Register.
type Form interface {
	traits() Traits
	// params are the parameters that there are with any values, and more the others that there are with some.
	params() []ParamDef
	more(given Values) []ParamDef
	// together is the error of values that are in range one by one and make no sense together.
	together(given Values) error
	// fill fills in what depends on the data.
	fill(v Values, x ops.Matrix) error
	// plan turns a spec with all its parameters into types.
	plan(s Spec) (plan, error)
}

// plan is a map, or another layer of a tree, with its parameters as types.
type plan struct {
	traits  Traits          // the entry's where the form does not say otherwise
	kernel  spectral.Kernel // nil: it has none
	on      spectral.Domain // the kernel's
	columns int             // how many the map makes; 0: Features
	// through is what the layer makes of a row, where it is the same for every layer of the form.
	through func(dst, row []float64) []float64
	lifted  int    // how many columns the frequencies multiply; 0: the input's
	inner   int    // how many coordinates the frequencies of a map of samples have
	sampler string // the sampler where the spec names none; empty: iid
	build   func(opts []Option) (Layer, error)
	// Of a map that is fitted on data, fit is in place of build, and state has the shapes of what is fitted. The sample
	// is nil for a layer whose parameters are about to be set.
	fit   func(sample *tensor.Dense, opts []Option) (Layer, error)
	state map[string]tensor.Shape
}

// Draws is what a map draws.
type Draws int

const (
	// DrawsNothing is of maps without randomness and of maps that are fitted on data.
	DrawsNothing Draws = iota
	// DrawsFrequencies is of maps that draw frequencies by a sampler.
	DrawsFrequencies
	// DrawsWeights is of dense layers.
	DrawsWeights
	// DrawsSigns is of maps that draw random signs, degrees or buckets, for which there is no sampler.
	DrawsSigns
	// DrawsSigned is of maps of indefinite kernels, see SignatureOf. They draw the frequencies of two signs by the
	// parameter coupling, and have no sampler. It comes last: a tree draws what the last of its parts' Draws says.
	DrawsSigned
)

// Traits are what a form says of its maps.
type Traits struct {
	Draws   Draws
	Tunable bool   // whether the map has something to tune, and with it a policy
	Fitted  bool   // whether it is fitted on data: Spec.Fit builds it, Build does not, only its Params bring it back
	Bags    bool   // whether it maps sets of samples, ops.Bags; Dims is then the number of coordinates of a sample
	Zeros   bool   // whether all features of zeros are zeros, so that sparse rows have sparse features, see KeepsZeros
	Width   string // how many columns it makes, where that is no number of features to choose
	lends   bool   // whether a fitted map or a mean map can take its kernel
}

// Sampled says whether something is drawn, by a seed, for a number of features.
func (t Traits) Sampled() bool { return t.Draws != DrawsNothing }

// Signed says whether the map is of an indefinite kernel.
func (t Traits) Signed() bool { return t.Draws == DrawsSigned }

// Discrete says whether random signs, degrees or buckets are drawn.
func (t Traits) Discrete() bool { return t.Draws == DrawsSigns }

// HasSampler says whether the map draws frequencies by a sampler.
func (t Traits) HasSampler() bool { return t.Draws == DrawsFrequencies }

// HasFeatures says whether the number of features is to choose; else it is Width.
func (t Traits) HasFeatures() bool { return t.Width == "" }

// form is the form, of the zero Entry one without parameters.
func (e *Entry) form() Form {
	if e.Form == nil {
		return linearForm{}
	}
	return e.Form
}

// Params are the declarations of the parameters that the map has in any case, see ParamsOf.
func (e *Entry) Params() []ParamDef { return slices.Clone(e.form().params()) }

// ParamsOf are the declarations of the parameters that there are with the values given: a map with a parameter kernel
// has the parameters of that kernel besides its own, and one with way=levy or auto has the order.
func (e *Entry) ParamsOf(v Values) []ParamDef {
	return slices.Concat(e.form().params(), e.form().more(v))
}

// Has says whether the map has a parameter of that name in any case.
func (e *Entry) Has(param string) bool {
	return slices.ContainsFunc(e.form().params(), func(p ParamDef) bool { return p.Name == param })
}

// plan is the form's plan of a spec with all its parameters.
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

// simple is the part of forms whose parameters are always the same and do not depend on the data.
type simple struct{}

func (simple) more(Values) []ParamDef        { return nil }
func (simple) together(Values) error         { return nil }
func (simple) fill(Values, ops.Matrix) error { return nil }

// registered are the entries that Register added to the table.
var registered struct {
	sync.RWMutex
	own []*Entry
}

// Entries is the table of maps: the programs' -map and -params, model files and the test batteries range over it. The
// layers of which trees are made are not in it.
func Entries() []*Entry {
	registered.RLock()
	defer registered.RUnlock()
	return slices.Concat(table, registered.own)
}

// BagMaps are the names of the maps of sets of samples.
func BagMaps() (names []string) {
	for _, e := range Entries() {
		if e.Bags {
			names = append(names, e.Name)
		}
	}
	return names
}

// Lookup finds a map by name, or sequential, concat, dense or normalise, of which trees are made (Spec.Parts). Errors:
// an unknown name (ErrParam).
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

// Register adds a map of a kernel of your own to the table of this process. From then on a Spec of its name is built,
// given defaults, saved, loaded and served as any other, the maps nystrom and mean-map take its kernel, and Check holds
// it to its promises. A program that loads a model of such a map registers it first.
//
// The form is a Drawn, a TwoSigns, a Homogeneous or an Exponentiated. Traits are filled in. Errors (ErrParam): a name
// that is empty, taken, or not of letters, digits and hyphens; no form, or a form without a kernel; parameters that are
// declared twice or without a name.
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
