package report

import (
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
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
// exactly symmetric and summed in float64 for features of either element type. Memory is n² + n·D numbers. If the
// features stay sparse (layers.StaysSparse), it is n² + D numbers and the stored features.
//
// Errors: as for Transform; ErrParam for a nil map, x or features; ErrShape for x or features of another shape than the
// map states, and for more than 16384 rows; ErrDtype for features that are not floating point; ErrDomain for a feature
// or an inner product that is not finite.
func ApproxGram(m Map, x ops.Matrix) (*mat.Dense, error) {
	const who = "ApproxGram"
	if domain.IsNil(m) {
		return nil, fmt.Errorf("report: %s: the map is nil: %w", who, ErrParam)
	}
	x, err := rowsOf(who, "x", x)
	if err != nil {
		return nil, err
	}
	rows, cols := x.Shape()[0], x.Shape()[1]
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
	if features, err = rowsOf(who, "features", features); err != nil {
		return nil, err
	}
	if shape := features.Shape(); shape[0] != rows || shape[1] != m.Features() {
		return nil, fmt.Errorf("report: %s: the features are [%d, %d], where %d rows and a map of %d features make [%d, %d]: %w",
			who, shape[0], shape[1], rows, m.Features(), rows, m.Features(), ErrShape)
	}
	z := blas64.General{Rows: rows, Cols: m.Features(), Stride: m.Features(), Data: ops.Float64s(features.(*tensor.Dense))}
	if _, err := maxAbs(who, "features", z); err != nil {
		return nil, err
	}
	return gram(who, z, signature)
}

// gram is Z Σ Zᵀ; a nil signature is all ones. It computes the upper triangle by tiles, a block of columns at a time,
// and mirrors it.
func gram(who string, z blas64.General, signature []float64) (*mat.Dense, error) {
	n := z.Rows
	out := mat.NewDense(n, n, nil)
	c := out.RawMatrix()
	part := func(top, rows, left, cols int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: z.Stride, Data: z.Data[top*z.Stride+left:]}
	}
	for left := 0; left < z.Cols; left += gramCols {
		cols := min(gramCols, z.Cols-left)
		for top := 0; top < n; top += gramRows {
			a := part(top, min(gramRows, n-top), left, cols)
			if signature != nil {
				a = signed(a, signature[left:left+cols])
			}
			tile := blas64.General{Rows: a.Rows, Cols: n - top, Stride: c.Stride, Data: c.Data[top*c.Stride+top:]}
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, part(top, n-top, left, cols), 1, tile)
		}
	}
	return mirrored(who, out)
}

// mirrored copies the upper triangle of a matrix of inner products, which must be finite, to the lower one.
func mirrored(who string, m *mat.Dense) (*mat.Dense, error) {
	n, _ := m.Dims()
	for i := range n {
		for j, v := range m.RawRowView(i)[i:] {
			if !finite(v) {
				return nil, fmt.Errorf("report: %s: the features of rows %d and %d have the inner product %v; scale the "+
					"features: %w", who, i, i+j, v, ErrDomain)
			}
			m.Set(i+j, i, v)
		}
	}
	return m, nil
}

// signed is a copy of a matrix, with its columns times the signature.
func signed(a blas64.General, signature []float64) blas64.General {
	out := blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols, Data: make([]float64, a.Rows*a.Cols)}
	for i := range a.Rows {
		floats.MulTo(out.Data[i*a.Cols:(i+1)*a.Cols], a.Data[i*a.Stride:i*a.Stride+a.Cols], signature)
	}
	return out
}

// linearGram is X Xᵀ for sparse rows, summed in float64; only one row at a time is dense. Errors: as for gram.
func linearGram(who string, x *ops.CSR) (*mat.Dense, error) {
	if err := ops.CheckRows(domain.Reals(), "report: "+who, x); err != nil {
		return nil, err
	}
	x, err := x.As(tensor.Float64, "report: "+who)
	if err != nil {
		return nil, err
	}
	n, ptr, cols, v := x.Rows(), x.Pointers(), x.Columns(), x.Float64s()
	out, row := mat.NewDense(n, n, nil), make([]float64, x.Cols())
	for i := range n {
		for t := ptr[i]; t < ptr[i+1]; t++ {
			row[cols[t]] = v[t]
		}
		for j := i; j < n; j++ {
			sum := 0.0
			for t := ptr[j]; t < ptr[j+1]; t++ {
				sum += v[t] * row[cols[t]]
			}
			out.Set(i, j, sum)
		}
		for t := ptr[i]; t < ptr[i+1]; t++ {
			row[cols[t]] = 0
		}
	}
	return mirrored(who, out)
}
