package simd

import (
	"fmt"
	"testing"
)

// BenchmarkHomogeneous is the time a coordinate, dense and with seven zeros in eight.
func BenchmarkHomogeneous(b *testing.B) {
	for _, order := range []int{0, 1, 3} {
		for _, sparse := range []bool{false, true} {
			b.Run(fmt.Sprintf("order=%d/sparse=%v", order, sparse), func(b *testing.B) {
				b.Run("float32", func(b *testing.B) {
					eachISA(b, func(b *testing.B) {
						homogeneousBench[float32](b, order, sparse)
					})
				})
				b.Run("float64", func(b *testing.B) {
					eachISA(b, func(b *testing.B) {
						homogeneousBench[float64](b, order, sparse)
					})
				})
			})
		}
	}
}

func homogeneousBench[T Float](b *testing.B, order int, sparse bool) {
	const n, d = 1000, 64
	h := &Homogeneous[T]{Base: []T{.66}, Root: make([]T, order+1), Gamma: 1}
	for j := range order {
		h.F = append(h.F, j+1)
	}
	for j := range h.Root {
		h.Root[j] = T(1 / float64(j+1))
	}
	x, dst := random[T](n*d, 1), make([]T, n*d*h.Width())
	for i, v := range random[T](n*d, 2) {
		if x[i] *= x[i]; sparse && v < 1.15 {
			x[i] = 0
		}
	}
	for b.Loop() {
		if h.Forward(dst, x, n, d) {
			b.Fatal("bad")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*d), "ns/coordinate")
	b.ReportMetric(0, "ns/op")
}
