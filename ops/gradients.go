package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// gradientsOf applies an op whose result is a vector: the gradients for the named inputs that are wanted, one
// after another. It then takes the vector apart. These gradients share most of their work, and a Gorgonia op has one
// result.
func (t *tracer) gradientsOf(names []Inputs, make func(wanted Inputs) *op, in ...handle) {
	var wanted Inputs
	for _, name := range names {
		if t.wanted(name) {
			wanted |= name
		}
	}
	if wanted == 0 {
		return
	}
	all, at := t.apply(make(wanted), in...), 0
	for _, name := range names {
		if wanted&name != 0 {
			shape := shapeOf(t.in[t.at(name)]).Clone()
			t.gradient(name, partOp(at, shape), all)
			at += shape.TotalSize()
		}
	}
}

// partOp takes one gradient out of the vector of all of them, without a copy. This is safe, because the parts do not
// overlap and nothing else reads the vector.
func partOp(from int, shape tensor.Shape) *op {
	kind := fmt.Sprintf("part from %d of shape %v", from, shape)
	to := from + shape.TotalSize()
	return &op{kind: kind, ranks: fmt.Sprint("1", shape.Dims()),
		shape: func([]tensor.Shape) (tensor.Shape, error) { return shape.Clone(), nil },
		forward: func(_ Matrix, in []*tensor.Dense) (Matrix, error) {
			if size := in[0].Shape().TotalSize(); to > size {
				return nil, fmt.Errorf("ops: %s of a vector of %d: %w", kind, size, ErrShape)
			}
			return typed(in[0].Dtype(), cellRange[float32], cellRange[float64])(in[0], from, to, shape), nil
		}}
}

// cellRange returns the cells [from, to) of a contiguous tensor, over its memory.
func cellRange[T domain.Float](t *tensor.Dense, from, to int, shape []int) *tensor.Dense {
	if from == to { // a tensor without cells has no backing
		return tensor.New(tensor.WithShape(shape...), tensor.Of(t.Dtype()))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data[T](t)[from:to:to]))
}

// split cuts a vector into parts of the given sizes; a part of size 0 is nil.
func split[T domain.Float](all []T, sizes []int) [][]T {
	parts := make([][]T, len(sizes))
	for i, size := range sizes {
		if size > 0 {
			parts[i], all = all[:size:size], all[size:]
		}
	}
	return parts
}

// sizesOf returns the sizes of the gradients in the vector, 0 for those that are not wanted, and their sum.
func sizesOf(wanted Inputs, names []Inputs, shapes []tensor.Shape) (sizes []int, all int) {
	sizes = make([]int, len(names))
	for i, name := range names {
		if wanted&name != 0 {
			sizes[i] = shapes[i].TotalSize()
			all += sizes[i]
		}
	}
	return sizes, all
}

// rowMap is a map of xW or xW + b, element by element or in pairs.
type rowMap string

const (
	pairMap  rowMap = "Fourier"           // from its output z
	expMap   rowMap = "Laplace"           // from its output z
	phaseMap rowMap = "Phase"             // from b: the projection is computed again
	cosMap   rowMap = "Phase with xW + b" // from the projection
)

// ofRows computes the gradients for x, W and b of a map by one op. It works block by block of rows: dP, the gradient of
// the projection, is computed in cache from the handle `from` (see rowMap) and the gradient of the output, used for the
// products dx = dP·Wᵀ and dW = xᵀ·dP and the sums db, and never stored.
func (t *tracer) ofRows(of rowMap, from handle) {
	names := []Inputs{X, W, B}
	if of == pairMap || of == expMap {
		names = names[:2]
	}
	t.gradientsOf(names, func(wanted Inputs) *op { return rowGradients(of, wanted) }, t.in[0], t.in[1], from, t.grad)
}

// rowGradients is the op of ofRows.
func rowGradients(of rowMap, wanted Inputs) *op {
	ranks := "22221"
	if of == phaseMap {
		ranks = "22121"
	}
	shapes := func(in []tensor.Shape) []tensor.Shape { return []tensor.Shape{in[0], in[1], {in[1][1]}} }
	o := &op{kind: fmt.Sprintf("gradients of %s for %03b", of, wanted), ranks: ranks, sparse: wanted&X == 0}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		x, w, z, g := in[0], in[1], in[2], in[3]
		want := tensor.Shape{x[0], w[1]}
		if of == pairMap {
			want[1] *= 2
		}
		if x[1] != w[0] || !g.Eq(want) || of != phaseMap && !z.Eq(want) || of == phaseMap && z[0] != want[1] {
			return nil, misfit(o.kind, in)
		}
		_, all := sizesOf(wanted, []Inputs{X, W, B}, shapes(in))
		return tensor.Shape{all}, nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		ss := shapesOf(x, in)
		if _, err := o.shape(ss); err != nil {
			return nil, err
		}
		sizes, all := sizesOf(wanted, []Inputs{X, W, B}, shapes(ss))
		out := unwritten(x.Dtype(), all)
		return out, typed(out.Dtype(), fillGradients[float32], fillGradients[float64])(of, out, sizes, x, in)
	}
	return o
}

func fillGradients[T domain.Float](of rowMap, out *tensor.Dense, sizes []int, rows Matrix, in []*tensor.Dense) error {
	parts := split(data[T](out), sizes)
	to := simd.Gradients[T]{DX: parts[0], DW: parts[1], DB: parts[2]}
	if s, ok := rows.(*CSR); ok {
		return sparseGradients(of, to, s, in)
	}
	n, d, m := rows.Shape()[0], in[1].Shape()[0], in[1].Shape()[1]
	x, w, from, g := data[T](in[0]), simd.Borrow(data[T](in[1]), d, m), data[T](in[2]), data[T](in[3])
	switch of {
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

// sparseGradients is fillGradients for sparse rows. It stores dP, because dW takes one pass over all rows. There is no
// gradient for x.
func sparseGradients[T domain.Float](of rowMap, to simd.Gradients[T], x *CSR, in []*tensor.Dense) error {
	n, m := x.Rows(), in[1].Shape()[1]
	from, g := data[T](in[2]), data[T](in[3])
	dp := tensor.New(tensor.WithShape(n, m), tensor.Of(x.Dtype()))
	switch p := data[T](dp); of {
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
