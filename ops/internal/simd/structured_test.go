package simd

import (
	"fmt"
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

func structured[T Float](d, p, m int) *Structured[T] {
	signs, norms := random[T]((m+p-1)/p*3*p, 5), random[T](m, 6)
	for i, v := range signs {
		signs[i] = 1
		if v < 0 {
			signs[i] = -1
		}
	}
	return NewStructured(d, p, signs, norms, .5)
}

// TestStructured: the product with the matrix that is not formed, its transpose and the features agree with the dense
// matrix, and where it is formed too.
func TestStructured(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range [][4]int{{1, 1, 1, 1}, {3, 1, 1, 5}, {33, 3, 4, 7}, {2, 16, 16, 16}, {7, 17, 32, 67},
			{33, 64, 64, 131}, {65, 100, 128, 37}, {1, 200, 256, 512}} {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				for _, dense := range []bool{false, true} {
					structuredAgainst[float64](t, s[0], s[1], s[2], s[3], dense)
					structuredAgainst[float32](t, s[0], s[1], s[2], s[3], dense)
				}
			})
		}
	})
}

// structuredAgainst compares the products by transforms, or with W formed, with plain ones.
func structuredAgainst[T Float](t *testing.T, n, d, p, m int, formed bool) {
	s := structured[T](d, p, m)
	s.forward, s.backward = formed, formed
	w := s.dense()
	x, b, g := random[T](n*d, 1), random[T](m, 2), random[T](n*m, 3)
	proj := plain(widen(x), false, w, false, n, d, m)
	stages := 3 * bits.Len(uint(p))

	affine := make([]T, n*m)
	s.Affine(affine, Rows[T]{Dense: x}, nil, n)
	within(t, "without bias", affine, proj, stages)
	s.Affine(affine, Rows[T]{Dense: x}, b, n)
	want := slices.Clone(proj)
	for i := range want {
		want[i] += float64(b[i%m])
	}
	within(t, "Affine", affine, want, stages)

	dx := random[T](n*d, 4)
	s.GradX(dx, g, n)
	within(t, "GradX", dx, plain(widen(g), false, w, true, n, m, d), stages)

	sparse := sparseRows[T](n, d, max(1, d/4), 7)
	fromSparse, fromDense := make([]T, n*m), make([]T, n*m)
	s.Affine(fromSparse, Rows[T]{Sparse: &sparse}, nil, n)
	if s.Affine(fromDense, Rows[T]{Dense: sparse.dense()}, nil, n); !slices.Equal(fromSparse, fromDense) {
		t.Error("sparse rows give other bits than the same rows made dense")
	}

	pair, phase := make([]T, n*2*m), make([]T, n*m)
	if bad := s.Pair(pair, Rows[T]{Dense: x}, n, .5); bad != -1 {
		t.Fatalf("Pair reports row %d", bad)
	}
	if bad := s.Phase(phase, Rows[T]{Dense: x}, b, n, 2); bad != -1 {
		t.Fatalf("Phase reports row %d", bad)
	}
	features := make([]float64, n*2*m)
	for i := range n {
		for j := range m {
			sin, cos := math.Sincos(proj[i*m+j])
			features[i*2*m+j], features[i*2*m+m+j] = .5*cos, .5*sin
			want[i*m+j] = 2 * math.Cos(want[i*m+j])
		}
	}
	within(t, "Pair", pair, features, 8*stages)
	within(t, "Phase", phase, want, 8*stages)
}

func widen[T Float](v []T) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

func TestStructuredFirstBadRow(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const n, d = 1200, 16
		for _, formed := range []bool{false, true} {
			x, s := make([]float32, n*d), structured[float32](d, d, 37)
			s.forward = formed
			for _, first := range []int{1100, 77} {
				for i := first; i < n; i++ {
					x[i*d+5] = float32(math.Inf(1))
				}
				of := CSR[float32]{Rows: n, Cols: d, Ptr: []int{0}}
				for i := range n {
					if v := x[i*d+5]; v != 0 {
						of.Col, of.Val = append(of.Col, 5), append(of.Val, v)
					}
					of.Ptr = append(of.Ptr, len(of.Col))
				}
				for _, rows := range []Rows[float32]{{Dense: x}, {Sparse: &of}} {
					if bad := s.Pair(make([]float32, 2*n*37), rows, n, 1); bad != first {
						t.Errorf("W formed: %t: Pair reports row %d, want %d", formed, bad, first)
					}
					if bad := s.Phase(make([]float32, n*37), rows, make([]float32, 37), n, 1); bad != first {
						t.Errorf("W formed: %t: Phase reports row %d, want %d", formed, bad, first)
					}
				}
			}
		}
	})
}
