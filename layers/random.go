package layers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// RandomLayer is the random feature map of a kernel that is an expectation over random frequencies, with the features
// that the transform of the kernel prescribes. Its constructors, NewFourierLayer, NewAdditiveLayer,
// NewRandomLaplaceLayer, NewSkewedLayer, NewPositiveLayer and NewRandomReLULayer, have the formulas. Texts call it by its
// constructor: a FourierLayer is what NewFourierLayer makes.
//
// Parameters by policy (c only for skewed maps, b only in the phase form):
//
//	Frozen                 W, c, b
//	Bandwidth(Each)        W, log_bandwidth*, b    W, raw_c*, b for the skewed maps
//	All                    W*, b*                  log_W* for Laplace; W*, raw_c*, b* for the skewed maps
//	structured sampler     signs, norms in place of W, see structured.go
//	Positive               also scale, 1/σ, which a tuned bandwidth divides too
//	WithNormalisation      also scale, see semigroup.go
//
// A solver changes those with a *. W = W₀·exp(-log_bandwidth) and c = ln(1 + exp(raw_c)).
type RandomLayer struct {
	sparseMapper
	kernel     spectral.Random
	law        spectral.Law
	exponent   ops.Exponent // of a map whose rows have the length √k(x, x), see semigroup.go
	structured bool         // the parameters are signs and norms, see structured.go
}

// transform is what the maps of a spectral.Transform have of their own.
type transform struct {
	kind    string   // of the layer, whose constructor is New+kind
	options []string // that apply
	op      func(a ops.Attr) ops.Op
	papers  []string // of the features, see Cite
}

var (
	rahimi = []string{"Rahimi and Recht 2007"}
	cho    = []string{"Cho and Saul 2009"}

	// transforms are all, by their spectral.Transform.
	transforms = [...]transform{
		spectral.Fourier:    {"FourierLayer", fourierOptions, ops.Fourier, rahimi},
		spectral.LogFourier: {"SkewedLayer", fourierOptions, ops.SkewedFourier, []string{"Li et al. 2010"}},
		spectral.Laplace: {"RandomLaplaceLayer", with(sampledOptions, "WithNormalisation"), ops.Laplace,
			[]string{"Yang et al. 2014"}},
		spectral.Additive: {"AdditiveLayer", sampledOptions, columnPairs, rahimi},
		spectral.Positive: {"PositiveLayer", sampledOptions, ops.Positive, []string{"Choromanski et al. 2021"}},
		spectral.Step:     {reluKind, sampledOptions, units(ops.StepUnit), cho},
		spectral.ReLU:     {reluKind, sampledOptions, units(ops.ReLUUnit), cho},
		spectral.Tangent:  {reluKind, sampledOptions, units(ops.TangentUnit), cho},
	}
)

// reluKind is the kind of the maps of random units.
const reluKind = "RandomReLULayer"

func units(u ops.Unit) func(a ops.Attr) ops.Op {
	return func(a ops.Attr) ops.Op { return ops.Units(u, a) }
}

func columnPairs(a ops.Attr) ops.Op { return ops.ColumnFourier(true, a) }

// transformOf returns what maps of a law have of their own, nothing for an unknown transform.
func transformOf(law spectral.Law) (t transform) {
	if at := int(law.Transform); at >= 0 && at < len(transforms) {
		t = transforms[at]
	}
	return t
}

// newOfTransform makes a layer by the constructor of a transform, which other transforms may share.
func newOfTransform(of spectral.Transform, k spectral.Random, d, features int, opts []Option) (*RandomLayer, error) {
	return newOfKind(transforms[of].kind, of, k, d, features, opts)
}

// newOfKind is newOfTransform for the constructor of one of its kernels.
func newOfKind(kind string, of spectral.Transform, k spectral.Random, d, features int, opts []Option) (*RandomLayer, error) {
	if err := checkKernel("layers: "+kind, k); err != nil {
		return nil, err
	}
	t, shared := transformOf(k.Law()), transforms[of].kind
	if t.kind != shared {
		var own []string
		for at, t := range transforms {
			if t.kind == shared {
				own = append(own, spectral.Transform(at).String())
			}
		}
		return nil, fmt.Errorf("layers: %s: %T is an expectation of %v features, not of %v features: %w", kind, k,
			k.Law().Transform, strings.Join(own, ", "), ErrParam)
	}
	o, err := newOptions("New"+kind, opts, t.options)
	if err != nil {
		return nil, err
	}
	return newRandomLayer(kind, k, d, features, o)
}

