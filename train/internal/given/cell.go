package given

import (
	"gorgonia.org/tensor"
)

// Cell is entry i of a contiguous tensor, as float64.
func Cell(t *tensor.Dense, i int) float64 {
	if t.Dtype() == tensor.Float32 {
		return float64(t.Float32s()[i])
	}
	return t.Float64s()[i]
}

// SetCell sets entry i of a contiguous tensor, rounding to its element type.
func SetCell(t *tensor.Dense, i int, v float64) {
	if t.Dtype() == tensor.Float32 {
		t.Float32s()[i] = float32(v)
	} else {
		t.Float64s()[i] = v
	}
}
