package simd

import (
	"math"
	"math/bits"
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
		for _, c := range []struct {
			d                          int
			forward32, forward64, back bool
		}{{16, true, true, true}, {32, true, true, true}, {33, true, true, false}, {48, true, true, false},
			{49, true, false, false}, {64, true, false, false}, {65, false, false, false}} {
			some := active != generic
			a, b := narrowOf[float32](c.d), narrowOf[float64](c.d)
			if a.forward != (some && c.forward32) || b.forward != (some && c.forward64) ||
				a.backward != (some && c.back) || b.backward != (some && c.back) {
				t.Errorf("%d columns: float32 %t %t, float64 %t %t", c.d, a.forward, a.backward, b.forward, b.backward)
			}
		}
	})
}
