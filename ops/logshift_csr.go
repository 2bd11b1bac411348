package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// LogShiftCSR is LogShift(x, c) = ln(x + c) of sparse rows x [n, d], as a sparse matrix: every cell is ln c, and each entry of x is
// ln(1 + x/c) more. The maps project such a matrix as ln(c)·W, once for all rows, and its entries. c is as for LogShift; where it is not
// above 0 a column must be stored throughout, for a cell that is left out is 0 and not above -c (ErrDomain).
func LogShiftCSR(x *CSR, c *tensor.Dense, a Attr) (*CSR, error) {
	who := a.who("LogShift")
	if err := given(who, "x", x); err != nil {
		return nil, err
	}
	c, err := contiguous(c)
	if err != nil {
		return nil, fmt.Errorf("%s: c: %w", who, err)
	}
	if k, d := c.Shape().TotalSize(), x.Cols(); k != 1 && k != d {
		return nil, lengthError(who, "c", k, d)
	}
	if x.Dtype() != c.Dtype() {
		return nil, fmt.Errorf("%s: x is %v, c is %v: %w", who, x.Dtype(), c.Dtype(), ErrDtype)
	}
	if x.f32 != nil {
		return wrapped(shifted(x.f32, data[float32](c), who, logOfSum))
	}
	return wrapped(shifted(x.f64, data[float64](c), who, logOfSum))
}

// ofSum is a function f, and what f(v + c) is more than f(c).
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
	inverseOfSum = ofSum{func(c float64) float64 { return 1 / c }, func(v, c float64) float64 { return -v / (v + c) / c }}
)

// shifted is f(x + c). Where c is not above 0 the base is 0 and the entries hold it all.
func shifted[T domain.Float](s *sparse[T], c []T, who string, of ofSum) (*sparse[T], error) {
	first, end := s.Ptr[0], s.Ptr[s.Rows]
	out := &sparse[T]{CSR: s.CSR, base: make([]T, len(c))}
	out.Ptr, out.Col, out.Val = s.fromZero(), s.Col[first:end], make([]T, end-first)
	open := false // whether a cell may be left out everywhere
	for j, v := range c {
		if v > 0 {
			out.base[j] = T(of.f(float64(v)))
		} else {
			open = true
		}
	}
	for i := range s.Rows {
		lo, hi := s.Ptr[i], s.Ptr[i+1]
		if open {
			if j := firstLeftOut(s.Col[lo:hi], s.Cols, c); j >= 0 {
				return nil, domain.Above(float64(c[j%len(c)])).Violation(who, i, j, 0)
			}
		}
		for t := lo; t < hi; t++ {
			v, cj := float64(s.Val[t]), float64(c[int(s.Col[t])%len(c)])
			switch {
			case v-v != 0 || !(v > -cj):
				return nil, domain.Above(cj).Violation(who, i, int(s.Col[t]), v)
			case cj > 0:
				out.Val[t-first] = T(of.more(v, cj))
			default:
				out.Val[t-first] = T(of.f(v + cj))
			}
		}
	}
	return out, nil
}

// firstLeftOut is the first column with a c that is not above 0 that a row does not store, or -1.
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
