package ops

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// contiguous is Contiguous for any value.
func contiguous(v G.Value) (*tensor.Dense, error) {
	t, ok := v.(*tensor.Dense)
	if !ok {
		return nil, fmt.Errorf("want a dense tensor, got %T: %w", v, ErrDtype)
	}
	return Contiguous(t)
}

// Contiguous returns the numbers of t row by row without gaps, see IsContiguous: t itself if they lie so, and else a copy.
// Data() of a view, a transpose or a column-major tensor would return the memory behind it in the wrong order. Errors: t
// is nil (ErrShape), or of other numbers than float32 and float64 (ErrDtype).
func Contiguous(t *tensor.Dense) (*tensor.Dense, error) {
	if t == nil {
		return nil, fmt.Errorf("the tensor is nil: %w", ErrShape)
	}
	if t.Dtype() != tensor.Float32 && t.Dtype() != tensor.Float64 {
		return nil, fmt.Errorf("want float32 or float64, got %v: %w", t.Dtype(), ErrDtype)
	}
	if t.Shape().TotalSize() == 0 || IsContiguous(t) {
		return t, nil
	}
	out := tensor.New(tensor.WithShape(t.Shape().Clone()...), tensor.Of(t.Dtype()))
	typed(t.Dtype(), copyStrided[float32], copyStrided[float64])(out, t)
	return out, nil
}

// matrixOf is matrix of rows x [n, d].
func matrixOf(who string, x Matrix) (Matrix, error) {
	x, err := matrix(x)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: x: %w", who, err)
	case x.Dims() != 2:
		return nil, fmt.Errorf("%s: x has shape %v, want [n, d]: %w", who, x.Shape(), ErrShape)
	}
	return x, nil
}

// given returns an error for a nil argument.
func given(who, name string, v any) error {
	if domain.IsNil(v) {
		return fmt.Errorf("%s: %s is nil: %w", who, name, ErrShape)
	}
	return nil
}

// matrix returns sparse rows unchanged and dense rows contiguous.
func matrix(x Matrix) (Matrix, error) {
	if domain.IsNil(x) {
		return nil, fmt.Errorf("the rows are nil: %w", ErrShape)
	}
	switch v := x.(type) {
	case *CSR:
		return v, nil
	case *tensor.Dense:
		return contiguous(v)
	}
	return nil, fmt.Errorf("want a *tensor.Dense or a *CSR, got %T: %w", x, ErrDtype)
}

// IsContiguous reports whether the cells of t lie row by row without gaps, as Data should return them. The method of
// the tensor library is true for column-major tensors too. It is false for nil.
func IsContiguous(t *tensor.Dense) bool {
	if t == nil {
		return false
	}
	shape, strides := t.Shape(), t.Strides()
	if len(shape) != len(strides) {
		return len(shape) == 0 || len(shape) == 1 && len(strides) == 1
	}
	want := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 && strides[i] != want {
			return false
		}
		want *= shape[i]
	}
	return true
}

// copyStrided writes the cells of t to out in row-major order.
func copyStrided[T domain.Float](out, t *tensor.Dense) {
	writeStrided(memory[T](out), memory[T](t), t.Shape(), t.Strides())
}

// writeStrided writes cells to dst in row-major order. A column-major matrix of one row or column has one stride.
func writeStrided[T domain.Float](dst, src []T, shape, strides []int) {
	if len(strides) == 1 {
		for i := range dst {
			dst[i] = src[i*strides[0]]
		}
		return
	}
	size := len(dst) / shape[0]
	for i := range shape[0] {
		writeStrided(dst[i*size:(i+1)*size], src[i*strides[0]:], shape[1:], strides[1:])
	}
}

// data returns the cells of a contiguous tensor. Unlike Data it allocates nothing.
func data[T domain.Float](t *tensor.Dense) (v []T) {
	size := t.Shape().TotalSize()
	if size == 0 { // a tensor without cells has no memory
		return nil
	}
	return memory[T](t)[:size]
}

// memory returns all the memory of a tensor, in which a view has gaps.
func memory[T domain.Float](t *tensor.Dense) (v []T) {
	switch p := any(&v).(type) {
	case *[]float32:
		*p = t.Float32s()
	case *[]float64:
		*p = t.Float64s()
	}
	return v
}

// Float64s returns the cells of a tensor of float32 or float64, row by row, as float64. For a contiguous float64 tensor
// it returns the tensor's own memory. It panics if t is nil or of another type.
func Float64s(t *tensor.Dense) []float64 {
	t, err := contiguous(t)
	if err != nil {
		panic("ops: Float64s: " + err.Error())
	}
	if t.Dtype() == tensor.Float64 {
		return data[float64](t)
	}
	out := make([]float64, t.Shape().TotalSize())
	recast(out, data[float32](t))
	return out
}

// recast copies numbers to another element type, or to the same.
func recast[T, F domain.Float](dst []T, src []F) {
	for i, v := range src {
		dst[i] = T(v)
	}
}

