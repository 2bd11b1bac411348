package ops

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Matrix is rows of input: a *tensor.Dense [n, d] or a *CSR. *Bags implements it too, for functions that map sets, and
// *Weights in the place of the tensors that it holds.
type Matrix interface {
	Shape() tensor.Shape
	Dims() int
	Dtype() tensor.Dtype
}

// CSR is a sparse matrix [n, d] of float32 or float64 in compressed sparse rows, like scipy.sparse.csr_matrix: for each
// row the stored columns, in rising order, and their values. Cells that are not stored are 0.
//
// It is a Gorgonia value, so a node of shape [n, d] can hold it (G.WithValue, G.Let) in place of a dense tensor, with a
// different number of entries at each run. The ops of this package read it; Gorgonia's own do not. It is data: no op
// has a gradient for it. A map takes operations in proportion to the entries, and only W is dense.
//
// Methods that return a part share memory where possible, and no method changes an entry. A CSR is safe for concurrent
// use while nobody changes the slices that it was made of.
type CSR struct {
	rows, cols int
	pointers   []int
	columns    []int32
	values     any // a []float32 or []float64
}

// sparseOf is x in its element type, which must be T.
func sparseOf[T domain.Float](x *CSR) *simd.CSR[T] {
	return &simd.CSR[T]{Rows: x.rows, Cols: x.cols, Ptr: x.pointers, Col: x.columns, Val: x.values.([]T)}
}

func csrOf[T domain.Float](s *simd.CSR[T]) *CSR {
	return &CSR{rows: s.Rows, cols: s.Cols, pointers: s.Ptr, columns: s.Col, values: s.Val}
}

// NewCSR makes a matrix from its three slices, which it keeps. Row i has the entries pointers[i] to pointers[i+1] of
// columns and values. Columns count from 0; values is a []float32 or []float64.
//
// Errors: pointers that do not start at 0, that fall, or that do not end at the number of entries, slices of different
// lengths, columns of a row that do not rise or are out of range (ErrShape); values of another type (ErrDtype). A map
// checks the values when it reads them.
func NewCSR(rows, cols int, pointers []int, columns []int32, values any) (*CSR, error) {
	stored := 0
	switch v := values.(type) {
	case []float32:
		stored = len(v)
	case []float64:
		stored = len(v)
	default:
		return nil, fmt.Errorf("ops: CSR: values are %T, want []float32 or []float64: %w", values, ErrDtype)
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("ops: CSR: %s: %w", fmt.Sprintf(format, args...), ErrShape)
	}
	switch {
	case rows < 0 || cols < 0 || cols > maxColumns:
		return nil, bad("%d rows of %d columns, want at least 0 of 0 to %d", rows, cols, maxColumns)
	case len(pointers) != rows+1:
		return nil, bad("%d row pointers for %d rows, want one more than rows", len(pointers), rows)
	case len(columns) != stored:
		return nil, bad("%d columns and %d values, want one column a value", len(columns), stored)
	case pointers[0] != 0 || pointers[rows] != stored:
		return nil, bad("row pointers from %d to %d, want from 0 to the %d values", pointers[0], pointers[rows], stored)
	}
	for i := range rows {
		if pointers[i+1] < pointers[i] || pointers[i+1] > stored {
			return nil, bad("row %d has the entries %d to %d of %d; row pointers must not fall",
				i, pointers[i], pointers[i+1], stored)
		}
		last := int32(-1)
		for _, j := range columns[pointers[i]:pointers[i+1]] {
			if j < 0 || int(j) >= cols {
				return nil, bad("row %d has column %d of %d; columns count from 0", i, j, cols)
			}
			if j <= last {
				return nil, bad("row %d has column %d after column %d; sort the columns of a row, and add up those "+
					"that are given twice", i, j, last)
			}
			last = j
		}
	}
	return &CSR{rows: rows, cols: cols, pointers: pointers, columns: columns, values: values}, nil
}

// maxColumns is the largest number of columns: their indices are int32.
const maxColumns = 1<<31 - 1

