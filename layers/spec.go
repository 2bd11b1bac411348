package layers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Spec describes a feature map, or a tree of layers, completely: the same spec builds the same map. It is what a model
// file saves. In JSON, eps=auto becomes the number that it stands for, so that a later version with another rule builds
// the same map.
type Spec struct {
	Map      string `json:"map"`
	Params   Values `json:"params"`
	Dims     int    `json:"dims"`     // input columns
	Features int    `json:"features"` // output columns; 0, or what Columns returns, for a map without a choice
	Sampler  string `json:"sampler"`  // empty: what SamplerName returns
	Seed     uint64 `json:"seed"`
	Dtype    string `json:"dtype"` // float64 (empty) or float32
	Tune     string `json:"tune"`  // a Policy; empty: none
	Name     string `json:"name"`  // the layer's name; empty: made up
	// Parts are the layers of a sequential, in order, or of a concat or product, side by side. A part has its own Seed
	// and Tune. It may leave out Dims and Dtype, and also Name, which is then made from its place.
	Parts []Spec `json:"parts,omitempty"`
}

// String describes the spec in a line, with numbers of four digits, the parts of a tree in brackets. JSON has all of
// it.
func (s Spec) String() string {
	var b strings.Builder
	b.WriteString(s.Map)
	if text := s.Params.Short(); text != "" {
		fmt.Fprintf(&b, " %s", text)
	}
	if s.Dims != 0 || s.Features != 0 {
		fmt.Fprintf(&b, ", %d -> %d", s.Dims, s.Features)
	}
	for _, word := range []string{s.Sampler, s.Dtype, s.Tune} {
		if word != "" {
			fmt.Fprintf(&b, ", %s", word)
		}
	}
	if s.Seed != 0 {
		fmt.Fprintf(&b, ", seed %d", s.Seed)
	}
	if s.Name != "" {
		fmt.Fprintf(&b, ", name %q", s.Name)
	}
	if len(s.Parts) > 0 {
		fmt.Fprintf(&b, " [%s]", strings.Join(mapped(s.Parts, Spec.String), "; "))
	}
	return b.String()
}

// MarshalJSON replaces eps=auto by the numbers eps and flat that it stands for, so that the text builds the same map
// whatever a later version chooses. For the exact measure of sphere-polynomial, where there is no choice, auto stays.
func (s Spec) MarshalJSON() ([]byte, error) {
	type plain Spec // without this method
	e, full, err := s.resolve()
	if err != nil || full.Params.Word("eps") != "auto" {
		return json.Marshal(plain(s))
	}
	if f, ok := e.form(full.Params).(signedForm); ok {
		if p, err := f.Kernel.Split(s.Dims, s.Features/4, f.Coupling); err == nil && p.Eps != 0 {
			chosen := Values{}
			maps.Copy(chosen, s.Params)
			chosen["eps"], chosen["flat"] = p.Eps, p.Flat
			s.Params = chosen
		}
	}
	return json.Marshal(plain(s))
}

// FillDefaults fills in the parameters that are not given, from the declared defaults and from the data x: rows, dense
// or sparse, or bags. maps.md beside this file has the rule for each map. A nystrom map without Features gets 512, or
// half the number of rows if that is less. Errors: parameters out of range, or a rule that these data do not allow
// (ErrParam, ErrShape, ErrDomain); bags for a map of rows (ErrDtype).
func (s *Spec) FillDefaults(x ops.Matrix) error {
	e, err := Lookup(s.Map)
	if err != nil {
		return err
	}
	if err := e.Check(s.Params); err != nil {
		return err
	}
	v, _ := e.withDefaults(s.Params)
	if b, ok := x.(*ops.Bags); ok && !e.Bags {
		return fmt.Errorf("layers: map %s is one of rows, and the data are %v; maps of sets are %s: %w", s.Map, b,
			strings.Join(BagMaps(), ", "), ErrDtype)
	}
	if err := e.fill(v, x); err != nil {
		return fmt.Errorf("layers: map %s: default parameters: %w", s.Map, err)
	}
	if _, missing := e.withDefaults(v); len(missing) > 0 {
		return fmt.Errorf("layers: map %s: parameter %s has no default; give its value, or its field the tag default: %w",
			s.Map, missing[0].Name, ErrParam)
	}
	if f, ok := e.form(v).(branch); ok {
		full := *s
		full.Params = v
		if s.Parts, err = full.grown(f, x); err != nil {
			return err
		}
	}
	if s.Features == 0 && e.Fitted && e.HasFeatures() && !domain.IsNil(x) {
		s.Features = min(fittedFeatures, max(1, x.Shape()[0]/2))
	}
	s.Params = v
	return nil
}

// fittedFeatures are the default features of a map that is fitted, in time cubic in them: a part of a second.
const fittedFeatures = 512

// Kernel returns the exact kernel of the map. Errors (ErrParam): parameters that are missing or out of range, a tree
// with a layer that has no kernel.
func (s Spec) Kernel() (spectral.Kernel, error) {
	_, p, err := s.plan()
	if err == nil && domain.IsNil(p.kernel) {
		return nil, fmt.Errorf("layers: %s(%s) has no kernel of its own: %w", s.Map, s.Params.Short(), ErrParam)
	}
	return p.kernel, err
}

