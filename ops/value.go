package ops

import (
	"fmt"
	"slices"
	"sync"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// contiguous returns v as a row-major tensor without gaps: v itself when it is one, a copy of a view, a transpose or a
// column-major tensor otherwise. Data() alone would return the memory behind a view in the wrong order.
func contiguous(v G.Value) (*tensor.Dense, error) {
	t, ok := v.(*tensor.Dense)
	if !ok {
		return nil, fmt.Errorf("want a dense tensor, got %T: %w", v, ErrDtype)
	}
	if t == nil {
		return nil, fmt.Errorf("the tensor is nil: %w", ErrShape)
	}
	if t.Dtype() != tensor.Float32 && t.Dtype() != tensor.Float64 {
		return nil, fmt.Errorf("want float32 or float64, got %v: %w", t.Dtype(), ErrDtype)
	}
	if IsContiguous(t) {
		return t, nil
	}
	out := tensor.New(tensor.WithShape(t.Shape().Clone()...), tensor.Of(t.Dtype()))
	switch t.Dtype() {
	case tensor.Float32:
		copyStrided(out.Float32s(), t.Float32s(), t)
	default:
		copyStrided(out.Float64s(), t.Float64s(), t)
	}
	return out, nil
}

// given refuses an argument that is nil.
func given(who, name string, v any) error {
	if domain.IsNil(v) {
		return fmt.Errorf("%s: %s is nil: %w", who, name, ErrShape)
	}
	return nil
}

// matrix returns sparse rows as they are and others contiguous.
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

// IsContiguous says whether the cells of t lie row by row without gaps, as Data should return them. The tensor library asks the other way
// round, and calls column-major tensors contiguous too. It is false for nil.
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

// copyStrided writes the cells of the vector or matrix t, whose memory is src, to dst in row-major order. A matrix of one row or column that
// is column-major has one stride.
func copyStrided[T domain.Float](dst, src []T, t *tensor.Dense) {
	shape, strides := t.Shape(), t.Strides()
	if len(strides) == 1 {
		for i := range dst {
			dst[i] = src[i*strides[0]]
		}
		return
	}
	rows, cols := shape[0], shape[1]
	for i := range rows {
		for j := range cols {
			dst[i*cols+j] = src[i*strides[0]+j*strides[1]]
		}
	}
}

// data is the memory of a contiguous tensor. Unlike Data it allocates nothing.
func data[T domain.Float](t *tensor.Dense) (v []T) {
	size := t.Shape().TotalSize()
	if size == 0 { // a tensor without cells has no memory
		return nil
	}
	switch p := any(&v).(type) {
	case *[]float32:
		*p = t.Float32s()[:size]
	case *[]float64:
		*p = t.Float64s()[:size]
	}
	return v
}

// float64s are the cells of a contiguous tensor, its own memory where that is float64.
func float64s(t *tensor.Dense) []float64 {
	if t.Dtype() == tensor.Float64 {
		return data[float64](t)
	}
	out := make([]float64, t.Shape().TotalSize())
	recast(out, data[float32](t))
	return out
}

// recast copies numbers to another element type, or the same.
func recast[T, F domain.Float](dst []T, src []F) {
	for i, v := range src {
		dst[i] = T(v)
	}
}

// Assign copies the cells of src, in any layout, to dst, a contiguous tensor of the same shape and element type. tensor.Copy
// would copy the memory of a column-major src in its own order.
func Assign(dst, src *tensor.Dense) error {
	src, err := contiguous(src)
	if err != nil {
		return fmt.Errorf("ops: Assign: %w", err)
	}
	if err := given("ops: Assign", "dst", dst); err != nil {
		return err
	}
	if !IsContiguous(dst) || !dst.Shape().Eq(src.Shape()) || dst.Dtype() != src.Dtype() {
		return fmt.Errorf("ops: %v %v cannot be assigned to %v %v: %w", src.Dtype(), src.Shape(), dst.Dtype(), dst.Shape(), ErrShape)
	}
	if src.Dtype() == tensor.Float32 {
		copy(data[float32](dst), data[float32](src))
	} else {
		copy(data[float64](dst), data[float64](src))
	}
	return nil
}

// output returns dst as the place for a result, allocated if nil. The shape is cloned where it escapes: a call with a dst allocates nothing.
func output(who string, dst *tensor.Dense, dt tensor.Dtype, shape ...int) (*tensor.Dense, error) {
	if dst == nil {
		shape := slices.Clone(shape)
		if err := domain.CheckSize(who, int(dt.Size()), shape...); err != nil {
			return nil, err
		}
		return unwritten(dt, shape...), nil
	}
	if !dst.Shape().Eq(tensor.Shape(shape)) || !IsContiguous(dst) {
		return nil, fmt.Errorf("%s: dst has shape %v, want a contiguous %v: %w", who, dst.Shape(), tensor.Shape(slices.Clone(shape)), ErrShape)
	}
	if dst.Dtype() != dt {
		return nil, fmt.Errorf("%s: dst is %v, x is %v: %w", who, dst.Dtype(), dt, ErrDtype)
	}
	return dst, nil
}

// Weights is a matrix W [d, m], packed for the Into functions. It is immutable and safe for concurrent use.
type Weights struct {
	f32    *simd.Weights[float32]
	f64    *simd.Weights[float64]
	first  any // the address of the first cell of the W that was packed
	summed sync.Once
	sums   any // of the columns, []float32 or []float64, once sparse rows with a base have asked for them
}

// Pack copies w [d, m], float32 or float64, into the form that the products read.
func Pack(w *tensor.Dense) (*Weights, error) {
	return weights(w, simd.Pack[float32], simd.Pack[float64])
}

// Borrow is Pack without the copy, for a single call during which w does not change: the product packs it part by part.
func Borrow(w *tensor.Dense) (*Weights, error) {
	return weights(w, simd.Borrow[float32], simd.Borrow[float64])
}

func weights(w *tensor.Dense, pack32 func([]float32, int, int) *simd.Weights[float32], pack64 func([]float64, int, int) *simd.Weights[float64]) (*Weights, error) {
	w, err := contiguous(w)
	if err != nil {
		return nil, err
	}
	if w.Dims() != 2 {
		return nil, fmt.Errorf("ops: W has shape %v, want [d, m]: %w", w.Shape(), ErrShape)
	}
	d, m := w.Shape()[0], w.Shape()[1]
	if w.Dtype() == tensor.Float32 {
		return &Weights{f32: pack32(data[float32](w), d, m), first: firstCell(w)}, nil
	}
	return &Weights{f64: pack64(data[float64](w), d, m), first: firstCell(w)}, nil
}

// firstCell is the address of the first cell, or nil where there is none.
func firstCell(t *tensor.Dense) any {
	switch {
	case t.Shape().TotalSize() == 0:
		return nil
	case t.Dtype() == tensor.Float32:
		return &data[float32](t)[0]
	default:
		return &data[float64](t)[0]
	}
}

// Dims returns d and m, 0 and 0 of nil weights.
func (w *Weights) Dims() (d, m int) {
	if w == nil {
		return 0, 0
	}
	if w.f32 != nil {
		return w.f32.Dims()
	}
	return w.f64.Dims()
}

// Dtype is the element type.
func (w *Weights) Dtype() tensor.Dtype {
	if w.f32 != nil {
		return tensor.Float32
	}
	return tensor.Float64
}

// projection is a W of any kind.
type projection interface {
	Dims() (d, m int)
	Dtype() tensor.Dtype
}

// input is the start of an Into: x [n, d], sparse or made contiguous, checked against W and the domain, and a place for the n rows of cols results.
func input(op string, a Attr, dst *tensor.Dense, x Matrix, w projection, cols int) (out *tensor.Dense, in Matrix, err error) {
	if out, in, err = projected(op, a, dst, x, w, cols); err != nil {
		return nil, nil, err
	}
	return out, in, CheckRows(a.Domain, a.who(op), in)
}

// circular is input for a map of cosines and sines: a cell that is not finite makes the whole projection of its row so, which they find
// and notFinite tells. Only another domain is looked at beforehand.
func circular(op string, a Attr, dst *tensor.Dense, x Matrix, w projection, cols int) (out *tensor.Dense, in Matrix, err error) {
	if a.Domain != domain.Reals() {
		return input(op, a, dst, x, w, cols)
	}
	return projected(op, a, dst, x, w, cols)
}

// notFinite is the error for a row whose projection is not finite: a cell of x that is not, or an overflow.
func notFinite(op string, a Attr, x Matrix, row int) error {
	if row < 0 {
		return nil
	}
	if err := CheckRows(a.Domain, a.who(op), x); err != nil {
		return err
	}
	return overflow(op, a, row, x.Dtype())
}

// projected is the part of input that looks at shapes and element types.
func projected(op string, a Attr, dst *tensor.Dense, x Matrix, w projection, cols int) (out *tensor.Dense, in Matrix, err error) {
	who := a.who(op)
	if in, err = matrix(x); err != nil {
		return nil, nil, fmt.Errorf("%s: x: %w", who, err)
	}
	if err := given(who, "W", w); err != nil {
		return nil, nil, err
	}
	d, _ := w.Dims()
	if in.Dims() != 2 || in.Shape()[1] != d {
		return nil, nil, fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, in.Shape(), d, ErrShape)
	}
	if in.Dtype() != w.Dtype() {
		return nil, nil, fmt.Errorf("%s: x is %v, W is %v: %w", who, in.Dtype(), w.Dtype(), ErrDtype)
	}
	out, err = output(who, dst, in.Dtype(), in.Shape()[0], cols)
	return out, in, err
}