// newRandomLayer draws the frequencies of a map with the given number of output columns.
func newRandomLayer(kind string, k spectral.Random, dims, features int, o options) (*RandomLayer, error) {
	b, err := newBase(kind, dims, features, o)
	if err != nil {
		return nil, err
	}
	law := k.Law()
	l := &RandomLayer{sparseMapper: newSparseMapper(b, k.Domain()), kernel: k, law: law}
	l.forward = l.through
	l.drawn("W", o, func(o options) (Layer, error) { return newRandomLayer(kind, k, dims, features, o) })
	m, err := l.count()
	if err != nil {
		return nil, err
	}
	scale, by := law.Scale, laplaceWay
	if o.normalise {
		by = normalisedWay
		l.rows = blockRows(features)
		if l.exponent, scale, err = unitOf(b, k); err != nil {
			return nil, err
		}
	}
	if b.of = semigroupFormOf(k, by, 1); b.of == nil {
		b.of = drawnForm{k, o.phase}
	}
	draw := l.draw
	if _, l.structured = o.sampler.(spectral.Structured); l.structured {
		draw = l.drawStructured
	}
	if err := draw(m); err != nil {
		return nil, err
	}
	if err := l.addParams(m); err != nil {
		return nil, err
	}
	if l.scaled() {
		l.add("scale", false, slices.Repeat([]float64{scale}, l.scales()))
	}
	return l, nil
}

// scaled says whether the rows are multiplied by functions of their lengths.
func (l *RandomLayer) scaled() bool { return l.normalise || l.law.Transform == spectral.Positive }

// count returns the number of frequencies, and an error for a number of features, or a policy, that the map cannot have.
func (l *RandomLayer) count() (int, error) {
	n, t := l.features, l.law.Transform
	each := featuresOf(t, l.phase, l.dims)
	switch odd := n%each != 0; {
	case odd && circular(t):
		other := ""
		if l.phases {
			other = ", or for the phase form"
		}
		return 0, fmt.Errorf("%s: %d features is odd, and the pair form makes a cosine and a sine of each "+
			"frequency; ask for %d%s: %w", l.who(), n, n+1, other, ErrParam)
	case odd && t == spectral.Additive:
		return 0, fmt.Errorf("%s: %d features are no multiple of %d, a cosine and a sine of each of %d input "+
			"columns; ask for %d: %w", l.who(), n, each, l.dims, (n/each+1)*each, ErrParam)
	case t == spectral.Tangent && n%2 != 0:
		return 0, fmt.Errorf("%s: %d features is odd, and each frequency makes one feature of a unit and one of its "+
			"gradient; ask for %d: %w", l.who(), n, n+1, ErrParam)
	case t == spectral.Step && l.policy != Frozen:
		return 0, fmt.Errorf("%s: %s: a step has the gradient 0, so there is nothing to tune; leave tuning out, or use "+
			"order 1: %w", l.who(), kernelText(l.kernel), ErrParam)
	}
	return n / each, nil
}

// featuresOf returns how many features a frequency makes: one, or a cosine and a sine, of each of d input columns for an
// additive kernel.
func featuresOf(t spectral.Transform, phase bool, d int) int {
	switch {
	case circular(t) && !phase:
		return 2
	case t == spectral.Additive:
		return 2 * max(1, d)
	}
	return 1
}

// draw draws W [dims, m], or makes zeros of that shape.
func (l *RandomLayer) draw(m int) error {
	if err := l.checkSize(l.dims, m); err != nil {
		return err
	}
	w := make([]float64, l.dims*m)
	if !l.undrawn {
		drawn, err := spectral.Frequencies(l.kernel, l.sampler, l.dims, m, l.sourceSeed())
		if err != nil {
			return fmt.Errorf("%s: %w", l.who(), err)
		}
		w = drawn.Float64s()
	}
	err := l.checkFloat32(w, func(i int) string {
		return fmt.Sprintf("%T drew the frequency w[%d,%d]", l.kernel, i/m, i%m)
	})
	if l.policy == All && l.law.Transform == spectral.Laplace {
		for i, v := range w {
			w[i] = max(v, math.SmallestNonzeroFloat32)
		}
		l.addPositive("W", true, w, l.dims, m)
	} else {
		l.add("W", l.policy == All, w, l.dims, m)
	}
	return err
}