// Assign copies the cells of src, in any layout, to dst, a contiguous tensor of the same shape and element type.
// Errors: ErrShape and ErrDtype. tensor.Copy would copy the memory of a column-major src in its own order.
func Assign(dst, src *tensor.Dense) error {
	src, err := contiguous(src)
	if err != nil {
		return fmt.Errorf("ops: Assign: %w", err)
	}
	if err := given("ops: Assign", "dst", dst); err != nil {
		return err
	}
	if dst.Dtype() != src.Dtype() {
		return fmt.Errorf("ops: Assign: %v cannot be assigned to %v; give both one type: %w", src.Dtype(), dst.Dtype(),
			ErrDtype)
	}
	if !IsContiguous(dst) || !dst.Shape().Eq(src.Shape()) {
		return fmt.Errorf("ops: %v %v cannot be assigned to %v %v: %w",
			src.Dtype(), src.Shape(), dst.Dtype(), dst.Shape(), ErrShape)
	}
	typed(src.Dtype(), copyCells[float32], copyCells[float64])(dst, src)
	return nil
}

func copyCells[T domain.Float](dst, src *tensor.Dense) { copy(data[T](dst), data[T](src)) }

// output returns dst as memory for a result, allocated if nil. A call with a dst allocates nothing.
func output(who string, dst *tensor.Dense, dt tensor.Dtype, shape ...int) (*tensor.Dense, error) {
	if dst == nil {
		shape := slices.Clone(shape)
		if err := domain.CheckSize(who, int(dt.Size()), shape...); err != nil {
			return nil, err
		}
		return unwritten(dt, shape...), nil
	}
	if !dst.Shape().Eq(tensor.Shape(shape)) || !IsContiguous(dst) {
		return nil, fmt.Errorf("%s: dst has shape %v, want a contiguous %v: %w",
			who, dst.Shape(), tensor.Shape(slices.Clone(shape)), ErrShape)
	}
	if dst.Dtype() != dt {
		return nil, fmt.Errorf("%s: dst is %v, x is %v: %w", who, dst.Dtype(), dt, ErrDtype)
	}
	return dst, nil
}

// unwritten returns a tensor with arbitrary cells, for results that are written whole. Go clears what it allocates; for
// outputs larger than the caches this takes up to half as long as the map that then writes them. A strings.Builder does
// not clear its memory, so large outputs use one, which nothing else holds.
func unwritten(dt tensor.Dtype, shape ...int) *tensor.Dense {
	cells := tensor.Shape(shape).TotalSize()
	size := cells * int(dt.Size())
	if size < largeOutput {
		return tensor.New(tensor.WithShape(shape...), tensor.Of(dt))
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0) // an empty string has no address
	first := unsafe.Pointer(unsafe.StringData(b.String()))
	if dt == tensor.Float32 {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(unsafe.Slice((*float32)(first), cells)))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(unsafe.Slice((*float64)(first), cells)))
}

// largeOutput is the size in bytes from which this matters.
const largeOutput = 1 << 16

// InBlocks computes dst [n, cols], allocated if nil, from x [n, d] or from n Bags, some rows at a time: f gets matching
// rows of dst and x, both over the memory of the whole matrices (or of a copy of an x that is not contiguous). Of sparse
// rows it gets dense copies. An error about a cell counts its row, or its bag, from the start of x. Errors: shapes or a
// nil f (ErrShape), another element type (ErrDtype), rows below 1 (ErrParam), the errors of f.
func InBlocks(who string, dst *tensor.Dense, x Matrix, rows, cols int,
	f func(dst *tensor.Dense, x Matrix) error) (*tensor.Dense, error) {
	var err error
	if b, ok := x.(*Bags); !ok || b == nil {
		x, err = matrixOf(who, x)
	}
	switch {
	case err != nil:
		return nil, err
	case rows < 1:
		return nil, fmt.Errorf("%s: %d rows at a time, want at least 1: %w", who, rows, ErrParam)
	case f == nil:
		return nil, fmt.Errorf("%s: the function of a block is nil: %w", who, ErrShape)
	}
	n := x.Shape()[0]
	if dst, err = output(who, dst, x.Dtype(), n, cols); err != nil {
		return nil, err
	}
	for lo := 0; lo < n; lo += rows {
		rows = min(rows, n-lo)
		var block Matrix
		switch v := x.(type) {
		case *tensor.Dense:
			block = Rows(v, lo, lo+rows)
		case *Bags:
			block = v.Slice(lo, lo+rows)
		case *CSR:
			if block, err = v.Slice(lo, lo+rows).Dense(nil); err != nil {
				return nil, err
			}
		}
		if err := f(Rows(dst, lo, lo+rows), block); err != nil {
			return nil, domain.InBlock(lo, err)
		}
	}
	return dst, nil
}

// Rows returns the rows lo to hi (exclusive) of a contiguous matrix, or these entries of a vector, over the same
// memory. It panics if they are out of range, or x is nil, not contiguous, or neither float32 nor float64.
func Rows(x *tensor.Dense, lo, hi int) *tensor.Dense {
	if !IsContiguous(x) || x.Dims() < 1 || x.Dtype() != tensor.Float32 && x.Dtype() != tensor.Float64 {
		panic("ops: Rows: want rows of a contiguous matrix of float32 or float64")
	}
	checkPart("Rows", lo, hi, x.Shape()[0])
	shape := x.Shape().Clone()
	shape[0] = hi - lo
	cols := tensor.Shape(shape[1:]).TotalSize()
	if len(shape) == 1 {
		cols = 1
	}
	return cellsFrom(x, lo*cols, shape)
}
