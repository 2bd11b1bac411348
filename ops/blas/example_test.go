package blas_test

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/blas"
)

// A million squares of float32 numbers, summed by float64 and by float32.
func ExampleDsyrkFloat32() {
	const rows = 1 << 20
	a := make([]float32, rows)
	var plain float32
	for i := range a {
		a[i] = .1
		plain += a[i] * a[i]
	}
	c := make([]float64, 1)
	blas.DsyrkFloat32(1, rows, a, 1, c, 1)
	fmt.Printf("%.1f and %.1f of %.1f\n", c[0], plain, rows*.01)
	// Output: 10485.8 and 10339.6 of 10485.8
}
