package ops_test

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
)

// One feature of degree 2 and one of degree 0, of rows of two columns.
func ExamplePackProducts() {
	// the factors (1, 1) and (1, -1) of the first; the second has none
	w := tensorOf([]float64{1, 0, 1, 0, 1, 0, -1, 0}, 2, 4)
	f, err := ops.PackProducts(w, tensorOf([]float64{2, 0}, 2), tensorOf([]float64{1, 3}, 2), ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.MaclaurinInto(nil, tensorOf([]float64{3, 2}, 1, 2), f, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("(3+2)(3-2)/√2, 3/√2: %.3f\n", z.Float64s())
	// Output: (3+2)(3-2)/√2, 3/√2: [3.536 2.121]
}

// Two sketches of one column and the constant, of (x·x' + 1)², in four buckets.
func ExamplePackSketches() {
	buckets, signs := tensorOf([]float64{0, 1, 1, 3}, 2, 2), tensorOf([]float64{1, 1, -1, 1}, 2, 2)
	f, err := ops.PackSketches(buckets, signs, ops.Sketch{Columns: 4, Slope: 1, Offset: 1}, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.TensorSketchInto(nil, tensorOf([]float64{5}, 1, 1), f, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("1·1, -x·x, -1·x, x·1: %.0f\n", z.Float64s())
	// Output: 1·1, -x·x, -1·x, x·1: [1 -25 -5 5]
}
