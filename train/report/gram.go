package report

import (
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// The size of a block of features in a product: 256 × 512 numbers are 1 MiB, about a second-level cache.
const (
	gramRows = 256
	gramCols = 512
)

// maxGramRows limits a kernel matrix to 2 GiB.
const maxGramRows = 16384

// checkGramRows refuses a kernel matrix that is too large for memory.
func checkGramRows(who string, n int) error {
	if n <= maxGramRows {
		return nil
	}
	return fmt.Errorf("report: %s: the kernel matrix of %d rows is too large; take at most %d rows: %w", who, n, maxGramRows, ErrShape)
}

// ApproxGram returns the kernel matrix Z Zᵀ [n, n] of the features Z = m.Transform(x), or Z Σ Zᵀ for a map with the
// signature σ, the diagonal of Σ (layers.SignatureOf). x is [n, m.Dims()], dense, sparse or ops.Bags. The matrix is
// exactly symmetric and summed in float64 for features of either element type. Memory is n² + n·D numbers. If sparse
// rows have sparse features (layers.KeepsZeros), it is n² + D numbers and the stored features.
//
// Errors: as for Transform; ErrParam for a nil map; ErrShape for x or features of another shape than the map states,
// and for more than 16384 rows; ErrDtype for features that are not floating point; ErrDomain for a feature or an inner
// product that is not finite.
func ApproxGram(m Map, x ops.Matrix) (*mat.Dense, error) {
	const who = "ApproxGram"
	if domain.IsNil(m) {
		return nil, fmt.Errorf("report: %s: the map is nil: %w", who, ErrParam)
	}
	rows, cols, err := rowsOf(who, x)
	if err != nil {
		return nil, err
	}
	if err := checkGramRows(who, rows); err != nil {
		return nil, err
	}
	if cols != m.Dims() {
		return nil, fmt.Errorf("report: %s: x has %d columns and the map wants %d: %w", who, cols, m.Dims(), ErrShape)
	}
	signature := layers.SignatureOf(m)
	var features ops.Matrix
	if signature == nil {
		features, err = layers.Apply(m, nil, x)
	} else {
		features, err = layers.Transform(m, nil, x)
	}
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", who, err)
	}
	if s, sparse := features.(*ops.CSR); sparse {
		return linearGram(who, s)
	}
	t, _ := features.(*tensor.Dense)
	z, err := cellsOf(who, "features", t)
	if err != nil {
		return nil, err
	}
	if z.rows != rows || z.cols != m.Features() {
		return nil, fmt.Errorf("report: %s: the features are [%d, %d], where %d rows and a map of %d features make [%d, %d]: %w",
			who, z.rows, z.cols, rows, m.Features(), rows, m.Features(), ErrShape)
	}
	return gram(who, z, signature)
}

// gram is Z Σ Zᵀ; a nil signature is all ones. It computes the upper triangle by tiles, a block of columns at a time,
// and mirrors it.
func gram(who string, z cells, signature []float64) (*mat.Dense, error) {
	n := z.rows
	out := mat.NewDense(n, n, nil)
	c := out.RawMatrix()
	buf := make([]float64, n*min(gramCols, z.cols))
	signed := buf
	if signature != nil {
		signed = make([]float64, len(buf))
	}
	for lo := 0; lo < z.cols; lo += gramCols {
		hi := min(lo+gramCols, z.cols)
		if err := z.block(buf, who, "features", lo, hi); err != nil {
			return nil, err
		}
		w := hi - lo
		if signature != nil {
			for i, v := range buf[:n*w] {
				signed[i] = v * signature[lo+i%w]
			}
		}
		for top := 0; top < n; top += gramRows {
			rows := min(gramRows, n-top)
			a := blas64.General{Rows: rows, Cols: w, Stride: w, Data: signed[top*w : (top+rows)*w]}
			b := blas64.General{Rows: n - top, Cols: w, Stride: w, Data: buf[top*w : n*w]}
			tile := blas64.General{Rows: rows, Cols: n - top, Stride: c.Stride, Data: c.Data[top*c.Stride+top:]}
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, b, 1, tile)
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			v := c.Data[i*c.Stride+j]
			if !finite(v) {
				return nil, fmt.Errorf("report: %s: the features of rows %d and %d have the inner product %v; scale the features: %w", who, i, j, v, ErrDomain)
			}
			c.Data[j*c.Stride+i] = v
		}
	}
	return out, nil
}
