package simd

import (
	"math/rand/v2"
	"testing"
)

// sparseRows draws a sparse matrix of about so many entries a row.
func sparseRows[T Float](n, d, stored int, seed uint64) CSR[T] {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := CSR[T]{Rows: n, Cols: d, Ptr: make([]int, n+1)}
	for i := range n {
		for j := range d {
			if rng.IntN(d) < stored {
				x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, T(rng.NormFloat64()))
			}
		}
		x.Ptr[i+1] = len(x.Col)
	}
	return x
}

// BenchmarkCSR is the phase form and the gradient for W of bags of words: 512 rows of 24000 columns, 1 % stored, 3000
// frequencies.
func BenchmarkCSR(b *testing.B) {
	b.Run("float32", func(b *testing.B) { eachISA(b, csrBench[float32]) })
	b.Run("float64", func(b *testing.B) { eachISA(b, csrBench[float64]) })
}

func csrBench[T Float](b *testing.B) {
	const n, d, m = 512, 24000, 3000
	x, bias, dst := sparseRows[T](n, d, d/100, 1), random[T](m, 3), make([]T, n*m)
	raw, dw := random[T](d*m, 2), make([]T, d*m)
	w := Pack(raw, d, m)
	work := 2 * float64(len(x.Val)) * m
	b.Run("Phase", func(b *testing.B) { report(b, work, 0, func() { PhaseCSR(dst, x, bias, w, 1) }) })
	b.Run("PhaseBorrowed", func(b *testing.B) {
		report(b, work, 0, func() {
			PhaseCSR(dst, x, bias, Borrow(raw, d, m), 1)
		})
	})
	b.Run("GradW", func(b *testing.B) { report(b, work, 0, func() { GradWCSR(dw, x, nil, dst, m) }) })
}
