package layers

import (
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// composed is the common part of maps in two steps: Fourier features of a Gaussian on a map Ψ without randomness. A
// damped one maps sx, and scales the rows to the length √k(x, x) = exp(-½ Σ f(2s x)).
type composed struct {
	sparseMapper
	inner    metricMap // Ψ; nil: the frequencies are of x itself
	outer    *RandomLayer
	damped   bool
	exponent ops.Exponent // f
}

// metricMap is a map Ψ.
type metricMap interface {
	Map
	peek() []Param
	run(f *flow, dst *tensor.Dense, x value) value
	about() string
}

// allOrNone returns the options of a step that only All tunes.
func (o options) allOrNone() options {
	if o.policy != All {
		o.policy = Frozen
	}
	return o
}

// compose makes the Fourier features of k on Ψ, and the parameters of both steps, after own ones.
func (l *composed) compose(k spectral.Random, o options) (err error) {
	dims := l.dims
	if l.inner != nil {
		dims = l.inner.Features()
		l.between = dims
		l.params = append(l.params, l.inner.peek()...)
	}
	if l.outer, err = newRandomLayer(l.kind, k, dims, l.features, o); err != nil {
		return err
	}
	l.params = append(l.params, l.outer.params...)
	l.changed, l.origin, l.watch = l.outer.changed, l.outer.origin, l.outer.watch
	l.forward = l.through
	switch {
	case l.damped:
		l.rows = blockRows(max(dims, l.features))
	case l.inner != nil:
		l.rows = blockRows(dims)
	}
	return nil
}

// Policy returns the tuning policy.
func (l *composed) Policy() Policy { return l.policy }

func (l *composed) through(f *flow, dst *tensor.Dense, x value) value {
	switch {
	case l.inner == nil:
		return l.outer.run(f, dst, x)
	case !l.damped:
		return l.outer.run(f, dst, l.inner.run(f, nil, x))
	}
	x, a := f.begin(l.base, x, l.attr())
	s, tuned := f.positive(l.base, "scale")
	if !tuned {
		a.Frozen |= ops.S
	}
	psi := l.inner.run(f, nil, f.do(ops.ScaleColumns(a), nil, x, s))
	z := l.outer.run(f, dst, psi)
	return f.do(ops.Damp(l.exponent, a), z.dense(), x, s, z)
}

// psiCells is about how many cells of Ψ Transform holds at once, some megabytes, and psiRows the least number of rows.
// W may have hundreds of megabytes, which the product reads once for each block of rows.
const psiCells, psiRows = 1 << 19, 256

// blockRows returns the number of rows of such a block, for rows of so many columns.
func blockRows(cols int) int {
	const tile = 32 // rows that a product takes together
	return max(psiRows, psiCells/cols/tile*tile)
}
