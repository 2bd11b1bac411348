package ops

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// StructuredFourier is Fourier for structured frequencies, of x, signs, norms, [ρ] and [b], with a W that need not be
// formed. A block of p columns of W is
//
//	Wᵀ = exp(-ρ) p^(-3/2) diag(norms) H D₃ H D₂ H D₁,
//
// where H is the Walsh-Hadamard matrix of p = 2^k >= d rows, the Dᵢ are diagonals of signs, and x is padded with zeros
// to p columns. x is [n, d]; signs are [3·blocks, p] with the rows D₁, D₂, D₃ of each block; norms are [m] with ⌈m/p⌉
// blocks; ρ is [1]. Without b the result is the pair form [n, 2m], with b [m] the phase form [n, m]. A row costs
// O(p log p) operations a block. Yu et al. (2016), section 4.
//
// For few columns of x the product with W is faster, and each forward forms W: for d <= 64 in float32, d <= 48 in
// float64, and in the backward for x for d <= 32, on machines with kernels for products. This takes memory for d·m
// numbers, and 2d·m in the backward. The results agree to rounding.
//
// Backward: dP as for Fourier, dx = dP·Wᵀ by the transposed products, and dρ = -<dP, P>, with P computed again. signs
// and norms have no gradient. Attr.Frozen has X, Rho and B for x, ρ and b.
//
// Pack takes signs, norms and [ρ], and d is the columns of x. Its result holds 3·blocks·p signs and p·blocks norms, and
// for few columns, from the first product on, the d·m numbers of W. Errors while building: shapes, a p that is no power
// of two. Errors while running: as for Fourier; a sign that is not ±1, a norm that is not finite after the
// multiplication by exp(-ρ) (ErrDomain).
func StructuredFourier(a Attr) Op { return Op{decl: &structured, attr: a} }

var (
	structuredNames = []string{"x", "signs", "norms", "the log bandwidth", "b"}
	structured      = decl{kind: "StructuredFourier", sig: parse("nd,qp,m,1?,m?->n(2m)|nm"), names: structuredNames,
		in: []Inputs{X, 0, 0, Rho, B}, circular: true, sparse: native, check: checkStructured, pack: packStructured,
		forward: kernel{fourierForward[float32], fourierForward[float64]},
		node:    nodeOfCosine(&structuredAffine), reads: []int{0, 1, 2, 3, theOutput},
		backward: kernel{structuredBackward[float32], structuredBackward[float64]}}
	structuredAffine = decl{kind: "StructuredAffine", sig: parse("nd,qp,m,1?,m->nm"), names: structuredNames,
		in: []Inputs{X, 0, 0, Rho, B}, sparse: native, check: checkStructured, pack: packStructured,
		forward: kernel{affineForward[float32], affineForward[float64]}, reads: []int{0, 1, 2, 3},
		backward: kernel{structuredAffineBackward[float32], structuredAffineBackward[float64]}}
)

// packStructured packs the signs, the norms and ρ.
var packStructured = &packer{from: 1, n: 3, pack: func(c *call, keep bool) (any, error) {
	return typed(c.in[1].Dtype(), newStructured[float32], newStructured[float64])(c, keep)
}}

func newStructured[T domain.Float](c *call, keep bool) (any, error) {
	s, r, p, factor := cells[T](c, 1), cells[T](c, 2), c.at('p'), 1.
	if rho := cells[T](c, 3); rho != nil {
		factor = math.Exp(-float64(rho[0]))
	}
	err := checkEach(c.who(), "signs", "is not a sign", "set the frequencies again: signs are 1 and -1", s, p, isSign)
	if err != nil {
		return nil, err
	}
	if keep {
		s = slices.Clone(s)
	}
	w := simd.NewStructured(c.at('d'), p, s, r, factor)
	for j, v := range w.Scale() {
		if v-v != 0 {
			return nil, &domain.CellError{Who: c.who(), Matrix: "norms", Col: j, Value: float64(r[j]),
				Reason: fmt.Sprintf("times exp(-log bandwidth) = %v is not finite", factor),
				Remedy: "set the frequencies again, or tune the bandwidth with a lower learning rate"}
		}
	}
	return w, nil
}

// checkStructured checks the shapes of a structured W for d input columns: signs [3·⌈m/p⌉, p] with p a power of two >=
// d, and norms [m].
func checkStructured(c *call) error {
	signs, d, p, m := c.shapes[1], c.at('d'), c.at('p'), c.at('m')
	if p < d || bits.OnesCount(uint(p)) != 1 {
		return fmt.Errorf("%s: signs are %v for %d input columns, want a power of two of columns, at least %d: %w",
			c.who(), signs, d, d, ErrShape)
	}
	if m < 1 || signs[0] != 3*((m+p-1)/p) {
		return fmt.Errorf("%s: signs are %v for %d norms, want three rows for each block of %d: %w",
			c.who(), signs, m, p, ErrShape)
	}
	return nil
}

func structuredBackward[T domain.Float](c *call) error {
	n, m := c.at('n'), c.at('m')
	dp := scratch[T](c, n*m)
	simd.PairSlopes(outputOf[T](c), gradientOf[T](c), m).Write(dp, n, m)
	return structuredGradients(c, dp)
}

func structuredAffineBackward[T domain.Float](c *call) error {
	return structuredGradients(c, gradientOf[T](c))
}

// structuredGradients writes dx, dρ and db from dP.
func structuredGradients[T domain.Float](c *call, dp []T) error {
	n, m, w := c.at('n'), c.at('m'), c.w.of.(*simd.Structured[T])
	if db := gradientFor[T](c, 4); db != nil {
		simd.ColSum(db, dp, n)
	}
	if drho := gradientFor[T](c, 3); drho != nil {
		p := scratch[T](c, n*m)
		simd.Affine(p, w, inputRows[T](c), nil, n)
		minusRowDots(drho, p, dp, m)
	}
	if dx := gradientFor[T](c, 0); dx != nil {
		w.GradX(dx, dp, n)
	}
	return nil
}
