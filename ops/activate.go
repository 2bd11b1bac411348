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

func (f Activation) String() string { return domain.Word(f, activationNames...) }

// Check returns an error that wraps ErrParam unless f is one of the constants. who starts the message.
func (f Activation) Check(who string) error { return checkWord(who, f, activationNames) }

// at is f(x) for an f other than ReLU, which has loops of its own.
func (f Activation) at(x float64) float64 {
	switch f {
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

// slope is f'(x) from z = f(x), as at.
func (f Activation) slope(z float64) float64 {
	switch f {
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
	if f == ReLU {
		return rectify.with(f, a, f.Check)
	}
	return activate.with(f, a, f.Check)
}

var (
	activate = pointwise("Activate", Activation.at, theOutput, Activation.slope)
	// Most networks have this one, and a call for each number would be a tenth of their time.
	rectify = elementwise("Activate", theOutput, kernel{rectifyForward[float32], rectifyForward[float64]},
		kernel{rectifyBackward[float32], rectifyBackward[float64]})
)

func rectifyForward[T domain.Float](c *call) error {
	z := result[T](c)
	for i, v := range cells[T](c, 0) {
		z[i] = max(v, 0)
	}
	return nil
}

func rectifyBackward[T domain.Float](c *call) error {
	dx, g := gradientFor[T](c, 0), gradientOf[T](c)
	for i, v := range outputOf[T](c) {
		var slope uint8 // without a branch, which half of the numbers would take
		if v > 0 {
			slope = 1
		}
		dx[i] = g[i] * T(slope)
	}
	return nil
}

// pointwise declares an op with a parameter of type P that applies f to each number of x [n, k]. slope is f'(x), of x
// or, where reads is theOutput, of f(x).
func pointwise[P any](kind string, f func(p P, x float64) float64, reads int, slope func(p P, v float64) float64) decl {
	return elementwise(kind, reads, kernel{
		func(c *call) error { return pointForward[float32](c, f) },
		func(c *call) error { return pointForward[float64](c, f) },
	}, kernel{
		func(c *call) error { return pointBackward[float32](c, reads, slope) },
		func(c *call) error { return pointBackward[float64](c, reads, slope) },
	})
}

// elementwise declares an op on each number of x [n, k], whose backward reads x or theOutput.
func elementwise(kind string, reads int, forward, backward kernel) decl {
	return decl{kind: kind, sig: parse("nk->nk"), names: []string{"x"}, in: []Inputs{X}, unchecked: true,
		forward: forward, reads: []int{reads}, backward: backward}
}

func pointForward[T domain.Float, P any](c *call, f func(p P, x float64) float64) error {
	z, p := result[T](c), paramsOf[P](c)
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
	for i, v := range v {
		dx[i] = T(float64(g[i]) * slope(p, float64(v)))
	}
	return nil
}
