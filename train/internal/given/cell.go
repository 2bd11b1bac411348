package given

import (
	"gorgonia.org/tensor"
)

// Numbers has the numbers of a tensor or of sparse rows.
type Numbers interface {
	Dtype() tensor.Dtype
	Float32s() []float32
	Float64s() []float64
}

// Cell is entry i of a contiguous tensor, as float64.
func Cell(t *tensor.Dense, i int) float64 {
	var v [1]float64
	Cells(v[:], t, i)
	return v[0]
}

// SetCell sets entry i of a contiguous tensor, rounding to its element type.
func SetCell(t *tensor.Dense, i int, v float64) { SetCells(t, i, []float64{v}) }

// Cells copies entries of a contiguous tensor, from entry i on, to dst as float64.
func Cells(dst []float64, t *tensor.Dense, i int) {
	if t.Dtype() == tensor.Float32 {
		for j, v := range t.Float32s()[i:][:len(dst)] {
			dst[j] = float64(v)
		}
		return
	}
	copy(dst, t.Float64s()[i:][:len(dst)])
}

// SetCells sets entries of a contiguous tensor, from entry i on, rounding to its element type.
func SetCells(t *tensor.Dense, i int, v []float64) {
	if t.Dtype() == tensor.Float32 {
		to := t.Float32s()[i:][:len(v)]
		for j, v := range v {
			to[j] = float32(v)
		}
		return
	}
	copy(t.Float64s()[i:][:len(v)], v)
}
