package spectral

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Gram returns the exact kernel matrix, [n, m] with k(x_i, z_j) at i, j, of the rows of x [n, d] and z [m, d]; for z = nil
// the symmetric matrix of x with itself. Inputs are float32 or float64, each of its own; views and transposes will do. The
// work is shared among GOMAXPROCS goroutines, so At must allow that, and the result does not depend on their number. No rows
// give an empty matrix.
//
// Errors wrap ErrShape, ErrDtype, ErrParam (the kernel's own) or ErrDomain, which names the cell.
func Gram(k Kernel, x, z *tensor.Dense) (*mat.Dense, error) {
	if err := validate(k); err != nil {
		return nil, err
	}
	xs, err := checkedRows("spectral: Gram, first argument", x, k.Domain())
	if err != nil {
		return nil, err
	}
	zs := xs
	if z != nil {
		if zs, err = checkedRows("spectral: Gram, second argument", z, k.Domain()); err != nil {
			return nil, err
		}
	}
	if xs.cols != zs.cols {
		return nil, fmt.Errorf("spectral: Gram: x has %d columns and z has %d: %w", xs.cols, zs.cols, ErrShape)
	}
	if xs.n == 0 || zs.n == 0 {
		return &mat.Dense{}, nil
	}
	out := mat.NewDense(xs.n, zs.n, nil)
	eachRow(xs.n, func(i int) {
		row, first := out.RawRowView(i), 0
		if z == nil {
			first = i
		}
		for j := first; j < zs.n; j++ {
			row[j] = k.At(xs.row(i), zs.row(j))
		}
	})
	if z == nil {
		for i := range xs.n {
			for j := range i {
				out.Set(i, j, out.At(j, i))
			}
		}
	}
	return out, nil
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
