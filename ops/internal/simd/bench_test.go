package simd

import (
	"fmt"
	"runtime"
	"testing"
)

// eachISA runs f under every instruction set of this machine.
func eachISA[B interface {
	Run(string, func(B)) bool
	Cleanup(func())
}](b B, f func(B)) {
	for i := generic; i <= best(); i++ {
		b.Run(i.String(), func(b B) {
			use(b, i)
			f(b)
		})
	}
}

// use makes an instruction set the active one for a test.
func use(t interface{ Cleanup(func()) }, i isa) {
	before := active
	active = i
	t.Cleanup(func() { active = before })
}

// BenchmarkGemm is C = A·B of (m, k, n), in GFLOP/s and in share of what FMAs on registers reach in the same minute on
// as many cores.
func BenchmarkGemm(b *testing.B) {
	for _, s := range [][3]int{{10000, 64, 4096}, {2000, 784, 4096}, {256, 64, 4096}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			b.Run("float32", func(b *testing.B) {
				eachISA(b, func(b *testing.B) {
					gemmBench[float32](b, s[0], s[1], s[2], 1)
				})
			})
			b.Run("float64", func(b *testing.B) {
				eachISA(b, func(b *testing.B) {
					gemmBench[float64](b, s[0], s[1], s[2], 2)
				})
			})
		})
	}
}

func gemmBench[T Float](b *testing.B, m, k, n, size int) {
	x, w, c := random[T](m*k, 1), random[T](k*n, 2), make([]T, m*n)
	work := 2 * float64(m) * float64(k) * float64(n)
	report(b, work, peak(size), func() { Gemm(false, false, m, n, k, 1, x, k, w, n, 0, c, n) })
}

// BenchmarkWeights are the products of a layer at (n, d, m): forward with packed weights, and the two gradients.
func BenchmarkWeights(b *testing.B) {
	for _, s := range [][3]int{{10000, 64, 4096}, {2000, 784, 4096}, {256, 64, 4096}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			b.Run("float32", func(b *testing.B) {
				eachISA(b, func(b *testing.B) {
					weightsBench[float32](b, s[0], s[1], s[2], 1)
				})
			})
			b.Run("float64", func(b *testing.B) {
				eachISA(b, func(b *testing.B) {
					weightsBench[float64](b, s[0], s[1], s[2], 2)
				})
			})
		})
	}
}

func weightsBench[T Float](b *testing.B, n, d, m, size int) {
	x, w, p := random[T](n*d, 1), random[T](d*m, 2), make([]T, n*m)
	dx, dw, packed := make([]T, n*d), make([]T, d*m), Pack(w, d, m)
	work := 2 * float64(n) * float64(d) * float64(m)
	b.Run("Affine", func(b *testing.B) { report(b, work, peak(size), func() { packed.Affine(p, x, nil, n) }) })
	b.Run("GradX", func(b *testing.B) { report(b, work, peak(size), func() { Borrow(w, d, m).GradX(dx, p, n) }) })
	b.Run("GradW", func(b *testing.B) { report(b, work, peak(size), func() { GradW(dw, x, p, n, d, m) }) })
}

// report runs f and tells its speed for so many operations, and the share of a peak where it is known.
func report(b *testing.B, work, peak float64, f func()) {
	f()
	for b.Loop() {
		f()
	}
	speed := work * float64(b.N) / float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(speed, "GFLOP/s")
	if peak > 0 {
		b.ReportMetric(100*speed/peak, "%peak")
	}
}

// peak is Peak on all cores for elements of 4·size bytes.
func peak(size int) float64 { return Peak(4*size) * float64(runtime.GOMAXPROCS(0)) }

// BenchmarkStep is forward and backward for X, W and b of the phase form at (n, d, m).
func BenchmarkStep(b *testing.B) {
	for _, s := range [][3]int{{10000, 64, 4096}, {2000, 784, 4096}, {256, 64, 4096}, {3060, 4200, 2000}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			b.Run("float32", func(b *testing.B) {
				eachISA(b, func(b *testing.B) {
					stepBench[float32](b, s[0], s[1], s[2], 1)
				})
			})
			b.Run("float64", func(b *testing.B) {
				eachISA(b, func(b *testing.B) {
					stepBench[float64](b, s[0], s[1], s[2], 2)
				})
			})
		})
	}
}

func stepBench[T Float](b *testing.B, n, d, m, size int) {
	x, w, bias, g, z := random[T](n*d, 1), random[T](d*m, 2), random[T](m, 3), random[T](n*m, 4), make([]T, n*m)
	to := Gradients[T]{DX: make([]T, n*d), DW: make([]T, d*m), DB: make([]T, m)}
	work := 2 * float64(n) * float64(d) * float64(m)
	b.Run("forward", func(b *testing.B) {
		report(b, work, peak(size), func() {
			Phase(z, x, bias, n, Borrow(w, d, m), 1)
		})
	})
	b.Run("backward", func(b *testing.B) {
		report(b, 2*work, peak(size), func() { Borrow(w, d, m).PhaseBackward(to, x, bias, g, n, 1) })
	})
}
