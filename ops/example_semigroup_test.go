package ops_test

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// Sparse rows in the unit of a kernel, as sparse rows: one scale a column.
func ExampleScaleColumnsCSR() {
	x, err := ops.NewCSR(2, 3, []int{0, 1, 3}, []int32{2, 0, 1}, []float64{4, 1, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	scaled, err := ops.ScaleColumnsCSR(x, tensor.New(tensor.WithShape(3), tensor.WithBacking([]float64{10, 1, .5})),
		ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scaled.Columns(), scaled.Float64s())
	// Output: [2 0 1] [2 10 2]
}

// Two numbers of each entry, and nothing of a zero.
func ExampleLogWavesCSR() {
	x, err := ops.NewCSR(1, 3, []int{0, 1}, []int32{1}, []float64{.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.LogWavesCSR(x, ops.Waves{Omega: []float64{1}, Amplitude: []float64{2}}, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("columns %d of %d: 2(cos ln 2 - 1) = %.4f, 2 sin ln 2 = %.4f\n",
		z.Columns(), z.Cols(), z.Float64s()[0], z.Float64s()[1])
	// Output: columns [2 3] of 6: 2(cos ln 2 - 1) = -0.4615, 2 sin ln 2 = 1.2779
}
