package simd

import (
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"testing"
)

// Benchmark measures every kernel under every instruction set, products in GFLOP/s and in share of what FMAs on
// registers reach in the same minute on as many cores, the others in ns an element. Under generic those are of plain
// Go.
func Benchmark(b *testing.B) {
	b.Run("float32", func(b *testing.B) { eachISA(b, benchmark[float32]) })
	b.Run("float64", func(b *testing.B) { eachISA(b, benchmark[float64]) })
}

func benchmark[T Float](b *testing.B) {
	for _, s := range [][3]int{{1, 784, 4096}, {5, 784, 4096}, {10000, 64, 4096}, {2000, 784, 4096}, {256, 64, 4096}} {
		b.Run(fmt.Sprint(s), func(b *testing.B) { benchmarkLayer[T](b, s[0], s[1], s[2]) })
	}
	b.Run("sparse", benchmarkSparse[T])
	const n, k = 4096, 512
	a, a32, c, c64 := random[T](n*k, 1), random[float32](n*k, 1), make([]T, n*n), make([]float64, n*n)
	products[T](b, "syrk", n*n*k, func() { Syrk(true, true, n, k, 1, a, n, 1, c, n) })
	products[T](b, "syrk wide", n*n*k, func() { SyrkWide(n, k, a32, n, c64, n) })
	for _, s := range [][3]int{{10000, 16, 512}, {10000, 48, 512}, {10000, 80, 512}, {3000, 4096, 2048}} {
		b.Run("structured "+fmt.Sprint(s), func(b *testing.B) { benchmarkStructured[T](b, s[0], s[1], s[2]) })
	}
	benchmarkElements[T](b)
}

// benchmarkLayer is forward and backward of a layer at (n, d, m).
func benchmarkLayer[T Float](b *testing.B, n, d, m int) {
	x, w, bias, g := random[T](n*d, 1), random[T](d*m, 2), random[T](m, 3), random[T](n*m, 4)
	p, pair, packed := make([]T, n*m), make([]T, n*2*m), Pack(w, d, m)
	to := Gradients[T]{DX: make([]T, n*d), DW: make([]T, d*m), DB: make([]T, m)}
	work := 2 * float64(n) * float64(d) * float64(m)
	products[T](b, "gemm", work, func() { Gemm(false, false, n, m, d, 1, x, d, w, m, 0, p, m) })
	products[T](b, "affine", work, func() { Affine(p, packed, Rows[T]{Dense: x}, nil, n) })
	products[T](b, "pair", work, func() { Pair(pair, 2*m, packed, Rows[T]{Dense: x}, nil, n, 1) })
	products[T](b, "phase", work, func() { Phase(p, Borrow(w, d, m), Rows[T]{Dense: x}, bias, n, 1) })
	products[T](b, "gradX", work, func() { Borrow(w, d, m).GradX(to.DX, g, n) })
	products[T](b, "gradW", work, func() { GradW(to.DW, x, g, n, d, m) })
	products[T](b, "backward", 2*work, func() { Borrow(w, d, m).PhaseBackward(to, x, bias, g, n, 1) })
}

// benchmarkSparse is of bags of words: 512 rows of 24000 columns, 1 % stored, 3000 frequencies.
func benchmarkSparse[T Float](b *testing.B) {
	const n, d, m = 512, 24000, 3000
	x, bias, dst := sparseRows[T](n, d, d/100, 1), random[T](m, 3), make([]T, n*m)
	raw, dw := random[T](d*m, 2), make([]T, d*m)
	w := Pack(raw, d, m)
	rows, work := Rows[T]{Sparse: &x}, 2*float64(len(x.Val))*m
	products[T](b, "phase", work, func() { Phase(dst, w, rows, bias, n, 1) })
	products[T](b, "borrowed", work, func() { Phase(dst, Borrow(raw, d, m), rows, bias, n, 1) })
	products[T](b, "gradW", work, func() { GradWCSR(dw, x, nil, dst, m) })
}

// products reports the speed of f for so many operations.
func products[T Float](b *testing.B, name string, work float64, f func()) {
	peak := Peak(sizeof[T]()) * float64(runtime.GOMAXPROCS(0))
	b.Run(name, func(b *testing.B) {
		f()
		for b.Loop() {
			f()
		}
		speed := work * float64(b.N) / float64(b.Elapsed().Nanoseconds())
		b.ReportMetric(speed, "GFLOP/s")
		if peak > 0 {
			b.ReportMetric(100*speed/peak, "%peak")
		}
	})
}

// benchmarkStructured is of n rows of d numbers and m frequencies, by the product that is chosen, by transforms and by a
// dense product.
func benchmarkStructured[T Float](b *testing.B, n, d, m int) {
	rows, w := Rows[T]{Dense: random[T](n*d, 1)}, Pack(random[T](d*m, 2), d, m)
	z, dx, p := make([]T, n*2*m), make([]T, n*d), 1<<bits.Len(uint(d-1))
	chosen, fast := structured[T](d, p, m), structured[T](d, p, m)
	fast.forward, fast.backward = false, false
	for name, s := range map[string]*Structured[T]{"chosen": chosen, "transforms": fast} {
		elements(b, "pair, "+name, n*m, func() { Pair(z, 2*m, s, rows, nil, n, 1) })
		elements(b, "xW, "+name, n*m, func() { Affine(z[:n*m], s, rows, nil, n) })
		elements(b, "dP·Wᵀ, "+name, n*m, func() { s.GradX(dx, z[:n*m], n) })
	}
	elements(b, "pair, dense", n*m, func() { Pair(z, 2*m, w, rows, nil, n, 1) })
	elements(b, "xW, dense", n*m, func() { Affine(z[:n*m], w, rows, nil, n) })
	elements(b, "dP·Wᵀ, dense", n*m, func() { w.GradX(dx, z[:n*m], n) })
}

// elements reports the time of f an element.
func elements(b *testing.B, name string, n int, f func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		b.ReportMetric(0, "ns/op")
	})
}

// benchmarkElements is of functions on vectors in the first-level cache, and of transforms.
func benchmarkElements[T Float](b *testing.B) {
	const n = 2048
	x, y, z := scaled(random[T](n, 1), 5), make([]T, n), make([]T, n)
	positive := slices.Clone(x)
	vecProduct(positive, x, x, 1)
	elements(b, "cos", n, func() { vecCos(y, x, .3) })
	elements(b, "sin", n, func() { vecSin(y, x, .3) })
	elements(b, "sincos", n, func() { vecSinCos(z, y, x, .3) })
	elements(b, "exp", n, func() { vecExp(y, x, .3, -1) })
	elements(b, "log", n, func() { vecLog(y, positive, []T{.5}) })
	elements(b, "log row", n, func() { vecLog(y, positive, positive) })
	for d := 64; d <= 1<<14; d *= 2 {
		row, ones, k := make([]T, d), slices.Repeat([]T{1}, d), machineOf[T](active).hadamard
		elements(b, fmt.Sprint("hadamard/", d), d, func() { k.transform(row, row, ones) })
	}
}
