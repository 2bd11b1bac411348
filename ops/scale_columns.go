package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// ScaleColumns is x·diag(s) of x >= 0 and s >= 0. x is [n, d]; s is [1], or [d] with an entry for each column.
//
// Backward: dx = g·diag(s), ds = Σ g∘x, over everything or over each column. For sparse rows the result is sparse,
// unless s has a gradient. Attr.Domain is not used.
//
// Errors while building: shapes. Errors while running (ErrDomain): a cell of x or an entry of s that is negative or not
// finite; a product that is not finite.
func ScaleColumns(a Attr) Op { return Op{decl: &scaleColumns, attr: a} }

var (
	scaleColumns = decl{kind: "ScaleColumns", sig: parse("nd,1|d->nd"), names: []string{"x", "s"}, in: []Inputs{X, S},
		on: nonNegative, prepare: checkScales, forward: kernel{scaleForward[float32], scaleForward[float64]},
		stays: typedCSR{scaleSparse[float32], scaleSparse[float64]},
		backward: func(t *tracer) {
			t.gradient(X, of(&scaleColumnsGradX), t.grad, t.in[1])
			t.gradient(S, of(&scaleColumnsGradS), t.in[0], t.grad, t.in[1])
		}}
	// scaleColumnsGradX is dx = g·diag(s) from g and s.
	scaleColumnsGradX = decl{kind: "gradient of ScaleColumns for x", sig: parse("nd,1|d->nd"), unchecked: true,
		forward: kernel{multiplyColumns[float32], multiplyColumns[float64]}}
	// scaleColumnsGradS is ds = Σ_i x[i,j]·g[i,j], or its sum over j, from x, g and s.
	scaleColumnsGradS = decl{kind: "gradient of ScaleColumns for s", sig: parse("nd,nd,k->k"), unchecked: true,
		sparse: spread, forward: kernel{columnDots[float32], columnDots[float64]}}
)

// checkScales checks that all scales, the second input, are finite and not negative.
func checkScales(c *call) error {
	for j, v := range Float64s(c.in[1]) {
		if !(v >= 0) || math.IsInf(v, 1) {
			return &domain.CellError{Who: c.who(), Matrix: "scale", Col: j, Value: v,
				Reason: "is not a finite number from 0 on",
				Remedy: "set it anew, or tune it with a lower learning rate"}
		}
	}
	return nil
}

func scaleForward[T domain.Float](c *call) error {
	if err := multiplyColumns[T](c); err != nil || within(domain.Reals(), result[T](c)) {
		return err
	}
	for i, v := range result[T](c) {
		if v-v != 0 {
			return notFiniteScaled(c.who(), i/c.at('d'), i%c.at('d'), cells[T](c, 0)[i])
		}
	}
	return nil
}

func multiplyColumns[T domain.Float](c *call) error {
	dst, x, s, d := result[T](c), cells[T](c, 0), cells[T](c, 1), c.at('d')
	if len(s) == 1 {
		simd.Multiply(dst, x, s)
		return nil
	}
	for lo := 0; lo < len(x); lo += d {
		simd.Multiply(dst[lo:lo+d], x[lo:lo+d], s)
	}
	return nil
}

func notFiniteScaled[T domain.Float](who string, row, col int, v T) error {
	return &domain.CellError{Who: who, Row: row, Col: col, Value: float64(v),
		Reason: fmt.Sprintf("is not finite in %T in the unit of the kernel", v),
		Remedy: "scale the data and the kernel's parameter together"}
}

func scaleSparse[T domain.Float](c *call) (*CSR, error) {
	x, s := sparseOf[T](c.x.(*CSR)), cells[T](c, 1)
	out := *x
	out.Val = make([]T, len(x.Val))
	for i := range x.Rows {
		for t := x.Ptr[i]; t < x.Ptr[i+1]; t++ {
			v := T(x.Val[t] * s[int(x.Col[t])%len(s)]) // the conversion rounds: fused, v - v is the rounding error
			if v-v != 0 {
				return nil, notFiniteScaled(c.who(), i, int(x.Col[t]), x.Val[t])
			}
			out.Val[t] = v
		}
	}
	return out.csr(), nil
}

// columnDots sums in float64.
func columnDots[T domain.Float](c *call) error {
	sums, g, d := make([]float64, c.at('k')), cells[T](c, 1), c.at('d')
	for i, v := range cells[T](c, 0) {
		sums[i%d%len(sums)] += float64(v) * float64(g[i])
	}
	recast(result[T](c), sums)
	return nil
}