// Domain returns the set of rows that the map takes.
func (s Spec) Domain() (spectral.Domain, error) {
	_, p, err := s.plan()
	return p.on, err
}

// Traits returns what the map draws, and whether it is fitted and tunable. For a tree this is over all its parts.
func (s Spec) Traits() (Traits, error) {
	_, p, err := s.plan()
	return p.traits, err
}

// Tuned says whether a solver changes a parameter of the map, or of a part of a tree.
func (s Spec) Tuned() bool {
	return s.Tune != "" && s.Tune != Frozen.String() || slices.ContainsFunc(s.Parts, Spec.Tuned)
}

// plan returns the entry of the map, and the plan of the spec.
func (s Spec) plan() (*Entry, plan, error) {
	e, s, err := s.resolve()
	if err != nil {
		return nil, plan{}, err
	}
	if len(s.Parts) > 0 && !e.hasParts() {
		return nil, plan{}, fmt.Errorf("layers: map %s has no parts, and the Spec has %d; leave them out: %w", e.Name,
			len(s.Parts), ErrParam)
	}
	p, err := e.form(s.Params).plan(s)
	if err != nil {
		return nil, plan{}, err
	}
	p.name = cmp.Or(p.name, s.Name)
	if p.traits == (Traits{}) {
		p.traits = e.Traits
	}
	if p.columns == 0 {
		p.columns = s.Features
	}
	if p.kernel != nil && p.on == (spectral.Domain{}) {
		p.on = p.kernel.Domain()
	}
	p.sampler = cmp.Or(s.Sampler, p.sampler, spectral.IID{}.String())
	return e, p, nil
}

// resolve returns the entry of the map, and the spec with all its parameters.
func (s Spec) resolve() (*Entry, Spec, error) {
	e, err := Lookup(s.Map)
	if err != nil {
		return nil, s, err
	}
	if err := e.Check(s.Params); err != nil {
		return nil, s, err
	}
	v, missing := e.withDefaults(s.Params)
	if len(missing) > 0 {
		return nil, s, fmt.Errorf("layers: map %s: parameter %s is missing; give it, or fill it in from data by "+
			"FillDefaults: %w", s.Map, missing[0].Name, ErrParam)
	}
	s.Params = v
	return e, s, nil
}

// BoundedBelow says whether the domain of the map has a lower bound: x >= 0, x > -c, or the unit cube. Parameters that
// come from the data may be missing.
func (s Spec) BoundedBelow() (bool, error) {
	return s.anyDomain(func(on spectral.Domain) bool { return !on.Contains(-math.MaxFloat64) })
}

// UnitRows says whether the rows must have the length 1. Parameters that come from the data may be missing.
func (s Spec) UnitRows() (bool, error) {
	return s.anyDomain(func(on spectral.Domain) bool {
		low, _, cells := on.Low()
		return !cells && math.IsInf(low, -1)
	})
}

// anyDomain asks about the domain of the map; in a tree, of the parts that take its rows, until one says yes: all parts
// of a concat or product, and the first part of a sequential. Bounds that depend on missing parameters are not exact.
func (s Spec) anyDomain(ask func(on spectral.Domain) bool) (bool, error) {
	e, err := Lookup(s.Map)
	if err != nil {
		return false, err
	}
	if !e.hasParts() {
		on, err := s.provisional(e).Domain()
		return err == nil && ask(on), err
	}
	parts, err := s.within()
	if err != nil {
		return false, err
	}
	if s.Map == sequentialName {
		parts = parts[:1]
	}
	for _, p := range parts {
		if yes, err := p.anyDomain(ask); err != nil || yes {
			return yes, err
		}
	}
	return false, nil
}

// provisional is the spec with a 1 for the parameters that come from the data, which move a bound at most.
func (s Spec) provisional(e *Entry) Spec {
	var missing []ParamDef
	s.Params, missing = e.withDefaults(s.Params)
	for _, p := range missing {
		if s.Params[p.Name] = 1.; p.List {
			s.Params[p.Name] = "1"
		}
	}
	return s
}

// DefaultPolicy returns the policy of a train.Recipe that names none: All for a map with random frequencies or weights
// that lowers the error of most models, as in the table of train.Tuner. It is Frozen for the others: skewed and
// homogeneous maps, maps of the structured sampler, maps that are fitted or take sets, and trees, whose parts have
// policies of their own. Parameters that come from the data may be missing.
func (s Spec) DefaultPolicy() (Policy, error) {
	e, err := Lookup(s.Map)
	if err != nil || !e.gains || s.Sampler == (spectral.Structured{}).String() {
		return Frozen, err
	}
	if t, err := s.provisional(e).Traits(); err != nil || !t.Tunable {
		return Frozen, err
	}
	return All, nil
}

// Columns returns the number of output columns: Features if the user chooses it, and otherwise the number that follows
// from Dims and the parameters.
func (s Spec) Columns() (int, error) {
	_, p, err := s.plan()
	if err != nil {
		return s.Features, err
	}
	return p.columns, nil
}

