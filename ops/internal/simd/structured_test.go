package simd

import (
	"math"
	"math/bits"
	"slices"
	"testing"
)

// dense is W [d,m] of a structured matrix by its definition, in float64.
func (s *Structured[T]) dense() []float64 {
	w := make([]float64, s.d*s.m)
	for i := range s.d {
		for b := 0; b*s.p < s.m; b++ {
			d1, d2, d3, scale, cols := s.block(b)
			x := make([]float64, s.p)
			x[i] = 1
			for _, signs := range [][]T{d1, d2, d3} {
				for j := range x {
					x[j] *= float64(signs[j])
				}
				radix2(x)
			}
			for j := range cols {
				w[i*s.m+b*s.p+j] = float64(scale[j]) * x[j]
			}
		}
	}
	return w
}

// powerAbove is the least power of two that is at least d.
func powerAbove(d int) int { return 1 << bits.Len(uint(max(d, 1)-1)) }

func structured[T Float](d, p, m int) *Structured[T] {
	signs, norms := random[T]((m+p-1)/p*3*p, 5), random[T](m, 6)
	for i, v := range signs {
		signs[i] = 1
		if v < 0 {
			signs[i] = -1
		}
	}
	return NewStructured(d, p, signs, norms, 1/math.Sqrt(max(1, float64(d))))
}

// TestStructuredFormed: W that is formed is W by its definition to one rounding, and is the same for all kernels.
func TestStructuredFormed(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, c := range [][3]int{{1, 1, 3}, {16, 16, 37}, {37, 64, 131}, {64, 64, 64}} {
			s := structured[float32](c[0], c[1], c[2])
			w := s.weights()
			if w.kernels == nil {
				return // plain Go forms none
			}
			want := s.dense()
			for i, v := range w.unpack() {
				if v != float32(want[i]) {
					t.Fatalf("%v: cell %d of W is %v, want %v", c, i, v, float32(want[i]))
				}
			}
		}
	})
}

// TestStructuredChoice: W is formed up to the measured number of columns, and never in plain Go.
func TestStructuredChoice(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for d := range 100 {
			forward32, back32 := denseFor[float32](d)
			forward64, back64 := denseFor[float64](d)
			got, fast := [4]bool{forward32, forward64, back32, back64}, active != generic
			if want := [4]bool{fast && d <= 64, fast && d <= 48, fast && d <= 32, fast && d <= 32}; got != want {
				t.Errorf("%d columns: %v, want %v", d, got, want)
			}
		}
	})
}

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
