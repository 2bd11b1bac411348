package layers

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
)

// Normalise divides each row by its norm, x/‖x‖, as maps on the sphere and maps of histograms need it. A row of zeros
// stays as it is. Input [n, d], any finite numbers; output [n, d].
type Normalise struct {
	*mapper
	norm ops.Norm
}

// NewNormalise makes the layer for d dimensions. Errors: d below 1, a norm other than ops.L1 and ops.L2 (ErrParam).
func NewNormalise(d int, norm ops.Norm, opts ...Option) (*Normalise, error) {
	b, _, err := begin("Normalise", d, d, opts, basicOptions)
	if err != nil {
		return nil, err
	}
	if err := norm.Check(b.who()); err != nil {
		return nil, err
	}
	b.of = normaliseForm{norm}
	op := func(a ops.Attr) ops.Op { return ops.Normalise(norm, a) }
	return &Normalise{newSingle(b, ops.Domain{}, false, op), norm}, nil
}

// Norm returns the norm.
func (l *Normalise) Norm() ops.Norm { return l.norm }

func (l *Normalise) String() string {
	return fmt.Sprintf("Normalise %q: %d, %v, %v", l.name, l.dims, l.norm, l.dt)
}

// normaliseForm is the form of Normalise.
type normaliseForm struct {
	Norm ops.Norm `param:"norm" words:"l1=1,l2=2" default:"l2" doc:"the norm"`
}

func (f normaliseForm) plan(s Spec) (plan, error) {
	return plan{columns: s.Dims, through: f.Norm.Of, build: func(o options) (Layer, error) {
		return NewNormalise(s.Dims, f.Norm, withAll(o))
	}}, nil
}
