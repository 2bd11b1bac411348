package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
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

var columns = decl{kind: "Columns", sig: parse("nd->nk"), names: []string{"x"}, in: []Inputs{X}, unchecked: true,
	check: checkColumns, forward: kernel{takeColumns[float32], takeColumns[float64]},
	stays:    typedCSR{f32: sparseColumns, f64: sparseColumns},
	backward: kernel{columnsBackward[float32], columnsBackward[float64]}}

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
	p, d := c.params.(span), c.at('d')
	block[T]{result[T](c), c.at('k'), 0}.set(block[T]{cells[T](c, 0), d, p.from}, c.at('n'), c.at('k'), p.scale)
	return nil
}

func sparseColumns(c *call) (*CSR, error) {
	p := c.params.(span)
	return c.x.(*CSR).TakeColumns(p.from, p.to, p.scale), nil
}

func columnsBackward[T domain.Float](c *call) error {
	p, dx := paramsOf[span](c), gradientFor[T](c, 0)
	k := p.to - p.from
	clear(dx)
	block[T]{dx, c.at('d'), p.from}.set(block[T]{gradientOf[T](c), k, 0}, c.at('n'), k, p.scale)
	return nil
}

// block is columns of the rows of a matrix, which are ld apart.
type block[T domain.Float] struct {
	v      []T
	ld, at int
}

// set writes scale times the columns of another matrix.
func (b block[T]) set(from block[T], rows, cols int, scale float64) {
	s, dst, src := T(scale), b.v, from.v
	for i := range rows {
		row := src[i*from.ld+from.at:][:cols]
		to := dst[i*b.ld+b.at:][:len(row)]
		for j, v := range row {
			to[j] = s * v
		}
	}
}

// Concat is [w₀·x₀ | w₁·x₁ | ...] of the parts x₀, x₁, ..., one for each scale w: matrices with the same number of rows
// side by side, each scaled. Unlike Gorgonia's own Concat it has a gradient for columns on the LispMachine. Backward:
// for each part its columns of the gradient, scaled. Sparse parts are made dense; Sparse, of sparse parts alone, keeps
// them.
func Concat(scales []float64, a Attr) Op { return ofParts(concat, scales, a) }

// ofParts is an op of as many parts as there are scales.
func ofParts(d decl, scales []float64, a Attr) Op {
	o := Op{decl: &d, attr: a, params: slices.Clone(scales)}
	if len(scales) == 0 {
		o.err = fmt.Errorf("%s: no scales, want one for each part, and at least one part: %w", o.who(), ErrShape)
	} else {
		d.sig, d.in = parse(strings.Repeat(",n_", len(scales))[1:]+"->ns"), slices.Repeat([]Inputs{X}, len(scales))
	}
	return o
}

var concat = decl{kind: "Concat", sig: parse("n_->ns"), unchecked: true, sparse: spread, parts: true,
	forward: kernel{joinColumns[float32], joinColumns[float64]}, stays: typedCSR{joinCSR[float32], joinCSR[float64]},
	zeros:    func(c *call) bool { return c.keeps && len(c.parts) == len(c.in) },
	backward: kernel{splitColumns[float32], splitColumns[float64]},
	check: func(c *call) error {
		all := 0
		for _, s := range c.shapes {
			if s[1] > maxColumns-all {
				return fmt.Errorf("%s: the parts have more than %d columns together: %w", c.who(), maxColumns, ErrShape)
			}
			all += s[1]
		}
		c.set('s', all)
		return nil
	}}

func joinColumns[T domain.Float](c *call) error {
	n, all, at := c.at('n'), c.at('s'), 0
	for i, scale := range c.params.([]float64) {
		cols := c.shapes[i][1]
		block[T]{result[T](c), all, at}.set(block[T]{cells[T](c, i), cols, 0}, n, cols, scale)
		at += cols
	}
	return nil
}

func joinCSR[T domain.Float](c *call) (*CSR, error) {
	n, stored := c.at('n'), 0
	for _, p := range c.parts {
		stored += p.Stored()
	}
	out := empty[T](n, c.at('s'), stored)
	for i := range n {
		at := 0
		for k, p := range c.parts {
			s, scale := sparseOf[T](p), T(c.params.([]float64)[k])
			for t := s.Ptr[i]; t < s.Ptr[i+1]; t++ {
				out.Col, out.Val = append(out.Col, s.Col[t]+int32(at)), append(out.Val, scale*s.Val[t])
			}
			at += s.Cols
		}
		out.Ptr[i+1] = len(out.Col)
	}
	return csrOf(out), nil
}

func splitColumns[T domain.Float](c *call) error {
	shapes, all, at := c.params.(gradients).shapes, 0, 0
	for _, s := range shapes {
		all += s[1]
	}
	for i, s := range shapes {
		if to := gradientFor[T](c, i); to != nil {
			block[T]{to, s[1], 0}.set(block[T]{gradientOf[T](c), all, at}, s[0], s[1], paramsOf[[]float64](c)[i])
		}
		at += s[1]
	}
	return nil
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
		return fmt.Errorf("ops: columns of %v cannot be copied into %v; give both one type: %w", x.Dtype(), dst.Dtype(),
			ErrDtype)
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
			writeRows(sparseOf[T](s.TakeColumns(from, to, scale)), data[T](dst)[at:], dst.Shape()[1])
		}
		return
	}
	block[T]{data[T](dst), dst.Shape()[1], at}.set(block[T]{data[T](x.(*tensor.Dense)), x.Shape()[1], from},
		x.Shape()[0], to-from, scale)
}

// Copy writes x [n, d], dense or sparse, to dst, allocated if nil. Errors: shapes, a cell of x outside Attr.Domain
// (ErrDomain).
func Copy(dst *tensor.Dense, x Matrix, a Attr) (*tensor.Dense, error) {
	who := a.who("Copy")
	x, err := matrixOf(who, x)
	if err != nil {
		return nil, err
	}
	if err := CheckRows(a.Domain, who, x); err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()[0], x.Shape()[1]); err != nil {
		return nil, err
	}
	return dst, ColumnsInto(dst, 0, x, 0, x.Shape()[1], 1)
}
