package layers

import (
	"fmt"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Option changes a default of a layer. The list says which options each constructor heeds. Any other option is an error
// (ErrParam) that names the option, whatever its value. If an option is given twice, the last one counts.
//
//	NewFourierLayer, NewSkewedLayer, NewSkewedChi2Layer, NewSkewedIntersectionLayer, NewSRFLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler, WithPhase
//	NewRandomLaplaceLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler, WithNormalisation
//	NewRandomReLULayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler
//	NewLevyLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler,
//		WithOrder, WithWindow, WithPeriod, WithOptimalPeriod
//	NewGORFLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithCoupling
//	NewHomogeneousLayer
//		WithName, WithDtype, WithInputGrad, Tune, WithOrder, WithWindow, WithPeriod, WithOptimalPeriod, WithStationary
//	NewExponentiatedLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler, WithPhase,
//		WithOrder, WithWindow, WithPeriod, WithOptimalPeriod
//	NewHDDLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler, WithPhase,
//		WithPoints, WithScatteredPoints, WithBasis, WithBoxBasis, WithKDEBandwidth, WithLambdas
//	NewL2DensityLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler, WithPhase,
//		WithPoints, WithScatteredPoints, WithBasis, WithBoxBasis, WithKDEBandwidth
//	NewMeanMapLayer
//		WithName, WithDtype, WithSeed, Tune, WithSampler, WithPhase
//	NewRandomMaclaurinLayer
//		WithName, WithDtype, WithInputGrad, WithSeed
//	NewTensorSketchLayer
//		WithName, WithDtype, WithInputGrad, WithSeed
//	NewNystromLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, WithLandmarks, WithLandmarkChoice
//	NewAddKPCALayer
//		WithName, WithDtype, WithInputGrad, WithComponents, WithTablePoints
//	NewMajiBergLayer
//		WithName, WithDtype, WithInputGrad, WithBins, WithSparseEncoding
//	NewDense
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune
//	NewIdentity, NewNormalise, NewLinearHead, NewSoftmaxHead
//		WithName, WithDtype, WithInputGrad
//	NewHuberHead
//		WithName, WithDtype, WithInputGrad, WithDelta
//	NewConcat
//		WithInputGrad
//
// Some options also depend on the kernel. These are errors (ErrParam), too:
//
//   - WithWindow, WithPeriod and WithOptimalPeriod for a kernel whose spectrum is a point mass (Hellinger), and
//     WithLambdas for the Hellinger distance: the only frequency is 0, and the map is exact.
//   - The same three without WithOrder for the ExponentiatedLayer of spectral.Intersection of degree 1, and WithBasis
//     and WithBoxBasis without WithLambdas for the total variation: their maps then have no series and no embedding.
//   - WithWindow, WithPeriod and WithOptimalPeriod for the LevyLayer of spectral.ReciprocalSemigroup.
//   - WithOptimalPeriod together with WithStationary.
//   - Tune for the RandomReLULayer of spectral.ArcCosine of order 0: a step has the gradient 0.
//   - WithNormalisation for a kernel other than spectral.ExpSemigroup and spectral.ReciprocalSemigroup.
type Option func(*options)

// heeded lists the options of each constructor, as the comment of Option does.
var heeded = func() map[string][]string {
	with := func(more []string, names ...string) []string { return slices.Concat(more, names) }
	every := []string{"WithName", "WithDtype", "WithInputGrad"}
	drawn := with(every, "WithSeed")
	sampled := with(drawn, "Tune", "WithSampler")
	fourier := with(sampled, "WithPhase")
	series := with(seriesOptions, "WithOrder")
	density := with(fourier, "WithPoints", "WithScatteredPoints", "WithBasis", "WithBoxBasis", "WithKDEBandwidth")
	return map[string][]string{
		"NewFourierLayer":            fourier,
		"NewSkewedLayer":             fourier,
		"NewSkewedChi2Layer":         fourier,
		"NewSkewedIntersectionLayer": fourier,
		"NewSRFLayer":                fourier,
		"NewRandomLaplaceLayer":      with(sampled, "WithNormalisation"),
		"NewRandomReLULayer":         sampled,
		"NewLevyLayer":               slices.Concat(sampled, series),
		"NewGORFLayer":               with(drawn, "Tune", "WithCoupling"),
		"NewHomogeneousLayer":        slices.Concat(every, series, []string{"Tune", "WithStationary"}),
		"NewExponentiatedLayer":      slices.Concat(fourier, series),
		"NewHDDLayer":                with(density, "WithLambdas"),
		"NewL2DensityLayer":          density,
		"NewMeanMapLayer":            {"WithName", "WithDtype", "WithSeed", "Tune", "WithSampler", "WithPhase"},
		"NewRandomMaclaurinLayer":    drawn,
		"NewTensorSketchLayer":       drawn,
		"NewNystromLayer":            with(drawn, "WithLandmarks", "WithLandmarkChoice"),
		"NewAddKPCALayer":            with(every, "WithComponents", "WithTablePoints"),
		"NewMajiBergLayer":           with(every, "WithBins", "WithSparseEncoding"),
		"NewDense":                   with(drawn, "Tune"),
		"NewIdentity":                every,
		"NewNormalise":               every,
		"NewHuberHead":               with(every, "WithDelta"),
		"NewLinearHead":              every,
		"NewSoftmaxHead":             every,
		"NewConcat":                  {"WithInputGrad"},
	}
}()

// remedies say what to do about an option that a constructor does not heed, if there is more to say than "leave it
// out". The key is the option and the constructor. An empty constructor stands for all others.
var remedies = map[[2]string]string{
	{"Tune", ""}:                                "it has nothing to tune; leave it out",
	{"WithSampler", ""}:                         "it draws no frequencies; leave it out",
	{"WithSampler", "NewGORFLayer"}:             "the two signs are drawn by a coupling; use WithCoupling",
	{"WithSeed", ""}:                            "it draws nothing; leave it out",
	{"WithPhase", ""}:                           "it has no phase form; leave it out",
	{"WithNormalisation", "NewLevyLayer"}:       "its rows have the length √k(x, x) anyhow; leave it out",
	{"WithStationary", "NewExponentiatedLayer"}: "the stationary form has no exponentiated kernel; leave it out",
	{"WithInputGrad", "NewMeanMapLayer"}:        "give it to the map of samples",
	{"WithName", "NewConcat"}:                   "its name is made of the names of its parts; name these",
}

// remedy says what to do about an option that the constructor does not heed.
func remedy(name, constructor string) string {
	if text := remedies[[2]string{name, constructor}]; text != "" {
		return text
	}
	switch {
	case constructor == "NewConcat":
		return "give it to its parts"
	case name == "Tune" && strings.HasSuffix(constructor, "Head"):
		return "a head is always tuned; leave it out"
	}
	if text := remedies[[2]string{name, ""}]; text != "" {
		return text
	}
	var heeding []string
	for c, names := range heeded {
		if slices.Contains(names, name) {
			heeding = append(heeding, c)
		}
	}
	slices.Sort(heeding)
	return "leave it out; it is an option of " + strings.Join(heeding, ", ")
}

type options struct {
	given     []string // the names of the options
	name      string
	stream    string // the name by WithName
	seed      uint64
	nth       int // see streamKey
	sampler   spectral.Sampler
	dt        tensor.Dtype
	policy    Policy
	phase     bool
	normalise bool
	inputGrad bool
	undrawn   bool
	harmonics harmonicOptions
	coupling  spectral.Coupling
	nystrom   nystromOptions
	kpca      kpcaOptions
	majiBerg  majiBergOptions
	hdd       hddOptions
	delta     float64
}

// option makes an Option and records its name.
func option(name string, set func(*options)) Option {
	return func(o *options) {
		o.given = append(o.given, name)
		set(o)
	}
}

// newOptions applies the options given to a constructor. An option that the constructor does not heed is an error.
func newOptions(constructor string, opts []Option) (options, error) {
	if i := slices.IndexFunc(opts, func(f Option) bool { return f == nil }); i >= 0 {
		return options{}, fmt.Errorf("layers: %s: option %d is nil; leave it out: %w", constructor, i, ErrParam)
	}
	o, who := apply(opts), "layers: "+constructor
	if o.name != "" {
		who += fmt.Sprintf(" %q", o.name)
	}
	for _, name := range o.given {
		if slices.Contains(heeded[constructor], name) {
			continue
		}
		return options{}, fmt.Errorf("%s does not heed %s: %s: %w", who, name, remedy(name, constructor), ErrParam)
	}
	wrong := ""
	switch {
	case domain.IsNil(o.sampler):
		wrong = "WithSampler(nil), want a sampler, as spectral.IID{}"
	case o.policy < Frozen || o.policy > All:
		wrong = fmt.Sprintf("Tune(%v), want Frozen, Bandwidth, BandwidthEach or All", o.policy)
	case slices.Contains(o.given, "WithScatteredPoints") && o.hdd.at == nil:
		wrong = "WithScatteredPoints(nil), want points [V, l]"
	}
	if wrong != "" {
		return options{}, fmt.Errorf("%s: %s, or leave it out: %w", who, wrong, ErrParam)
	}
	return o, nil
}

// unheeded returns an error, which says why, for the first of the named options that was given. These are options that
// would change nothing in the layer. It returns nil if none was given.
func (o options) unheeded(who, why string, names ...string) error {
	for _, name := range names {
		if slices.Contains(o.given, name) {
			return fmt.Errorf("%s does not heed %s: %s; leave it out: %w", who, name, why, ErrParam)
		}
	}
	return nil
}

// apply returns the defaults with the options applied, without asking which constructor heeds them. No option may be
// nil.
func apply(opts []Option) options {
	o := options{sampler: spectral.IID{}, dt: tensor.Float64, harmonics: harmonicDefaults, kpca: kpcaDefaults,
		majiBerg: majiBergDefaults, hdd: hddDefaults, delta: 1}
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

// named gives a layer the name in a Spec, which does not enter the random draw.
func named(name string) Option { return func(o *options) { o.name = name } }

// WithSeed sets the seed of the random draw. The default is 0. The seed and the name given by WithName determine the
// numbers: the same two draw the same numbers, and a different seed or name draws independent ones. A layer without
// WithName draws by the seed alone. So does a layer built from a Spec, whatever its name.
//
// The layers of a composition never share their numbers. If a part of a Concat or a Sequential has the seed and name of
// an earlier part, the constructor draws it again, in place. A part that Fwd, Transform or Keep was called on keeps its
// numbers, and so does one whose Params were written to, and two such parts that share theirs are an error (ErrParam).
// NewMeanMapLayer draws numbers that its inner map does not have. If you compose a graph by hand, give layers without
// names different seeds.
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

// withoutDraw leaves the parameters zero, for a layer whose parameters SetParams will set.
func withoutDraw() Option { return func(o *options) { o.undrawn = true } }
