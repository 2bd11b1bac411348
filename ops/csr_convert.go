package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// CSROf converts x [n, d], float32 or float64 in any layout. The cells other than 0, including NaN, become entries.
func CSROf(x *tensor.Dense) (*CSR, error) {
	rows, err := matrixOf("ops: CSR", x)
	if err != nil {
		return nil, err
	}
	return typed(x.Dtype(), sparsed[float32], sparsed[float64])(rows.(*tensor.Dense)), nil
}

func sparsed[T domain.Float](t *tensor.Dense) *CSR {
	x, n, d := data[T](t), t.Shape()[0], t.Shape()[1]
	s := empty[T](n, d, 0)
	for i := range n {
		for j, v := range x[i*d : i*d+d] {
			if v != 0 {
				s.Col, s.Val = append(s.Col, int32(j)), append(s.Val, v)
			}
		}
		s.Ptr[i+1] = len(s.Col)
	}
	return csrOf(s)
}

// Dense writes x to dst [n, d], allocated if nil. Errors: a dst of another shape (ErrShape) or type (ErrDtype).
func (x *CSR) Dense(dst *tensor.Dense) (*tensor.Dense, error) {
	dst, err := output("ops: CSR", dst, x.Dtype(), x.Rows(), x.Cols())
	if err != nil {
		return nil, err
	}
	typed(x.Dtype(), spreadOut[float32], spreadOut[float64])(x, dst)
	return dst, nil
}

func spreadOut[T domain.Float](x *CSR, dst *tensor.Dense) {
	writeRows(sparseOf[T](x), data[T](dst), x.Cols())
}

// writeRows writes sparse rows to dense ones that are ld apart.
func writeRows[T domain.Float](s *simd.CSR[T], dst []T, ld int) {
	for i := range s.Rows {
		row := dst[i*ld : i*ld+s.Cols]
		clear(row)
		s.AddRow(row, i)
	}
}

// As converts x to another element type, or returns x itself if it has that type. Errors start with who: an entry that
// float32 makes infinite or 0 (ErrDomain), a type other than float32 and float64 (ErrDtype).
func (x *CSR) As(dt tensor.Dtype, who string) (*CSR, error) {
	switch {
	case dt == x.Dtype():
		return x, nil
	case dt == tensor.Float64:
		return csrOf(converted[float64](sparseOf[float32](x))), nil
	case dt != tensor.Float32:
		return nil, fmt.Errorf("%s: rows are float64 or float32, not %v: %w", who, dt, ErrDtype)
	}
	s := sparseOf[float64](x)
	for i := range s.Rows {
		for t := s.Ptr[i]; t < s.Ptr[i+1]; t++ {
			if reason := lostInFloat32(s.Val[t]); reason != "" {
				return nil, &domain.CellError{Who: who, Row: i, Col: int(s.Col[t]), Value: s.Val[t], Reason: reason,
					Remedy: "use float64 or scale the data first"}
			}
		}
	}
	return csrOf(converted[float32](s)), nil
}

// lostInFloat32 says how float32 loses v, or returns "".
func lostInFloat32(v float64) string {
	switch f := float32(v); {
	case math.IsInf(float64(f), 0):
		return "is too large for float32"
	case f == 0 && v != 0:
		return "becomes 0 in float32"
	}
	return ""
}

// converted copies s in another type.
func converted[T, S domain.Float](s *simd.CSR[S]) *simd.CSR[T] {
	col, val := s.Entries()
	x := &simd.CSR[T]{Rows: s.Rows, Cols: s.Cols, Ptr: fromZero(s.Ptr), Col: col, Val: make([]T, len(val))}
	recast(x.Val, val)
	return x
}

// checkCSR is CheckRows for sparse rows.
func checkCSR[T domain.Float](d Domain, who string, x *CSR) error {
	s := sparseOf[T](x)
	zero := d.Contains(0)
	for i := range s.Rows {
		lo, hi := s.Ptr[i], s.Ptr[i+1]
		err := domain.CheckRows(d, who, s.Val[lo:hi], 1, hi-lo, hi-lo)
		bad := s.Cols // the column of a stored value outside the domain
		if e, ok := err.(*domain.CellError); ok {
			bad = int(s.Col[lo+e.Col])
			e.Row, e.Col = i, bad
		}
		if e, ok := err.(*domain.RowError); ok {
			e.Row = i
		}
		if !zero && hi-lo < s.Cols {
			if j := firstMissing(s.Col[lo:hi]); j < bad {
				return d.Violation(who, i, j, 0)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstMissing is the first column that a row does not store.
func firstMissing(cols []int32) int {
	for i, j := range cols {
		if int(j) != i {
			return i
		}
	}
	return len(cols)
}
