package dense_test

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/ops/dense"
)

// One reduction serves every shift of a matrix.
func ExampleReduce() {
	q := dense.Reduce(context.Background(), []float64{2, 1, 1, 2}, 2)
	for _, shift := range []float64{0, 1} {
		f, ok := q.Shift(shift)
		x := []float64{1, 0}
		q.Rotate(context.Background(), x, 1, false)
		f.Solve(x)
		q.Rotate(context.Background(), x, 1, true)
		fmt.Printf("%v %.3f\n", ok, x)
	}
	// Output:
	// true [0.667 -0.333]
	// true [0.375 -0.125]
}
