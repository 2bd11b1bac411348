package data

import (
	"slices"
	"testing"

	"gorgonia.org/tensor"
)

// TestRowsInto: the rows that Rows copies, into memory that is there, in both types; what does not fit is a panic.
func TestRowsInto(t *testing.T) {
	idx := []int{4, 0, 4}
	x := tensor.New(tensor.WithShape(5, 2), tensor.WithBacking([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
	dst := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{-1, -1, -1, -1, -1, -1}))
	RowsInto(dst, x, idx)
	if got := dst.Float64s(); !slices.Equal(got, Rows(x, idx).Float64s()) || !slices.Equal(got, []float64{8, 9, 0, 1, 8, 9}) {
		t.Errorf("rows %v of %v are %v", idx, x.Float64s(), got)
	}
	x32 := tensor.New(tensor.WithShape(5, 1), tensor.WithBacking([]float32{0, 1, 2, 3, 4}))
	dst32 := tensor.New(tensor.WithShape(3, 1), tensor.Of(tensor.Float32))
	RowsInto(dst32, x32, idx)
	if got := dst32.Float32s(); !slices.Equal(got, []float32{4, 0, 4}) {
		t.Errorf("rows %v of %v are %v", idx, x32.Float32s(), got)
	}
	for name, f := range map[string]func(){
		"row":   func() { RowsInto(dst, x, []int{0, 1, 5}) },
		"count": func() { RowsInto(dst, x, []int{0, 1}) },
		"width": func() { RowsInto(dst32, x32, []int{0}) },
		"type":  func() { RowsInto(dst32, x, idx) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s that does not fit: no panic", name)
				}
			}()
			f()
		}()
	}
}
