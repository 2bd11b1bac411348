package simd

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// TestSyrkWide compares with float64 sums of the exact products: a float32 sum of m products with one rounding a step
// is off by at most m u of the sum of their sizes, which is within √(C_ii C_jj), and float64 rounds 2^-29 as much. The
// upper triangle and what lies beside the rows stay as they are, and the bits do not depend on GOMAXPROCS.
func TestSyrkWide(t *testing.T) {
	const u = 0x1p-24
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	eachISA(t, func(t *testing.T) {
		for i, s := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {5, 3}, {23, 31}, {64, 9}, {65, 517}, {97, 129}, {257, 5}, {611, 40},
			{256, 300}, {150, 1100}, {tiledColumns + 1, 9}} {
			n, k, gap := s[0], s[1], i%3
			a, lda := strided[float32](k, n, gap, 1)
			ldc := n + gap
			before := random[float64](n*max(ldc, 1), 2)
			got := slices.Clone(before)
			runtime.GOMAXPROCS(1 + i%3*2)
			SyrkWide(n, k, a, max(1, lda), got, max(1, ldc))
			again := slices.Clone(before)
			runtime.GOMAXPROCS(2)
			SyrkWide(n, k, a, max(1, lda), again, max(1, ldc))
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
				row, col := at/max(1, ldc), at%max(1, ldc)
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
