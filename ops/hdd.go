package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// HDD embeds, of p, λ, r and Φ, densities p such that squared Euclidean distances approximate squared homogeneous
// density distances. The features are the coefficients, on an orthonormal basis, of functions of p:
//
//	A(p) = [Φᵀ r_j √p cos(λ_j ln p) | Φᵀ r_j √p sin(λ_j ln p)], j = 1 to M.
//
// p is [n, V], densities at V points; λ and r, the roots of the weights, are [M]; Φ is [V, B], the basis functions at
// the points times their weights of integration. The result is [n, 2MB]: coefficients for cos(λ₁ ln p), sin(λ₁ ln p),
// cos(λ₂ ln p) and so on. If even is set, for frequencies of 0, it has no sines and is [n, MB]. A number p = 0 adds 0.
// A row of p may hold k densities one after another, [n, kV]; each is embedded by itself, and the result is [n, k·2MB]
// or [n, kMB]. Sutherland, Oliva, Póczos and Schneider (2016), equations (4) to (6) and (9).
//
// Backward: let g' = gΦᵀ, and c and s the cosine and sine, computed again. dp = Σ_j r_j (½(g'_c c + g'_s s) + λ_j (g'_s
// c - g'_c s))/√p, dλ_j = Σ r_j √p ln p (g'_s c - g'_c s). At p = 0 dp is defined as 0, as in Homogeneous. The roots
// and Φ have no gradient. Attr.Domain is not used.
//
// Errors while building: shapes. Errors while running (ErrDomain): a density that is negative or not finite, a λ that
// is not finite or makes λ ln p overflow, a root or a number of Φ that is not finite.
func HDD(even bool, a Attr) Op { return Op{decl: &hdd, attr: a, params: even} }

var hdd = decl{kind: "HDD", sig: parse("n(kV),M,M,VB->n(kwMB)"), names: []string{"p", "λ", "the roots", "Φ"},
	in: []Inputs{X, Lambda}, on: nonNegative, finite: []int{2, 3}, check: atLeastOne('V', 'k', 'M'),
	bind: func(o *Op, v *sizes) { // w is the waves of a frequency
		if v.set('w', 2); o.params.(bool) {
			v.set('w', 1)
		}
	},
	forward: kernel{hddForward[float32], hddForward[float64]}, reads: []int{0, 1, 2, 3},
	backward: kernel{hddBackward[float32], hddBackward[float64]}}

func wavesOn[T domain.Float](c *call) *simd.Waves[T] {
	return &simd.Waves[T]{Lambda: cells[T](c, 1), Root: cells[T](c, 2), Even: c.at('w') == 1}
}

func hddForward[T domain.Float](c *call) error {
	k := c.at('k')
	row := wavesOn[T](c).Project(result[T](c), cells[T](c, 0), cells[T](c, 3), c.at('n')*k, c.at('V'), c.at('B'))
	if row < 0 {
		return nil
	}
	return fmt.Errorf("%s: λ ln p of row %d is not finite in %v; look for NaN and huge numbers among the "+
		"frequencies λ: %w", c.who(), row/k, c.x.Dtype(), ErrDomain)
}

func hddBackward[T domain.Float](c *call) error {
	wavesOn[T](c).Backward(gradientFor[T](c, 0), gradientFor[T](c, 1), cells[T](c, 0), cells[T](c, 3),
		gradientOf[T](c), c.at('n')*c.at('k'), c.at('V'), c.at('B'))
	return nil
}

// Coefficients is pΦ of p and Φ, the coefficients of functions on an orthonormal basis. p is [n, V], the values of
// functions at V points; Φ is [V, B], the basis functions at the points times their weights of integration; the result
// is [n, B]. As in HDD, a row of p may hold k functions one after another, [n, kV], and the result is then [n, kB].
// Squared distances of coefficients approximate ∫ (p - q)². Φ has no gradient.
//
// Backward: dp = gΦᵀ. Errors while building: shapes. Errors while running: a value of p outside Attr.Domain,
// a number of Φ that is not finite (ErrDomain).
func Coefficients(a Attr) Op { return Op{decl: &coefficients, attr: a} }

var coefficients = decl{kind: "Coefficients", sig: parse("n(kV),VB->n(kB)"), names: []string{"p", "Φ"}, in: []Inputs{X},
	finite: []int{1}, check: atLeastOne('V', 'k'),
	forward: kernel{coefficientsForward[float32], coefficientsForward[float64]}, reads: []int{1},
	backward: kernel{coefficientsBackward[float32], coefficientsBackward[float64]}}

func coefficientsForward[T domain.Float](c *call) error {
	v, b, n := c.at('V'), c.at('B'), c.at('n')*c.at('k')
	simd.Gemm(false, false, n, b, v, 1, cells[T](c, 0), v, cells[T](c, 1), b, 0, result[T](c), b)
	return nil
}

func coefficientsBackward[T domain.Float](c *call) error {
	v, b, n := c.at('V'), c.at('B'), c.at('n')*c.at('k')
	simd.Gemm(false, true, n, v, b, 1, gradientOf[T](c), b, cells[T](c, 1), b, 0, gradientFor[T](c, 0), v)
	return nil
}
