package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Columns is scale·x[:, from:to] of x, a copy of some columns. Backward: the gradient times scale in these columns,
// zeros elsewhere. For sparse rows the result is sparse.
func Columns(from, to int, scale float64, a Attr) Op {
	return Op{decl: &columns, attr: a, params: span{from, to, scale}}
}

// span are the columns from..to, and their scale.
type span struct {
	from, to int
	scale    float64
}

var (
	columns = decl{kind: "Columns", sig: parse("nd->nk"), names: []string{"x"}, in: []Inputs{X}, unchecked: true,
		check: checkColumns, forward: kernel{takeColumns[float32], takeColumns[float64]},
		stays:    typedCSR{f32: sparseColumns, f64: sparseColumns},
		backward: func(t *tracer) { t.gradient(X, with(&pad, t.params), t.grad, t.in[0]) }}
	// pad is a matrix of zeros of the shape of its second input, with scale·(the first) in the columns.
	pad = decl{kind: "pad", sig: parse("nk,nd->nd"), unchecked: true, sparse: spread, adds: true,
		forward: kernel{padColumns[float32], padColumns[float64]}}
)

func checkColumns(c *call) error {
	p := c.params.(span)
	if p.from < 0 || p.to < p.from || p.to > c.at('d') {
		return fmt.Errorf("%s: columns %d to %d of a matrix of shape %v: %w", c.who(), p.from, p.to, c.shapes[0],
			ErrShape)
	}
	c.set('k', p.to-p.from)
	return nil
}

func takeColumns[T domain.Float](c *call) error {
	p := c.params.(span)
	copyColumns[T](c.out, 0, c.in[0], p.from, p.to, p.scale)
	return nil
}

func sparseColumns(c *call) (*CSR, error) {
	p := c.params.(span)
	return c.x.(*CSR).TakeColumns(p.from, p.to, p.scale), nil
}

func padColumns[T domain.Float](c *call) error {
	copyColumns[T](c.out, c.params.(span).from, c.in[0], 0, c.at('k'), c.params.(span).scale)
	return nil
}

// Concat is [w₀·x₀ | w₁·x₁ | ...] of the parts x₀, x₁, ..., one for each scale w: matrices with the same number of rows
// side by side, each scaled. Unlike Gorgonia's own Concat it has a gradient for columns on the LispMachine. Backward:
// for each part its columns of the gradient, scaled. In a graph sparse parts are made dense; ConcatCSR keeps them.
func Concat(scales []float64, a Attr) Op {
	if len(scales) == 0 {
		return Op{decl: &concat, attr: a, err: fmt.Errorf("%s: no scales, want one for each part, and a part at least: %w",
			a.who("Concat"), ErrShape)}
	}
	d := concat
	d.sig = parse(strings.Repeat(",n_", len(scales))[1:] + "->ns")
	return Op{decl: &d, attr: a, params: slices.Clone(scales)}
}

var concat = decl{kind: "Concat", sig: parse("n_->ns"), unchecked: true, sparse: spread, forward: kernel{joinColumns[float32],
	joinColumns[float64]}, node: concatNode, backward: concatBackward,
	check: func(c *call) error {
		all := 0
		for _, s := range c.shapes {
			all += s[1]
		}
		c.set('s', all)
		return nil
	}}

func concatNode(o Op, parts []*G.Node) (*G.Node, error) {
	data := make([]bool, len(parts))
	for i, part := range parts {
		if part == nil {
			continue // an error of apply
		}
		if layer := dataBehind(part); layer != "" {
			data[i], o.attr.data = true, layer
		}
	}
	return o.applyTo(data, parts)
}

func joinColumns[T domain.Float](c *call) error {
	at := 0
	for i, t := range c.in {
		copyColumns[T](c.out, at, t, 0, t.Shape()[1], c.params.([]float64)[i])
		at += t.Shape()[1]
	}
	return nil
}

func concatBackward(t *tracer) {
	at := 0
	for i, part := range t.in { // which all have the name X
		cols := shapeOf(part)[1]
		if t.wants(i) {
			t.grads[i] = t.run(Columns(at, at+cols, t.params.([]float64)[i], Attr{}), t.grad)
		}
		at += cols
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
