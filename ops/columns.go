package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Columns is scale·x[:, from:to], a copy of some columns. Backward: the gradient times scale in these columns, zeros
// elsewhere.
func Columns(x *G.Node, from, to int, scale float64, a Attr) (*G.Node, error) {
	return apply(columnsOp(from, to, scale, a), x)
}

// Concat is [w₀·x₀ | w₁·x₁ | ...]: matrices with the same number of rows side by side, each scaled. Unlike Gorgonia's
// own Concat it has a gradient for columns on the LispMachine. Backward: for each part its columns of the gradient,
// scaled.
func Concat(scales []float64, a Attr, parts ...*G.Node) (*G.Node, error) {
	if len(parts) == 0 || len(scales) != len(parts) {
		return nil, fmt.Errorf("%s: %d scales for %d parts, want at least one part and one scale each: %w",
			a.who("Concat"), len(scales), len(parts), ErrShape)
	}
	scales = slices.Clone(scales)
	o := &op{kind: "Concat", params: scales, in: make([]Inputs, len(parts)), ranks: strings.Repeat("2", len(parts)+1),
		attr: a, data: make([]bool, len(parts)), spread: true, backward: concatBackward(scales)}
	for i, part := range parts {
		o.in[i] = X
		if part == nil {
			continue // the error of apply
		}
		if layer := dataBehind(part); layer != "" {
			o.data[i], o.attr.data = true, layer
		}
	}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		cols := 0
		for i, s := range in {
			if s[0] != in[0][0] {
				return nil, fmt.Errorf("%s: part %d has %d rows, part 0 has %d: %w",
					o.who(), i, s[0], in[0][0], ErrShape)
			}
			cols += s[1]
		}
		return tensor.Shape{in[0][0], cols}, nil
	}
	o.fill = func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		at := 0
		for i, t := range in {
			if err := ColumnsInto(out, at, t, 0, t.Shape()[1], scales[i]); err != nil {
				return err
			}
			at += t.Shape()[1]
		}
		return nil
	}
	return apply(o, parts...)
}

func concatBackward(scales []float64) func(t *tracer) {
	return func(t *tracer) {
		at := 0
		for i, part := range t.in { // which all have the name X
			cols := shapeOf(part)[1]
			if t.wants(i) {
				t.grads[i] = t.apply(columnsOp(at, at+cols, scales[i], Attr{}), t.grad)
			}
			at += cols
		}
	}
}

// ColumnsInto writes scale·x[:, from:to], of dense or sparse rows, to the columns of dst from column at on, without a
// graph. Errors: shapes and columns out of range (ErrShape), different element types (ErrDtype).
func ColumnsInto(dst *tensor.Dense, at int, x Matrix, from, to int, scale float64) error {
	x, err := matrix(x)
	if err != nil {
		return fmt.Errorf("ops: columns: %w", err)
	}
	if err := given("ops: columns", "dst", dst); err != nil {
		return err
	}
	if dst.Dtype() != x.Dtype() {
		return fmt.Errorf("ops: columns of %v cannot be copied into %v; give both one type: %w", x.Dtype(), dst.Dtype(), ErrDtype)
	}
	if !IsContiguous(dst) || dst.Dims() != 2 || x.Dims() != 2 ||
		dst.Shape()[0] != x.Shape()[0] ||
		from < 0 || to < from || to > x.Shape()[1] || at < 0 || at > dst.Shape()[1]-(to-from) {
		return fmt.Errorf("ops: columns %d to %d of %v do not fit into %v at column %d: %w",
			from, to, x.Shape(), dst.Shape(), at, ErrShape)
	}
	typed(x.Dtype(), copyColumns[float32], copyColumns[float64])(dst, at, x, from, to, scale)
	return nil
}

func copyColumns[T domain.Float](dst *tensor.Dense, at int, x Matrix, from, to int, scale float64) {
	if s, ok := x.(*CSR); ok {
		if s.Rows() > 0 {
			sparseOf[T](s.TakeColumns(from, to, scale)).dense(data[T](dst)[at:], dst.Shape()[1])
		}
		return
	}
	out, in := data[T](dst), data[T](x.(*tensor.Dense))
	ldOut, ldIn, s := dst.Shape()[1], x.Shape()[1], T(scale)
	for i := range x.Shape()[0] {
		o := out[i*ldOut+at:]
		for j, v := range in[i*ldIn+from : i*ldIn+to] {
			o[j] = s * v
		}
	}
}

func columnsOp(from, to int, scale float64, a Attr) *op {
	o := &op{kind: "Columns", params: []float64{float64(from), float64(to), scale}, in: []Inputs{X}, ranks: "22",
		attr:   a,
		sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if from < 0 || to < from || to > in[0][1] {
			return nil, fmt.Errorf("%s: columns %d to %d of a matrix of shape %v: %w",
				o.who(), from, to, in[0], ErrShape)
		}
		return tensor.Shape{in[0][0], to - from}, nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		if _, err := o.shape([]tensor.Shape{x.Shape()}); err != nil {
			return nil, err
		}
		if s, ok := x.(*CSR); ok {
			return s.TakeColumns(from, to, scale), nil
		}
		out := tensor.New(tensor.WithShape(x.Shape()[0], to-from), tensor.Of(x.Dtype()))
		return out, ColumnsInto(out, 0, x, from, to, scale)
	}
	o.backward = func(t *tracer) { t.gradient(X, padOp(from, shapeOf(t.in[0])[1], scale), t.grad) }
	return o
}

// padOp is a matrix of d columns with scale·x from column `at` on and zeros elsewhere.
func padOp(at, d int, scale float64) *op {
	return &op{kind: "pad", params: []float64{float64(at), float64(d), scale}, ranks: "22",
		shape: func(in []tensor.Shape) (tensor.Shape, error) { return tensor.Shape{in[0][0], d}, nil },
		fill: func(out *tensor.Dense, x Matrix, _ []*tensor.Dense) error {
			return ColumnsInto(out, at, x, 0, x.Shape()[1], scale)
		}}
}

// Copy writes x [n, d], dense or sparse, to dst, allocated if nil. Errors: shapes, a cell of x outside Attr.Domain
// (ErrDomain).
func Copy(dst *tensor.Dense, x Matrix, a Attr) (*tensor.Dense, error) {
	who := a.who("Copy")
	x, err := matrix(x)
	if err != nil {
		return nil, fmt.Errorf("%s: x: %w", who, err)
	}
	if x.Dims() != 2 {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, d]: %w", who, x.Shape(), ErrShape)
	}
	if err := CheckRows(a.Domain, who, x); err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()[0], x.Shape()[1]); err != nil {
		return nil, err
	}
	return dst, ColumnsInto(dst, 0, x, 0, x.Shape()[1], 1)
}
