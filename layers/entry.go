package layers

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Entry is a row of the table of maps.
type Entry struct {
	Name    string
	Formula string // the kernel
	Inputs  string // the domain of x, in words
	Paper   string // the source
	// Kernel is a kernel of the type of the map's, whose fields with tags are its parameters, see ParamDef. It is nil
	// for a map that is no more than one of several of its kernel, or that takes the kernel of another map.
	Kernel spectral.Kernel
	// Defaults fills in the parameters that depend on the rows x. It is nil if every parameter has a default.
	Defaults func(v Values, x ops.Matrix) error
	Traits   // Register fills them in

	of form // without values
}

// form is a kind of map: a struct whose fields with tags are the parameters of its maps, see ParamDef. Some forms have
// these methods, too:
//
//	hides(name string) bool                      whether a parameter has no meaning beside the others
//	check(mapName string, given Values) error    an error for values in range that contradict each other
//	fill(v Values, x ops.Matrix) error           fills in the parameters that depend on the data
type form interface {
	// plan makes the plan of a spec, whose parameters the form has.
	plan(s Spec) (plan, error)
}

// plan is a map, or another layer of a tree, with its parameters as Go types.
type plan struct {
	name    string          // of the layer; empty: made up
	traits  Traits          // the entry's where the form does not say otherwise
	kernel  spectral.Kernel // nil: it has none
	on      spectral.Domain // the kernel's
	columns int             // the output columns; 0: Features
	// through maps a row, for a layer without parameters; else nil.
	through func(dst, row []float64) []float64
	size    float64 // see Spec.Size
	rows    int     // the number of rows that it is fitted on, at least
	sampler string  // the spec's, or else the form's, or else iid
	build   func(o options) (Layer, error)
}

// Traits are properties that all maps of a form share. Those of a tree are over all its parts.
type Traits struct {
	Sampled    bool // the map draws random numbers, by a seed
	HasSampler bool // a sampler draws its frequencies
	Discrete   bool // it draws random signs, degrees or buckets, which no sampler does
	// It is a map of an indefinite kernel, see SignatureOf, which draws the frequencies of two signs by the parameter
	// coupling. A sequential is one only if its last part is.
	Signed  bool
	Tunable bool   // it has parameters to tune, and so a policy
	Fitted  bool   // it is fitted on data: Spec.Fit builds it, Build does not, Restore needs its Params
	Bags    bool   // it maps sets of samples, ops.Bags; Dims is then the number of coordinates of a sample
	Zeros   bool   // all features of 0 are 0, so that sparse rows have sparse features, see StaysSparse
	Stored  int    // of a spec, the features of any row that are not 0, if they are sparse whatever the row
	Width   string // its number of columns, in words, if the user does not choose a number of features
	lends   bool   // whether a fitted map or a mean map can take its kernel
	gains   bool   // whether All lowers the error of its models, see Spec.DefaultPolicy
}

// HasFeatures says whether the user chooses the number of features. If not, Width says what it is.
func (t Traits) HasFeatures() bool { return t.Width == "" }

// form returns the form with the values that are given, and the defaults of the others.
func (e *Entry) form(v Values) form { return decoded(e.of, v) }

// decoded returns a copy of a struct of parameters with the values that are given, and the defaults of the others.
func decoded[T any](of T, v Values) T {
	return eachParam(of, func(d ParamDef, f reflect.Value) {
		value, given := v[d.Name]
		if !given {
			value = d.Default
		}
		if value != nil {
			d.decode(f, value)
		}
	})
}

// Params returns the declarations of the parameters that the map always has. ParamsOf adds those that depend on values.
func (e *Entry) Params() []ParamDef {
	return slices.DeleteFunc(e.ParamsOf(nil), func(d ParamDef) bool { return d.borrowed })
}

// ParamsOf returns the declarations of the parameters that the map has with the given values. A map with the parameter
// kernel also has the parameters of that kernel, and a map with way=levy or way=auto also has the order.
func (e *Entry) ParamsOf(v Values) (defs []ParamDef) {
	eachShown(e.form(v), func(d ParamDef, _ reflect.Value) { defs = append(defs, d) })
	return defs
}

// eachShown calls do with the parameters of a form, or of a kernel, that it does not hide, and their fields.
func eachShown[T any](of T, do func(d ParamDef, field reflect.Value)) {
	h, some := any(of).(interface{ hides(name string) bool })
	eachParam(of, func(d ParamDef, field reflect.Value) {
		if !some || !h.hides(d.Name) {
			do(d, field)
		}
	})
}

// Has says whether the map always has a parameter of that name.
func (e *Entry) Has(param string) bool {
	return slices.ContainsFunc(e.Params(), func(p ParamDef) bool { return p.Name == param })
}

// fill fills in the parameters that depend on the data.
func (e *Entry) fill(v Values, x ops.Matrix) error {
	if e.Defaults != nil {
		if err := e.Defaults(v, x); err != nil {
			return err
		}
	}
	if f, ok := e.form(v).(interface {
		fill(v Values, x ops.Matrix) error
	}); ok {
		return f.fill(v, x)
	}
	return nil
}

// registered are the entries that Register added to the table.
var registered struct {
	sync.RWMutex
	own []*Entry
}

