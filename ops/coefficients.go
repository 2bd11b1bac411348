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
// Backward: dp = gΦᵀ. Errors while building: shapes. Errors while running: a value of p outside Attr.Domain,
// a number of Φ that is not finite (ErrDomain).
func Coefficients(a Attr) Op { return Op{decl: &coefficients, attr: a} }

var coefficients = decl{kind: "Coefficients", sig: parse("n(kV),VB->n(kB)"), names: []string{"p", "Φ"}, in: []Inputs{X},
	finite: []int{1}, check: atLeastOne('V', 'k'), forward: kernel{coefficientsForward[float32], coefficientsForward[float64]},
	reads: []int{1}, backward: kernel{coefficientsBackward[float32], coefficientsBackward[float64]}}

func coefficientsForward[T domain.Float](c *call) error {
	v, b, n := c.at('V'), c.at('B'), c.at('n')*c.at('k')
	if n > 0 {
		simd.Gemm(false, false, n, b, v, 1, cells[T](c, 0), v, cells[T](c, 1), b, 0, result[T](c), b)
	}
	return nil
}

func coefficientsBackward[T domain.Float](c *call) error {
	v, b, n := c.at('V'), c.at('B'), c.at('n')*c.at('k')
	if n > 0 && b > 0 {
		simd.Gemm(false, true, n, v, b, 1, gradientOf[T](c), b, cells[T](c, 1), b, 0, gradientFor[T](c, 0), v)
	}
	return nil
}
