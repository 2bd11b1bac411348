package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// Identity returns its input: the map of the linear kernel, the baseline for every other map. NaN and infinities are
// errors (ErrDomain), as in every other map. Fwd returns the node of the input itself, MapCSR the sparse rows
// themselves, and Transform a copy.
type Identity struct{ csrMapper }

// NewIdentity makes the layer for d dimensions. Its input has a gradient with and without WithInputGrad. Errors: d < 1
// (ErrParam), an element type other than float32 and float64 (ErrDtype).
func NewIdentity(d int, opts ...Option) (*Identity, error) {
	b, _, err := begin("Identity", d, d, opts, basicOptions)
	if err != nil {
		return nil, err
	}
	b.of = linearForm{}
	l := &Identity{csrMapper{newSparseMapper(b, ops.Domain{})}}
	l.forward = l.through
	return l, nil
}

// through returns the node of a graph itself, and so sparse rows that stay sparse. It copies other rows.
func (l *Identity) through(f *flow, dst *tensor.Dense, x value) value {
	if f.graph != nil {
		return x
	}
	return f.compute(dst, x, func(dst *tensor.Dense, staysSparse bool) (ops.Matrix, error) {
		if s, sparse := x.rows.(*ops.CSR); sparse && staysSparse {
			return s, ops.CheckRows(l.on, l.who(), s)
		}
		return ops.Copy(dst, x.rows, l.attr())
	})
}

func (l *Identity) String() string { return fmt.Sprintf("Identity %q: %d, %v", l.name, l.dims, l.dt) }

// linearForm is the form of the identity, the baseline without a map.
type linearForm struct{}

func (linearForm) plan(s Spec) (plan, error) {
	return plan{kernel: spectral.Linear{}, columns: s.Dims, build: func(o options) (Layer, error) {
		return NewIdentity(s.Dims, withAll(o))
	}}, nil
}
