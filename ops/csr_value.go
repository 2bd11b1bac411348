package ops

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
