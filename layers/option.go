package layers

import (
	"fmt"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Option changes a default of a layer. Each constructor heeds the options below. Any other option is an error
// (ErrParam), whatever its value. So are WithLambdas, WithWindow, WithPeriod and WithOptimalPeriod where the spectrum
// is a point mass (Hellinger): the one frequency is 0, and the map of it is exact. Of an option that is given twice the
// last one counts.
//
//	NewFourierLayer, NewSkewedLayer, NewSkewedChi2Layer, NewSkewedIntersectionLayer, NewSRFLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler, WithPhase
//	NewRandomLaplaceLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSampler, WithNormalisation
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
//		WithName, WithDtype, WithInputGrad, WithSeed, WithDegrees
//	NewTensorSketchLayer
//		WithName, WithDtype, WithInputGrad, WithSeed
//	NewNystromLayer
//		WithName, WithDtype, WithInputGrad, WithSeed, WithLandmarks, WithLandmarkChoice, WithEigenvalueFloor
//	NewAddKPCALayer
//		WithName, WithDtype, WithInputGrad, WithComponents, WithTablePoints
//	NewMajiBergLayer
//		WithName, WithDtype, WithInputGrad, WithBins, WithSparseEncoding
//	NewDense
//		WithName, WithDtype, WithInputGrad, WithSeed, Tune, WithSpectralNorm
//	NewIdentity, NewNormalise, NewLinearHead, NewSoftmaxHead
//		WithName, WithDtype, WithInputGrad
//	NewHuberHead
//		WithName, WithDtype, WithInputGrad, WithDelta
//	NewConcat
//		WithInputGrad
type Option func(*options)

// heeded are the options of each constructor, as the comment of Option lists them.
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
		"NewLevyLayer":               slices.Concat(sampled, series),
		"NewGORFLayer":               with(drawn, "Tune", "WithCoupling"),
		"NewHomogeneousLayer":        slices.Concat(every, series, []string{"Tune", "WithStationary"}),
		"NewExponentiatedLayer":      slices.Concat(fourier, series),
		"NewHDDLayer":                with(density, "WithLambdas"),
		"NewL2DensityLayer":          density,
		"NewMeanMapLayer":            {"WithName", "WithDtype", "WithSeed", "Tune", "WithSampler", "WithPhase"},
		"NewRandomMaclaurinLayer":    with(drawn, "WithDegrees"),
		"NewTensorSketchLayer":       drawn,
		"NewNystromLayer":            with(drawn, "WithLandmarks", "WithLandmarkChoice", "WithEigenvalueFloor"),
		"NewAddKPCALayer":            with(every, "WithComponents", "WithTablePoints"),
		"NewMajiBergLayer":           with(every, "WithBins", "WithSparseEncoding"),
		"NewDense":                   with(drawn, "Tune", "WithSpectralNorm"),
		"NewIdentity":                every,
		"NewNormalise":               every,
		"NewHuberHead":               with(every, "WithDelta"),
		"NewLinearHead":              every,
		"NewSoftmaxHead":             every,
		"NewConcat":                  {"WithInputGrad"},
	}
}()

// remedies are what to do about an option that a constructor does not heed, where there is more to say than to leave
// it out. They are by option and constructor, which is empty for all others.
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

// remedy is what to do about an option that a constructor does not heed.
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
	oneStream bool
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
	degrees   spectral.Degrees
	delta     float64
	norm      float64 // the bound of WithSpectralNorm; 0: none
}

// option is the Option of that name.
func option(name string, set func(*options)) Option {
	return func(o *options) {
		o.given = append(o.given, name)
		set(o)
	}
}

// newOptions are the options of a constructor, which must heed all that are given.
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

// unheeded is the error of the first of some options that is given though it changes nothing in a layer, and why; nil
// where none is.
func (o options) unheeded(who, why string, names ...string) error {
	for _, name := range names {
		if slices.Contains(o.given, name) {
			return fmt.Errorf("%s does not heed %s: %s; leave it out: %w", who, name, why, ErrParam)
		}
	}
	return nil
}

