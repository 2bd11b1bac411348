package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
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

func (f Activation) String() string { return wordOf(f, activationNames) }

// Check returns an error that wraps ErrParam unless f is one of the constants. who starts the message.
func (f Activation) Check(who string) error { return checkWord(who, f, activationNames) }

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

// Activate applies f to each number of x [n, k]. The dst of Into may be x.
//
// Backward, from the output z alone: dx = g f'(x), where f' is 1 for z > 0 and else 0 (ReLU), 1 - z² (Tanh), z(1 - z)
// (Sigmoid), 1 - exp(-z) (Softplus). Attr.Domain is not used. Errors while building: shapes, an unknown f.
func Activate(f Activation, a Attr) Op {
	return activate.with(f, a, f.Check)
}

var activate = pointwise("Activate", Activation.at, theOutput, Activation.slope)

// pointwise declares an op with a parameter of type P that applies f to each number of x [n, k]. slope is f'(x), of x
// or, where reads is theOutput, of f(x).
func pointwise[P any](kind string, f func(p P, x float64) float64, reads int, slope func(p P, v float64) float64) decl {
	return decl{kind: kind, sig: parse("nk->nk"), names: []string{"x"}, in: []Inputs{X}, unchecked: true,
		forward: kernel{
			func(c *call) error { return pointForward[float32](c, f) },
			func(c *call) error { return pointForward[float64](c, f) }},
		reads: []int{reads}, backward: kernel{
			func(c *call) error { return pointBackward[float32](c, reads, slope) },
			func(c *call) error { return pointBackward[float64](c, reads, slope) }}}
}

func pointForward[T domain.Float, P any](c *call, f func(p P, x float64) float64) error {
	z, p := result[T](c), paramsOf[P](c)
	if any(p) == any(ReLU) { // the usual one is a tenth of the time of a network, unless it has a loop of its own
		for i, v := range cells[T](c, 0) {
			z[i] = max(v, 0)
		}
		return nil
	}
	for i, v := range cells[T](c, 0) {
		z[i] = T(f(p, float64(v)))
	}
	return nil
}

func pointBackward[T domain.Float, P any](c *call, reads int, slope func(p P, v float64) float64) error {
	dx, v, g, p := gradientFor[T](c, 0), cells[T](c, 0), gradientOf[T](c), paramsOf[P](c)
	if reads == theOutput {
		v = outputOf[T](c)
	}
	if any(p) == any(ReLU) {
		for i, v := range v {
			if dx[i] = 0; v > 0 {
				dx[i] = g[i]
			}
		}
		return nil
	}
	for i, v := range v {
		dx[i] = T(float64(g[i]) * slope(p, float64(v)))
	}
	return nil
}
