package layers

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// Entry is a row of the table of maps.
type Entry struct {
	Name    string
	Formula string // the kernel
	Inputs  string // what x may be
	Paper   string // where it comes from
	Params  []ParamDef
	Sampled bool // whether it is drawn, and so has a seed, a number of features and, with HasSampler, a sampler
	Tunable bool // whether it has something to tune, and with it a policy
	// Signed says that its features have a sign each, see SignatureOf. It draws the two signs by the parameter coupling and has no sampler.
	Signed bool
	// Discrete says that what it draws are random signs, degrees or buckets and no frequencies, for which there is no sampler.
	Discrete bool
	// Ways says that it has a parameter way, on which its sampler depends where a spec names none.
	Ways bool
	// Fitted says that it is fitted on data: Spec.Fit builds it and Build does not, and only its Params bring it back.
	Fitted bool
	// Bags says that it is a map of sets of samples, ops.Bags; Dims is then the number of coordinates of a sample.
	Bags bool
	// Width says how many columns it makes where that is no number of features to choose.
	Width string

	columns  func(v Values, dims int) int // that number; nil where there is one to choose
	lifted   func(s Spec, v Values) int   // how many columns the frequencies multiply; nil: the input's
	kernel   func(v Values) spectral.Kernel
	layer    func(k spectral.Kernel, s Spec, opts []Option) (Layer, error)
	defaults func(v Values, x ops.Matrix) error // fills in what depends on the data
	together func(given Values) error           // what parameters that are in range may not be together; nil: anything
	more     func(given Values) []ParamDef      // parameters that there are with some values of others
	drawn    func(s Spec, v Values) string      // the sampler of a spec that names none; nil: iid

	additive bool // the kernel is a spectral.Homogeneous
	// Of a fitted map, in place of kernel, layer and defaults: the maps whose kernels it can take, the shapes of what is fitted, and the
	// layer that is fitted on a sample, or left to be set.
	kernels []*Entry
	state   func(s Spec, v Values) map[string]tensor.Shape
	fit     func(k spectral.Kernel, s Spec, sample *tensor.Dense, opts []Option) (Layer, error)
	// Of a map of another map: what it makes of its kernel, and the coordinates of its frequencies; nil are the kernel itself and none.
	outer      func(k spectral.Kernel, v Values) spectral.Kernel
	below      func(s Spec, v Values) int
	fittedWith func(v Values) bool // of a map that is fitted with some parameters and not with others
}

// fitted says whether the map is fitted on data.
func (e *Entry) fitted(v Values) bool { return e.Fitted || e.fittedWith != nil && e.fittedWith(v) }

// HasSampler says whether it draws frequencies of one sign, by a sampler.
func (e *Entry) HasSampler() bool { return e.Sampled && !e.Signed && !e.Discrete }

// HasFeatures says whether the number of features is to choose; else it is Width.
func (e *Entry) HasFeatures() bool { return e.columns == nil }

var (
	phaseDef = ParamDef{Name: "phase", Doc: "the phase form √(2/m) cos(xW + b) in place of the pair", Flag: true, Default: false, OfMap: true}
	sigmaDef = ParamDef{Name: "sigma", Doc: "bandwidth σ"}
	cDef     = ParamDef{Name: "c", Doc: "shift c, above minus the smallest input", Closed: true}
)

// table is the one list of maps: the programs' -map and -params, model files and the test batteries range over it.
var table = slices.Concat(ownKernels, baselines, fittedMaps(ownKernels), bagMaps(ownKernels))

