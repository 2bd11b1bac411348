package spectral

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Gram returns the exact kernel matrix [n, m] of the rows of x [n, d] and z [m, d], with k(x_i, z_j) at i, j. For z =
// nil it is the symmetric matrix of x with itself. Each input may be float32 or float64, in any layout. Without rows
// the matrix is empty.
//
// GOMAXPROCS goroutines share the work, so At must be safe for concurrent use. The result does not depend on their
// number. For the Gaussian and the kernels on histograms Gram computes roots and logarithms once a row and skips the
// zeros of z. It then needs memory for up to two more matrices of the size of x and of z, and differs from At by
// rounding, about 1e-12 of k in thousands of dimensions. For other kernels it calls At for each pair.
//
// Errors wrap ErrShape, ErrDtype, ErrParam (an invalid kernel) or ErrDomain (which names the cell, or the row).
func Gram(k Kernel, x, z *tensor.Dense) (*mat.Dense, error) {
	if err := validate(k); err != nil {
		return nil, err
	}
	xs, err := checkedRows("spectral: Gram, first argument", x, k.Domain())
	zs := xs
	if err == nil && z != nil {
		zs, err = checkedRows("spectral: Gram, second argument", z, k.Domain())
	}
	if err != nil {
		return nil, err
	}
	if xs.cols != zs.cols {
		return nil, fmt.Errorf("spectral: Gram: x has %d columns and z has %d: %w", xs.cols, zs.cols, ErrShape)
	}
	if xs.n == 0 || zs.n == 0 {
		return &mat.Dense{}, nil
	}
	out := mat.NewDense(xs.n, zs.n, nil)
	fillGram(out, pairsOf(k, xs, zs), xs.cols, z == nil)
	return out, nil
}

// gramTile is the number of rows that are compared with a row of z while it is in the cache: about 1 MB at d = 4000.
const gramTile = 16

// fillGram computes the matrix, or the upper triangle and its mirror image.
func fillGram(out *mat.Dense, at pairFunc, cols int, symmetric bool) {
	n, m := out.Dims()
	tile := min(gramTile, max(1, n/(4*runtime.GOMAXPROCS(0))))
	eachRow((n+tile-1)/tile, func(t int) {
		scratch := make([]float64, cols)
		lo, hi := t*tile, min(n, (t+1)*tile)
		for j := range m {
			last := hi
			if symmetric {
				last = min(hi, j+1)
			}
			for i := lo; i < last; i++ {
				out.Set(i, j, at(i, j, scratch))
			}
		}
	})
	if symmetric {
		for i := range n {
			for j := range i {
				out.Set(i, j, out.At(j, i))
			}
		}
	}
}

// eachRow calls f for 0 to n-1 on GOMAXPROCS goroutines.
func eachRow(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}
