package simd

import (
	"math"
	"math/bits"
	"slices"
	"testing"
)

// naiveHadamard is H·x by its definition, in float64.
func naiveHadamard[T Float](x []T) []float64 {
	out := make([]float64, len(x))
	for i := range out {
		for j, v := range x {
			if bits.OnesCount(uint(i&j))%2 == 1 {
				v = -v
			}
			out[i] += float64(v)
		}
	}
	return out
}

// radix2 is the plain transform that the fast ones are measured against.
func radix2[T Float](x []T) {
	for h := 1; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			a, b := x[i:i+h], x[i+h:i+2*h]
			for j, u := range a {
				a[j], b[j] = u+b[j], u-b[j]
			}
		}
	}
}

// TestHadamard: plain Go gives the transform of its definition, for every size, and every instruction set the bits of
// plain Go, as all take the stages in one order and round once a stage; out of place and in place, and nothing is written
// beside.
func TestHadamard(t *testing.T) { eachType(t, testHadamard[float32], testHadamard[float64]) }

func testHadamard[T Float](t *testing.T) {
	var plainGo *hadamardKernels[T]
	k := machineOf[T](active).hadamard
	for d := 1; d <= 1<<17; d *= 2 {
		src, scale, memory := guarded(t, random[T](d, uint64(d))), guarded(t, random[T](d, 2)), filled[T](t, d+1)
		want, was, got := make([]T, d), slices.Clone(src), memory[1:]
		plainGo.transform(want, src, scale)
		k.transform(got, src, scale)
		if !slices.Equal(got, want) || !slices.Equal(src, was) || memory[0] == memory[0] {
			t.Errorf("%T, %d numbers: other bits than in plain Go, or it writes beside them", src, d)
		}
		if k.transform(src, src, scale); !slices.Equal(src, want) {
			t.Errorf("%T, %d numbers: other bits in place", src, d)
		}
		if k != nil {
			continue
		}
		of, norm := make([]float64, d), 0.0
		for i, v := range was {
			of[i] = float64(v * scale[i])
			norm += of[i] * of[i] * float64(d)
		}
		if d <= 1<<12 {
			of = naiveHadamard(of)
		} else {
			radix2(of)
		}
		// The transform keeps the norm, but for the factor √d, and each stage rounds every number once.
		tol := 2 * epsilon[T]() * float64(bits.Len(uint(d))+3) * math.Sqrt(norm)
		for i, w := range of {
			if e := math.Abs(float64(want[i]) - w); !(e <= tol) {
				t.Fatalf("%T, %d numbers: number %d is %v, the reference %v, bound %.2g", src, d, i, want[i], w, tol)
			}
		}
	}
}

// TestHadamardNotFinite: NaN and infinities go to every number of their row, and to no other.
func TestHadamardNotFinite(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			const d = 256
			x := random[float32](3*d, 1)
			x[d+77] = float32(bad)
			for row := range slices.Chunk(x, d) {
				machineOf[float32](active).hadamard.transform(row, row, slices.Repeat([]float32{1}, d))
			}
			for i, v := range x {
				if finite := v-v == 0; finite == (i/d == 1) {
					t.Fatalf("%v: number %d of row %d is %v", bad, i%d, i/d, v)
				}
			}
		}
	})
}
