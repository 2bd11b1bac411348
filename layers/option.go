package layers

import (
	"fmt"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Option changes a default of a layer. An option that does not apply to a layer is an error (ErrParam) that says why,
// whatever its value. If an option is given twice, the last one counts.
//
//	WithName, WithDtype, WithInputGrad    all layers, but that a Concat or Product has those of its parts, and a
//	                                      mean map the input gradient of its map of samples
//	WithSeed                              layers that draw numbers
//	Tune                                  maps with parameters to tune, and Dense; heads are always tuned
//	WithSampler                           maps that draw frequencies, but GORFLayer, which has WithCoupling
//	WithPhase                             maps that make Fourier features, but LevyLayer and GORFLayer
//	WithNormalisation                     RandomLaplaceLayer
//	WithOrder, WithWindow, WithPeriod,    HomogeneousLayer, ExponentiatedLayer, LevyLayer
//	WithOptimalPeriod
//	WithStationary                        HomogeneousLayer
//	WithDelta                             HuberHead
//
// Some options also depend on the kernel. These are errors (ErrParam), too:
//
//   - WithWindow, WithPeriod and WithOptimalPeriod for a kernel whose spectrum is a point mass (Hellinger): the only
//     frequency is 0, and the map is exact.
//   - The same three without WithOrder for the ExponentiatedLayer of spectral.Intersection of degree 1, whose map then
//     has no series, and for the LevyLayer of spectral.ReciprocalSemigroup.
//   - WithOptimalPeriod together with WithStationary.
//   - Tune for the RandomReLULayer of spectral.ArcCosine of order 0: a step has the gradient 0.
//   - WithNormalisation for a kernel other than spectral.ExpSemigroup and spectral.ReciprocalSemigroup.
type Option func(*options)

// The options that groups of constructors have.
var (
	basicOptions   = []string{"WithName", "WithDtype", "WithInputGrad"}
	drawnOptions   = with(basicOptions, "WithSeed")
	sampledOptions = with(drawnOptions, "Tune", "WithSampler")
	fourierOptions = with(sampledOptions, "WithPhase")
	seriesOptions  = []string{"WithWindow", "WithPeriod", "WithOptimalPeriod"}
)

func with(options []string, more ...string) []string { return slices.Concat(options, more) }

// inapplicable says why an option does not apply, by its name and, where it differs, the constructor.
var inapplicable = map[string]string{
	"Tune":                           "it has nothing to tune; leave it out",
	"Tune NewLinearHead":             "a head is always tuned; leave it out",
	"Tune NewSoftmaxHead":            "a head is always tuned; leave it out",
	"Tune NewHuberHead":              "a head is always tuned; leave it out",
	"WithSampler":                    "it draws no frequencies; leave it out",
	"WithSampler NewGORFLayer":       "the two signs are drawn by a coupling; use WithCoupling",
	"WithSeed":                       "it draws nothing; leave it out",
	"WithPhase":                      "it has no phase form; leave it out",
	"WithNormalisation":              "it is for RandomLaplaceLayer; leave it out",
	"WithNormalisation NewLevyLayer": "its rows have the length √k(x, x) anyhow; leave it out",
	"WithCoupling":                   "it is for GORFLayer; leave it out",
	"WithOrder":                      "it is for maps of homogeneous kernels; leave it out",
	"WithWindow":                     "it is for maps of homogeneous kernels; leave it out",
	"WithPeriod":                     "it is for maps of homogeneous kernels; leave it out",
	"WithOptimalPeriod":              "it is for maps of homogeneous kernels; leave it out",
	"WithStationary":                 "it is for HomogeneousLayer, as only that has a stationary form; leave it out",
	"WithDelta":                      "it is for HuberHead; leave it out",
	"WithInputGrad":                  "give it to the map of samples",
	"WithName":                       "its name is made of the names of its parts; name these",
	"WithDtype":                      "give it to its parts",
}

type options struct {
	given     []string // the names of the options
	name      string   // by WithName, or of a Spec
	stream    string   // by WithName alone, as only that enters the random draw
	seed      uint64
	nth       int // see streamKey
	sampler   spectral.Sampler
	dt        tensor.Dtype
	policy    Policy
	phase     bool
	phases    bool // WithPhase applies
	normalise bool
	inputGrad bool
	undrawn   bool          // nothing is drawn, because SetParams will set the parameters
	sample    *tensor.Dense // to fit a layer on
	harmonics harmonicOptions
	coupling  spectral.Coupling
	delta     float64
}

// option makes an Option and records its name.
func option(name string, set func(*options)) Option {
	return func(o *options) {
		o.given = append(o.given, name)
		set(o)
	}
}

// newOptions applies the options given to a constructor. An option other than the applicable ones is an error.
func newOptions(constructor string, opts []Option, applicable []string) (options, error) {
	if i := slices.IndexFunc(opts, func(f Option) bool { return f == nil }); i >= 0 {
		return options{}, fmt.Errorf("layers: %s: option %d is nil; leave it out: %w", constructor, i, ErrParam)
	}
	o, who := apply(opts), "layers: "+constructor
	if o.phases = slices.Contains(applicable, "WithPhase"); o.name != "" {
		who += fmt.Sprintf(" %q", o.name)
	}
	for _, name := range o.given {
		if slices.Contains(applicable, name) {
			continue
		}
		why, special := inapplicable[name+" "+constructor]
		if !special {
			why = inapplicable[name]
		}
		return options{}, fmt.Errorf("%s: %s does not apply: %s: %w", who, name, why, ErrParam)
	}
	wrong := ""
	switch {
	case domain.IsNil(o.sampler):
		wrong = "WithSampler(nil), want a sampler, as spectral.IID{}"
	case o.policy < Frozen || o.policy > All:
		wrong = fmt.Sprintf("Tune(%v), want Frozen, Bandwidth, BandwidthEach or All", o.policy)
	}
	if wrong != "" {
		return options{}, fmt.Errorf("%s: %s, or leave it out: %w", who, wrong, ErrParam)
	}
	return o, nil
}

// noSeries returns an error, which says why, if one of seriesOptions was given, which would change nothing.
func (o options) noSeries(who, why string) error {
	for _, name := range seriesOptions {
		if slices.Contains(o.given, name) {
			return fmt.Errorf("%s: %s does not apply: %s; leave it out: %w", who, name, why, ErrParam)
		}
	}
	return nil
}

// apply returns the defaults with the options applied, without asking whether they apply. No option may be
// nil.
func apply(opts []Option) options {
	o := options{sampler: spectral.IID{}, dt: tensor.Float64, delta: 1}
	o.harmonics.Window = spectral.Rectangular
	for _, f := range opts {
		f(&o)
	}
	return o
}

// WithName names the layer. Names must differ within a graph; a layer without this option makes up a name of its own.
// The name also determines the random draw, see WithSeed.
func WithName(name string) Option {
	return option("WithName", func(o *options) { o.name, o.stream = name, name })
}

// WithSeed sets the seed of the random draw. The default is 0. The seed and the name given by WithName determine the
// numbers: the same two draw the same numbers, and a different seed or name draws independent ones. A layer without
// WithName draws by the seed alone. So does a layer built from a Spec, whatever its name.
//
// The layers of a composition never share their numbers. If a part of a Concat, Product or Sequential has the seed and
// name of an earlier part, the constructor draws it again, in place. A part that Fwd, Transform or Keep was called on
// keeps its numbers, and so does one whose Params were written to, and two such parts that share theirs are an error
// (ErrParam). NewMeanMapLayer draws numbers that its inner map does not have. If you compose a graph by hand, give
// layers without names different seeds.
func WithSeed(seed uint64) Option { return option("WithSeed", func(o *options) { o.seed = seed }) }

// WithSampler sets the sampler of the frequencies. The default is spectral.IID. With spectral.Structured, a
// FourierLayer has the parameters signs and norms in place of W.
func WithSampler(s spectral.Sampler) Option {
	return option("WithSampler", func(o *options) { o.sampler = s })
}

// WithDtype sets the element type of input, parameters and output, tensor.Float64 (default) or tensor.Float32. Draws
// are made in float64 and rounded once.
func WithDtype(dt tensor.Dtype) Option { return option("WithDtype", func(o *options) { o.dt = dt }) }

// WithPhase chooses the phase form √(2/m) cos(xW + b), with one column for each of m frequencies. The default is the
// pair form [cos | sin]/√m, which has two columns for each frequency and the lower variance.
func WithPhase() Option { return option("WithPhase", func(o *options) { o.phase = true }) }

// WithNormalisation scales each row of a RandomLaplaceLayer to the length √k(x, x). The kernel must be
// spectral.ExpSemigroup or spectral.ReciprocalSemigroup, for which that length has a closed form.
func WithNormalisation() Option {
	return option("WithNormalisation", func(o *options) { o.normalise = true })
}

// Tune sets which parameters a solver changes. The default is Frozen.
func Tune(p Policy) Option { return option("Tune", func(o *options) { o.policy = p }) }

// WithInputGrad makes the layer differentiable in an input that is a leaf of the graph. By default the layer treats a
// leaf as data and skips the product for its gradient, and G.Grad for that leaf is an error.
func WithInputGrad() Option { return option("WithInputGrad", func(o *options) { o.inputGrad = true }) }

// withAll replaces all options by the options of a Spec or of another layer.
func withAll(by options) Option { return func(o *options) { *o = by } }
