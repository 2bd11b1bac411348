package train

import "gorgonia.org/tensor"

// cell is entry i of a contiguous tensor, as float64.
func cell(t *tensor.Dense, i int) float64 {
	if t.Dtype() == tensor.Float32 {
		return float64(t.Float32s()[i])
	}
	return t.Float64s()[i]
}

// setCell sets entry i of a contiguous tensor, rounding to its element type.
func setCell(t *tensor.Dense, i int, v float64) {
	if t.Dtype() == tensor.Float32 {
		t.Float32s()[i] = float32(v)
	} else {
		t.Float64s()[i] = v
	}
}
