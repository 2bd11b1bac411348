package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Identity returns its input: the map of the linear kernel, the baseline for every other map.
type Identity struct{ *base }

// NewIdentity makes the layer for d dimensions. Its input has a gradient with and without WithInputGrad. Errors: d < 1
// (ErrParam), an element type other than float32 and float64 (ErrDtype).
func NewIdentity(d int, opts ...Option) (*Identity, error) {
	b, _, err := begin("Identity", "identity", d, d, opts, basicOptions)
	if err != nil {
		return nil, err
	}
	return &Identity{b}, nil
}

func (l *Identity) made() form { return linearForm{} }

// Fwd returns x itself.
func (l *Identity) Fwd(x G.Input) G.Result { return G.LiftResult(l.input(x)) }

// Transform copies x to dst. NaN and infinities are errors (ErrDomain), as in every other map.
func (l *Identity) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	return l.copy(dst, x)
}

// StaysSparse is true.
func (l *Identity) StaysSparse() bool { return true }

// MapCSR returns x itself. NaN and infinities are errors (ErrDomain).
func (l *Identity) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	return x, ops.CheckRows(ops.Domain{}, l.who(), x)
}

// TransformCSR returns x as a dense matrix. The function Apply keeps it sparse.
func (l *Identity) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return l.copy(dst, x)
}

func (l *Identity) copy(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	return ops.Copy(dst, x, ops.Attr{Layer: l.who()})
}

func (l *Identity) String() string { return fmt.Sprintf("Identity %q: %d, %v", l.name, l.dims, l.dt) }

// linearForm is the form of the identity, the baseline without a map.
type linearForm struct{}

func (linearForm) plan(s Spec) (plan, error) {
	return plan{kernel: spectral.Linear{}, columns: s.Dims, build: func(opts ...Option) (Layer, error) {
		return NewIdentity(s.Dims, opts...)
	}}, nil
}
