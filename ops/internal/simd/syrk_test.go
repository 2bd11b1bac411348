package simd

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// checkSyrk compares a triangle with the triangle of the whole product, by Gemm. The bits of the kernels are the same;
// gonum's are off by the rounding of k products. What lies outside the triangle holds NaN and keeps it.
func checkSyrk[T Float](t *testing.T, low bool, g multiplication) {
	t.Helper()
	g.m = g.n
	a, _, c := operands[T](t, g)
	want := slices.Clone(c.v)
	Gemm(g.aT, !g.aT, g.n, g.n, g.k, T(g.alpha), a.v, a.ld, a.v, a.ld, T(g.beta), want, c.ld)
	part := upper
	if low {
		part = lower
	}
	got := guarded(t, c.v)
	for i := range g.n {
		lo, hi := part.columns(i, g.n)
		for j := range g.n {
			if at := i*c.ld + j; j < lo || j >= hi {
				got[at], want[at] = T(math.NaN()), T(math.NaN())
			} else if g.beta == 0 {
				got[at] = T(math.NaN())
			}
		}
	}
	Syrk(low, g.aT, g.n, g.k, T(g.alpha), a.v, a.ld, T(g.beta), got, c.ld)
	bound := 0.0
	if active == generic {
		// of numbers in [-6, 6]
		bound = 2 * float64(g.k+4) * epsilon[T]() * (math.Abs(g.alpha)*float64(g.k)*36 + math.Abs(g.beta)*6)
	}
	for at, w := range want {
		if v := got[at]; math.Float64bits(float64(v)) != math.Float64bits(float64(w)) &&
			!(math.Abs(float64(v)-float64(w)) <= bound) && (v == v || w == w) {
			t.Fatalf("%v, lower %t: cell %d,%d is %v, of the whole product %v", g, low, at/c.ld, at%c.ld, v, w)
		}
	}
}

// syrkShapes are n and k: below and above a tile, a panel, a strip and a K block.
var syrkShapes = [][2]int{{0, 3}, {3, 0}, {1, 1}, {5, 3}, {13, 5}, {23, 31}, {33, 64}, {95, 3}, {64, 9}, {65, 517},
	{97, 67}, {257, 5}, {611, 40}, {256, 300}, {tiledColumns + 3, 11}}

// TestSyrk: both triangles of both forms, for any number of goroutines. Large matrices have each form with one pair
// of factors.
func TestSyrk(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	eachISA(t, func(t *testing.T) {
		for i, s := range syrkShapes {
			for l := range 4 {
				for j, scale := range [][2]float64{{1, 0}, {1, 1}, {2, -3}, {0, .5}} {
					if s[0] > 200 && j != (i+l)%4 {
						continue
					}
					runtime.GOMAXPROCS(1 + (i+j)%3*2)
					g := multiplication{aT: l&1 != 0, n: s[0], k: s[1], alpha: scale[0], beta: scale[1],
						gap: (i + j) % 3}
					checkSyrk[float64](t, l&2 != 0, g)
					checkSyrk[float32](t, l&2 != 0, g)
				}
			}
		}
	})
}

// TestSyrkStrips: a B that is too large to be packed as a whole is packed strip by strip.
func TestSyrkStrips(t *testing.T) {
	if best() == generic {
		return // no kernels here, and the generic path is gonum's
	}
	use(t, best())
	const n, k = 70, sharedTriangle/(8*70) + 1
	for _, low := range []bool{false, true} {
		checkSyrk[float64](t, low, multiplication{aT: low, n: n, k: k, alpha: 1})
	}
}

// TestSyrkWide compares with float64 sums of the exact products: a float32 sum of m products with one rounding a step
// is off by at most m u of the sum of their sizes, which is within √(C_ii C_jj), and float64 rounds 2^-29 as much. The
// upper triangle and what lies beside the rows stay as they are, and the bits do not depend on GOMAXPROCS.
func TestSyrkWide(t *testing.T) {
	const u = 0x1p-24
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	eachISA(t, func(t *testing.T) {
		for i, s := range append(syrkShapes, [2]int{97, 129}, [2]int{48, 7}, [2]int{96, 130}, [2]int{150, 1100}) {
			n, k, gap := s[0], s[1], i%3
			a, lda := strided[float32](k, n, gap, 1)
			a = guarded(t, a)
			ldc := max(1, n+gap)
			before := random[float64](n*ldc, 2)
			got, again := guarded(t, before), guarded(t, before)
			runtime.GOMAXPROCS(1 + i%3*2)
			SyrkWide(n, k, a, lda, got, ldc)
			runtime.GOMAXPROCS(2)
			SyrkWide(n, k, a, lda, again, ldc)
			sum := func(i, j int) (v float64) {
				for r := range k {
					v += float64(a[r*lda+i]) * float64(a[r*lda+j])
				}
				return v
			}
			square := make([]float64, n)
			for j := range square {
				square[j] = sum(j, j)
			}
			for at, v := range got {
				if again[at] != v {
					t.Fatalf("%d rows of %d: cell %d is %v and %v", k, n, at, v, again[at])
				}
				row, col := at/ldc, at%ldc
				if col > row || col >= n {
					if v != before[at] {
						t.Fatalf("%d rows of %d: cell %d,%d outside the triangle is %v, was %v", k, n, row, col, v, before[at])
					}
					continue
				}
				bound := (float64(min(k, WideDepth))*u+0x1p-44)*math.Sqrt(square[row]*square[col]) + 0x1p-48
				if want := before[at] + sum(row, col); !(math.Abs(v-want) <= bound) {
					t.Fatalf("%d rows of %d: cell %d,%d is %v, want %v within %v", k, n, row, col, v, want, bound)
				}
			}
		}
	})
}

func FuzzSyrk(f *testing.F) {
	f.Add(uint8(0), uint16(33), uint16(520), uint8(1), int8(2), int8(0))
	f.Add(uint8(3), uint16(1), uint16(1), uint8(0), int8(1), int8(1))
	f.Add(uint8(1), uint16(300), uint16(9), uint8(4), int8(-1), int8(3))
	f.Fuzz(func(t *testing.T, form uint8, n, k uint16, gap uint8, alpha, beta int8) {
		g := multiplication{aT: form&1 != 0, n: int(n % 400), k: int(k % 600), alpha: float64(alpha),
			beta: float64(beta), gap: int(gap)}
		eachISA(t, func(t *testing.T) {
			checkSyrk[float64](t, form&2 != 0, g)
			checkSyrk[float32](t, form&2 != 0, g)
		})
	})
}
