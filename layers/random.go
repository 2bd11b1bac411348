package layers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// randomMap is the common part of the random feature maps: frequencies, a policy, and the features that the transform
// of the kernel prescribes.
//
// Parameters by policy (c only for the skewed maps, b only in the phase form):
//
//	Frozen                 W, c, b
//	Bandwidth(Each)        W, log_bandwidth*, b    W, raw_c*, b for the skewed maps
//	All                    W*, b*                  log_W* for Laplace; W*, raw_c*, b* for the skewed maps
//	structured sampler     signs, norms in place of W, see structured.go
//	WithNormalisation      also scale, see semigroup.go
//
// A solver changes those with a *. W = W₀·exp(-log_bandwidth) and c = ln(1 + exp(raw_c)).
type randomMap struct {
	sparseMapper
	kernel  spectral.Random
	law     spectral.Law
	sampler spectral.Sampler
	seed    uint64
	source  uint64 // the seed of its streams
	policy  Policy
	phase   bool

	normalised bool         // rows have the length √k(x, x), see semigroup.go
	exponent   ops.Exponent // of such a map

	structured bool // the parameters are signs and norms, see structured.go
}

// newRandomMap draws the frequencies of a map with the given number of output columns.
func newRandomMap(kind, auto string, k spectral.Random, dims, features int, o options) (*randomMap, error) {
	b, err := newBase(kind, auto, dims, features, o)
	if err != nil {
		return nil, err
	}
	m, law := features, k.Law()
	if circular(law.Transform) && !o.phase {
		if features%2 != 0 {
			other := ""
			if o.phases {
				other = ", or for the phase form"
			}
			return nil, fmt.Errorf("%s: %d features is odd, and the pair form makes a cosine and a sine of each "+
				"frequency; ask for %d%s: %w", b.who(), features, features+1, other, ErrParam)
		}
		m = features / 2
	}
	l := &randomMap{sparseMapper: newSparseMapper(b, k.Domain()), kernel: k, law: law, sampler: o.sampler,
		seed: o.seed, source: o.sourceSeed(), policy: o.policy, phase: o.phase}
	l.forward = l.through
	l.drawn("W", o, func(o options) (peeker, error) { return newRandomMap(kind, auto, k, dims, features, o) })
	if err := l.checkUnits(o); err != nil {
		return nil, err
	}
	scale := 0.0
	if l.normalised = o.normalise; l.normalised {
		l.rows = blockRows(features)
		if l.exponent, scale, err = unitOf(b, k); err != nil {
			return nil, err
		}
	}
	if s, ok := o.sampler.(spectral.Structured); ok {
		if err := s.Fits(dims, k); err != nil {
			return nil, fmt.Errorf("%s: %w", b.who(), err)
		}
		return l.drawStructured(m, o.undrawn)
	}
	if err := b.checkSize(dims, m); err != nil {
		return nil, err
	}
	w, err := l.draw(m, o.undrawn)
	if err != nil {
		return nil, err
	}
	if !o.undrawn {
		for i, v := range w {
			if o.dt == tensor.Float32 && math.Abs(v) > math.MaxFloat32 {
				return nil, fmt.Errorf("%s: %T drew the frequency w[%d,%d] = %v, which float32 cannot hold; use "+
					"float64, or scale the data and the parameters: %w",
					b.who(), k, i/m, i%m, v, ErrParam)
			}
		}
	}
	if err := l.addParams(w, m); err != nil {
		return nil, err
	}
	if l.normalised {
		if o.undrawn {
			scale = 1
		}
		scales := 1
		if o.policy == BandwidthEach {
			scales = dims
		}
		l.params = append(l.params, Param{"scale", newTensor(l.dt, repeat(scale, scales), scales), false})
	}
	return l, nil
}

// unitOfTransform returns what a map of the transform makes of projections.
func unitOfTransform(t spectral.Transform) (ops.Unit, bool) {
	switch t {
	case spectral.Step:
		return ops.StepUnit, true
	case spectral.ReLU:
		return ops.ReLUUnit, true
	case spectral.Tangent:
		return ops.TangentUnit, true
	}
	return 0, false
}

// checkUnits returns an error for what a map of units cannot have.
func (l *randomMap) checkUnits(o options) error {
	switch t := l.law.Transform; {
	case t == spectral.Tangent && l.features%2 != 0:
		return fmt.Errorf("%s: %d features is odd, and each frequency makes one feature of a unit and one of its "+
			"gradient; ask for %d: %w", l.who(), l.features, l.features+1, ErrParam)
	case t == spectral.Step && o.policy != Frozen:
		return fmt.Errorf("%s: %s: a step has the gradient 0, so there is nothing to tune; leave tuning out, or use "+
			"order 1: %w", l.who(), kernelText(l.kernel), ErrParam)
	}
	return nil
}

// draw draws W [dims, m]. Without a draw it is zeros.
func (l *randomMap) draw(m int, undrawn bool) ([]float64, error) {
	if undrawn {
		return make([]float64, l.dims*m), nil
	}
	w, err := spectral.Frequencies(l.kernel, l.sampler, l.dims, m, l.source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.who(), err)
	}
	return w.Float64s(), nil
}

