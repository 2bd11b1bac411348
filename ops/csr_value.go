package ops

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A CSR is what both of Gorgonia's machines ask of a value: it knows its shape and type, and the LispMachine clones it to make room for a
// gradient, which stays empty.
var (
	_ G.Value      = (*CSR)(nil)
	_ G.Typer      = (*CSR)(nil)
	_ G.Cloner     = (*CSR)(nil)
	_ G.ZeroValuer = (*CSR)(nil)
	_ Matrix       = (*CSR)(nil)
	_ Matrix       = (*tensor.Dense)(nil)
)

// Shape is [n, d].
func (x *CSR) Shape() tensor.Shape {
	if x.f32 != nil {
		return tensor.Shape{x.f32.Rows, x.f32.Cols}
	}
	return tensor.Shape{x.f64.Rows, x.f64.Cols}
}

// Dims is 2.
func (x *CSR) Dims() int { return 2 }

// Size is n·d, as of the dense matrix.
func (x *CSR) Size() int { return x.Shape().TotalSize() }

// Data are the values of the entries, a []float32 or []float64.
func (x *CSR) Data() any {
	if x.f32 != nil {
		return x.f32.Val
	}
	return x.f64.Val
}

// Dtype is tensor.Float32 or tensor.Float64.
func (x *CSR) Dtype() tensor.Dtype {
	if x.f32 != nil {
		return tensor.Float32
	}
	return tensor.Float64
}

// Type is that of a dense matrix of the element type.
func (x *CSR) Type() hm.Type { return G.TensorType{Dims: 2, Of: x.Dtype()} }

// Uintptr is where the values lie.
func (x *CSR) Uintptr() uintptr {
	if x.f32 != nil {
		return uintptr(unsafe.Pointer(unsafe.SliceData(x.f32.Val)))
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(x.f64.Val)))
}

// MemSize is the size in bytes of the row pointers, the columns and the values.
func (x *CSR) MemSize() uintptr {
	return uintptr(len(x.Pointers()))*unsafe.Sizeof(int(0)) + uintptr(x.Stored())*(unsafe.Sizeof(int32(0))+x.Dtype().Size())
}

// Clone is a copy, as an any, which is how Gorgonia asks for it.
func (x *CSR) Clone() any {
	if x.f32 != nil {
		return wrap(x.f32.clone())
	}
	return wrap(x.f64.clone())
}

func (s *sparse[T]) clone() *sparse[T] {
	first, end := s.Ptr[0], s.Ptr[s.Rows]
	c := *s
	c.Ptr = s.fromZero()
	c.Col, c.Val, c.base = slices.Clone(s.Col[first:end]), slices.Clone(s.Val[first:end]), slices.Clone(s.base)
	return &c
}

// fromZero are the row pointers, counted from the first entry, which a part of a matrix does not do.
func (s *sparse[T]) fromZero() []int {
	ptr := slices.Clone(s.Ptr)
	for i := range ptr {
		ptr[i] -= s.Ptr[0]
	}
	return ptr
}

// ZeroValue is a matrix of the same shape without entries; x stays as it is.
func (x *CSR) ZeroValue() G.Value {
	if x.f32 != nil {
		return wrap(x.f32.empty(x.f32.Rows, x.f32.Cols, 0))
	}
	return wrap(x.f64.empty(x.f64.Rows, x.f64.Cols, 0))
}

// String tells the shape, the type and the number of entries.
func (x *CSR) String() string {
	return fmt.Sprintf("CSR %v %v, %d stored", x.Dtype(), x.Shape(), x.Stored())
}

// Format writes String for every verb.
func (x *CSR) Format(s fmt.State, _ rune) { fmt.Fprint(s, x.String()) }
