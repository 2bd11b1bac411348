package ops

import (
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// The products of a backward, dX = dP·Wᵀ and dW = xᵀ·dP, and its sums, db = the column sums of dP or the sum of all.
// They read their operands as they lie, which Gorgonia's own Mul cannot: it would need the transposes as nodes.
var (
	// The products of a backward, dX = dP·Wᵀ and dW = xᵀ·dP, and its sums: the column sums of dP, or the sum of all.
	// Unlike Gorgonia's Mul they need no transposes as nodes.
	gradXOp = &op{kind: "gradX", ranks: "222", whole: true,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if in[0][1] != in[1][1] {
				return nil, misfit("gradX", in)
			}
			return tensor.Shape{in[0][0], in[1][0]}, nil
		},
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), gradX[float32], gradX[float64])(out, in[0], in[1])
			return nil
		}}
	gradWOp = &op{kind: "gradW", ranks: "222", sparse: true, whole: true,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if in[0][0] != in[1][0] {
				return nil, misfit("gradW", in)
			}
			return tensor.Shape{in[0][1], in[1][1]}, nil
		},
		fill: func(out *tensor.Dense, x Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), gradW[float32], gradW[float64])(out, x, in[1])
			return nil
		}}
	colSumOp = &op{kind: "colSum", ranks: "21",
		shape: func(in []tensor.Shape) (tensor.Shape, error) { return tensor.Shape{in[0][1]}, nil },
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), colSum[float32], colSum[float64])(out, in[0], in[0].Shape()[0])
			return nil
		}}
	sumOp = &op{kind: "sum", ranks: "21",
		shape: func([]tensor.Shape) (tensor.Shape, error) { return tensor.Shape{1}, nil },
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), colSum[float32], colSum[float64])(out, in[0], in[0].Shape().TotalSize())
			return nil
		}}
)

func gradX[T domain.Float](out, dp, w *tensor.Dense) {
	simd.Borrow(data[T](w), w.Shape()[0], w.Shape()[1]).GradX(data[T](out), data[T](dp), dp.Shape()[0])
}

func gradW[T domain.Float](out *tensor.Dense, x Matrix, dp *tensor.Dense) {
	n, m := dp.Shape()[0], dp.Shape()[1]
	if s, ok := x.(*CSR); ok {
		simd.GradWCSR(data[T](out), sparseOf[T](s).CSR, sparseOf[T](s).columnBase(), data[T](dp), m)
		return
	}
	simd.GradW(data[T](out), data[T](x.(*tensor.Dense)), data[T](dp), n, x.Shape()[1], m)
}

func colSum[T domain.Float](out, a *tensor.Dense, n int) { simd.ColSum(data[T](out), data[T](a), n) }

// sumFor is the op that sums a matrix for the gradient of a parameter: over everything, or over each column.
func sumFor(parameter handle) *op {
	if length(parameter) == 1 {
		return sumOp
	}
	return colSumOp
}

// The gradients for a projection P [n, m] from a matrix that the forward left and the gradient of the output, two
// matrices of one shape.
var (
	// pairGradOp is dP = g_sin·z_cos - g_cos·z_sin from the output z [n, 2m].
	pairGradOp = pointwise("pairGrad", 2, simd.PairGrad[float32], simd.PairGrad[float64])
	// cosGradOp is dP = -√(2/m) sin(P)·g from P.
	cosGradOp = pointwise("cosGrad", 1, cosGrad[float32], cosGrad[float64])
	// unitRowsGradOp is dP = (g·z) z² - g z of rows z and g.
	unitRowsGradOp = pointwise("unitRowsGrad", 1, simd.UnitRowsGrad[float32], simd.UnitRowsGrad[float64])
)

func cosGrad[T domain.Float](dp, p, g []T, n, m int) { simd.CosGrad(dp, p, g, n, m, phaseScale(m)) }

// pointwise is an op of two matrices with the given number of columns for each column of the result.
func pointwise(kind string, columns int, f32 func(dp, a, g []float32, n, m int),
	f64 func(dp, a, g []float64, n, m int)) *op {
	return &op{kind: kind, ranks: "222",
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if !in[0].Eq(in[1]) || in[0][1]%columns != 0 {
				return nil, misfit(kind, in)
			}
			return tensor.Shape{in[0][0], in[0][1] / columns}, nil
		},
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			n, m := out.Shape()[0], out.Shape()[1]
			if out.Dtype() == tensor.Float32 {
				f32(data[float32](out), data[float32](in[0]), data[float32](in[1]), n, m)
			} else {
				f64(data[float64](out), data[float64](in[0]), data[float64](in[1]), n, m)
			}
			return nil
		}}
}
