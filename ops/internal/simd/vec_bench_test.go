package simd

import (
	"fmt"
	"testing"
)

// BenchmarkVector is the time an element of every function on 2048 elements, in the first-level cache, for every
// instruction set. With generic it is the time of package math.
func BenchmarkVector(b *testing.B) {
	chosen := active
	defer func() { active = chosen }()
	for active = generic; active <= best(); active++ {
		benchmarkVectors[float32](b, "float32")
		benchmarkVectors[float64](b, "float64")
	}
}

func benchmarkVectors[T Float](b *testing.B, dtype string) {
	const n = 2048
	x, positive := scaled(random[T](n, 1), 5), make([]T, n)
	for i, v := range x {
		positive[i] = v*v + .01
	}
	y, z := make([]T, n), make([]T, n)
	for _, f := range []struct {
		name string
		run  func()
	}{
		{"cos", func() { vecCos(y, x, .3) }},
		{"sin", func() { vecSin(y, x, .3) }},
		{"sincos", func() { vecSinCos(z, y, x, .3) }},
		{"exp", func() { vecExp(y, x, .3, -1) }},
		{"log", func() { vecLog(y, positive, []T{.5}) }},
		{"logrow", func() { vecLog(y, positive, positive) }},
	} {
		b.Run(fmt.Sprintf("%s/%s/%v", f.name, dtype, active), func(b *testing.B) {
			for b.Loop() {
				f.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
			b.ReportMetric(0, "ns/op")
		})
	}
}
