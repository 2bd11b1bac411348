package layers

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// Dense is a fully connected layer of a network,
//
//	z(x) = f(xW + b),
//
// with an activation f that is applied to each number. Input [n, d]; output [n, features]. W starts uniform on ±√(6/(d
// + features)), or for ops.ReLU on ±√(6/d), and b at 0: Glorot and Bengio (2010), equation (16); He et al. (2015),
// section 2.2. The policies are Frozen and All.
type Dense struct {
	*affine
	act ops.Activation
}

// NewDense draws the layer for d dimensions and the given number of output columns. Errors (ErrParam): sizes below 1,
// an unknown activation, a policy other than Frozen and All.
func NewDense(d, features int, f ops.Activation, opts ...Option) (*Dense, error) {
	b, o, err := begin("Dense", d, features, opts, with(drawnOptions, "Tune"))
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(f.Check(b.who()), b.checkNoBandwidth("a dense layer"), b.checkSize(d, features)); err != nil {
		return nil, err
	}
	w := make([]float64, d*features)
	if !o.undrawn {
		limit := math.Sqrt(6 / float64(d+features))
		if f == ops.ReLU {
			limit = math.Sqrt(6 / float64(d))
		}
		rng := rand.New(spectral.Stream(o.sourceSeed(), "dense"))
		for i := range w {
			w[i] = limit * (2*rng.Float64() - 1)
		}
	}
	b.of = denseForm{f}
	b.drawn("dense", o, func(o options) (Layer, error) { return NewDense(d, features, f, withAll(o)) })
	activate := func(a ops.Attr) ops.Op { return ops.Activate(f, a) }
	return &Dense{newAffine(b, w, o.policy == All, activate), f}, nil
}

// Activation returns f.
func (l *Dense) Activation() ops.Activation { return l.act }

// Policy returns Frozen or All.
func (l *Dense) Policy() Policy { return l.policy }

func (l *Dense) String() string { return fmt.Sprintf("%v, %v, %v", l.affine, l.act, l.policy.word()) }

// denseForm is the form of Dense.
type denseForm struct {
	Activation ops.Activation `param:"activation" words:"linear,relu,tanh,sigmoid,softplus" default:"relu"`
}

func (f denseForm) plan(s Spec) (plan, error) {
	return plan{columns: s.Features, size: float64(s.Dims) * float64(s.Features), build: func(o options) (Layer, error) {
		return NewDense(s.Dims, s.Features, f.Activation, withAll(o))
	}}, nil
}