// addParams makes the parameters for the policy from the frequencies w [dims, m].
func (l *randomMap) addParams(w []float64, m int) error {
	add := func(name string, tuned bool, v []float64, shape ...int) {
		l.params = append(l.params, Param{name, newTensor(l.dt, v, shape...), tuned})
	}
	scales := 1
	if l.policy == BandwidthEach {
		scales = l.dims
	}
	laplace := l.law.Transform == spectral.Laplace
	if laplace && l.policy == All {
		for i, v := range w {
			w[i] = math.Log(max(v, math.SmallestNonzeroFloat32))
		}
		add("log_W", true, w, l.dims, m)
	} else {
		add("W", l.policy == All, w, l.dims, m)
	}
	if c := l.law.Shift; l.law.Transform == spectral.LogFourier {
		if l.policy == Frozen {
			add("c", false, []float64{c}, 1)
		} else {
			if c <= 0 {
				return fmt.Errorf("%s: c = %v cannot be tuned, it is kept above 0; start from a positive c: %w",
					l.who(), c, ErrParam)
			}
			add("raw_c", true, repeat(inverseSoftplus(c), scales), scales)
		}
	} else if l.policy == Bandwidth || l.policy == BandwidthEach {
		add("log_bandwidth", true, make([]float64, scales), scales)
	}
	if l.phase {
		add("b", l.policy == All, l.phases(m), m)
	}
	return nil
}

// phases draws m uniform numbers from [0, 2π), from a stream of their own.
func (l *randomMap) phases(m int) []float64 {
	rng := rand.New(spectral.Stream(l.source, "phase"))
	b := make([]float64, m)
	for i := range b {
		b[i] = 2 * math.Pi * rng.Float64()
	}
	return b
}

func repeat[V any](v V, n int) []V {
	s := make([]V, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func (l *randomMap) made() form {
	switch f := formOf(l.kernel).(type) {
	case drawnForm:
		f.Phase = l.phase
		return f
	case expSemigroupForm:
		return expSemigroupForm{f.by(l.o), 1}
	case reciprocalForm:
		return reciprocalForm{f.by(l.o), 1}
	}
	return nil
}

// Kernel returns the kernel of the features, with the parameters that the map was drawn with.
func (l *randomMap) Kernel() spectral.Random { return l.kernel }

// Policy returns the tuning policy.
func (l *randomMap) Policy() Policy { return l.policy }

func (l *randomMap) String() string {
	return fmt.Sprintf("%s %q: %d -> %d, %s, sampler %v, seed %d, %v, %v", l.kind, l.name, l.dims, l.features,
		kernelText(l.kernel), l.sampler, l.seed, l.dt, l.policy)
}

// op is the map of x, the frequencies and the phases.
func (l *randomMap) op(a ops.Attr) ops.Op {
	switch {
	case l.structured:
		return ops.StructuredFourier(a)
	case l.law.Transform == spectral.LogFourier:
		return ops.SkewedFourier(a)
	case l.normalised:
		return ops.UnitLaplace(a)
	case l.law.Transform == spectral.Laplace:
		return ops.Laplace(a)
	}
	if u, ok := unitOfTransform(l.law.Transform); ok {
		return ops.Units(u, a)
	}
	return ops.Fourier(a)
}

// through computes the features, in a graph or without one.
func (l *randomMap) through(f *flow, dst *tensor.Dense, x value) value {
	x, a := f.begin(l.base, x, l.attr())
	skewed, keeps := l.law.Transform == spectral.LogFourier, l.keepsW()
	if l.policy != All {
		a.Frozen |= ops.B
	}
	if l.policy == Frozen || skewed && l.policy != All {
		a.Frozen |= ops.W
	}
	var room [5]value
	in := room[:0]
	if skewed {
		c, tuned := f.positive(l.base, "c")
		if in = append(in, c); !tuned {
			a.Frozen |= ops.C
		}
	}
	switch {
	case f.graph == nil && (keeps || l.structured):
		in = append(in, l.weights(f, l.op, keeps, l.frequencies))
	case f.graph != nil && keeps && !l.structured:
		l.weights(f, l.op, true, l.frequencies)
		a.Packed = &l.packed
		fallthrough
	default:
		in = append(in, l.frequencies(f)...)
	}
	z := f.do(l.op(a), dst, x, append(in, f.param(l.base, "b"))...)
	if !l.normalised {
		return z
	}
	a.Packed, a.Frozen = nil, a.Frozen&ops.X
	if l.param("log_bandwidth") == nil {
		a.Frozen |= ops.S
	}
	s := f.scaled(l.base, f.param(l.base, "scale"))
	return f.do(ops.Damp(l.exponent, a), z.dense(), x, s, z)
}

// frequencies returns W, or what a structured map has in its place.
func (l *randomMap) frequencies(f *flow) []value {
	if l.structured {
		return []value{f.param(l.base, "signs"), f.param(l.base, "norms"), f.param(l.base, "log_bandwidth")}
	}
	w, _ := f.positive(l.base, "W")
	return []value{f.scaled(l.base, w)}
}

// keepsW says whether no solver changes W.
func (l *randomMap) keepsW() bool {
	return l.policy == Frozen || l.param("raw_c") != nil && l.policy != All
}

// circular says whether the features are cosines and sines.
func circular(t spectral.Transform) bool { return t == spectral.Fourier || t == spectral.LogFourier }

func softplus(v float64) float64 { return math.Max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }

// inverseSoftplus returns ln(exp(c) - 1), for any c > 0.
func inverseSoftplus(c float64) float64 { return c + math.Log(-math.Expm1(-c)) }

// mapTensor applies f to every entry of a copy.
func mapTensor(t *tensor.Dense, f func(float64) float64) *tensor.Dense {
	v := slices.Clone(ops.Float64s(t))
	for i, x := range v {
		v[i] = f(x)
	}
	return newTensor(t.Dtype(), v, t.Shape().Clone()...)
}
