package simd

import (
	"math"
	"math/big"
	"testing"
)

// TestGemmBits: on kernels a sum has one rounding a step, in order, within a K block, and one for each further block:
// the same bits on every machine.
func TestGemmBits(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		if active == generic {
			return // gonum's order and roundings
		}
		gemmBits[float64](t, 53)
		gemmBits[float32](t, 24)
	})
}

func gemmBits[T Float](t *testing.T, precision uint) {
	const m, n, k = 7, 19, 1100 // more than two K blocks of float64, and of float32
	a, b, c := random[T](m*k, 1), random[T](k*n, 2), make([]T, m*n)
	Gemm(false, false, m, n, k, 1, a, k, b, n, 0, c, n)
	number := func(v T) *big.Float { return big.NewFloat(float64(v)) }
	product, depth := new(big.Float), depthOf[T](k)
	for at, got := range c {
		whole := new(big.Float).SetPrec(precision)
		for k0 := 0; k0 < k; k0 += depth {
			sum := new(big.Float).SetPrec(precision)
			for l := k0; l < min(k0+depth, k); l++ {
				product.SetPrec(2*precision).Mul(number(a[at/n*k+l]), number(b[l*n+at%n]))
				sum.Add(sum, product)
			}
			if k0 == 0 {
				whole.Set(sum)
			} else {
				whole.Add(sum, whole)
			}
		}
		if want, _ := whole.Float64(); math.Float64bits(float64(got)) != math.Float64bits(want) {
			t.Fatalf("%T: cell %d,%d is %x, want %x", got, at/n, at%n, got, want)
		}
	}
}
