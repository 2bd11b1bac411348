package data

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Set holds the content of a file: n rows of d features, or n sets of samples of d coordinates, and the label of each
// unless Label is LabelNone.
type Set struct {
	X      ops.Matrix // [n, d] float64: a row-major *tensor.Dense, an *ops.CSR (see Options.Form) or an *ops.Bags
	Y      []float64  // targets [n, k] row by row, in regression; else nil
	Labels []string   // class of each row, in classification; else nil
	Names  []string   // names of the d feature columns, if a table has them; else nil
	// LabelNames are the names of the label column or of the k target columns. Without names they are the numbers of k
	// > 1 target columns, from 1; else nil.
	LabelNames []string
	IDs        []string // name of each row, or of each bag in the order of their first rows; else nil
	Source     string   // the file
	Columns    *Columns // turned a table into X; nil if its columns are numbers
	taken      []int    // the number of each row in the file, after Take; nil: all rows
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

// As returns the rows, dense, sparse or ops.Bags as they are, in float64 (X itself) or float32 (a copy). Errors:
// domain.ErrDomain for a cell that is too large for float32, or not 0 but 0 in float32; domain.ErrDtype for another
// type; domain.ErrShape without X.
func (s *Set) As(dt tensor.Dtype) (ops.Matrix, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if x, ok := s.X.(*ops.CSR); ok {
		return x.As(dt, "data: "+s.Source)
	}
	if b, ok := s.X.(*ops.Bags); ok {
		x, err := (&Set{X: b.Samples(), Source: s.Source}).As(dt)
		if err != nil {
			return nil, b.InBag(err)
		}
		return b.With(x.(*tensor.Dense))
	}
	x := s.X.(*tensor.Dense)
	switch dt {
	case tensor.Float64:
		return x, nil
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
	out := &Set{X: RowsOf(s.X, idx), Names: s.Names, LabelNames: s.LabelNames, Source: s.Source, Columns: s.Columns}
	if s.Y != nil {
		mustIndex("data: Set.Take", len(s.Y)/s.Targets(), idx)
		out.Y = pickRows(s.Y, idx, s.Targets())
	}
	if s.Labels != nil {
		out.Labels = pick(s.Labels, idx)
	}
	if s.IDs != nil {
		out.IDs = pick(s.IDs, idx)
	}
	out.taken = taken(s.taken, idx)
	return out
}

func pick[T any](from []T, idx []int) []T {
	mustIndex("data: Set.Take", len(from), idx)
	to := make([]T, len(idx))
	for i, k := range idx {
		to[i] = from[k]
	}
	return to
}

// matrix is a 2-d contiguous row-major tensor as a slice: f32 if its elements are single, else f64.
type matrix struct {
	rows, cols int
	single     bool
	f64        []float64
	f32        []float32
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

// load copies row i into dst, of length cols.
func (m matrix) load(i int, dst []float64) {
	if !m.single {
		copy(dst, m.f64[i*m.cols:])
		return
	}
	for j, v := range m.f32[i*m.cols : (i+1)*m.cols] {
		dst[j] = float64(v)
	}
}

// store rounds src into row i.
func (m matrix) store(i int, src []float64) {
	if !m.single {
		copy(m.f64[i*m.cols:], src)
		return
	}
	row := m.f32[i*m.cols : (i+1)*m.cols]
	for j, v := range src {
		row[j] = float32(v)
	}
}

// fits is the first column of src that is too large for the element type, or -1.
func (m matrix) fits(src []float64) int {
	if !m.single {
		return -1
	}
	for j, v := range src {
		if math.IsInf(float64(float32(v)), 0) {
			return j
		}
	}
	return -1
}
