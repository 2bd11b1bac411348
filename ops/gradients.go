package ops

import (
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// gradientsXWB returns the memory of the gradients for x, W and b, the first inputs, nil for those that are not wanted.
func gradientsXWB[T domain.Float](c *call) simd.Gradients[T] {
	return simd.Gradients[T]{DX: gradientFor[T](c, 0), DW: gradientFor[T](c, 1), DB: gradientFor[T](c, 2)}
}

// ofProduct writes the gradients that have memory from dP [n, m], the gradient of P = xW + b: dx = dP·Wᵀ, dW = xᵀ·dP
// and the column sums db. There is none for a sparse x.
func ofProduct[T domain.Float](c *call, w *simd.Weights[T], to simd.Gradients[T], dp []T) error {
	return ofRows(c.at('n'), inputRows[T](c), nil, w, to, dp)
}

// ofRows is ofProduct for n rows x, to whose columns base is added, where it is not nil, if they are sparse.
func ofRows[T domain.Float](n int, x simd.Rows[T], base []T, w *simd.Weights[T], to simd.Gradients[T], dp []T) error {
	d, m := w.Dims()
	if to.DX != nil {
		w.GradX(to.DX, dp, n)
	}
	if to.DW != nil && x.Sparse != nil {
		simd.GradWCSR(to.DW, *x.Sparse, base, dp, m)
	} else if to.DW != nil {
		simd.GradW(to.DW, x.Dense, dp, n, d, m)
	}
	if to.DB != nil {
		simd.ColSum(to.DB, dp, n)
	}
	return nil
}

// ofSlopes is ofProduct for the dP of slopes. For dense rows dP is computed block by block of rows, in cache, and never
// stored; for sparse rows it is, because dW takes one pass over all rows.
func ofSlopes[T domain.Float](c *call, w *simd.Weights[T], to simd.Gradients[T], dp simd.Slopes[T]) error {
	n := c.at('n')
	if to.DX == nil && to.DW == nil && to.DB == nil {
		return nil
	}
	if _, ok := c.x.(*CSR); ok {
		_, m := w.Dims()
		all := scratch[T](c, n*m)
		dp.Write(all, n, m)
		return ofProduct(c, w, to, all)
	}
	w.Backward(to, cells[T](c, 0), n, dp)
	return nil
}

// scratch returns memory with arbitrary cells.
func scratch[T domain.Float](c *call, cells int) []T { return data[T](unwritten(c.x.Dtype(), cells)) }
