package ops

import (
	"strings"
	"unsafe"

	"gorgonia.org/tensor"
)

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