// Entries returns the table of maps, with what Register added. --map and --params of the program, model files and the
// tests range over it. The layers of which trees are made (Spec.Parts) are not in it.
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

// Lookup returns the entry of a map, or of sequential, concat, product, dense, periodic or normalise, of which trees
// are made (Spec.Parts). Errors: an unknown name (ErrParam).
func Lookup(name string) (*Entry, error) {
	all := Entries()
	for _, e := range slices.Concat(structure, all) {
		if e.Name == name {
			return e, nil
		}
	}
	names := mapped(all, func(e *Entry) string { return e.Name })
	return nil, fmt.Errorf("layers: there is no map %q%s; want one of %s, or what Register adds: %w", name,
		domain.Guess(name, names), strings.Join(names, ", "), ErrParam)
}

// lending returns the maps whose kernels are of a type and may be those of other maps.
func lending(kernel reflect.Type) (es []*Entry) {
	for _, e := range Entries() {
		if e.lends && reflect.TypeOf(e.Kernel).Implements(kernel) {
			es = append(es, e)
		}
	}
	return es
}

// Register adds a map of a kernel of your own to the table of this process. From then on you can build, save, load and
// serve a Spec of its name as any other, the maps nystrom and mean-map can take its kernel unless it is indefinite, and
// package maptest can test it. A program that loads a model of such a map must register it first.
//
//	err := layers.Register(layers.Entry{Name: "my-kernel", Kernel: MyKernel{}, Formula: "...", Inputs: "any"})
//
// The kernel decides on the map: a RandomLayer for a spectral.Random, a HomogeneousLayer for a spectral.Homogeneous, an
// ExponentiatedLayer for a spectral.Exponentiated and a GORFLayer for a spectral.SignedLaw. Register fills in the Traits.
//
// A parameter without the tag default must be given in every Spec unless Defaults fills it in. The kernel may check its
// parameters by a method Validate, see spectral.Validator, which every constructor calls.
//
// Errors (ErrParam): a name that is empty, taken, or not of letters, digits and hyphens; no such kernel, or a pointer to
// one; a parameter that the map has already; an exported field of the kernel without a tag, such as the functions of
// spectral.Custom, or with a tag that cannot be read.
func Register(e Entry) (err error) {
	if named, _ := regexp.MatchString("^[a-zA-Z0-9-]+$", e.Name); !named {
		return fmt.Errorf("layers: Register: the name %q is not of letters, digits and hyphens, as my-kernel: %w",
			e.Name, ErrParam)
	}
	if domain.IsNil(e.Kernel) || !e.complete() {
		return fmt.Errorf("layers: Register: %s: the kernel is %T; give a spectral.Random, Homogeneous, Exponentiated "+
			"or SignedLaw: %w", e.Name, e.Kernel, ErrParam)
	}
	switch t := reflect.TypeOf(e.Kernel); t.Kind() {
	case reflect.Pointer:
		return fmt.Errorf("layers: Register: %s: the kernel is a pointer, %T, whose fields a Spec cannot set; give a "+
			"value of a type whose methods have value receivers: %w", e.Name, e.Kernel, ErrParam)
	case reflect.Struct:
		if name := unread(t); name != "" {
			return fmt.Errorf("layers: Register: %s: the field %s of %T is no parameter, so that a Spec would lose its "+
				"value; tag it as `param:\"name\"`, or give a type without it: %w", e.Name, name, e.Kernel, ErrParam)
		}
	}
	defer func() {
		if p := recover(); p != nil { // of a tag
			err = fmt.Errorf("layers: Register: %s: %v: %w", e.Name, p, ErrParam)
		}
	}()
	seen := map[string]bool{}
	for _, p := range e.ParamsOf(nil) {
		if seen[p.Name] || p.Name == kernelParam {
			return fmt.Errorf("layers: Register: %s: the parameter %q has a name that is taken: %w", e.Name, p.Name,
				ErrParam)
		}
		seen[p.Name] = true
	}
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

// complete finds the form of the kernel, if the entry has none, and its Traits. It is false where there is no form.
func (e *Entry) complete() bool {
	if e.of == nil {
		e.of, e.Traits = formOf(e.Kernel)
	}
	return e.of != nil
}

// formOf returns the form and the traits of the map of a kernel, nil if there is none.
func formOf(k spectral.Kernel) (form, Traits) {
	switch k := k.(type) {
	case spectral.Linear:
		return linearForm{}, Traits{Width: identityWidth, Zeros: true, lends: true}
	case spectral.ExpSemigroup, spectral.ReciprocalSemigroup:
		return semigroupFormOf(k, laplaceWay, 0), drawnTraits(true, true)
	case spectral.Exponentiated:
		if !domain.IsNil(k.Of) {
			return exponentiatedForm{Kernel: k}, drawnTraits(true, true)
		}
	case spectral.Homogeneous:
		return homogeneousForm{Kernel: k}, homogeneousTraits(k)
	case spectral.Random:
		return drawnForm{Kernel: k}, traitsOfLaw(k.Law())
	case spectral.SignedLaw:
		return signedForm{Kernel: k}, signedTraits
	}
	return nil, Traits{}
}
