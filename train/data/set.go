package data

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Set holds the content of a file, or a block of a Stream: n rows of d features, or n sets of samples of d coordinates,
// and the label of each unless Label is LabelNone.
type Set struct {
	X      ops.Matrix // [n, d], float64 as Read makes it: a *tensor.Dense, an *ops.CSR (see Options.Form) or an *ops.Bags
	Y      []float64  // targets [n, k] row by row, in regression; else nil
	Labels []string   // class of each row, in classification; else nil
	Names  []string   // names of the d feature columns, if a table has them; else nil
	// LabelNames are the names of the label column or of the k target columns. Without names they are the numbers of k
	// > 1 target columns, from 1; else nil.
	LabelNames []string
	IDs        []string // name of each row, or of each bag in the order of their first rows; else nil
	Source     string   // the file
	Columns    *Columns // turned a table into X; nil if its columns are numbers
	origin
}

// Rows returns n, and 0 without X.
func (s *Set) Rows() int { return s.side(0) }

// Dims returns d, and 0 without X.
func (s *Set) Dims() int { return s.side(1) }

// Targets returns k, and 0 without targets.
func (s *Set) Targets() int {
	if s == nil {
		return 0
	}
	return targetsOf(s.Y, s.LabelNames)
}

// targetsOf is the number of targets of a row.
func targetsOf(y []float64, names []string) int {
	if y == nil {
		return 0
	}
	return max(1, len(names))
}

// side is a side of X.
func (s *Set) side(axis int) int {
	if s.check() != nil {
		return 0
	}
	return s.X.Shape()[axis]
}

// check returns an error without X.
func (s *Set) check() error {
	if s == nil {
		return fmt.Errorf("data: the set is nil; make one, as by Read: %w", domain.ErrShape)
	}
	if domain.IsNil(s.X) || s.X.Dims() != 2 {
		return fmt.Errorf("data: %s: X is nil or no matrix; fill it, as by Read: %w", s.Source, domain.ErrShape)
	}
	return nil
}

// Dense returns X, made dense if it is sparse: n·d numbers. Errors: domain.ErrDtype for ops.Bags; domain.ErrShape
// without X.
func (s *Set) Dense() (*tensor.Dense, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch x := s.X.(type) {
	case *ops.CSR:
		return x.Dense(nil)
	case *ops.Bags:
		return nil, fmt.Errorf("data: %s: the rows are %v, sets of samples and no matrix: %w", s.Source, x, domain.ErrDtype)
	}
	return s.X.(*tensor.Dense), nil
}

