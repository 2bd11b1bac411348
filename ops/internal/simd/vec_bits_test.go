package simd

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// TestVectorBits: the functions for AVX2 and for NEON do the same operations in the same order, so a map gives the same
// bits on both machines. AVX-512 scales elsewhere.
func TestVectorBits(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		if name := active.String(); name != "avx2" && name != "neon" {
			return
		}
		testVectorBits[float32](t, 0x752f7d96d3a87341)
		testVectorBits[float64](t, 0xd0a16ed546fc4fac)
	})
}

func testVectorBits[T Float](t *testing.T, want uint64) {
	const n = 1<<14 + 3
	rng := rand.New(rand.NewPCG(3, 5))
	x, positive, c := make([]T, n), make([]T, n), make([]T, n)
	for i := range x {
		x[i] = T(math.Ldexp(2*rng.Float64()-1, i%24-6)) // within the ranges of the functions
		positive[i] = T(math.Ldexp(1+rng.Float64(), i%240-120))
		c[i] = T(rng.Float64())
	}
	hash := fnv.New64a()
	y, z := make([]T, n), make([]T, n)
	add := func(vs ...[]T) {
		for _, v := range vs {
			if err := binary.Write(hash, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, scale := range []float64{1, -.3} {
		vecCos(y, x, scale)
		vecSin(z, x, scale)
		add(y, z)
		vecSinCos(y, z, x, scale)
		add(y, z)
		vecExp(y, x, scale, 1)
		vecExp(z, x, scale, -1)
		add(y, z)
	}
	vecLog(y, positive, []T{0})
	vecLog(z, positive, c)
	if add(y, z); hash.Sum64() != want {
		t.Errorf("%T: the digest of the results is %#x, want %#x", x, hash.Sum64(), want)
	}
}
