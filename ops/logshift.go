package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// LogShift is u = ln(x + c), the first step of the skewed maps: the isomorphism from the skewed multiplicative group on
// (-c, ∞) to ℝ. x is [n, d]; c is [1], or [d] with an entry for each column. Li et al. (2010), proposition 1.
//
// Backward: dx = g/(x + c); dc is the sum of dx, over everything or over each column.
//
// Errors while building: shapes. Errors while running: a cell of x that is not above -c, or not finite (ErrDomain); a
// sparse x if c has a gradient (ErrParam), for which SkewedFourier and SkewedPhase serve. Attr.Domain is not used.
func LogShift(x, c *G.Node, a Attr) (*G.Node, error) {
	return apply(logShiftOp(a), x, c)
}

// LogShiftInto writes LogShift(x, c) to dst [n, d], allocated if nil, without a graph.
func LogShiftInto(dst, x, c *tensor.Dense, a Attr) (*tensor.Dense, error) {
	who := a.who("LogShift")
	x, c, err := shiftable(who, x, c)
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()...); err != nil {
		return nil, err
	}
	typed(x.Dtype(), logShift[float32], logShift[float64])(dst, x, c)
	return dst, nil
}

// shiftable makes x [n, d] and c contiguous and checks that their shapes and types fit and that x > -c.
func shiftable(who string, x, c *tensor.Dense) (xs, cs *tensor.Dense, err error) {
	if x, err = contiguous(x); err != nil {
		return nil, nil, fmt.Errorf("%s: x: %w", who, err)
	}
	if c, err = contiguous(c); err != nil {
		return nil, nil, fmt.Errorf("%s: c: %w", who, err)
	}
	if x.Dims() != 2 {
		return nil, nil, fmt.Errorf("%s: x has shape %v, want [n, d]: %w", who, x.Shape(), ErrShape)
	}
	if k, d := c.Shape().TotalSize(), x.Shape()[1]; k != 1 && k != d {
		return nil, nil, lengthError(who, "c", k, d)
	}
	if x.Dtype() != c.Dtype() {
		return nil, nil, fmt.Errorf("%s: x is %v, c is %v: %w", who, x.Dtype(), c.Dtype(), ErrDtype)
	}
	return x, c, typed(x.Dtype(), checkShift[float32], checkShift[float64])(who, x, c)
}

func logShift[T domain.Float](dst, x, c *tensor.Dense) {
	simd.LogShift(data[T](dst), data[T](x), data[T](c), x.Shape()[0], x.Shape()[1])
}

// checkShift finds the first cell that is not finite or not above -c.
func checkShift[T domain.Float](who string, xs, cs *tensor.Dense) error {
	x, c, d := data[T](xs), data[T](cs), xs.Shape()[1]
	if d == 0 || within(domain.Above(float64(slices.Min(c))), x) {
		return nil
	}
	for i := 0; i < len(x); i += d {
		for j, v := range x[i : i+d] {
			if on := domain.Above(float64(c[j%len(c)])); !on.Contains(float64(v)) {
				return on.Violation(who, i/d, j, float64(v))
			}
		}
	}
	return nil
}

func logShiftOp(a Attr) *op {
	o := &op{kind: "LogShift", in: []Inputs{X, C}, ranks: "212", attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if k, d := in[1][0], in[0][1]; k != 1 && k != d {
			return nil, lengthError(o.who(), "c", k, d)
		}
		return in[0].Clone(), nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		if _, sparse := x.(*CSR); sparse && o.wants(1) {
			return nil, fmt.Errorf("%s: x is sparse, and the gradient for c goes with that of W; "+
				"use SkewedFourier or SkewedPhase: %w", o.who(), ErrParam)
		}
		return logShifted(x, in[1], a)
	}
	o.backward = func(t *tracer) {
		dx := t.apply(logShiftGradOp, t.in[0], t.in[1], t.grad)
		t.grads[0] = dx
		t.gradient(C, sumFor(t.in[1]), dx)
	}
	return o
}

// logShifted is ln(x + c) of dense or sparse rows.
func logShifted(x Matrix, c *tensor.Dense, a Attr) (Matrix, error) {
	if s, ok := x.(*CSR); ok {
		return LogShiftCSR(s, c, a)
	}
	return LogShiftInto(nil, x.(*tensor.Dense), c, a)
}

// logShiftGradOp is dx = g/(x + c) from x, c and g.
var logShiftGradOp = &op{kind: "logShiftGrad", ranks: "2122",
	shape: func(in []tensor.Shape) (tensor.Shape, error) {
		if !in[0].Eq(in[2]) {
			return nil, misfit("logShiftGrad", in)
		}
		return in[0].Clone(), nil
	},
	fill: func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		typed(dx.Dtype(), logShiftGrad[float32], logShiftGrad[float64])(dx, in[0], in[1], in[2])
		return nil
	}}

func logShiftGrad[T domain.Float](dx, x, c, g *tensor.Dense) {
	simd.LogShiftGrad(data[T](dx), data[T](x), data[T](c), data[T](g), x.Shape()[0], x.Shape()[1])
}

// lengthError is the error for a parameter vector that is neither one number nor one number a dimension.
func lengthError(who, name string, have, d int) error {
	return fmt.Errorf("%s: %s has %d entries, want 1 or one for each of the %d dimensions: %w",
		who, name, have, d, ErrShape)
}

// LogShiftCSR is LogShift(x, c) = ln(x + c) of sparse rows x [n, d], as a sparse matrix: every cell is ln c, and each
// entry of x adds ln(1 + x/c). The maps project ln(c)·W once for all rows, and then the entries. c is as for LogShift.
// In a column with c <= 0 every cell must be stored, because a missing cell is 0, which is not above -c (ErrDomain).
// Other errors: a nil x or shapes (ErrShape), different element types (ErrDtype).
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
	if x.Dtype() == tensor.Float32 {
		return wrapped(shifted[float32](x, c, who, logOfSum))
	}
	return wrapped(shifted[float64](x, c, who, logOfSum))
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

// shifted is f(x + c). For c <= 0 the base is 0 and the entries are f(x + c).
func shifted[T domain.Float](x *CSR, cs *tensor.Dense, who string, of ofSum) (*sparse[T], error) {
	s, c := sparseOf[T](x), data[T](cs)
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