// apply is what options say, none of which is nil, whatever the constructor.
func apply(opts []Option) options {
	o := options{sampler: spectral.IID{}, dt: tensor.Float64, harmonics: harmonicDefaults, kpca: kpcaDefaults,
		majiBerg: majiBergDefaults, hdd: hddDefaults, delta: 1}
	for _, f := range opts {
		f(&o)
	}
	return o
}

// WithName names the layer. Names must differ within a graph; without this option they do by themselves. The name is
// part of the draw, see WithSeed.
func WithName(name string) Option {
	return option("WithName", func(o *options) { o.name, o.stream = name, name })
}

// named is WithName for the name of a Spec, which is no part of the draw.
func named(name string) Option { return func(o *options) { o.name = name } }

// WithSeed sets the seed of the draw. The default is 0. The seed and the name that WithName gives say what is drawn:
// the same two draw the same numbers, and another seed or another name draws independent ones. A layer without WithName
// draws by the seed alone, as does one of a Spec, whatever its name.
//
// Layers that are composed never share their numbers. NewConcat, NewSequential and NewMeanMapLayer draw a part again,
// in place, where an earlier part has the same seed and name. A part that was used before, by Fwd, Transform, Params or
// SetParams, keeps its numbers, and two such parts that share them are an error. In a graph that is composed by hand,
// layers without names of their own need seeds of their own.
func WithSeed(seed uint64) Option { return option("WithSeed", func(o *options) { o.seed = seed }) }

// WithSampler sets the sampler of the frequencies. The default is spectral.IID. With spectral.Structured a FourierLayer
// keeps the signs and norms of the draw in place of W; with spectral.Leverage a layer has the amplitudes of its
// frequencies besides, and keeps the rows to draw from.
func WithSampler(s spectral.Sampler) Option {
	return option("WithSampler", func(o *options) { o.sampler = s })
}

// WithDtype sets the element type of input, parameters and output, tensor.Float64 (default) or tensor.Float32. Draws
// are made in float64 and rounded once.
func WithDtype(dt tensor.Dtype) Option { return option("WithDtype", func(o *options) { o.dt = dt }) }

// WithPhase chooses √(2/m) cos(xW + b), one column a frequency, in place of the pair [cos | sin]/√m, which has two and
// the lower variance.
func WithPhase() Option { return option("WithPhase", func(o *options) { o.phase = true }) }

// WithNormalisation scales the rows of a RandomLaplaceLayer to the lengths √k(x, x), which are known in closed form for
// spectral.ExpSemigroup and spectral.ReciprocalSemigroup.
func WithNormalisation() Option {
	return option("WithNormalisation", func(o *options) { o.normalise = true })
}

// Tune sets the policy. The default is Frozen.
func Tune(p Policy) Option { return option("Tune", func(o *options) { o.policy = p }) }

// WithSpectralNorm bounds the spectral norm of a Dense layer's W by c, a finite number > 0: the layer has
// W·min(1, c/σ(W)) in the place of W, as ops.SpectralBound says, in graphs and out of them. The parameter W itself stays
// as a solver leaves it. A sequential of such layers, with c near 1, keeps apart what is apart in x, for a map and a
// posterior behind it that know distances. Liu et al. (2020), Simple and principled uncertainty estimation with
// deterministic deep learning via distance awareness, section 3.2.
func WithSpectralNorm(c float64) Option {
	return option("WithSpectralNorm", func(o *options) { o.norm = c })
}

// WithInputGrad makes the layer differentiable in an input that is a leaf of the graph. By default a leaf is taken for
// data, and the product for its gradient is left out; G.Grad for that leaf is then an error.
func WithInputGrad() Option { return option("WithInputGrad", func(o *options) { o.inputGrad = true }) }

// withoutDraw leaves the parameters zero, for a layer whose parameters are about to be set.
func withoutDraw() Option { return func(o *options) { o.undrawn = true } }