// Rows returns n.
func (x *CSR) Rows() int { return x.rows }

// Cols returns d.
func (x *CSR) Cols() int { return x.cols }

// Stored returns the number of entries, including stored zeros.
func (x *CSR) Stored() int { return x.pointers[x.rows] - x.pointers[0] }

// Pointers returns the row pointers: row i has the entries Pointers()[i] to Pointers()[i+1] of Columns and of the
// values. In a part of a matrix they need not begin at 0. The slice is the matrix's own.
func (x *CSR) Pointers() []int { return x.pointers }

// Columns returns the columns of the entries. The slice is the matrix's own.
func (x *CSR) Columns() []int32 { return x.columns }

// Float32s returns the values of the entries of a float32 matrix, else nil. The slice is the matrix's own.
func (x *CSR) Float32s() []float32 {
	v, _ := x.values.([]float32)
	return v
}

// Float64s returns the values of the entries of a float64 matrix, else nil. The slice is the matrix's own.
func (x *CSR) Float64s() []float64 {
	v, _ := x.values.([]float64)
	return v
}

// Slice returns the rows lo to hi (exclusive), over the same memory. It panics if they are out of range.
func (x *CSR) Slice(lo, hi int) *CSR {
	checkPart("CSR", lo, hi, x.rows)
	part := *x
	part.pointers, part.rows = x.pointers[lo:hi+1:hi+1], hi-lo
	return &part
}

// checkPart panics unless lo to hi is a part of n rows.
func checkPart(of string, lo, hi, n int) {
	if lo < 0 || hi < lo || hi > n {
		panic(fmt.Sprintf("ops: %s: rows %d to %d of %d", of, lo, hi, n))
	}
}

// Take returns a copy of the rows idx, in that order, with repeats. It panics if an index is out of range.
func (x *CSR) Take(idx []int) *CSR {
	for _, i := range idx {
		if i < 0 || i >= x.Rows() {
			panic(fmt.Sprintf("ops: CSR: row %d of %d", i, x.Rows()))
		}
	}
	return typed(x.Dtype(), takeRows[float32], takeRows[float64])(x, idx)
}

func takeRows[T domain.Float](x *CSR, idx []int) *CSR {
	s, stored := sparseOf[T](x), 0
	for _, i := range idx {
		stored += s.Ptr[i+1] - s.Ptr[i]
	}
	out := empty[T](len(idx), s.Cols, stored)
	for k, i := range idx {
		out.Col = append(out.Col, s.Col[s.Ptr[i]:s.Ptr[i+1]]...)
		out.Val = append(out.Val, s.Val[s.Ptr[i]:s.Ptr[i+1]]...)
		out.Ptr[k+1] = len(out.Col)
	}
	return csrOf(out)
}

// empty returns a matrix without entries, with capacity for room of them.
func empty[T domain.Float](rows, cols, room int) *simd.CSR[T] {
	return &simd.CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int, rows+1), Col: make([]int32, 0, room),
		Val: make([]T, 0, room)}
}

// TakeColumns returns scale·x[:, from:to] as a new matrix. It panics if the columns are out of range.
func (x *CSR) TakeColumns(from, to int, scale float64) *CSR {
	if from < 0 || to < from || to > x.Cols() {
		panic(fmt.Sprintf("ops: CSR: columns %d to %d of %d", from, to, x.Cols()))
	}
	return typed(x.Dtype(), columnsOf[float32], columnsOf[float64])(x, from, to, scale)
}

func columnsOf[T domain.Float](x *CSR, from, to int, factor float64) *CSR {
	s, scale := sparseOf[T](x), T(factor)
	out := empty[T](s.Rows, to-from, 0)
	for i := range s.Rows {
		row := s.Col[s.Ptr[i]:s.Ptr[i+1]]
		lo, _ := slices.BinarySearch(row, int32(from))
		hi, _ := slices.BinarySearch(row, int32(to))
		for t := s.Ptr[i] + lo; t < s.Ptr[i]+hi; t++ {
			out.Col, out.Val = append(out.Col, s.Col[t]-int32(from)), append(out.Val, scale*s.Val[t])
		}
		out.Ptr[i+1] = len(out.Col)
	}
	return csrOf(out)
}

