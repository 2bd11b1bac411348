package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// gradients is the whole backward of a map of xW or xW + b in one op, which goes through dP, the gradient of the projection, block by
// block of rows: dP is made in cache, used by the products dx = dP·Wᵀ and dW = xᵀ·dP and the sums db there, and never stored. A Gorgonia
// op has one result, so this is the vector [dx | dW | db] of what is wanted, and a part op gives each gradient.
//
// The inputs are x, W, then what dP is made from (see rowMap), and the gradient g of z.
type gradients struct {
	base
	of     rowMap
	wanted Inputs
}

var _ G.Op = gradients{}

// rowMap is a map of xW or xW + b, element by element or in pairs.
type rowMap string

const (
	pairMap  rowMap = "Fourier"           // from its output z
	expMap   rowMap = "Laplace"           // from its output z
	phaseMap rowMap = "Phase"             // from b: the projection is computed again
	cosMap   rowMap = "Phase with xW + b" // from the projection
)

// inputs is the number of inputs that have a gradient.
func (m rowMap) inputs() int {
	if m == phaseMap || m == cosMap {
		return 3
	}
	return 2
}

// gradients applies the op for what o wants, and its parts: one gradient for each input of the map.
func (t *tracer) gradients(of rowMap, o interface{ wants(int) bool }, x, w, from, g any) []any {
	var wanted Inputs
	for i := range of.inputs() {
		if o.wants(i) {
			wanted |= 1 << i
		}
	}
	op := gradients{base{kind: fmt.Sprintf("gradients of %s for %03b", of, wanted), ranks: "22221"}, of, wanted}
	if of == phaseMap {
		op.ranks = "22121"
	}
	all := t.apply(op, x, w, from, g)
	grads, at := make([]any, of.inputs()), 0
	for i, shape := range gradientShapes(shapeOf(x), shapeOf(w))[:of.inputs()] {
		if o.wants(i) {
			grads[i] = t.apply(newPart(at, shape), all)
			at += shape.TotalSize()
		}
	}
	return grads
}

// shapeOf is the shape of a node or a value.
func shapeOf(handle any) tensor.Shape { return handle.(interface{ Shape() tensor.Shape }).Shape() }

// gradientShapes are the shapes of dx, dW and db.
func gradientShapes(x, w tensor.Shape) []tensor.Shape {
	return []tensor.Shape{x.Clone(), w.Clone(), {w[1]}}
}

// sizes are the lengths of dx, dW and db in the vector: 0 for what is not wanted.
func (o gradients) sizes(x, w tensor.Shape) (s [3]int) {
	for i, shape := range gradientShapes(x, w) {
		if o.wanted&(1<<i) != 0 {
			s[i] = shape.TotalSize()
		}
	}
	return s
}

func (o gradients) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	s := o.sizes(ss[0], ss[1])
	return tensor.Shape{s[0] + s[1] + s[2]}, nil
}

func (o gradients) Do(in ...G.Value) (G.Value, error) {
	rows, ts, err := o.mixed(in, o.wanted&First != 0)
	if err != nil {
		return nil, err
	}
	x, w, z, g := rows.Shape(), ts[1].Shape(), ts[2].Shape(), ts[3].Shape()
	want := tensor.Shape{x[0], w[1]}
	if o.of == pairMap {
		want[1] *= 2
	}
	if x[1] != w[0] || !g.Eq(want) || o.of != phaseMap && !z.Eq(want) || o.of == phaseMap && z[0] != want[1] {
		return nil, fmt.Errorf("ops: %s of shapes %v, %v, %v and %v: %w", o.kind, x, w, z, g, ErrShape)
	}
	s := o.sizes(x, w)
	out := unwritten(rows.Dtype(), s[0]+s[1]+s[2])
	if out.Dtype() == tensor.Float32 {
		err = fillGradients(o, data[float32](out), s, rows, ts)
	} else {
		err = fillGradients(o, data[float64](out), s, rows, ts)
	}
	return result(out, err)
}

func fillGradients[T simd.Float](o gradients, out []T, sizes [3]int, rows Matrix, in []*tensor.Dense) error {
	var part [3][]T
	for i, size := range sizes {
		if size > 0 {
			part[i], out = out[:size:size], out[size:]
		}
	}
	to := simd.Gradients[T]{DX: part[0], DW: part[1], DB: part[2]}
	if s, ok := rows.(*CSR); ok {
		return sparseGradients(o, to, s, in)
	}
	n, d, m := rows.Shape()[0], in[1].Shape()[0], in[1].Shape()[1]
	x, w, from, g := data[T](in[0]), simd.Borrow(data[T](in[1]), d, m), data[T](in[2]), data[T](in[3])
	switch o.of {
	case pairMap:
		w.PairBackward(to, x, from, g, n)
	case phaseMap:
		w.PhaseBackward(to, x, from, g, n, phaseScale(m))
	case cosMap:
		w.CosBackward(to, x, from, g, n, phaseScale(m))
	case expMap:
		w.ExpBackward(to, x, from, g, n)
	}
	return nil
}

// sparseGradients is fillGradients for sparse rows, of which dW takes one pass over all: dP is stored. There is no gradient for x.
func sparseGradients[T simd.Float](o gradients, to simd.Gradients[T], x *CSR, in []*tensor.Dense) error {
	n, m := x.Rows(), in[1].Shape()[1]
	from, g := data[T](in[2]), data[T](in[3])
	dp := tensor.New(tensor.WithShape(n, m), tensor.Of(x.Dtype()))
	switch p := data[T](dp); o.of {
	case pairMap:
		simd.PairGrad(p, from, g, n, m)
	case expMap:
		simd.ExpGrad(p, from, g, n, m)
	case cosMap:
		simd.CosGrad(p, from, g, n, m, phaseScale(m))
	case phaseMap:
		w, err := Borrow(in[1])
		if err != nil {
			return err
		}
		if _, err := AffineInto(dp, x, w, in[2], Attr{}); err != nil {
			return err
		}
		simd.CosGrad(p, p, g, n, m, phaseScale(m))
	}
	if to.DW != nil {
		s := sparseOf[T](x)
		simd.GradWCSR(to.DW, s.CSR, s.columnBase(), data[T](dp), m)
	}
	if to.DB != nil {
		simd.ColSum(to.DB, data[T](dp), n)
	}
	return nil
}
