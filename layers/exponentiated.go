package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// ExponentiatedLayer is the random feature map of the kernel exp(-D²/2σ²) of a homogeneous kernel k, with D² = k(x,x) +
// k(z,z) - 2k(x,z): Fourier features of the Gaussian kernel on the homogeneous map Ψ of k,
//
//	z(x) = [cos(Ψ(x)W) | sin(Ψ(x)W)] / √m   (default)      z(x) = √(2/m) cos(Ψ(x)W + b)   (WithPhase)
//
// because ‖Ψ(x) - Ψ(z)‖² approximates D². Any sampler of the Gaussian fits, and spectral.Structured if Ψ has at least
// 16 columns. The kernel error has two parts. The random part falls with the number of features. The part of Ψ, at most
// |D² - ‖Ψ(x)-Ψ(z)‖²|/2σ², falls with the order. Intersection needs a higher order than the other kernels. Input and
// series options as of HomogeneousLayer; output [n, features]. Vedaldi and Zisserman (2012), equation (30).
//
// For the intersection kernel of degree 1, except with spectral.SignNegative, D² is the ℓ1 distance and exp(-D²/2σ²)
// the Laplacian kernel. Without WithOrder the map then has Cauchy frequencies on x itself: it is unbiased, W has d
// rows, and there is no Ψ. WithOrder gives the series.
//
// Bandwidth tunes σ, BandwidthEach one σ for each column of Ψ, All W, b and what All tunes of the homogeneous map. A
// graph keeps Ψ of the batch for both backward passes; Ψ is smaller than the features if features > (2n+1)d. Transform
// computes Ψ for a block of rows at a time.
type ExponentiatedLayer struct {
	composed
	kernel spectral.Exponentiated
}

// NewExponentiatedLayer draws the map of k for d dimensions and the given number of output columns. Errors as for
// NewHomogeneousLayer and NewFourierLayer.
func NewExponentiatedLayer(k spectral.Exponentiated, d, features int, opts ...Option) (*ExponentiatedLayer, error) {
	const kind = "ExponentiatedLayer"
	b, o, err := begin(kind, d, features, opts,
		with(fourierOptions, with(seriesOptions, "WithOrder")...), k.Of, k)
	if err != nil {
		return nil, err
	}
	o.name = b.name
	l := &ExponentiatedLayer{composed{sparseMapper: newSparseMapper(b, ops.Domain{})}, k}
	b.of = exponentiatedForm{k, o.harmonics.orderOr(1), o.harmonics.sampling, o.phase}
	if law, ok := k.Laplacian(); ok && o.harmonics.order == nil {
		b.of = exponentiatedForm{k, -1, o.harmonics.sampling, o.phase}
		why := "without WithOrder the map has frequencies on x itself, and no series"
		if err := o.noSeries(b.who(), why); err != nil {
			return nil, err
		}
		if err := checkKernel(b.who(), law); err != nil {
			return nil, err
		}
		if err := l.compose(law, o); err != nil {
			return nil, err
		}
		l.outer.on = k.Domain()
		return l, nil
	}
	if l.inner, err = newHomogeneousLayer(kind, k.Of, d, o.allOrNone()); err != nil {
		return nil, err
	}
	return l, l.compose(spectral.Gaussian{Sigma: k.Sigma}, o)
}

// Kernel returns the exact kernel that the map approximates, with the σ that the map was drawn with.
func (l *ExponentiatedLayer) Kernel() spectral.Kernel { return l.kernel }

// Homogeneous returns the map Ψ of the kernel k, or nil if the frequencies are those of x itself.
func (l *ExponentiatedLayer) Homogeneous() *HomogeneousLayer {
	inner, _ := l.inner.(*HomogeneousLayer)
	return inner
}

func (l *ExponentiatedLayer) String() string {
	of := kernelText(l.kernel.Of)
	if l.inner != nil {
		of = l.inner.about()
	}
	return l.drawnText(fmt.Sprintf("σ %.6g of %s", l.kernel.Sigma, of))
}

// exponentiatedForm is the form of the kernel exp(-D²/2σ²) of an additive homogeneous kernel k, with D² = k(x,x) +
// k(z,z) - 2k(x,z). Its map is an ExponentiatedLayer.
type exponentiatedForm struct {
	Kernel   spectral.Exponentiated `param:",inline"`
	Order    int                    `param:"order" words:"auto=-1" range:"[0,100]" default:"auto"`
	Sampling sampling               `param:",inline"`
	Phase    bool                   `param:"phase"`
}

func (f exponentiatedForm) hides(name string) bool { return samplingHidden(f.Kernel.Of, name) }

// direct says whether the map has frequencies on x itself: for order=auto, if D² is an l1 distance.
func (f exponentiatedForm) direct() bool {
	_, ok := f.Kernel.Laplacian()
	return ok && f.Order < 0
}

// check returns an error for options of a series that the map does not have.
func (f exponentiatedForm) check(mapName string, given Values) error {
	if !f.direct() {
		return nil
	}
	for name, absent := range map[string]any{"window": spectral.Rectangular.String(), "period": "auto"} {
		if value, stated := given[name]; stated && value != absent {
			return fmt.Errorf("layers: map %s: %s = %v is of a series, and without an order the map has frequencies "+
				"on x itself; give an order, or leave %s out: %w", mapName, name, value, name, ErrParam)
		}
	}
	return nil
}

func (f exponentiatedForm) fill(v Values, x ops.Matrix) error {
	if !f.hides("order") && f.Order < 0 && !f.direct() {
		v["order"] = 1.
	}
	return fill(v, "sigma", func() (float64, error) { return metricSigma(f.Kernel.Of, x) })
}

func (f exponentiatedForm) plan(s Spec) (plan, error) {
	p, series, dims := plan{kernel: f.Kernel}, apply(nil).harmonics, s.Dims
	if !f.direct() {
		if f.Order < 0 {
			f.Order = 1
		}
		inner := homogeneousForm{f.Kernel.Of, f.Order, f.Sampling}
		dims, series = inner.columns(s.Dims), inner.series()
	}
	p.size = s.fourier(dims, f.Phase)
	p.build = func(o options) (Layer, error) {
		o.harmonics = series
		return NewExponentiatedLayer(f.Kernel, s.Dims, s.Features, withAll(o))
	}
	return p, nil
}
