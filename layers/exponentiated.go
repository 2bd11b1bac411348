package layers

import (
	"fmt"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ExponentiatedLayer is the random feature map of the exponentiated homogeneous kernel exp(-D²/2σ²), D² = k(x,x) +
// k(z,z) - 2k(x,z): Fourier features of the Gaussian kernel on the homogeneous map Ψ of k,
//
//	z(x) = [cos(Ψ(x)W) | sin(Ψ(x)W)] / √m   (default)      z(x) = √(2/m) cos(Ψ(x)W + b)   (WithPhase)
//
// because ‖Ψ(x) - Ψ(z)‖² is about D². Any sampler of the Gaussian fits; spectral.Structured where Ψ has 16 columns or
// more. The map has two errors. The error of chance falls with the number of features. The error of Ψ, at most |D² -
// ‖Ψ(x)-Ψ(z)‖²|/2σ², falls with the order. Intersection wants a higher order than the others, because a share of its D²
// is missing at order 1. The map takes the input of HomogeneousLayer, and the options of HomogeneousLayer and
// FourierLayer; output [n, features]. Vedaldi and Zisserman (2012), equation (30).
//
// Bandwidth and BandwidthEach tune σ, one or one for each column of Ψ; All tunes W, b, and what All tunes of the
// homogeneous map. In a graph the columns of Ψ for a batch are kept: both backwards start from them, and they are fewer
// than the features unless features < (2n+1)d. Transform makes them a block of rows at a time.
type ExponentiatedLayer struct {
	*base
	kernel spectral.Exponentiated
	inner  *HomogeneousLayer
	outer  *randomMap

	scratch sync.Pool // *tensor.Dense, the Ψ of a block of rows
}

var _ Layer = (*ExponentiatedLayer)(nil)

// NewExponentiatedLayer draws the map of k for d dimensions and the given number of output columns. Errors as for
// NewHomogeneousLayer and for NewFourierLayer.
func NewExponentiatedLayer(k spectral.Exponentiated, d, features int, opts ...Option) (*ExponentiatedLayer, error) {
	const kind = "ExponentiatedLayer"
	o, err := newOptions("NewExponentiatedLayer", opts)
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
	b.changed, b.origin = l.outer.changed, l.outer.origin
	return l, nil
}

// Kernel is the exact kernel that the map approximates, with the σ that it was drawn for.
func (l *ExponentiatedLayer) Kernel() spectral.Kernel { return l.kernel }

// Homogeneous is the map Ψ of the kernel under the exponential.
func (l *ExponentiatedLayer) Homogeneous() *HomogeneousLayer { return l.inner }

// Policy says what is tuned.
func (l *ExponentiatedLayer) Policy() Policy { return l.outer.policy }

func (l *ExponentiatedLayer) String() string {
	return fmt.Sprintf("%s %q: %d -> %d -> %d, σ %v of %s, sampler %v, seed %d, %v, %v", l.kind, l.name, l.dims,
		l.inner.features, l.features, l.kernel.Sigma,
		l.inner.form(), l.outer.sampler, l.outer.seed, l.dt, l.outer.policy)
}

// Fwd adds the map to the graph of x.
func (l *ExponentiatedLayer) Fwd(x G.Input) G.Result { return l.lift(x, l.fwd) }

func (l *ExponentiatedLayer) fwd(x *G.Node) (*G.Node, error) {
	psi, err := l.inner.fwd(x)
	if err != nil {
		return nil, err
	}
	return l.outer.fwd(psi)
}

// Transform holds about psiCells cells of Ψ at once, some megabytes, and psiRows rows at least: W may be hundreds of
// megabytes, which the product reads once for each block of rows.
const psiCells, psiRows = 1 << 19, 256

// Transform writes the features of the rows of x to dst.
func (l *ExponentiatedLayer) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	return inTwoSteps(l.who(), &l.scratch, dst, x, blockRows(l.inner.features), l.features, l.inner.Transform,
		l.outer.Transform)
}

// blockRows is how many rows of so many columns those are.
func blockRows(cols int) int {
	const tile = 32 // rows that a product takes together
	return max(psiRows, psiCells/cols/tile*tile)
}

// inTwoSteps maps x by first and what that returns by second, a block of rows at a time; scratch keeps the memory of a
// block.
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
