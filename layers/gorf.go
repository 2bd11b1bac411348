package layers

import (
	"fmt"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// GORFLayer is the random feature map of a kernel that need not be positive definite: the difference m₊ k₊ - m₋ k₋ of
// two kernels with random frequencies and the masses m₊ and m₋. Its generalized orthogonal random features are
//
//	z(x) = [√m₊ cos(xW₊) | √m₊ sin(xW₊) | √m₋ cos(xW₋) | √m₋ sin(xW₋)] / √s,   k(x, x') ≈ Σ_j σ_j z_j(x) z_j(x'),
//
// with s = features/4 frequencies for each sign. The signature σ is +1 for the first half of the columns and -1 for the
// second. If one sign has no mass, all features/2 frequencies have the other. Input [n, d], on the domain of its Split;
// output [n, features]. Luo, Fang, Yang and Huang (2021), equations (7) to (11).
//
// The weights of a linear model have any sign, so a head does not need the signature. Code that takes inner products of
// features does (linear.FitRidge, train/report); SignatureOf returns it.
//
// WithCoupling says how the frequencies of the two signs depend on each other. The default, spectral.SharedCoupled,
// draws directions from one Haar block for both signs, with norms that vary together between the signs and in opposite
// ways between neighbouring columns, because errors that the two parts share cancel in the difference. On letter and
// ijcnn1, with two Gaussians of σ = 1 and 2, its error is 51 to 75 % below the error of the paper's GRFF, and 48 to 72
// % below that of its GORF, spectral.Joint (init/indefinite.md). No other coupling has a smaller error on these data.
// SharedCoupled also needs a single product of x with the directions.
//
// Bandwidth and BandwidthEach tune the logarithm of a scale of all frequencies, one or one for each column of x. All
// tunes the directions U, the norms, and the logarithms of the roots of the masses.
type GORFLayer struct {
	sparseMapper
	kernel spectral.SignedLaw
	split  *spectral.Split
}

// WithCoupling sets how a GORFLayer draws the frequencies of its two signs. The default is spectral.SharedCoupled.
func WithCoupling(c spectral.Coupling) Option {
	return option("WithCoupling", func(o *options) { o.coupling = c })
}

// NewGORFLayer draws the map of k for d dimensions and the given number of output columns. Errors (ErrParam):
// parameters out of range, an error of the approximation (eps) that no split can meet, features < 1 or not a multiple
// of 4, an unknown coupling.
func NewGORFLayer(k spectral.SignedLaw, d, features int, opts ...Option) (*GORFLayer, error) {
	b, o, err := begin("GORFLayer", d, features, opts, with(drawnOptions, "Tune", "WithCoupling"), k)
	if err != nil {
		return nil, err
	}
	if features%4 != 0 {
		return nil, fmt.Errorf("%s: %d features is no multiple of 4, and each frequency of each of the two signs "+
			"makes a cosine and a sine; ask for %d: %w",
			b.who(), features, (features+3)/4*4, ErrParam)
	}
	l := &GORFLayer{sparseMapper: newSparseMapper(b, ops.Domain{}), kernel: k}
	l.drawn("W", o, func(o options) (Layer, error) { return NewGORFLayer(k, d, features, withAll(o)) })
	if l.split, err = k.Split(d, features/4, o.coupling); err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	l.on, l.forward = l.split.On, l.through
	b.of = signedFormOf(k, o.coupling)
	u, norms, err := l.draw()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	return l, l.addParams(u, norms)
}

// draw draws the frequencies, or makes zeros of their shape.
func (l *GORFLayer) draw() (directions, norms *tensor.Dense, err error) {
	s := l.features / 4
	if !l.undrawn {
		return l.coupling.Frequencies(l.split, l.dims, s, l.sourceSeed())
	}
	if err := l.checkSize(l.dims, 2*s); err != nil {
		return nil, nil, err
	}
	plus, minus := l.split.Counts(s)
	q := plus + minus
	if l.coupling.Shares() {
		q = max(plus, minus)
	}
	return newTensor(tensor.Float64, make([]float64, l.dims*q), l.dims, q),
		newTensor(tensor.Float64, make([]float64, plus+minus), plus+minus), nil
}

// addParams makes the parameters for the policy.
func (l *GORFLayer) addParams(u, norms *tensor.Dense) error {
	var roots []float64
	plus, minus := l.split.Masses()
	for _, mass := range []float64{plus, minus} {
		if mass > 0 {
			roots = append(roots, math.Sqrt(mass))
		}
	}
	all := l.policy == All
	l.add("U", all, u.Float64s(), u.Shape()...)
	l.add("norms", all, norms.Float64s())
	l.addPositive("roots", all, roots)
	l.addBandwidth()
	return l.checkNorms(l.kernel, norms.Float64s())
}

// Kernel returns the kernel of the features, with the parameters that the map was drawn with.
func (l *GORFLayer) Kernel() spectral.SignedLaw { return l.kernel }

// Split returns the signed measure that the features estimate: the masses of the two signs, and its largest error.
func (l *GORFLayer) Split() *spectral.Split { return l.split }

// Coupling returns how the frequencies of the two signs were drawn.
func (l *GORFLayer) Coupling() spectral.Coupling { return l.coupling }

// Policy returns the tuning policy.
func (l *GORFLayer) Policy() Policy { return l.policy }

// Signature returns the sign of each column, +1 or -1.
func (l *GORFLayer) Signature() []float64 {
	plus, _ := l.split.Counts(l.features / 4)
	s := make([]float64, l.features)
	for j := range s {
		if s[j] = 1; j >= 2*plus {
			s[j] = -1
		}
	}
	return s
}

func (l *GORFLayer) String() string {
	return l.text(fmt.Sprintf("%s, %v, coupling %v, seed %d, %v, %v", kernelText(l.kernel), l.split,
		l.coupling, l.seed, l.dt, l.policy.word()))
}

func (l *GORFLayer) through(f *flow, dst *tensor.Dense, x value) value {
	x, a := f.begin(l.base, x, l.attr())
	if l.policy == Frozen {
		a.Frozen |= ops.U
	}
	if l.policy != All {
		a.Frozen |= ops.R | ops.Rho
	}
	if f.graph == nil {
		return f.do(ops.SignedFourier(a), dst, x, l.weights(f, ops.SignedFourier, l.policy == Frozen, l.frequencies))
	}
	return f.do(ops.SignedFourier(a), dst, x, l.frequencies(f)...)
}

// frequencies returns the directions, the norms and the roots of the masses.
func (l *GORFLayer) frequencies(f *flow) []value {
	roots, _ := f.positive(l.base, "roots")
	return []value{f.scaled(l.base, f.param(l.base, "U")), f.param(l.base, "norms"), roots}
}

// signedForm is the form of an indefinite kernel whose spectral distribution has two signs. Its map is a GORFLayer.
type signedForm struct {
	Kernel   spectral.SignedLaw `param:",inline"`
	Coupling spectral.Coupling  `param:"coupling" words:"shared-coupled,joint,iid" default:"shared-coupled"`
}

func (f signedForm) plan(s Spec) (plan, error) {
	return plan{kernel: f.Kernel, size: s.frequencies(s.Dims, s.Features/4), build: func(o options) (Layer, error) {
		o.coupling = f.Coupling
		return NewGORFLayer(f.Kernel, s.Dims, s.Features, withAll(o))
	}}, nil
}

// signedFormOf returns the form of a kernel.
func signedFormOf(of spectral.SignedLaw, c spectral.Coupling) form {
	f := signedForm{of, c}
	k, delta := of.(spectral.DeltaGaussian)
	switch {
	case !delta:
		return f
	case len(k.Sigmas) == 2 && slices.Equal(k.Weights, []float64{1, -1}):
		return deltaForm{Sigma1: k.Sigmas[0], Sigma2: k.Sigmas[1], Signed: f}
	}
	return deltaForm{Sigmas: k.Sigmas, Weights: k.Weights, Signed: f}
}

// deltaForm is the form of spectral.DeltaGaussian: of sigmas and weights if they are given, and otherwise of sigma1 and
// sigma2.
type deltaForm struct {
	Sigma1  float64    `param:"sigma1" default:"1" doc:"bandwidth σ₁"`
	Sigma2  float64    `param:"sigma2" default:"10" doc:"bandwidth σ₂"`
	Sigmas  []float64  `param:"sigmas" default:"" doc:"bandwidths of any number of Gaussians, in place of the two"`
	Weights []float64  `param:"weights" default:"" doc:"their weights, of either sign"`
	Signed  signedForm `param:",inline"`
}

func (f deltaForm) hides(name string) bool {
	return len(f.Sigmas) > 0 && (name == "sigma1" || name == "sigma2")
}

func (f deltaForm) plan(s Spec) (plan, error) {
	k := spectral.DeltaGaussian{Sigmas: f.Sigmas, Weights: f.Weights}
	if len(f.Sigmas) == 0 {
		k = spectral.DeltaGaussian{Sigmas: []float64{f.Sigma1, f.Sigma2}, Weights: []float64{1, -1}}
	}
	f.Signed.Kernel = k
	return f.Signed.plan(s)
}

// check returns an error unless either sigma1 and sigma2, or sigmas and weights, are given.
func (f deltaForm) check(mapName string, given Values) error {
	sigmas, weights := given.Word("sigmas"), given.Word("weights")
	_, first := given["sigma1"]
	_, second := given["sigma2"]
	switch {
	case (sigmas == "") != (weights == ""):
		return fmt.Errorf("layers: map %s: sigmas and weights go together; give both, as sigmas=1:10,weights=1:-1: %w",
			mapName, ErrParam)
	case sigmas != "" && (first || second):
		return fmt.Errorf("layers: map %s: give sigma1 and sigma2, or sigmas and weights: %w", mapName, ErrParam)
	case len(f.Sigmas) != len(f.Weights):
		return fmt.Errorf("layers: map %s: sigmas = %s and weights = %s are not as many: %w", mapName, sigmas,
			weights, ErrParam)
	}
	return nil
}
