package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The products of a backward, dX = dP·Wᵀ and dW = xᵀ·dP, and its sums, db = the column sums of dP or the sum of all. They
// read their operands as they lie, which Gorgonia's own Mul cannot: it would need the transposes as nodes.
var (
	gradXOp  = productOp{base{kind: "gradX", ranks: "222"}}
	gradWOp  = productOp{base{kind: "gradW", ranks: "222"}}
	colSumOp = productOp{base{kind: "colSum", ranks: "21"}}
	sumOp    = productOp{base{kind: "sum", ranks: "21"}}
)

type productOp struct{ base }

var _ G.Op = productOp{}

func (o productOp) shape(ss []tensor.Shape) (tensor.Shape, error) {
	switch a := ss[0]; {
	case o == sumOp:
		return tensor.Shape{1}, nil
	case o == colSumOp:
		return tensor.Shape{a[1]}, nil
	case o == gradXOp && a[1] == ss[1][1]:
		return tensor.Shape{a[0], ss[1][0]}, nil
	case o == gradWOp && a[0] == ss[1][0]:
		return tensor.Shape{a[1], ss[1][1]}, nil
	}
	return nil, fmt.Errorf("ops: %s of shapes %v: %w", o.kind, ss, ErrShape)
}

func (o productOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.shape(ss)
}

func (o productOp) Do(in ...G.Value) (G.Value, error) {
	if x, ok := in[0].(*CSR); ok && o == gradWOp {
		return gradWCSR(x, in[1])
	}
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	ss := make([]tensor.Shape, len(ts))
	for i, t := range ts {
		ss[i] = t.Shape()
	}
	shape, err := o.shape(ss)
	if err != nil {
		return nil, err
	}
	out := tensor.New(tensor.WithShape(shape...), tensor.Of(ts[0].Dtype()))
	if out.Dtype() == tensor.Float32 {
		product[float32](o, out, ts)
	} else {
		product[float64](o, out, ts)
	}
	return out, nil
}

func product[T simd.Float](o productOp, out *tensor.Dense, in []*tensor.Dense) {
	a, n := data[T](in[0]), in[0].Shape()[0]
	switch o {
	case gradXOp:
		w := in[1].Shape()
		simd.Borrow(data[T](in[1]), w[0], w[1]).GradX(data[T](out), a, n)
	case gradWOp:
		simd.GradW(data[T](out), a, data[T](in[1]), n, in[0].Shape()[1], in[1].Shape()[1])
	case colSumOp:
		simd.ColSum(data[T](out), a, n)
	case sumOp:
		simd.ColSum(data[T](out), a, len(a))
	}
}