// ownKernels are the maps with kernels of their own.
var ownKernels = []*Entry{
	{Name: "linear", Formula: "x·z", Inputs: "any", Paper: "the baseline",
		Width: "as many features as input columns", columns: func(_ Values, dims int) int { return dims },
		kernel: func(Values) spectral.Kernel { return spectral.Linear{} }, layer: identityLayer},
	{Name: "gaussian", Formula: "exp(-‖x-z‖²/2σ²)", Inputs: "any", Paper: "Rahimi and Recht 2007", Sampled: true, Tunable: true,
		Params: []ParamDef{sigmaDef, phaseDef}, defaults: gaussianDefaults, layer: of(fourierLayer),
		kernel: func(v Values) spectral.Kernel { return spectral.Gaussian{Sigma: v.Number("sigma")} }},
	{Name: "laplacian", Formula: "exp(-‖x-z‖₁/σ)", Inputs: "any", Paper: "Rahimi and Recht 2007", Sampled: true, Tunable: true,
		Params: []ParamDef{sigmaDef, phaseDef}, defaults: laplacianDefaults, layer: of(fourierLayer),
		kernel: func(v Values) spectral.Kernel { return spectral.Laplacian{Sigma: v.Number("sigma")} }},
	{Name: "matern", Formula: "Matérn(ν, ℓ) of ‖x-z‖₂", Inputs: "any", Paper: "Rasmussen and Williams 2006, (4.14)", Sampled: true, Tunable: true,
		Params: []ParamDef{{Name: "nu", Doc: "smoothness ν", Default: 1.5}, {Name: "ell", Doc: "length scale ℓ"}, phaseDef}, defaults: maternDefaults, layer: of(fourierLayer),
		kernel: func(v Values) spectral.Kernel { return spectral.Matern{Nu: v.Number("nu"), Ell: v.Number("ell")} }},
	semigroupEntry("exp-semigroup", "exp(-β Σ √(x+z))", ParamDef{Name: "beta", Doc: "scale β"}, func(v float64) spectral.Semigroup { return spectral.ExpSemigroup{Beta: v} },
		spectral.MaxOrder, func(order int) int { return 2*order + 1 }, expSemigroupDefaults, nil),
	semigroupEntry("reciprocal-semigroup", "Π λ/(x+z+λ)", ParamDef{Name: "lambda", Doc: "scale λ"}, func(v float64) spectral.Semigroup { return spectral.ReciprocalSemigroup{Lambda: v} },
		spectral.MaxWaves, func(order int) int { return 2 * order }, reciprocalDefaults, wavesOrder),
	{Name: "skewed-chi2", Formula: "Π 2√(x+c)√(z+c)/(x+z+2c)", Inputs: "x > -c", Paper: "Li et al. 2010, (9)", Sampled: true, Tunable: true,
		Params: []ParamDef{cDef, phaseDef}, defaults: skewedDefaults(func(c float64) spectral.Kernel { return spectral.SkewedChi2{C: c} }), layer: of(skewedLayer),
		kernel: func(v Values) spectral.Kernel { return spectral.SkewedChi2{C: v.Number("c")} }},
	{Name: "skewed-intersection", Formula: "Π min(√((x+c)/(z+c)), √((z+c)/(x+c)))", Inputs: "x > -c", Paper: "Li et al. 2010, (9)", Sampled: true, Tunable: true,
		Params: []ParamDef{cDef, phaseDef}, defaults: skewedDefaults(func(c float64) spectral.Kernel { return spectral.SkewedIntersection{C: c} }), layer: of(skewedLayer),
		kernel: func(v Values) spectral.Kernel { return spectral.SkewedIntersection{C: v.Number("c")} }},
	homogeneousEntry("hellinger", "Σ √(xz)", hellinger),
	homogeneousEntry("chi2", "Σ 2xz/(x+z)", chi2),
	homogeneousEntry("intersection", "Σ min(x, z)", intersection),
	homogeneousEntry("jensen-shannon", "Σ ½x log₂((x+z)/x) + ½z log₂((x+z)/z)", jensenShannon),
	exponentiatedEntry("exp-hellinger", "Σ (√x - √z)²", hellinger),
	exponentiatedEntry("exp-chi2", "Σ (x-z)²/(x+z)", chi2),
	exponentiatedEntry("exp-intersection", "‖x-z‖₁", intersection),
	exponentiatedEntry("exp-jensen-shannon", "2 JS(x, z) in bits", jensenShannon),
	{Name: "sphere-polynomial", Formula: "(1 - ‖x-z‖²/a²)^p", Inputs: "‖x‖₂ = 1", Paper: "Luo et al. 2021, section IV", Sampled: true, Tunable: true, Signed: true,
		Params: []ParamDef{{Name: "a", Doc: "scale a", Default: 2.}, {Name: "p", Doc: "degree p", Whole: true, Min: 1, Closed: true, Max: 1000, Default: 10.}, epsDef, flatDef, couplingDef},
		kernel: spherePolynomial, layer: of(gorfLayer)},
	{Name: "delta-gaussian", Formula: "exp(-‖x-z‖²/2σ₁²) - exp(-‖x-z‖²/2σ₂²)", Inputs: "any", Paper: "Luo et al. 2021, section IV", Sampled: true, Tunable: true, Signed: true,
		Params: []ParamDef{{Name: "sigma1", Doc: "bandwidth σ₁", Default: 1.}, {Name: "sigma2", Doc: "bandwidth σ₂", Default: 10.},
			{Name: "sigmas", Doc: "bandwidths of any number of Gaussians, in place of the two", List: true, Default: ""},
			{Name: "weights", Doc: "their weights, of either sign", List: true, Default: ""}, couplingDef},
		kernel: deltaGaussian, layer: of(gorfLayer), defaults: deltaDefaults, together: oneKindOfSigma},
	{Name: "arc-cosine", Formula: "1 - θ/π (order 0), (sin θ + (π-θ) cos θ)/π (order 1)", Inputs: "‖x‖₂ = 1", Paper: "Cho and Saul 2009", Sampled: true, Tunable: true, Signed: true,
		Params: []ParamDef{{Name: "order", Doc: "0 or 1", Whole: true, Closed: true, Max: 1, Default: 1.}, epsDef, flatDef, couplingDef}, kernel: arcCosine, layer: of(gorfLayer)},
	{Name: "ntk", Formula: "x·z (π-θ)/π + (sin θ + (π-θ) cos θ)/π", Inputs: "‖x‖₂ = 1", Paper: "Jacot et al. 2018", Sampled: true, Tunable: true, Signed: true,
		Params: []ParamDef{epsDef, flatDef, couplingDef}, kernel: neuralTangent, layer: of(gorfLayer)},
}

