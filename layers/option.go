package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"gorgonia.org/tensor"
)

// Policy says which spectral parameters of a map a solver changes.
type Policy int

const (
	// Frozen leaves the map as it was drawn. It is the default.
	Frozen Policy = iota
	// Bandwidth tunes one scale for all dimensions: the bandwidth of a Fourier or Laplace map, log-parametrised; the c of a
	// skewed map, through a softplus; the base frequency of a homogeneous map, log-parametrised. All stay positive.
	Bandwidth
	// BandwidthEach tunes one scale a dimension.
	BandwidthEach
	// All tunes the frequencies themselves, the phases of the phase form, and the c of a skewed map. The frequencies of a
	// Laplace map are parametrised by their logarithm and stay positive. Of a homogeneous map it tunes the base frequency and the
	// samples of the spectrum, which are squares of parameters; of an exponentiated one these and W; of a density embedding the λ and W; of a map of two signs
	// the directions, the norms and the masses.
	All
)

func (p Policy) String() string {
	switch p {
	case Frozen:
		return "frozen"
	case Bandwidth:
		return "bandwidth"
	case BandwidthEach:
		return "bandwidth-each"
	case All:
		return "all"
	default:
		return fmt.Sprintf("Policy(%d)", int(p))
	}
}

// ParsePolicy is the inverse of String; the empty string is Frozen.
func ParsePolicy(s string) (Policy, error) {
	if s == "" {
		return Frozen, nil
	}
	for p := Frozen; p <= All; p++ {
		if p.String() == s {
			return p, nil
		}
	}
	return 0, fmt.Errorf("layers: %q is no policy; there are frozen, bandwidth, bandwidth-each and all: %w", s, ErrParam)
}

// Option changes a default of a layer.
type Option func(*options)

type options struct {
	name      string
	seed      uint64
	sampler   spectral.Sampler
	dt        tensor.Dtype
	policy    Policy
	phase     bool
	inputGrad bool
	undrawn   bool
	harmonics harmonicOptions
	coupling  spectral.Coupling
	nystrom   nystromOptions
	kpca      kpcaOptions
	majiBerg  majiBergOptions
	hdd       hddOptions
	degrees   spectral.Degrees
}

func newOptions(opts []Option) options {
	o := options{sampler: spectral.IID{}, dt: tensor.Float64, harmonics: harmonicDefaults, kpca: kpcaDefaults, majiBerg: majiBergDefaults, hdd: hddDefaults}
	for _, f := range opts {
		f(&o)
	}
	return o
}

// WithName names the layer. Names must differ within a graph; without this option they do by themselves.
func WithName(name string) Option { return func(o *options) { o.name = name } }

// WithSeed sets the seed of the draw. The default is 0; layers that should differ need different seeds.
func WithSeed(seed uint64) Option { return func(o *options) { o.seed = seed } }

// WithSampler sets the sampler of the frequencies. The default is spectral.IID. With spectral.Structured a FourierLayer keeps the
// signs and norms of the draw in place of W.
func WithSampler(s spectral.Sampler) Option { return func(o *options) { o.sampler = s } }

// WithDtype sets the element type of input, parameters and output, tensor.Float64 (default) or tensor.Float32. Draws are made
// in float64 and rounded once.
func WithDtype(dt tensor.Dtype) Option { return func(o *options) { o.dt = dt } }

// WithPhase chooses √(2/m) cos(xW + b), one column a frequency, in place of the pair [cos | sin]/√m, which has two and the
// lower variance.
func WithPhase() Option { return func(o *options) { o.phase = true } }

// Tune sets the policy. The default is Frozen.
func Tune(p Policy) Option { return func(o *options) { o.policy = p } }

// WithInputGrad makes the layer differentiable in an input that is a leaf of the graph. By default a leaf is taken for data,
// and the product for its gradient is left out; G.Grad for that leaf is then an error.
func WithInputGrad() Option { return func(o *options) { o.inputGrad = true } }

// withoutDraw leaves the parameters zero, for a layer whose parameters are about to be set.
func withoutDraw() Option { return func(o *options) { o.undrawn = true } }

// newBase checks what all layers have in common and names the layer.
func newBase(kind, auto string, dims, features int, o options) (*base, error) {
	b := &base{kind: kind, name: o.name, dims: dims, features: features, dt: o.dt, grad: o.inputGrad}
	if b.name == "" {
		b.name = autoName(auto)
	}
	b.prefix = fmt.Sprintf("layers: %s %q", kind, b.name)
	if o.dt != tensor.Float32 && o.dt != tensor.Float64 {
		return nil, fmt.Errorf("%s: element type %v, want float32 or float64: %w", b.who(), o.dt, ErrDtype)
	}
	if dims < 1 {
		return nil, fmt.Errorf("%s: %d input dimensions, want at least 1: %w", b.who(), dims, ErrParam)
	}
	if features < 1 {
		return nil, fmt.Errorf("%s: %d features, want at least 1: %w", b.who(), features, ErrParam)
	}
	return b, nil
}

// newTensor makes a tensor of the layer's element type from numbers in float64, rounded once.
func newTensor(dt tensor.Dtype, v []float64, shape ...int) *tensor.Dense {
	if dt == tensor.Float64 {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	f := make([]float32, len(v))
	for i, x := range v {
		f[i] = float32(x)
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(f))
}
