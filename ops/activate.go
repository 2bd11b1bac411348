package ops

import (
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Activation is a function that a layer of a network applies to each number. Its constants are Linear, ReLU, Tanh,
// Sigmoid and Softplus.
type Activation int

const (
	Linear   Activation = iota // x
	ReLU                       // max(x, 0), with the derivative 0 at 0
	Tanh                       // tanh x
	Sigmoid                    // 1/(1 + exp(-x))
	Softplus                   // ln(1 + exp(x))
)

var activationNames = []string{"linear", "relu", "tanh", "sigmoid", "softplus"}

// ActivationNames returns the names of all activations, in the order of the constants.
func ActivationNames() []string { return append([]string(nil), activationNames...) }

func (f Activation) String() string {
	if f < 0 || int(f) >= len(activationNames) {
		return fmt.Sprintf("Activation(%d)", int(f))
	}
	return activationNames[f]
}

// ParseActivation is the inverse of String. The error for an unknown name wraps ErrParam.
func ParseActivation(name string) (Activation, error) {
	for i, n := range activationNames {
		if n == name {
			return Activation(i), nil
		}
	}
	return 0, fmt.Errorf("ops: activation %q is none of %s: %w", name, strings.Join(activationNames, ", "), ErrParam)
}

// Check returns an error that wraps ErrParam unless f is one of the constants. who starts the message.
func (f Activation) Check(who string) error {
	if f < 0 || int(f) >= len(activationNames) {
		return fmt.Errorf("%s: %v is none of %s: %w", who, f, strings.Join(activationNames, ", "), ErrParam)
	}
	return nil
}

// at is f(x).
func (f Activation) at(x float64) float64 {
	switch f {
	case ReLU:
		return math.Max(x, 0)
	case Tanh:
		return math.Tanh(x)
	case Sigmoid:
		if x < 0 {
			e := math.Exp(x)
			return e / (1 + e)
		}
		return 1 / (1 + math.Exp(-x))
	case Softplus:
		return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
	}
	return x
}

// slope is f'(x) from z = f(x).
func (f Activation) slope(z float64) float64 {
	switch f {
	case ReLU:
		if z > 0 {
			return 1
		}
		return 0
	case Tanh:
		return 1 - z*z
	case Sigmoid:
		return z * (1 - z)
	case Softplus:
		return -math.Expm1(-z)
	}
	return 1
}

// Activate applies f to each number of x [n, k].
//
// Backward, from the output z alone: dx = g f'(x), where f' is 1 for z > 0 and else 0 (ReLU), 1 - z² (Tanh), z(1 - z)
// (Sigmoid), 1 - exp(-z) (Softplus). Attr.Domain is not used. Errors while building: shapes, an unknown f.
func Activate(x *G.Node, f Activation, a Attr) (*G.Node, error) {
	if err := f.Check(a.who("Activate")); err != nil {
		return nil, err
	}
	return apply(&op{kind: "Activate", params: f, in: []Inputs{X}, ranks: "22", attr: a, shape: likeFirst,
		forward: func(_ Matrix, in []*tensor.Dense) (Matrix, error) {
			return ActivateInto(nil, in[0], f, a)
		},
		backward: func(t *tracer) { t.gradient(X, activationGrad(f), t.out, t.grad) }}, x)
}

// ActivateInto writes Activate(x) to dst [n, k], allocated if nil, without a graph. dst may be x.
func ActivateInto(dst, x *tensor.Dense, f Activation, a Attr) (*tensor.Dense, error) {
	who := a.who("Activate")
	if err := f.Check(who); err != nil {
		return nil, err
	}
	x, err := matrixOf(who, "x", "[n, k]", x)
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()...); err != nil {
		return nil, err
	}
	typed(x.Dtype(), activate[float32], activate[float64])(dst, x, f)
	return dst, nil
}

func activate[T domain.Float](out, in *tensor.Dense, f Activation) {
	dst := data[T](out)
	for i, v := range data[T](in) {
		dst[i] = T(f.at(float64(v)))
	}
}

// activationGrad is dx from the output z and its gradient g.
func activationGrad(f Activation) *op {
	const kind = "gradient of Activate"
	return &op{kind: kind, params: f, ranks: "222", shape: likeAll(kind),
		fill: func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(dx.Dtype(), activationBackward[float32], activationBackward[float64])(dx, in[0], in[1], f)
			return nil
		}}
}

func activationBackward[T domain.Float](out, features, grad *tensor.Dense, f Activation) {
	dx, g := data[T](out), data[T](grad)
	for i, z := range data[T](features) {
		dx[i] = T(float64(g[i]) * f.slope(float64(z)))
	}
}
