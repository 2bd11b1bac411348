package ops

import (
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// SkewedFourier is Fourier of ln(x + c), of x, c, W and [b]: the skewed maps, in the pair form or, with b [m], in the
// phase form. x is [n, d]; c is [1], or [d] with an entry for each column; W is [d, m]. ln(x + c) is the isomorphism
// from the skewed multiplicative group on (-c, ∞) to ℝ. Li et al. (2010), proposition 1 and equation (5).
//
// Backward, with u = ln(x + c) and r = 1/(x + c): dP as for Fourier, dW = uᵀ·dP, dx = r∘(dP·Wᵀ), dc = the sum of dx,
// over everything or over each column. For sparse rows dc does not need dx: it is <dP, r·W> over everything, and for
// column j the product of row j of W and of rᵀ·dP; r is a sparse matrix plus a constant row, like u. The logarithm of
// dense rows is part of the product; for sparse rows only the entries have one.
//
// Pack takes W. Attr.Domain is not used. Errors while building: shapes. Errors while running (ErrDomain): a cell of x
// that is not above -c, or not finite, a missing cell of sparse rows where c <= 0; a row whose projection is not
// finite.
func SkewedFourier(a Attr) Op { return Op{decl: &skewed, attr: a} }

var (
	skewed = decl{kind: "SkewedFourier", sig: parse("nd,1|d,dm,m?->n(2m)|nm"), names: skewedNames,
		in: skewedInputs, unchecked: true, on: reals, sparse: native, pack: packShifted, prepare: checkShifts,
		forward: kernel{skewedForward[float32], skewedForward[float64]}, node: nodeOfCosine(&skewedAffine),
		reads: []int{0, 1, 2, theOutput}, backward: kernel{skewedBackward[float32], skewedBackward[float64]}}
	// skewedAffine is ln(x + c)W + b.
	skewedAffine = decl{kind: "SkewedAffine", sig: parse("nd,1|d,dm,m->nm"), names: skewedNames, in: skewedInputs,
		unchecked: true, sparse: native, pack: packShifted, prepare: checkShifts,
		forward: kernel{skewedProjection[float32], skewedProjection[float64]},
		reads:   []int{0, 1, 2}, backward: kernel{skewedBackward[float32], skewedBackward[float64]}}
	skewedNames  = []string{"x", "c", "W", "b"}
	skewedInputs = []Inputs{X, C, W, B}
)

func reals(*Op) Domain { return domain.Reals() }

func skewedForward[T domain.Float](c *call) error {
	x, b, err := shiftedRows[T](c)
	if err != nil {
		return err
	}
	return circle(c, x, b)
}

func skewedProjection[T domain.Float](c *call) error {
	x, b, err := shiftedRows[T](c)
	if err != nil {
		return err
	}
	return affineOf(c, x, b)
}

// shiftedRows is ln(x + c) for a product with W, and what is added to that: of sparse rows b and the base.
func shiftedRows[T domain.Float](c *call) (x simd.Rows[T], bias []T, err error) {
	b := lastInput[T](c)
	if _, ok := c.x.(*CSR); !ok {
		return simd.Rows[T]{Dense: cells[T](c, 0), Shift: cells[T](c, 1)}, b, nil
	}
	u, base, err := shifted[T](c, logOfSum)
	if err != nil {
		return x, nil, err
	}
	return simd.Rows[T]{Sparse: u}, background(c.w, base, b), nil
}

// checkShifts finds the first cell of dense rows that is not finite or not above -c.
func checkShifts(c *call) error {
	if c.in[0] == nil {
		return nil // shift looks at the entries
	}
	return typed(c.x.Dtype(), checkShift[float32], checkShift[float64])(c)
}

func checkShift[T domain.Float](c *call) error {
	x, cs, d := cells[T](c, 0), cells[T](c, 1), c.at('d')
	if d == 0 || within(domain.Above(float64(slices.Min(cs))), x) {
		return nil
	}
	for i := 0; i < len(x); i += d {
		for j, v := range x[i : i+d] {
			if on := domain.Above(float64(cs[j%len(cs)])); !on.Contains(float64(v)) {
				return on.Violation(c.who(), i/d, j, float64(v))
			}
		}
	}
	return nil
}

// ofSum is a function f and the difference f(v + c) - f(c).
type ofSum struct {
	f    func(float64) float64
	more func(v, c float64) float64
}

var (
	logOfSum = ofSum{simd.Ln, func(v, c float64) float64 {
		if ratio := v / c; !math.IsInf(ratio, 0) {
			return math.Log1p(ratio)
		}
		return simd.Ln(v+c) - simd.Ln(c)
	}}
	// inverseOfSum is the derivative of logOfSum.
	inverseOfSum = ofSum{func(c float64) float64 { return 1 / c }, func(v, c float64) float64 {
		return -v / (v + c) / c
	}}
)

// shifted is f(x + c) of sparse rows x: every cell is f(c), the base, and each entry of x adds f(v + c) - f(c). The
// maps project the base, which has a number for each of c, once for all rows, and then the entries. For c <= 0 the base
// is 0 and the entries are f(v + c); every cell of such a column must be stored, because a missing cell is 0, which is
// not above -c.
func shifted[T domain.Float](call *call, of ofSum) (out *simd.CSR[T], base []T, err error) {
	s, c, who := sparseOf[T](call.x.(*CSR)), cells[T](call, 1), call.who()
	first := s.Ptr[0]
	col, val := s.Entries()
	out = &simd.CSR[T]{Rows: s.Rows, Cols: s.Cols, Ptr: fromZero(s.Ptr), Col: col, Val: make([]T, len(val))}
	base = make([]T, len(c))
	open := false // whether a cell may be left out everywhere
	for j, v := range c {
		if v > 0 {
			base[j] = T(of.f(float64(v)))
		} else {
			open = true
		}
	}
	for i := range s.Rows {
		lo, hi := s.Ptr[i], s.Ptr[i+1]
		if open {
			if j := firstLeftOut(s.Col[lo:hi], s.Cols, c); j >= 0 {
				return nil, nil, domain.Above(float64(c[j%len(c)])).Violation(who, i, j, 0)
			}
		}
		for t := lo; t < hi; t++ {
			v, cj := float64(s.Val[t]), float64(c[int(s.Col[t])%len(c)])
			switch {
			case v-v != 0 || !(v > -cj):
				return nil, nil, domain.Above(cj).Violation(who, i, int(s.Col[t]), v)
			case cj > 0:
				out.Val[t-first] = T(of.more(v, cj))
			default:
				out.Val[t-first] = T(of.f(v + cj))
			}
		}
	}
	return out, base, nil
}

// firstLeftOut returns the first column with c <= 0 that a row does not store, or -1.
func firstLeftOut[T domain.Float](stored []int32, cols int, c []T) int {
	for j := range cols {
		if len(stored) > 0 && int(stored[0]) == j {
			stored = stored[1:]
			continue
		}
		if !(c[j%len(c)] > 0) {
			return j
		}
	}
	return -1
}

// skewedBackward is the backward of Fourier or Affine of u = ln(x + c), and then dx = du/(x + c) and its sum dc.
func skewedBackward[T domain.Float](c *call) error {
	n, d, m, z, dp := c.at('n'), c.at('d'), c.at('m'), outputOf[T](c), gradientOf[T](c)
	x, cs, dc, w := cells[T](c, 0), cells[T](c, 1), gradientFor[T](c, 1), packedW[T](c.w)
	to := simd.Gradients[T]{DX: gradientFor[T](c, 0), DW: gradientFor[T](c, 2), DB: gradientFor[T](c, 3)}
	slopes := simd.PairSlopes(z, dp, m)
	if _, ok := c.x.(*CSR); ok {
		if z != nil {
			dp = scratch[T](c, n*m)
			slopes.Write(dp, n, m)
		}
		return sparseSkewed(c, w, to, dc, dp)
	}
	if to.DX == nil && dc != nil {
		to.DX = scratch[T](c, n*d)
	}
	u := x
	if to.DW != nil {
		u = scratch[T](c, n*d)
		simd.LogShift(u, x, cs, n, d)
	}
	if z != nil {
		w.Backward(to, u, n, slopes)
	} else {
		ofRows(n, simd.Rows[T]{Dense: u}, nil, w, to, dp)
	}
	if to.DX != nil {
		simd.LogShiftGrad(to.DX, x, cs, to.DX, n, d)
	}
	if len(dc) == 1 {
		n *= d
	}
	if dc != nil {
		simd.ColSum(dc, to.DX, n)
	}
	return nil
}

// sparseSkewed is skewedBackward for sparse rows, from dP.
func sparseSkewed[T domain.Float](c *call, w *simd.Weights[T], to simd.Gradients[T], dc, dp []T) error {
	n, d, m := c.at('n'), c.at('d'), c.at('m')
	u, base, err := shifted[T](c, logOfSum)
	if err != nil {
		return err
	}
	ofRows(n, simd.Rows[T]{Sparse: u}, base, w, to, dp)
	if dc == nil {
		return nil
	}
	r, base, err := shifted[T](c, inverseOfSum)
	if err != nil {
		return err
	}
	if len(base) == 1 {
		rw := make([]T, n*m)
		simd.Affine(rw, w, simd.Rows[T]{Sparse: r}, background(c.w, base, nil), n)
		minusRowDots(dc, rw, dp, m)
	} else {
		rg := make([]T, d*m)
		simd.GradWCSR(rg, *r, base, dp, m)
		minusRowDots(dc, cells[T](c, 2), rg, m)
	}
	for j, v := range dc {
		dc[j] = -v
	}
	return nil
}