// Transposed returns the transpose of x [n, d] as a new matrix [d, n]. It panics if n is more than 2³¹ - 1.
func (x *CSR) Transposed() *CSR {
	if x.rows > maxColumns {
		panic(fmt.Sprintf("ops: CSR: the transpose of %d rows has more than %d columns", x.rows, maxColumns))
	}
	return typed(x.Dtype(), transposed[float32], transposed[float64])(x)
}

func transposed[T domain.Float](x *CSR) *CSR {
	t := sparseOf[T](x).Transposed()
	return csrOf(&t)
}

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
			if j := firstLeftOut(s.Col[lo:hi], s.Cols, []T{0}); j < bad {
				return d.Violation(who, i, j, 0)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	// A CSR implements what both of Gorgonia's machines need of a value. The LispMachine clones it to make room for a
	// gradient, which stays empty.
	_ G.Value      = (*CSR)(nil)
	_ G.Typer      = (*CSR)(nil)
	_ G.Cloner     = (*CSR)(nil)
	_ G.ZeroValuer = (*CSR)(nil)
	_ Matrix       = (*CSR)(nil)
	_ Matrix       = (*tensor.Dense)(nil)
)

// Shape returns (n, d).
func (x *CSR) Shape() tensor.Shape {
	return tensor.Shape{x.rows, x.cols}
}

// Dims returns 2.
func (x *CSR) Dims() int { return 2 }

// Size returns n·d, as for a dense matrix.
func (x *CSR) Size() int { return x.Shape().TotalSize() }

// Data returns the values of the entries, a []float32 or []float64.
func (x *CSR) Data() any { return x.values }

// Dtype returns tensor.Float32 or tensor.Float64.
func (x *CSR) Dtype() tensor.Dtype {
	if _, ok := x.values.([]float32); ok {
		return tensor.Float32
	}
	return tensor.Float64
}

// Type returns the type of a dense matrix.
func (x *CSR) Type() hm.Type { return G.TensorType{Dims: 2, Of: x.Dtype()} }

// Uintptr returns the address of the values.
func (x *CSR) Uintptr() uintptr {
	if v := x.Float32s(); v != nil {
		return uintptr(unsafe.Pointer(unsafe.SliceData(v)))
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(x.Float64s())))
}

// MemSize returns the size of the row pointers, the columns and the values in bytes.
func (x *CSR) MemSize() uintptr {
	return uintptr(len(x.Pointers()))*unsafe.Sizeof(int(0)) +
		uintptr(x.Stored())*(unsafe.Sizeof(int32(0))+x.Dtype().Size())
}

// Clone returns a deep copy. Gorgonia requires the type any.
func (x *CSR) Clone() any { return typed(x.Dtype(), cloned[float32], cloned[float64])(x) }

func cloned[T domain.Float](x *CSR) *CSR {
	col, val := sparseOf[T](x).Entries()
	return &CSR{x.rows, x.cols, fromZero(x.pointers), slices.Clone(col), slices.Clone(val)}
}

// fromZero returns the row pointers counted from the first entry; the pointers of a part of a matrix begin later.
func fromZero(pointers []int) []int {
	ptr := slices.Clone(pointers)
	for i := range ptr {
		ptr[i] -= pointers[0]
	}
	return ptr
}

// ZeroValue returns a matrix of the same shape without entries. It does not change x.
func (x *CSR) ZeroValue() G.Value {
	none := typed(x.Dtype(), any([]float32{}), any([]float64{}))
	return &CSR{rows: x.rows, cols: x.cols, pointers: make([]int, x.rows+1), values: none}
}

// String returns the shape, the type and the number of entries.
func (x *CSR) String() string {
	return fmt.Sprintf("CSR %v %v, %d stored", x.Dtype(), x.Shape(), x.Stored())
}

// Format writes String for every verb.
func (x *CSR) Format(s fmt.State, _ rune) { fmt.Fprint(s, x.String()) }
