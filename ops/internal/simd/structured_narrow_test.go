package simd

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
)

// TestStructuredFormed: W that is formed is W by its definition to one rounding, and is the same for all kernels.
func TestStructuredFormed(t *testing.T) {
	eachHadamardISA(t, func(t *testing.T) {
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
	eachHadamardISA(t, func(t *testing.T) {
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

// BenchmarkStructuredNarrow tells where W should be formed: 10000 rows of few columns and 512 frequencies. It times the
// pair form, its projection and dP·Wᵀ, each as the map chooses, W formed anew in each call as in a graph, and by
// transforms alone, and tells how many times as long they take as the product with a packed W in the same run.
func BenchmarkStructuredNarrow(b *testing.B) {
	for _, d := range []int{16, 32, 48, 64, 128} {
		b.Run(fmt.Sprint(d, " float32"), func(b *testing.B) { structuredNarrow[float32](b, d) })
		b.Run(fmt.Sprint(d, " float64"), func(b *testing.B) { structuredNarrow[float64](b, d) })
	}
}

func structuredNarrow[T Float](b *testing.B, d int) {
	const n, m = 10000, 512
	rows := Rows[T]{Dense: random[T](n*d, 1)}
	z, dx := make([]T, n*2*m), make([]T, n*d)
	p, w := 1<<bits.Len(uint(d-1)), Pack(random[T](d*m, 2), d, m)
	fast, s := structured[T](d, p, m), structured[T](d, p, m)
	fast.forward, fast.backward = false, false
	anew := func() *Structured[T] { return NewStructured(d, p, s.signs, s.scale[:m], 1) }
	products := []struct {
		name                     string
		chosen, transform, dense func()
	}{
		{"pair", func() { anew().Pair(z, rows, n, 1) }, func() { fast.Pair(z, rows, n, 1) },
			func() { Pair(z, rows.Dense, n, w, 1) }},
		{"xW", func() { anew().Affine(z[:n*m], rows, nil, n) }, func() { fast.Affine(z[:n*m], rows, nil, n) },
			func() { w.Affine(z[:n*m], rows.Dense, nil, n) }},
		{"dP·Wᵀ", func() { anew().GradX(dx, z[:n*m], n) }, func() { fast.GradX(dx, z[:n*m], n) },
			func() { w.GradX(dx, z[:n*m], n) }},
	}
	times := make([][3]float64, len(products))
	for i := range times {
		times[i] = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	for b.Loop() {
		for i, f := range products {
			for j, f := range []func(){f.chosen, f.transform, f.dense} {
				times[i][j] = min(times[i][j], perCall(1, f)/1e6)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, f := range products {
		b.ReportMetric(times[i][0], f.name+"-ms")
		b.ReportMetric(times[i][0]/times[i][2], f.name+"/dense")
		b.ReportMetric(times[i][1]/times[i][2], f.name+"-by-transforms/dense")
	}
}
