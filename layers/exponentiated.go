package layers

import (
	"fmt"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
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
// the Laplacian kernel. Without WithOrder the map then has Cauchy frequencies on x itself: it is unbiased, W has d rows,
// and there is no Ψ. WithOrder gives the series.
//
// Bandwidth tunes σ, BandwidthEach one σ for each column of Ψ, All W, b and what All tunes of the homogeneous map. A
// graph keeps Ψ of the batch for both backward passes; Ψ is smaller than the features if features > (2n+1)d. Transform
// computes Ψ for a block of rows at a time.
type ExponentiatedLayer struct {
	*base
	kernel spectral.Exponentiated
	inner  *HomogeneousLayer // nil for frequencies on x itself
	outer  *randomMap

	scratch sync.Pool // *tensor.Dense, the Ψ of a block of rows
}

var _ Layer = (*ExponentiatedLayer)(nil)

// NewExponentiatedLayer draws the map of k for d dimensions and the given number of output columns. Errors as for
// NewHomogeneousLayer and NewFourierLayer.
func NewExponentiatedLayer(k spectral.Exponentiated, d, features int, opts ...Option) (*ExponentiatedLayer, error) {
	const kind = "ExponentiatedLayer"
	o, err := newOptions("NewExponentiatedLayer", opts, with(fourierOptions, with(seriesOptions, "WithOrder")...))
	if err != nil {
		return nil, err
	}
	b, err := newBase(kind, "exponentiated", d, features, o)
	if err != nil {
		return nil, err
	}
	if err := checkKernel(b.who(), k.Of); err != nil {
		return nil, err
	}
	if err := checkKernel(b.who(), k); err != nil {
		return nil, err
	}
	o.name = b.name
	of := o
	of.policy = Frozen
	l := &ExponentiatedLayer{base: b, kernel: k}
	series := o.harmonics.form(k.Of)
	f := exponentiatedForm{k, series.Order, series.Sampling, o.phase}
	if o.harmonics.order == nil {
		f.Order = -1
	}
	l.describe(f, o)
	if law, ok := k.Laplacian(); ok && o.harmonics.order == nil {
		if err := o.unused(b.who(), "without WithOrder the map has frequencies on x itself, and no series",
			seriesOptions...); err != nil {
			return nil, err
		}
		if err := checkKernel(b.who(), law); err != nil {
			return nil, err
		}
		if l.outer, err = newRandomMap(kind, "", law, d, features, o); err != nil {
			return nil, err
		}
		l.outer.on = k.Domain()
		b.params, b.changed, b.origin, b.watch = l.outer.params, l.outer.changed, l.outer.origin, l.outer.watch
		return l, nil
	}
	if l.inner, err = newHomogeneousLayer(kind, "", k.Of, d, of); err != nil {
		return nil, err
	}
	if o.policy == All && l.inner.harmonics.Order() > 0 {
		l.inner.policy = All
		l.inner.addParams(o.undrawn)
	}
	l.outer, err = newRandomMap(kind, "", spectral.Gaussian{Sigma: k.Sigma}, l.inner.Features(), features, o)
	if err != nil {
		return nil, err
	}
	b.params = append(l.inner.peek(), l.outer.params...)
	b.changed, b.origin, b.watch = l.outer.changed, l.outer.origin, l.outer.watch
	return l, nil
}

// Kernel returns the exact kernel that the map approximates, with the σ that the map was drawn with.
func (l *ExponentiatedLayer) Kernel() spectral.Kernel { return l.kernel }

// Homogeneous returns the map Ψ of the kernel k, or nil if the frequencies are those of x itself.
func (l *ExponentiatedLayer) Homogeneous() *HomogeneousLayer { return l.inner }

// Policy returns the tuning policy.
func (l *ExponentiatedLayer) Policy() Policy { return l.outer.policy }

func (l *ExponentiatedLayer) String() string {
	if l.inner == nil {
		return fmt.Sprintf("%s %q: %d -> %d, σ %.6g of %s, sampler %v, seed %d, %v, %v", l.kind, l.name, l.dims,
			l.features, l.kernel.Sigma, kernelText(l.kernel.Of), l.outer.sampler, l.outer.seed, l.dt, l.outer.policy)
	}
	return fmt.Sprintf("%s %q: %d -> %d -> %d, σ %.6g of %s, sampler %v, seed %d, %v, %v", l.kind, l.name, l.dims,
		l.inner.features, l.features, l.kernel.Sigma,
		l.inner.form(), l.outer.sampler, l.outer.seed, l.dt, l.outer.policy)
}

// Fwd adds the map to the graph of x.
func (l *ExponentiatedLayer) Fwd(x G.Input) G.Result { return l.lift(x, l.fwd) }

func (l *ExponentiatedLayer) fwd(x *G.Node) (*G.Node, error) {
	if l.inner == nil {
		return l.outer.fwd(x)
	}
	psi, err := l.inner.fwd(x)
	if err != nil {
		return nil, err
	}
	return l.outer.fwd(psi)
}

// psiCells is about how many cells of Ψ Transform holds at once, some megabytes, and psiRows the least number of rows.
// W may have hundreds of megabytes, which the product reads once for each block of rows.
const psiCells, psiRows = 1 << 19, 256

// Transform writes the features of the rows of x to dst.
func (l *ExponentiatedLayer) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	if l.inner == nil {
		return l.outer.Transform(dst, x)
	}
	return inTwoSteps(l.who(), &l.scratch, dst, x, blockRows(l.inner.features), l.features, l.inner.Transform,
		l.outer.Transform)
}

// blockRows returns the number of rows of such a block, for rows of so many columns.
func blockRows(cols int) int {
	const tile = 32 // rows that a product takes together
	return max(psiRows, psiCells/cols/tile*tile)
}

// inTwoSteps maps x by first and the result by second, a block of rows at a time. scratch keeps the memory of a block.
func inTwoSteps(who string, scratch *sync.Pool, dst, x *tensor.Dense, rows, features int,
	first, second func(dst, x *tensor.Dense) (*tensor.Dense, error)) (*tensor.Dense, error) {
	psi, _ := scratch.Get().(*tensor.Dense)
	z, err := ops.InBlocks(who, dst, x, rows, features, func(dst, x *tensor.Dense) error {
		if psi != nil && psi.Shape()[0] != x.Shape()[0] {
			psi = nil // a block of another height
		}
		var err error
		if psi, err = first(psi, x); err == nil {
			_, err = second(dst, psi)
		}
		return err
	})
	if psi != nil {
		scratch.Put(psi)
	}
	return z, err
}
