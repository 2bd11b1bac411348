package ops

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Columns is scale·x[:, from:to], a copy of some columns. Backward: the gradient, scaled, in those columns of zeros.
func Columns(x *G.Node, from, to int, scale float64, a Attr) (*G.Node, error) {
	return apply(columnsOp{base{kind: fmt.Sprintf("Columns[%d:%d]*%v", from, to, scale), ranks: "22", attr: a}, from, to, scale}, x)
}

// Concat is [w₀·x₀ | w₁·x₁ | ...], matrices of as many rows side by side, each scaled. Gorgonia's own Concat has no
// gradient on the LispMachine for columns. Backward: for each part its columns of the gradient, scaled.
func Concat(scales []float64, a Attr, parts ...*G.Node) (*G.Node, error) {
	if len(parts) == 0 || len(scales) != len(parts) {
		return nil, fmt.Errorf("%s: %d scales for %d parts, want at least one part and one scale each: %w", a.who("Concat"), len(scales), len(parts), ErrShape)
	}
	for i, part := range parts[:min(len(parts), 8)] {
		if part == nil {
			continue // the error of apply
		}
		if layer := dataBehind(part); layer != "" {
			a.Frozen |= 1 << i
			a.takes(i, layer)
		}
	}
	ranks := strings.Repeat("2", len(parts)+1)
	return apply(concatOp{base{kind: fmt.Sprintf("Concat%v", scales), ranks: ranks, attr: a}, scales}, parts...)
}

// ColumnsInto writes scale·x[:, from:to], of dense or sparse rows, to dst from column at on, without a graph. Both ops are made of it.
func ColumnsInto(dst *tensor.Dense, at int, x Matrix, from, to int, scale float64) error {
	x, err := matrix(x)
	if err != nil {
		return fmt.Errorf("ops: columns: %w", err)
	}
	if err := given("ops: columns", "dst", dst); err != nil {
		return err
	}
	if !IsContiguous(dst) || dst.Dtype() != x.Dtype() || dst.Dims() != 2 || x.Dims() != 2 || dst.Shape()[0] != x.Shape()[0] ||
		from < 0 || to < from || to > x.Shape()[1] || at < 0 || at > dst.Shape()[1]-(to-from) {
		return fmt.Errorf("ops: columns %d to %d of %v do not fit into %v at column %d: %w", from, to, x.Shape(), dst.Shape(), at, ErrShape)
	}
	if x.Dtype() == tensor.Float32 {
		copyColumns[float32](dst, at, x, from, to, scale)
	} else {
		copyColumns[float64](dst, at, x, from, to, scale)
	}
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

type columnsOp struct {
	base
	from, to int
	scale    float64
}

var _ backwarder = columnsOp{}

func (o columnsOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	if o.from < 0 || o.to < o.from || o.to > ss[0][1] {
		return nil, fmt.Errorf("%s: columns %d to %d of a matrix of shape %v: %w", o.attr.who("Columns"), o.from, o.to, ss[0], ErrShape)
	}
	return tensor.Shape{ss[0][0], o.to - o.from}, nil
}

func (o columnsOp) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	if s, ok := x.(*CSR); ok {
		if o.to > s.Cols() {
			return nil, fmt.Errorf("%s: columns %d to %d of %v: %w", o.attr.who("Columns"), o.from, o.to, s, ErrShape)
		}
		return s.TakeColumns(o.from, o.to, o.scale), nil
	}
	out := tensor.New(tensor.WithShape(ts[0].Shape()[0], o.to-o.from), tensor.Of(ts[0].Dtype()))
	return result(out, ColumnsInto(out, 0, ts[0], o.from, o.to, o.scale))
}

func (o columnsOp) backward(t *tracer, in []any, _, grad any) []any {
	d := in[0].(interface{ Shape() tensor.Shape }).Shape()[1]
	kind := fmt.Sprintf("pad[%d:%d/%d]*%v", o.from, o.to, d, o.scale)
	return []any{t.apply(padOp{base{kind: kind, ranks: "22"}, o.from, d, o.scale}, grad)}
}

// padOp is the matrix of d columns with scale·x from column `at` on and zeros elsewhere.
type padOp struct {
	base
	at, d int
	scale float64
}

var _ G.Op = padOp{}

func (o padOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return tensor.Shape{ss[0][0], o.d}, nil
}

func (o padOp) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	x := ts[0]
	out := tensor.New(tensor.WithShape(x.Shape()[0], o.d), tensor.Of(x.Dtype()))
	return result(out, ColumnsInto(out, o.at, x, 0, x.Shape()[1], o.scale))
}

type concatOp struct {
	base
	scales []float64
}

var _ backwarder = concatOp{}

func (o concatOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	cols := 0
	for i, s := range ss {
		if s[0] != ss[0][0] {
			return nil, fmt.Errorf("%s: part %d has %d rows, part 0 has %d: %w", o.attr.who("Concat"), i, s[0], ss[0][0], ErrShape)
		}
		cols += s[1]
	}
	return tensor.Shape{ss[0][0], cols}, nil
}

func (o concatOp) Do(in ...G.Value) (G.Value, error) {
	in, err := spreadOut(in)
	if err != nil {
		return nil, err
	}
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	cols := 0
	for _, t := range ts {
		cols += t.Shape()[1]
	}
	out := tensor.New(tensor.WithShape(ts[0].Shape()[0], cols), tensor.Of(ts[0].Dtype()))
	at := 0
	for i, t := range ts {
		if err := ColumnsInto(out, at, t, 0, t.Shape()[1], o.scales[i]); err != nil {
			return nil, err
		}
		at += t.Shape()[1]
	}
	return out, nil
}

// spreadOut is inputs of Concat with the sparse ones made dense, as its output is: features that a layer hands on as they came in.
func spreadOut(in []G.Value) ([]G.Value, error) {
	out := append([]G.Value(nil), in...)
	for i, v := range in {
		if s, ok := v.(*CSR); ok {
			d, err := s.Dense(nil)
			if err != nil {
				return nil, err
			}
			out[i] = d
		}
	}
	return out, nil
}

func (o concatOp) backward(t *tracer, in []any, _, grad any) []any {
	grads := make([]any, len(in))
	at := 0
	for i := range in {
		cols := in[i].(interface{ Shape() tensor.Shape }).Shape()[1]
		if o.wants(i) {
			kind := fmt.Sprintf("Columns[%d:%d]*%v", at, at+cols, o.scales[i])
			grads[i] = t.apply(columnsOp{base{kind: kind, ranks: "22"}, at, at + cols, o.scales[i]}, grad)
		}
		at += cols
	}
	return grads
}

// Copy writes x [n, d], dense or sparse, to dst, allocated if nil, after the check of its domain.
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
