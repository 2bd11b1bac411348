package simd

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"
	"time"
)

// eachHadamardISA runs a test with every instruction set that this machine and build have.
func eachHadamardISA(t *testing.T, f func(t *testing.T)) {
	was := active
	defer func() { active = was }()
	for active = generic; active <= best(); active++ {
		t.Run(active.String(), f)
	}
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

// within compares with a bound that is a rounding of the norm of the numbers for each stage: the transform keeps the norm, but
// for the factor √d, and each stage rounds every number once.
func within[T Float](t *testing.T, what string, got []T, want []float64, stages int) {
	t.Helper()
	eps, norm := 0x1p-53, 0.0
	if _, single := any(got).([]float32); single {
		eps = 0x1p-24
	}
	for _, v := range want {
		norm += v * v
	}
	tol := 2 * eps * float64(stages+4) * math.Sqrt(norm)
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tol) {
			t.Fatalf("%s: number %d is %v, the reference %v, bound %.2g", what, i, got[i], w, tol)
		}
	}
}

// TestHadamard: every instruction set gives the transform of its definition, for every size, in place, row by row, whatever lies
// around; the transform of the transform is d times the row.
func TestHadamard(t *testing.T) {
	eachHadamardISA(t, func(t *testing.T) {
		againstNaive[float64](t)
		againstNaive[float32](t)
	})
}

func againstNaive[T Float](t *testing.T) {
	for d := 1; d <= 8192; d *= 2 {
		stages := bits.Len(uint(d)) - 1
		rows := 3
		if d > 512 {
			rows = 1 // the naive transform is slow
		}
		memory := random[T](rows*d+2, uint64(d))
		before := slices.Clone(memory)
		x := memory[1 : 1+rows*d]
		Hadamard(x, rows, d)
		for i := range rows {
			where := fmt.Sprintf("%T, %d numbers, row %d", memory, d, i)
			within(t, where, x[i*d:i*d+d], naiveHadamard(before[1+i*d:1+i*d+d]), stages)
		}
		if memory[0] != before[0] || memory[1+rows*d] != before[1+rows*d] {
			t.Errorf("%T, %d numbers: it writes beside the rows", memory, d)
		}
		Hadamard(x, rows, d)
		back := make([]float64, len(x))
		for i := range back {
			back[i] = float64(d) * float64(before[1+i])
		}
		within(t, fmt.Sprintf("%T, %d numbers, twice", memory, d), x, back, 2*stages)
	}
}

// TestHadamardLarge: beyond the sizes that the naive transform can do, the plain one is the reference.
func TestHadamardLarge(t *testing.T) {
	eachHadamardISA(t, func(t *testing.T) {
		for _, d := range []int{1 << 14, 1 << 17} {
			x := random[float32](d, 1)
			want := make([]float64, d)
			for i, v := range x {
				want[i] = float64(v)
			}
			radix2(want)
			Hadamard(x, 1, d)
			within(t, fmt.Sprint(d), x, want, bits.Len(uint(d)))
		}
	})
}

// TestHadamardScaled: the scale that the first pass applies, out of place and in place, and products of any length.
func TestHadamardScaled(t *testing.T) {
	eachHadamardISA(t, func(t *testing.T) {
		scaledAgainst[float64](t)
		scaledAgainst[float32](t)
	})
}

func scaledAgainst[T Float](t *testing.T) {
	k := hadamardOf[T](active)
	for d := 1; d <= 1024; d *= 2 {
		src, scale := random[T](d, 1), random[T](d, 2)
		was, scaled := slices.Clone(src), make([]T, d)
		for i := range scaled {
			scaled[i] = src[i] * scale[i]
		}
		dst, want := make([]T, d), naiveHadamard(scaled)
		k.transform(dst, src, scale)
		within(t, fmt.Sprint("out of place, ", d), dst, want, bits.Len(uint(d)))
		if !slices.Equal(src, was) {
			t.Errorf("%d: src is changed", d)
		}
		k.transform(src, src, scale)
		within(t, fmt.Sprint("in place, ", d), src, want, bits.Len(uint(d)))
	}
	for n := range 67 {
		dst, a, b := random[T](n+1, 1), random[T](n, 2), random[T](n, 3)
		was := slices.Clone(dst)
		for _, add := range []bool{false, true} {
			want := make([]float64, n)
			for i := range want {
				if want[i] = float64(a[i]) * float64(b[i]); add {
					want[i] += float64(dst[i])
				}
			}
			k.multiply(dst[:n], a, b, add)
			within(t, fmt.Sprintf("product of %d, add %v", n, add), dst[:n], want, 1)
			if dst[n] != was[n] {
				t.Errorf("a product of %d writes beside dst", n)
			}
		}
	}
}

// TestHadamardNotFinite: NaN and infinities go to every number of their row, and to no other.
func TestHadamardNotFinite(t *testing.T) {
	eachHadamardISA(t, func(t *testing.T) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			const d = 256
			x := random[float32](3*d, 1)
			x[d+77] = float32(bad)
			Hadamard(x, 3, d)
			for i, v := range x {
				if finite := v-v == 0; finite == (i/d == 1) {
					t.Fatalf("%v: number %d of row %d is %v", bad, i%d, i/d, v)
				}
			}
		}
	})
}

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

