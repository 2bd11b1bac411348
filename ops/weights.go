package ops

import (
	"fmt"
	"sync"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// Weights is a matrix W [d, m], packed for the Into functions. It is immutable and safe for concurrent use.
type Weights struct {
	of     sized // a *simd.Weights[float32] or a *simd.Weights[float64]
	first  any   // the address of the first cell of the W that was packed
	summed sync.Once
	sums   any // the column sums, []float32 or []float64, computed for sparse rows with a base
}

// sized is a matrix in the form of package simd.
type sized interface{ Dims() (d, m int) }

// Pack copies w [d, m], float32 or float64, into the form that the products read. Errors: another shape or nil
// (ErrShape), another element type (ErrDtype).
func Pack(w *tensor.Dense) (*Weights, error) {
	return weights(w, simd.Pack[float32], simd.Pack[float64])
}

// Borrow is Pack without the copy, for a single call during which w does not change. The product packs it part by part.
func Borrow(w *tensor.Dense) (*Weights, error) {
	return weights(w, simd.Borrow[float32], simd.Borrow[float64])
}

func weights(w *tensor.Dense, pack32 func([]float32, int, int) *simd.Weights[float32],
	pack64 func([]float64, int, int) *simd.Weights[float64]) (*Weights, error) {
	w, err := matrixOf("ops", "W", "[d, m]", w)
	if err != nil {
		return nil, err
	}
	d, m := w.Shape()[0], w.Shape()[1]
	if w.Dtype() == tensor.Float32 {
		return &Weights{of: pack32(data[float32](w), d, m), first: firstCell(w)}, nil
	}
	return &Weights{of: pack64(data[float64](w), d, m), first: firstCell(w)}, nil
}

// packed returns w in its element type, which must be T.
func packed[T domain.Float](w *Weights) *simd.Weights[T] { return w.of.(*simd.Weights[T]) }

// firstCell returns the address of the first cell, or nil if there is none.
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

// Dims returns d and m, and 0 and 0 for nil.
func (w *Weights) Dims() (d, m int) {
	if w == nil {
		return 0, 0
	}
	return w.of.Dims()
}

// Dtype returns the element type.
func (w *Weights) Dtype() tensor.Dtype {
	if _, ok := w.of.(*simd.Weights[float32]); ok {
		return tensor.Float32
	}
	return tensor.Float64
}

// projection is a W of any kind.
type projection interface {
	Dims() (d, m int)
	Dtype() tensor.Dtype
}

// input checks the arguments of an Into function: x [n, d], sparse or made contiguous, against W and the domain. It
// also returns dst for n rows of cols results, allocated if nil.
func input(op string, a Attr, dst *tensor.Dense, x Matrix, w projection, cols int) (out *tensor.Dense, in Matrix,
	err error) {
	if out, in, err = projected(op, a, dst, x, w, cols); err != nil {
		return nil, nil, err
	}
	return out, in, CheckRows(a.Domain, a.who(op), in)
}

// circular is input for a map of cosines and sines. It does not look for cells that are not finite: the map finds a
// projection that is not finite, and notFinite names the cell.
func circular(op string, a Attr, dst *tensor.Dense, x Matrix, w projection, cols int) (out *tensor.Dense, in Matrix,
	err error) {
	if a.Domain != domain.Reals() {
		return input(op, a, dst, x, w, cols)
	}
	return projected(op, a, dst, x, w, cols)
}

// notFinite returns the error for a row whose projection is not finite: a cell of x that is not finite, or an overflow.
func notFinite(op string, a Attr, x Matrix, row int) error {
	if row < 0 {
		return nil
	}
	if err := CheckRows(a.Domain, a.who(op), x); err != nil {
		return err
	}
	return overflow(op, a, row, x.Dtype())
}

// projected is the part of input that checks shapes and element types.
func projected(op string, a Attr, dst *tensor.Dense, x Matrix, w projection, cols int) (out *tensor.Dense, in Matrix,
	err error) {
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
