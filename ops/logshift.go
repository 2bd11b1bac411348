package ops

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// LogShift is the prologue of the skewed maps, u = ln(x + c): the isomorphism from the skewed multiplicative group on
// (-c, ∞) to ℝ. x is [n, d]; c has one entry, or one a dimension. Li et al. (2010), proposition 1.
//
// Backward: dx = g/(x + c); dc is the sum of dx, over everything or over a column each.
//
// Errors while building: shapes. Errors while running: a cell of x that is not above -c, or not finite (ErrDomain).
func LogShift(x, c *G.Node, a Attr) (*G.Node, error) {
	return apply(logShiftOp{base{kind: "LogShift", ranks: "212", attr: a}}, x, c)
}

// LogShiftInto writes LogShift(x, c) to dst [n, d], allocated if nil, without a graph.
func LogShiftInto(dst, x, c *tensor.Dense, a Attr) (*tensor.Dense, error) {
	who := a.who("LogShift")
	x, c, err := shiftable(who, x, c)
	if err != nil {
		return nil, err
	}
	n, d := x.Shape()[0], x.Shape()[1]
	if dst, err = output(who, dst, x.Dtype(), n, d); err != nil {
		return nil, err
	}
	if x.Dtype() == tensor.Float32 {
		simd.LogShift(data[float32](dst), data[float32](x), data[float32](c), n, d)
	} else {
		simd.LogShift(data[float64](dst), data[float64](x), data[float64](c), n, d)
	}
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
	if x.Dtype() == tensor.Float32 {
		return x, c, checkShift(who, data[float32](x), data[float32](c), x.Shape()[1])
	}
	return x, c, checkShift(who, data[float64](x), data[float64](c), x.Shape()[1])
}

// checkShift finds the first cell of x, rows of d, that is not finite or not above -c.
func checkShift[T domain.Float](who string, x, c []T, d int) error {
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

type logShiftOp struct{ base }

var _ backwarder = logShiftOp{}

func (o logShiftOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	if k, d := ss[1][0], ss[0][1]; k != 1 && k != d {
		return nil, lengthError(o.attr.who(o.kind), "c", k, d)
	}
	return ss[0].Clone(), nil
}

func (o logShiftOp) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	if s, ok := x.(*CSR); ok {
		if o.wants(1) {
			return nil, fmt.Errorf("%s: x is sparse, and the gradient for c goes with that of W; use SkewedFourier or SkewedPhase: %w", o.attr.who(o.kind), ErrParam)
		}
		return sparseResult(LogShiftCSR(s, ts[1], o.attr))
	}
	return result(LogShiftInto(nil, ts[0], ts[1], o.attr))
}

func (o logShiftOp) backward(t *tracer, in []any, _, grad any) []any {
	dx := t.apply(logShiftGradOp, in[0], in[1], grad)
	grads := []any{dx, nil}
	if o.wants(1) {
		sum := G.Op(colSumOp)
		if length(in[1]) == 1 {
			sum = sumOp
		}
		grads[1] = t.apply(sum, dx)
	}
	return grads
}

// length is the number of entries of a handle, a node or a value.
func length(handle any) int { return handle.(interface{ Shape() tensor.Shape }).Shape().TotalSize() }

// logShiftGradOp is dx = g/(x + c) from x, c and g.
var logShiftGradOp = logShiftGrad{base{kind: "logShiftGrad", ranks: "2122"}}

type logShiftGrad struct{ base }

var _ G.Op = logShiftGrad{}

func (o logShiftGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return ss[0].Clone(), nil
}

func (o logShiftGrad) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	x, c, g := ts[0], ts[1], ts[2]
	if !x.Shape().Eq(g.Shape()) {
		return nil, fmt.Errorf("ops: %s of shapes %v and %v: %w", o.kind, x.Shape(), g.Shape(), ErrShape)
	}
	n, d := x.Shape()[0], x.Shape()[1]
	dx := tensor.New(tensor.WithShape(n, d), tensor.Of(x.Dtype()))
	if x.Dtype() == tensor.Float32 {
		simd.LogShiftGrad(data[float32](dx), data[float32](x), data[float32](c), data[float32](g), n, d)
	} else {
		simd.LogShiftGrad(data[float64](dx), data[float64](x), data[float64](c), data[float64](g), n, d)
	}
	return dx, nil
}

// lengthError is the error for a parameter vector that is neither one number nor one number a dimension.
func lengthError(who, name string, have, d int) error {
	return fmt.Errorf("%s: %s has %d entries, want 1 or one for each of the %d dimensions: %w", who, name, have, d, ErrShape)
}