// Entries is the table of maps.
func Entries() []*Entry { return append([]*Entry(nil), table...) }

// BagMaps are the names of the maps of sets of samples.
func BagMaps() (names []string) {
	for _, e := range table {
		if e.Bags {
			names = append(names, e.Name)
		}
	}
	return names
}

// Lookup finds a map by name. Errors: an unknown name (ErrParam).
func Lookup(name string) (*Entry, error) {
	names := make([]string, len(table))
	for i, e := range table {
		if names[i] = e.Name; e.Name == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("layers: there is no map %q; there are %s: %w", name, strings.Join(names, ", "), ErrParam)
}

// Spec describes a feature map completely: the same spec builds the same map. In JSON eps=auto is the number that it
// has chosen, so that a later version, which may choose another, builds the same map, too.
type Spec struct {
	Map      string `json:"map"`
	Params   Values `json:"params"`
	Dims     int    `json:"dims"`     // input columns
	Features int    `json:"features"` // output columns; 0, or what Columns says, where there are none to choose
	Sampler  string `json:"sampler"`  // empty: SamplerName
	Seed     uint64 `json:"seed"`
	Dtype    string `json:"dtype"` // float64 (empty) or float32
	Tune     string `json:"tune"`  // a Policy; empty: frozen
	Name     string `json:"name"`  // the layer's name; empty: made up
	// OneStream draws both maps of a mean-map from one stream of random numbers, and not from one each: as model files
	// before there was this field, for which train.Load sets it.
	OneStream bool `json:"one_stream,omitempty"`
}

// FillDefaults fills in the parameters that are not given, from the declared defaults and from the dense or sparse rows or the bags x that the
// map is for. The rule for each is in the documentation of the map's entry in the README.
func (s *Spec) FillDefaults(x ops.Matrix) error {
	e, err := Lookup(s.Map)
	if err != nil {
		return err
	}
	if err := e.Check(s.Params); err != nil {
		return err
	}
	v := s.Params.plain()
	for range 2 { // a default may bring other parameters with it
		for _, p := range e.ParamsOf(v) {
			if _, given := v[p.Name]; !given && p.Default != nil {
				v[p.Name] = p.Default
			}
		}
	}
	if b, ok := x.(*ops.Bags); ok && !e.Bags {
		return fmt.Errorf("layers: map %s is one of rows, and the data are %v; maps of sets are %s: %w", s.Map, b, strings.Join(BagMaps(), ", "), ErrDtype)
	}
	if err := e.fillFromData(v, x); err != nil {
		return fmt.Errorf("layers: map %s: default parameters: %w", s.Map, err)
	}
	s.Params = v
	return nil
}

// Kernel is the exact kernel of the map.
func (s Spec) Kernel() (spectral.Kernel, error) {
	e, v, err := s.resolve()
	if err != nil {
		return nil, err
	}
	return e.kernelOf(v), nil
}

// resolve finds the entry and the full set of parameters.
func (s Spec) resolve() (*Entry, Values, error) {
	e, err := Lookup(s.Map)
	if err != nil {
		return nil, nil, err
	}
	if err := e.Check(s.Params); err != nil {
		return nil, nil, err
	}
	v, params := Values{}, s.Params.plain()
	for _, p := range e.ParamsOf(params) {
		value, given := params[p.Name]
		if !given {
			if value = p.Absent; value == nil {
				value = p.Default
			}
		}
		if value == nil {
			return nil, nil, fmt.Errorf("layers: map %s: parameter %s is missing; give it, or fill it in from data by FillDefaults: %w", s.Map, p.Name, ErrParam)
		}
		v[p.Name] = value
	}
	return e, v, nil
}

// BoundedBelow says whether a number may be too small for the map: x >= 0, x > -c, or the unit cube. Parameters that
// are to come from the data may be missing.
func (s Spec) BoundedBelow() (bool, error) {
	e, err := Lookup(s.Map)
	if err != nil {
		return false, err
	}
	params := maps.Clone(s.Params)
	for _, p := range e.ParamsOf(s.Params) {
		if _, given := params[p.Name]; !given && p.Default == nil {
			if params == nil {
				params = Values{}
			}
			params[p.Name] = 1. // which moves the bound at most
		}
	}
	s.Params = params
	k, err := s.Kernel()
	if err != nil {
		return false, err
	}
	return !k.Domain().Contains(-math.MaxFloat64), nil
}

// Columns is the number of output columns: Features where that is to choose, and otherwise what follows from Dims and the
// parameters.
func (s Spec) Columns() (int, error) {
	e, v, err := s.resolve()
	if err != nil || e.HasFeatures() {
		return s.Features, err
	}
	return e.columns(v, s.Dims), nil
}

// FrequencyDims is how many columns the frequencies multiply: Dims, or for an exponentiated map the columns of the homogeneous one, for a map of
// sets those of its embedding.
func (s Spec) FrequencyDims() (int, error) {
	e, v, err := s.resolve()
	if err != nil || e.lifted == nil {
		return s.Dims, err
	}
	return e.lifted(s, v), nil
}

// InnerCoordinates is how many numbers the frequencies of a map of samples have at most, under a mean map; 0 for any other map.
func (s Spec) InnerCoordinates() (int, error) {
	e, v, err := s.resolve()
	if err != nil || e.below == nil {
		return 0, err
	}
	return e.below(s, v), nil
}

// SamplerName is the sampler that Build draws by: Sampler where that is given, and else iid, but coupled for a LevyLayer and sobol for normalised rows
// of up to 1000 columns. It is "" for a map that has none.
func (s Spec) SamplerName() (string, error) {
	e, v, err := s.resolve()
	if err != nil || !e.HasSampler() {
		return "", err
	}
	return s.samplerName(e, v), nil
}

func (s Spec) samplerName(e *Entry, v Values) string {
	switch {
	case s.Sampler != "":
		return s.Sampler
	case e.drawn != nil:
		return e.drawn(s, v)
	}
	return spectral.IID{}.String()
}

// ElementType is Dtype as a type: Float32, or Float64 for any other text. Build refuses what is neither name.
func (s Spec) ElementType() tensor.Dtype {
	if s.Dtype == tensor.Float32.String() {
		return tensor.Float32
	}
	return tensor.Float64
}

// Build draws the map. One that is fitted on data (Entry.Fitted) is an error; Fit builds it.
func (s Spec) Build() (Layer, error) { return s.build(nil) }

// Restore builds the map without a draw and sets its parameters.
func (s Spec) Restore(params map[string]*tensor.Dense) (Layer, error) {
	l, err := s.build(nil, withoutDraw())
	if err != nil {
		return nil, err
	}
	return l, l.SetParams(params)
}

// build makes the map, a fitted one on a sample or, withoutDraw, on none.
func (s Spec) build(sample *tensor.Dense, more ...Option) (Layer, error) {
	e, v, err := s.resolve()
	if err != nil {
		return nil, err
	}
	s.Params = v
	return s.buildOf(e, v, sample, more...)
}

// buildOf is build for an entry and a full set of parameters.
func (s Spec) buildOf(e *Entry, v Values, sample *tensor.Dense, more ...Option) (Layer, error) {
	if s.OneStream && e.below == nil {
		return nil, fmt.Errorf("layers: map %s is not of two maps, so it has no OneStream; leave it out: %w", s.Map, ErrParam)
	}
	opts := append([]Option{named(s.Name)}, more...)
	if e.Sampled {
		opts = append(opts, WithSeed(s.Seed))
	}
	switch s.Dtype {
	case "", "float64":
	case "float32":
		opts = append(opts, WithDtype(tensor.Float32))
	default:
		return nil, fmt.Errorf("layers: dtype %q, want float32 or float64: %w", s.Dtype, ErrParam)
	}
	policy, err := ParsePolicy(s.Tune)
	if err != nil {
		return nil, err
	}
	sampler, err := spectral.SamplerByName(s.samplerName(e, v))
	if err != nil {
		return nil, err
	}
	if !e.Sampled && s.Sampler != "" {
		return nil, fmt.Errorf("layers: map %s draws nothing, so it has no sampler (%q): %w", s.Map, s.Sampler, ErrParam)
	}
	if e.Signed && s.Sampler != "" {
		return nil, fmt.Errorf("layers: map %s draws its two signs by a coupling, so it has no sampler (%q); set the parameter coupling: %w", s.Map, s.Sampler, ErrParam)
	}
	if e.Discrete && s.Sampler != "" {
		return nil, fmt.Errorf("layers: map %s draws random signs and no frequencies, so it has no sampler (%q): %w", s.Map, s.Sampler, ErrParam)
	}
	if !e.Tunable && policy != Frozen {
		return nil, fmt.Errorf("layers: map %s has nothing to tune (%v): %w", s.Map, policy, ErrParam)
	}
	if !e.HasFeatures() && s.Features != 0 && s.Features != e.columns(v, s.Dims) {
		return nil, fmt.Errorf("layers: map %s makes %s, here %d of %d input columns, not %d: %w", s.Map, e.Width, e.columns(v, s.Dims), s.Dims, s.Features, ErrParam)
	}
	if e.Tunable {
		opts = append(opts, Tune(policy))
	}
	if e.HasSampler() {
		opts = append(opts, WithSampler(sampler))
	}
	if v.Bool("phase") {
		opts = append(opts, WithPhase())
	}
	switch {
	case !e.fitted(v):
		return e.layer(e.kernelOf(v), s, opts)
	case sample == nil && !apply(opts).undrawn:
		return nil, fmt.Errorf("layers: map %s is fitted on data, which Build does not have; use Spec.Fit, or Restore for what was fitted before: %w", s.Map, ErrParam)
	}
	return e.fit(e.kernelOf(v), s, sample, opts)
}

func identityLayer(_ spectral.Kernel, s Spec, opts []Option) (Layer, error) {
	return NewIdentity(s.Dims, opts...)
}

// of makes the constructor of an entry of one for kernels of the type K.
func of[K spectral.Kernel](layer func(k K, s Spec, opts []Option) (Layer, error)) func(spectral.Kernel, Spec, []Option) (Layer, error) {
	return func(k spectral.Kernel, s Spec, opts []Option) (Layer, error) {
		typed, err := kernelAs[K](s, k)
		if err != nil {
			return nil, err
		}
		return layer(typed, s, opts)
	}
}

// kernelAs is k as a K. A kernel that is none is an error.
func kernelAs[K spectral.Kernel](s Spec, k spectral.Kernel) (K, error) {
	typed, ok := k.(K)
	if !ok {
		return typed, fmt.Errorf("layers: map %s: its kernel %T is no %v: %w", s.Map, k, reflect.TypeFor[K](), ErrParam)
	}
	return typed, nil
}

func fourierLayer(k spectral.Random, s Spec, opts []Option) (Layer, error) {
	return NewFourierLayer(k, s.Dims, s.Features, opts...)
}

func skewedLayer(k spectral.Shifter, s Spec, opts []Option) (Layer, error) {
	switch k := k.(type) {
	case spectral.SkewedChi2:
		return NewSkewedChi2Layer(k.C, s.Dims, s.Features, opts...)
	case spectral.SkewedIntersection:
		return NewSkewedIntersectionLayer(k.C, s.Dims, s.Features, opts...)
	}
	return NewSkewedLayer(k, s.Dims, s.Features, opts...)
}
