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
	b, o, err := begin(kind, "exponentiated", d, features, opts,
		with(fourierOptions, with(seriesOptions, "WithOrder")...), k.Of, k)
	if err != nil {
		return nil, err
	}
	o.name = b.name
	l := &ExponentiatedLayer{composed{sparseMapper: newSparseMapper(b, ops.Domain{})}, k}
	if law, ok := k.Laplacian(); ok && o.harmonics.order == nil {
		if err := o.unused(b.who(), "without WithOrder the map has frequencies on x itself, and no series",
			seriesOptions...); err != nil {
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
	if l.inner, err = newInner(kind, k.Of, d, o); err != nil {
		return nil, err
	}
	return l, l.compose(spectral.Gaussian{Sigma: k.Sigma}, o)
}

func (l *ExponentiatedLayer) made() form {
	series := l.options.harmonics.form(l.kernel.Of)
	f := exponentiatedForm{l.kernel, series.Order, series.Sampling, l.options.phase}
	if l.inner == nil {
		f.Order = -1
	}
	return f
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
		of = l.inner.form()
	}
	return l.drawnText(l.columns(), fmt.Sprintf("σ %.6g of %s", l.kernel.Sigma, of))
}