// As returns the rows, dense, sparse or ops.Bags as they are, in float64 or float32: X itself if it has that type, else a
// copy. Errors: domain.ErrDomain for a cell that is too large for float32, or not 0 but 0 in float32; domain.ErrDtype for
// another type; domain.ErrShape without X.
func (s *Set) As(dt tensor.Dtype) (ops.Matrix, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if x, ok := s.X.(*ops.CSR); ok {
		x, err := x.As(dt, "data: "+s.Source)
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	if b, ok := s.X.(*ops.Bags); ok {
		return ofSamples(b, func(x ops.Matrix) (ops.Matrix, error) { return (&Set{X: x, Source: s.Source}).As(dt) })
	}
	rows, err := RowMajor("data: "+s.Source, "X", s.X)
	if err != nil {
		return nil, err
	}
	x := rows.(*tensor.Dense)
	switch dt {
	case x.Dtype():
		return x, nil
	case tensor.Float64:
		return tensor.New(tensor.WithShape(x.Shape()...), tensor.WithBacking(ops.Float64s(x))), nil
	case tensor.Float32:
	default:
		return nil, fmt.Errorf("data: %s: rows are float64 or float32, not %v: %w", s.Source, dt, domain.ErrDtype)
	}
	n, d := x.Shape()[0], x.Shape()[1]
	out := make([]float32, n*d)
	for i, v := range x.Float64s() {
		f := float32(v)
		if math.IsInf(float64(f), 0) || (f == 0 && v != 0) {
			reason := "is too large for float32"
			if f == 0 {
				reason = "becomes 0 in float32"
			}
			return nil, &domain.CellError{Who: "data: " + s.Source, Row: i / d, Col: i % d, Value: v,
				Reason: reason, Remedy: "use float64 or scale the data first"}
		}
		out[i] = f
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(out)), nil
}

// Take returns a copy of the rows idx, in that order, as a set. It panics without X, and when an index is out of range
// of X, Y, Labels or IDs, as far as the set has them.
func (s *Set) Take(idx []int) *Set {
	if err := s.check(); err != nil {
		panic(err.Error())
	}
	out := &Set{X: Rows(s.X, idx), Names: s.Names, LabelNames: s.LabelNames, Source: s.Source, Columns: s.Columns, origin: s.take(idx)}
	out.Y, out.Labels, out.IDs = pick(s.Y, idx, s.Targets()), pick(s.Labels, idx, 1), pick(s.IDs, idx, 1)
	return out
}

// matrix is a 2-d contiguous row-major tensor, or sparse rows, as slices: the values are f32 if single, else f64.
type matrix struct {
	rows, cols int
	single     bool
	f64        []float64
	f32        []float32
	ptr        []int   // of sparse rows: where each row begins among the values, and the end
	at         []int32 // of sparse rows: the column of each value
}

// rowsOf returns dense or sparse rows as a matrix. Errors: as for matrixOf.
func rowsOf(who string, x ops.Matrix) (matrix, error) {
	s, ok := x.(*ops.CSR)
	if !ok || s == nil {
		t, _ := x.(*tensor.Dense)
		return matrixOf(who, t)
	}
	f64, f32 := s.Float64s(), s.Float32s()
	return matrix{rows: s.Rows(), cols: s.Cols(), single: f64 == nil, f64: f64, f32: f32, ptr: s.Pointers(), at: s.Columns()}, nil
}

// matrixOf returns x as a matrix. Errors begin with who and wrap domain.ErrShape or domain.ErrDtype.
func matrixOf(who string, x *tensor.Dense) (matrix, error) {
	if x == nil || x.Dims() != 2 {
		shape := "nil"
		if x != nil {
			shape = fmt.Sprint(x.Shape())
		}
		return matrix{}, fmt.Errorf("%s: x is %s, want a matrix [n, d]: %w", who, shape, domain.ErrShape)
	}
	m := matrix{rows: x.Shape()[0], cols: x.Shape()[1]}
	size := 0
	switch x.Dtype() {
	case tensor.Float64:
		m.f64 = x.Float64s()
		size = len(m.f64)
	case tensor.Float32:
		m.single, m.f32 = true, x.Float32s()
		size = len(m.f32)
	default:
		return matrix{}, fmt.Errorf("%s: x has the element type %v, want float64 or float32: %w", who, x.Dtype(), domain.ErrDtype)
	}
	if size == 0 && m.rows*m.cols == 0 { // the strides of nothing mean nothing
		return m, nil
	}
	if x.RequiresIterator() || x.DataOrder().IsColMajor() || size != m.rows*m.cols {
		return matrix{}, fmt.Errorf("%s: x is a view or a transpose, want contiguous rows; copy it with Materialize first: %w", who, domain.ErrShape)
	}
	return m, nil
}

// bounds says where the values of row i are, and returns their columns; nil: all.
func (m matrix) bounds(i int) (lo, hi int, cols []int32) {
	if m.ptr == nil {
		return i * m.cols, (i + 1) * m.cols, nil
	}
	lo, hi = m.ptr[i], m.ptr[i+1]
	return lo, hi, m.at[lo:hi]
}

// load copies the values of row i into the memory of buf, and returns them with their columns.
func (m matrix) load(i int, buf []float64) (cols []int32, values []float64) {
	lo, hi, cols := m.bounds(i)
	if !m.single {
		return cols, append(buf[:0], m.f64[lo:hi]...)
	}
	values = slices.Grow(buf[:0], hi-lo)[:hi-lo]
	for t, v := range m.f32[lo:hi] {
		values[t] = float64(v)
	}
	return cols, values
}

// store rounds values into row i. It returns the index of the first that is too large for the element type, or -1.
func (m matrix) store(i int, values []float64) int {
	lo, hi, _ := m.bounds(i)
	if !m.single {
		copy(m.f64[lo:hi], values)
		return -1
	}
	for t, v := range values {
		if f := float32(v); f-f != 0 {
			return t
		}
	}
	row := m.f32[lo:hi]
	for t, v := range values {
		row[t] = float32(v)
	}
	return -1
}

// notFiniteAt is the first index whose value is NaN or an infinity, or -1.
func notFiniteAt(row []float64) int {
	carry := uint64(0) // an exponent of ones alone carries into the sign
	for _, v := range row {
		carry |= math.Float64bits(v)&^(1<<63) + 1<<52
	}
	if carry>>63 == 0 {
		return -1
	}
	return slices.IndexFunc(row, func(v float64) bool { return v-v != 0 })
}