// addParams adds the parameters besides m frequencies.
func (l *RandomLayer) addParams(m int) error {
	switch c := l.law.Shift; {
	case l.law.Transform != spectral.LogFourier:
		l.addBandwidth()
	case l.policy == Frozen:
		l.add("c", false, []float64{c})
	case c <= 0:
		return fmt.Errorf("%s: c = %v cannot be tuned, it is kept above 0; start from a positive c: %w", l.who(), c,
			ErrParam)
	default:
		l.add("raw_c", true, slices.Repeat([]float64{inverseSoftplus(c)}, l.scales()))
	}
	if l.phase {
		b, rng := make([]float64, m), rand.New(spectral.Stream(l.sourceSeed(), "phase"))
		for i := range b {
			b[i] = 2 * math.Pi * rng.Float64()
		}
		l.add("b", l.policy == All, b)
	}
	return nil
}

// Kernel returns the kernel of the features, with the parameters that the map was drawn with.
func (l *RandomLayer) Kernel() spectral.Random { return l.kernel }

// Split returns the measure that the features estimate where their kernel has none, as spectral.SRF: At is the kernel
// that they are unbiased for, Error the largest difference of the two. It is nil for other kernels.
func (l *RandomLayer) Split() *spectral.Split {
	k, biased := l.kernel.(spectral.SRF)
	if !biased {
		return nil
	}
	d := l.dims
	if l.structured { // whose frequencies have as many coordinates as a Hadamard matrix
		d = spectral.PaddedDims(d)
	}
	split, _ := k.Split(d, 1, spectral.Independent) // nil where no density was found
	return split
}

// Policy returns the tuning policy.
func (l *RandomLayer) Policy() Policy { return l.policy }

func (l *RandomLayer) String() string { return l.drawnText(kernelText(l.kernel)) }

// op is the map of x, the frequencies and the phases.
func (l *RandomLayer) op(a ops.Attr) ops.Op {
	switch {
	case l.structured:
		return ops.StructuredFourier(a)
	case l.normalise:
		return ops.UnitLaplace(a)
	}
	return transforms[l.law.Transform].op(a)
}

func (l *RandomLayer) through(f *flow, dst *tensor.Dense, x value) value {
	x, a := f.begin(l.base, x, l.attr())
	skewed := l.law.Transform == spectral.LogFourier
	keeps := l.policy == Frozen || l.param("raw_c") != nil && l.policy != All // W, which no solver changes
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
	last := f.param(l.base, "b")
	if l.scaled() {
		last = f.scaled(l.base, f.param(l.base, "scale"))
	}
	if l.param("log_bandwidth") == nil {
		a.Frozen |= ops.S
	}
	if !l.normalise {
		return f.do(l.op(a), dst, x, append(in, last)...)
	}
	z := f.do(l.op(a), dst, x, in...)
	a.Packed, a.Frozen = nil, a.Frozen&(ops.X|ops.S)
	return f.do(ops.Damp(l.exponent, a), z.dense(), x, last, z)
}

// frequencies returns W, or what a structured map has in its place.
func (l *RandomLayer) frequencies(f *flow) []value {
	if l.structured {
		return []value{f.param(l.base, "signs"), f.param(l.base, "norms"), f.param(l.base, "log_bandwidth")}
	}
	w, _ := f.positive(l.base, "W")
	return []value{f.scaled(l.base, w)}
}

// circular says whether the features are cosines and sines.
func circular(t spectral.Transform) bool { return t == spectral.Fourier || t == spectral.LogFourier }

// drawnForm is the form of a kernel that is an expectation over random frequencies. The transform of the kernel decides
// on its map.
type drawnForm struct {
	Kernel spectral.Random `param:",inline"`
	Phase  bool            `param:"phase"`
}

func (f drawnForm) hides(name string) bool {
	return name == phaseParam && !circular(f.Kernel.Law().Transform)
}

// traitsOfLaw returns the traits of the map of a kernel of a law.
func traitsOfLaw(law spectral.Law) Traits {
	return drawnTraits(transformOf(law).kind != reluKind, law.Transform != spectral.LogFourier)
}

func (f drawnForm) plan(s Spec) (plan, error) {
	law := f.Kernel.Law()
	p := plan{kernel: f.Kernel, columns: s.Features, traits: traitsOfLaw(law)}
	p.traits.Tunable = law.Transform != spectral.Step
	if law.Transform == spectral.Additive && s.Features > 0 { // as many for each input column, one frequency at least
		p.columns = max(1, s.Features/2/max(1, s.Dims)) * 2 * s.Dims
	}
	p.size = s.frequencies(s.Dims, p.columns/featuresOf(law.Transform, f.Phase, s.Dims))
	of, columns := law.Transform, p.columns
	if transformOf(law).kind == "" { // which the constructor refuses
		of = spectral.Fourier
	}
	p.build = func(o options) (Layer, error) {
		return newOfTransform(of, f.Kernel, s.Dims, columns, []Option{withAll(o)})
	}
	return p, nil
}

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