// TestStructured: the product with the matrix that is never formed, its transpose and the features are those of the dense one.
func TestStructured(t *testing.T) {
	eachHadamardISA(t, func(t *testing.T) {
		for _, s := range [][4]int{{1, 1, 1, 1}, {3, 1, 1, 5}, {33, 3, 4, 7}, {2, 16, 16, 16}, {7, 17, 32, 67}, {33, 64, 64, 131}, {65, 100, 128, 37}, {1, 200, 256, 512}} {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				structuredAgainst[float64](t, s[0], s[1], s[2], s[3])
				structuredAgainst[float32](t, s[0], s[1], s[2], s[3])
			})
		}
	})
}

func structuredAgainst[T Float](t *testing.T, n, d, p, m int) {
	s := structured[T](d, p, m)
	w := s.dense()
	x, b, g := random[T](n*d, 1), random[T](m, 2), random[T](n*m, 3)
	proj := plain(widen(x), false, w, false, n, d, m)
	stages := 3 * bits.Len(uint(p))

	affine := make([]T, n*m)
	s.Affine(affine, x, nil, n)
	within(t, "without bias", affine, proj, stages)
	s.Affine(affine, x, b, n)
	want := slices.Clone(proj)
	for i := range want {
		want[i] += float64(b[i%m])
	}
	within(t, "Affine", affine, want, stages)

	dx := random[T](n*d, 4)
	s.GradX(dx, g, n)
	within(t, "GradX", dx, plain(widen(g), false, w, true, n, m, d), stages)

	pair, phase := make([]T, n*2*m), make([]T, n*m)
	if bad := s.Pair(pair, x, n, .5); bad != -1 {
		t.Fatalf("Pair reports row %d", bad)
	}
	if bad := s.Phase(phase, x, b, n, 2); bad != -1 {
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
	eachHadamardISA(t, func(t *testing.T) {
		const n, d = 200, 16
		x, s := make([]float32, n*d), structured[float32](d, d, 37)
		for i := 77; i < n; i++ {
			x[i*d+5] = math.MaxFloat32
		}
		if bad := s.Pair(make([]float32, 2*n*37), x, n, 1); bad != 77 {
			t.Errorf("Pair reports row %d, want 77", bad)
		}
		if bad := s.Phase(make([]float32, n*37), x, make([]float32, 37), n, 1); bad != 77 {
			t.Errorf("Phase reports row %d, want 77", bad)
		}
	})
}

// BenchmarkHadamard is one row of 64 to 16384 numbers, ours against the plain radix-2 transform, in ns and as their ratio.
func BenchmarkHadamard(b *testing.B) {
	for _, d := range []int{64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} {
		b.Run(fmt.Sprintf("float32/%d", d), func(b *testing.B) { benchmarkHadamard[float32](b, d) })
	}
	b.Run("float64/4096", func(b *testing.B) { benchmarkHadamard[float64](b, 4096) })
}

func benchmarkHadamard[T Float](b *testing.B, d int) {
	x := make([]T, d)
	k := hadamardOf[T](active)
	// Ours and the plain one in turn, the least time of each, so that the ratio is of the same moment.
	ours, plain := math.Inf(1), math.Inf(1)
	for b.Loop() {
		const reps = 50
		ours = min(ours, perCall(reps, func() { k.transform(x, x, nil) }))
		plain = min(plain, perCall(reps, func() { radix2(x) }))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours, "ns/row")
	b.ReportMetric(plain/ours, "x-plain")
}

// perCall is the time of a call, in ns.
func perCall(reps int, f func()) float64 {
	start := time.Now()
	for range reps {
		f()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(reps)
}

// BenchmarkStructured is the forward of m frequencies for n rows of d float32 numbers: the structured pair form in ms, its share that is
// the projection, and how many times as long the dense pair form and its projection take in the same run.
func BenchmarkStructured(b *testing.B) {
	for _, s := range [][3]int{{3060, 4200, 1000}, {3060, 4200, 2000}, {3000, 4096, 2048}, {3000, 4096, 4096}, {10000, 64, 2048}} {
		n, d, m := s[0], s[1], s[2]
		b.Run(fmt.Sprint(n, ",", d, ",", m), func(b *testing.B) {
			x, w := random[float32](n*d, 1), Pack(random[float32](d*m, 2), d, m)
			s, dst := structured[float32](d, 1<<bits.Len(uint(d-1)), m), make([]float32, n*2*m)
			var times [4]float64
			for i := range times {
				times[i] = math.Inf(1)
			}
			for b.Loop() {
				for i, f := range []func(){
					func() { s.Pair(dst, x, n, 1) },
					func() { s.Affine(dst[:n*m], x, nil, n) },
					func() { Pair(dst, x, n, w, 1) },
					func() { w.Affine(dst[:n*m], x, nil, n) },
				} {
					times[i] = min(times[i], perCall(1, f)/1e6)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times[0], "ms")
			b.ReportMetric(times[1], "projection-ms")
			b.ReportMetric(times[2]/times[0], "x-dense")
			b.ReportMetric(times[3]/times[1], "x-dense-projection")
		})
	}
}
