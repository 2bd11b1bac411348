package layers

import (
	"math"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// composed is the common part of maps in two steps: Fourier features of a Gaussian on a map Ψ without randomness. A damped
// one maps sx, and scales the rows to the length √k(x, x) = exp(-½ Σ f(2s x)).
type composed struct {
	*base
	inner    metricMap // Ψ; nil: the frequencies are of x itself
	outer    *randomMap
	damped   bool
	exponent ops.Exponent // f
	policy   Policy

	scratch sync.Pool // *tensor.Dense, the Ψ of a block of rows
}

// metricMap is a map Ψ.
type metricMap interface {
	Map
	peeker
	MapCSR(x *ops.CSR) (*ops.CSR, error)
	fwd(x *G.Node) (*G.Node, error)
	form() string
}

// newInner makes the Ψ of a homogeneous kernel. Only All tunes it.
func newInner(kind string, k spectral.Homogeneous, d int, o options) (*HomogeneousLayer, error) {
	of := o
	of.policy = Frozen
	l, err := newHomogeneousLayer(kind, "", k, d, of)
	if err == nil && o.policy == All && l.harmonics.Order() > 0 {
		l.policy = All
		l.addParams(o.undrawn)
	}
	return l, err
}

// compose makes the Fourier features of k on Ψ, and the parameters of all steps, own ones before them.
func (l *composed) compose(k spectral.Random, o options, own ...Param) (err error) {
	dims := l.dims
	if l.params = own; l.inner != nil {
		dims = l.inner.Features()
		l.params = append(l.params, l.inner.peek()...)
	}
	if l.outer, err = newRandomMap(l.kind, "", k, dims, l.features, o); err != nil {
		return err
	}
	l.params = append(l.params, l.outer.params...)
	l.changed, l.origin, l.watch = l.outer.changed, l.outer.origin, l.outer.watch
	return nil
}

// scaleParam returns the parameter s, or its logarithm if it is tuned.
func (l *composed) scaleParam(scale float64, o options) Param {
	scales := 1
	if o.undrawn {
		scale = 1
	}
	if l.policy == BandwidthEach {
		scales = l.dims
	}
	if l.policy == Frozen {
		return Param{"scale", newTensor(l.dt, []float64{scale}, 1), false}
	}
	return Param{"log_scale", newTensor(l.dt, repeat(math.Log(scale), scales), scales), true}
}

// scale returns s with the value that a graph would use.
func (l *composed) scale() *tensor.Dense {
	if v := l.param("log_scale"); v != nil {
		return mapTensor(v, math.Exp)
	}
	return l.param("scale")
}

// Policy returns the tuning policy.
func (l *composed) Policy() Policy { return l.policy }

// Fwd adds the map to the graph of x.
func (l *composed) Fwd(x G.Input) G.Result { return l.lift(x, l.fwd) }

func (l *composed) fwd(x *G.Node) (*G.Node, error) {
	switch {
	case l.inner == nil:
		return l.outer.fwd(x)
	case !l.damped:
		psi, err := l.inner.fwd(x)
		if err != nil {
			return nil, err
		}
		return l.outer.fwd(psi)
	}
	x, p, a, err := l.begin(x, ops.Attr{Layer: l.who()})
	if err != nil {
		return nil, err
	}
	s := p["scale"]
	if s != nil {
		a.Frozen |= ops.S
	} else if s, err = G.Exp(p["log_scale"]); err != nil {
		return nil, err
	}
	scaled, err := ops.ScaleColumns(a).Node(x, s)
	if err != nil {
		return nil, err
	}
	psi, err := l.inner.fwd(scaled)
	if err != nil {
		return nil, err
	}
	z, err := l.outer.fwd(psi)
	if err != nil {
		return nil, err
	}
	return ops.Damp(l.exponent, a).Node(x, s, z)
}

// psiCells is about how many cells of Ψ Transform holds at once, some megabytes, and psiRows the least number of rows.
// W may have hundreds of megabytes, which the product reads once for each block of rows.
const psiCells, psiRows = 1 << 19, 256

// Transform writes the features of the rows of x to dst.
func (l *composed) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	if l.inner == nil {
		return l.outer.Transform(dst, x)
	}
	if !l.damped {
		return inTwoSteps(l.who(), &l.scratch, dst, x, blockRows(l.inner.Features()), l.features, l.inner.Transform,
			l.outer.Transform)
	}
	s, a := l.scale(), ops.Attr{Layer: l.who()}
	var rows, scaled *tensor.Dense // of the block at hand
	first := func(psi, x *tensor.Dense) (*tensor.Dense, error) {
		if rows = x; scaled != nil && !scaled.Shape().Eq(x.Shape()) {
			scaled = nil
		}
		var err error
		if scaled, err = ops.ScaleColumns(a).Into(scaled, x, s); err != nil {
			return nil, err
		}
		return l.inner.Transform(psi, scaled)
	}
	second := func(dst, psi *tensor.Dense) (*tensor.Dense, error) {
		if _, err := l.outer.Transform(dst, psi); err != nil {
			return nil, err
		}
		return ops.Damp(l.exponent, a).Into(dst, rows, s, dst)
	}
	return inTwoSteps(l.who(), &l.scratch, dst, x, blockRows(max(l.inner.Features(), l.features)), l.features, first,
		second)
}

// TransformCSR is Transform for sparse rows. Their Ψ is sparse, too.
func (l *composed) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	if l.inner == nil {
		return l.outer.TransformCSR(dst, x)
	}
	psi, s, a := x, l.scale(), ops.Attr{Layer: l.who()}
	var err error
	if l.damped {
		if psi, err = ops.ScaleColumns(a).Sparse(x, s); err != nil {
			return nil, err
		}
	}
	if psi, err = l.inner.MapCSR(psi); err != nil {
		return nil, err
	}
	if dst, err = l.outer.TransformCSR(dst, psi); err != nil || !l.damped {
		return dst, err
	}
	return ops.Damp(l.exponent, a).Into(dst, x, s, dst)
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
