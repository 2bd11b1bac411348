package ops

import (
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Coefficients is pΦ of p and Φ, the coefficients of functions on an orthonormal basis. p is [n, V], the values of
// functions at V points; Φ is [V, B], the basis functions at the points times their weights of integration; the result
// is [n, B]. As in HDD, a row of p may hold k functions one after another, [n, kV], and the result is then [n, kB].
// Squared distances of coefficients approximate ∫ (p - q)². Φ has no gradient.
//
// Backward: dp = gΦᵀ. Errors while building: shapes. Errors while running: a value of p outside Attr.Domain
// (ErrDomain).
func Coefficients(a Attr) Op { return Op{decl: &coefficients, attr: a} }

var (
	coefficients = decl{kind: "Coefficients", sig: parse("n(kV),VB->n(kB)"), names: []string{"p", "Φ"}, in: []Inputs{X},
		check: atLeastOne('V', 'k'), forward: kernel{timesBasis[float32], timesBasis[float64]},
		backward: func(t *tracer) { t.gradient(X, of(&coefficientsGrad), t.grad, t.in[1]) }}
	// coefficientsGrad is gΦᵀ.
	coefficientsGrad = decl{kind: "gradient of Coefficients", sig: parse("n(kB),VB->n(kV)"), unchecked: true,
		forward: kernel{timesBasis[float32], timesBasis[float64]}}
)

// timesBasis computes xΦ, or xΦᵀ for the gradient. x may have several rows of that width in each of its rows.
func timesBasis[T domain.Float](c *call) error {
	v, b, transposed := c.at('V'), c.at('B'), c.kind != "Coefficients"
	in, out := v, b
	if transposed {
		in, out = b, v
	}
	if n := c.at('n') * c.at('k'); n > 0 && in > 0 {
		simd.Gemm(false, transposed, n, out, in, 1, cells[T](c, 0), in, cells[T](c, 1), b, 0, result[T](c), out)
	}
	return nil
}
