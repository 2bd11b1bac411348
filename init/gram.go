package spectral

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Gram returns the exact kernel matrix, [n, m] with k(x_i, z_j) at i, j, of the rows of x [n, d] and z [m, d]; for z =
// nil the symmetric matrix of x with itself. Inputs are float32 or float64, each of its own; views and transposes will
// do. The work is shared among GOMAXPROCS goroutines, so At must allow that, and the result does not depend on their
// number. No rows give an empty matrix.
//
// For the Gaussian kernel and those on histograms each row is looked at once before pairs are: roots and logarithms are
// kept, and coordinates that are 0 in z are skipped. It takes memory for up to two matrices more of the size of x and
// of z, and the entries are the values of At to rounding, some 1e-12 of k in thousands of dimensions. Every other
// kernel is asked for At, pair by pair.
//
// Errors wrap ErrShape, ErrDtype, ErrParam (the kernel's own) or ErrDomain, which names the cell.
func Gram(k Kernel, x, z *tensor.Dense) (*mat.Dense, error) {
	if err := validate(k); err != nil {
		return nil, err
	}
	first, err := checkedRows("spectral: Gram, first argument", x, k.Domain())
	if err != nil {
		return nil, err
	}
	xs, zs := &first, &first
	if z != nil {
		second, err := checkedRows("spectral: Gram, second argument", z, k.Domain())
		if err != nil {
			return nil, err
		}
		zs = &second
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

// gramTile is how many rows are compared with a row of z while that is in the cache: what they take is about a megabyte
// at d = 4000.
const gramTile = 16

// fillGram computes the matrix, or the upper triangle and its mirror image.
func fillGram(out *mat.Dense, at pairFunc, cols int, symmetric bool) {
	n, m := out.Dims()
	tile := min(gramTile, max(1, n/(4*runtime.GOMAXPROCS(0))))
	eachRow((n+tile-1)/tile, func(t int) {
		scratch := make([]float64, cols)
		lo, hi, first := t*tile, min(n, (t+1)*tile), 0
		if symmetric {
			first = lo
		}
		for j := first; j < m; j++ {
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

// eachRow calls f for 0 to n-1 from GOMAXPROCS goroutines.
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