// Size returns how many numbers the map needs for its frequencies, weights and tables, before there is any of them.
// Its Params hold at least as many, and others beside them, such as scales, whose number does not grow with Dims times
// Features. It is 0 for a map without such parameters.
func (s Spec) Size() (float64, error) {
	_, p, err := s.plan()
	return p.size, err
}

// frequencies returns the Size of m frequencies of so many coordinates: of a matrix, or of the signs of the structured
// sampler.
func (s Spec) frequencies(coordinates, m int) float64 {
	if s.Sampler == (spectral.Structured{}).String() {
		return 3 * float64(max(coordinates, m))
	}
	return float64(coordinates) * float64(m)
}

// fourier returns the Size of the frequencies of Fourier features of so many coordinates.
func (s Spec) fourier(coordinates int, phase bool) float64 {
	return s.frequencies(coordinates, s.Features/featuresOf(spectral.Fourier, phase, coordinates))
}

// SamplerName returns the sampler that Build uses: Sampler if it is given, and otherwise coupled for a LevyLayer, sobol
// for normalised rows of up to 1000 columns, and iid for any other map. It is "" for a map without frequencies.
func (s Spec) SamplerName() (string, error) {
	e, p, err := s.plan()
	if err != nil || !e.HasSampler {
		return "", err
	}
	return p.sampler, nil
}

// ElementType returns Dtype as a type: Float32 for float32, and Float64 for any other text. Build refuses unknown
// names.
func (s Spec) ElementType() tensor.Dtype {
	if s.Dtype == tensor.Float32.String() {
		return tensor.Float32
	}
	return tensor.Float64
}

// Build draws the map. Errors: a map that is fitted on data (Entry.Fitted), for which there is Fit; parameters that are
// missing or out of range; a Sampler, Tune or Features that the map does not have (ErrParam); and the errors of the
// layer's constructor.
func (s Spec) Build() (Layer, error) { return s.build(false, nil) }

// Restore builds the map without a random draw and sets its parameters, as a model file has them.
func (s Spec) Restore(params map[string]*tensor.Dense) (Layer, error) {
	l, err := s.build(true, nil)
	if err != nil {
		return nil, err
	}
	return l, l.SetParams(params)
}

// build draws the map, or fits it on the sample. undrawn is for parameters that SetParams will set.
func (s Spec) build(undrawn bool, sample *tensor.Dense) (Layer, error) {
	e, p, err := s.plan()
	if err != nil {
		return nil, err
	}
	o, err := s.options(e, p)
	if err != nil {
		return nil, err
	}
	if o.undrawn = undrawn; p.traits.Fitted {
		if o.sample = sample; sample == nil && !undrawn {
			return nil, fmt.Errorf("layers: map %s is fitted on data, which Build does not have; use Spec.Fit, or "+
				"Restore for what was fitted before: %w", s.Map, ErrParam)
		}
	}
	l, err := p.build(o)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// options returns the options that all forms have in common. A Sampler, Tune or Features that does not apply to
// the map is an error.
func (s Spec) options(e *Entry, p plan) (o options, err error) {
	o = apply(nil)
	o.name, o.dt, o.phase = s.Name, s.ElementType(), s.Params.Bool(phaseParam)
	if s.Dtype != "" && s.Dtype != o.dt.String() {
		return o, fmt.Errorf("layers: dtype %q, want float32 or float64: %w", s.Dtype, ErrParam)
	}
	if e.Sampled || e.Fitted {
		o.seed = s.Seed
	}
	if o.policy, err = ParsePolicy(s.Tune); err != nil {
		return o, err
	}
	if o.sampler, err = spectral.SamplerByName(p.sampler); err != nil {
		return o, err
	}
	without := ""
	switch {
	case e.HasSampler:
	case !e.Sampled:
		without = "draws nothing, so it has no sampler (%q)"
	case e.Signed:
		without = "draws its two signs by a coupling, so it has no sampler (%q); set the parameter coupling"
	case e.Discrete:
		without = "draws random signs and no frequencies, so it has no sampler (%q)"
	default:
		without = "draws weights and no frequencies, so it has no sampler (%q)"
	}
	if s.Sampler != "" && without != "" {
		return o, fmt.Errorf("layers: map %s "+without+": %w", s.Map, s.Sampler, ErrParam)
	}
	if e.hasParts() && o.policy != Frozen {
		return o, fmt.Errorf("layers: %s: Tune = %v does not apply to a map with Parts; set Tune of the Parts: %w", s.Map,
			o.policy, ErrParam)
	}
	if !e.Tunable && o.policy != Frozen {
		return o, fmt.Errorf("layers: map %s has nothing to tune (%v): %w", s.Map, o.policy, ErrParam)
	}
	if !e.HasFeatures() && s.Features != 0 && s.Features != p.columns {
		return o, fmt.Errorf("layers: map %s makes %s, here %d of %d input columns, not %d: %w", s.Map, e.Width,
			p.columns, s.Dims, s.Features, ErrParam)
	}
	return o, nil
}
