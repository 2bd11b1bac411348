package ops

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A CSR is what both of Gorgonia's machines ask of a value: it knows its shape and type, and the LispMachine clones it
// to make room for a gradient, which stays empty.
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
	rows, cols := x.of.size()
	return tensor.Shape{rows, cols}
}

// Dims is 2.
func (x *CSR) Dims() int { return 2 }

// Size is n·d, as of the dense matrix.
func (x *CSR) Size() int { return x.Shape().TotalSize() }

// Data are the values of the entries, a []float32 or []float64.
func (x *CSR) Data() any { return x.of.values() }

// Dtype is tensor.Float32 or tensor.Float64.
func (x *CSR) Dtype() tensor.Dtype {
	if _, ok := x.of.(*sparse[float32]); ok {
		return tensor.Float32
	}
	return tensor.Float64
}

// Type is the type of a dense matrix.
func (x *CSR) Type() hm.Type { return G.TensorType{Dims: 2, Of: x.Dtype()} }

// Uintptr is where the values lie.
func (x *CSR) Uintptr() uintptr {
	if v := x.Float32s(); v != nil {
		return uintptr(unsafe.Pointer(unsafe.SliceData(v)))
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(x.Float64s())))
}

// MemSize is the size in bytes of the row pointers, the columns and the values.
func (x *CSR) MemSize() uintptr {
	return uintptr(len(x.Pointers()))*unsafe.Sizeof(int(0)) +
		uintptr(x.Stored())*(unsafe.Sizeof(int32(0))+x.Dtype().Size())
}

// Clone is a copy, as an any, which is how Gorgonia asks for it.
func (x *CSR) Clone() any { return &CSR{x.of.clone()} }

func (s *sparse[T]) clone() entries {
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
func (x *CSR) ZeroValue() G.Value { return &CSR{x.of.cleared()} }

func (s *sparse[T]) cleared() entries { return s.empty(s.Rows, s.Cols, 0) }

// String tells the shape, the type and the number of entries.
func (x *CSR) String() string {
	return fmt.Sprintf("CSR %v %v, %d stored", x.Dtype(), x.Shape(), x.Stored())
}

// Format writes String for every verb.
func (x *CSR) Format(s fmt.State, _ rune) { fmt.Fprint(s, x.String()) }
