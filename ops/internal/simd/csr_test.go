package simd

import (
	"math"
	"slices"
	"testing"
)

// TestCSRTall: more rows than have their index lists in memory at once; of two bad rows the first is reported, in a
// later part too, and what is subtracted from the projections of a row is its own.
func TestCSRTall(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const n, m = 2*csrLists + 7, 3
		x, less := CSR[float64]{Rows: n, Cols: 2, Ptr: make([]int, n+1)}, make([]float64, n)
		for i := range n {
			x.Col, x.Val = append(x.Col, int32(i%2)), append(x.Val, float64(i%5))
			x.Ptr[i+1], less[i] = i+1, float64(i%7)
		}
		w, dst, exp := Pack([]float64{1, 2, 3, 4, 5, 6}, 2, m), filled[float64](t, n*m), filled[float64](t, n*m)
		Affine(dst, w, Rows[float64]{Sparse: &x}, nil, n)
		ExpLess(exp, w, Rows[float64]{Sparse: &x}, less, n, 1)
		for i, v := range dst {
			row, col := i/m, i%m
			want := float64(row%5) * float64(col+1+3*(row%2))
			if e := math.Exp(want - less[row]); v != want || !(math.Abs(exp[i]-e) <= 1e-15*e) {
				t.Fatalf("cell %d,%d is %v, its exponential %v, want %v and %v", row, col, v, exp[i], want, e)
			}
		}
		x.Val[n-1], x.Val[csrLists+5] = math.Inf(1), math.NaN()
		if bad := Phase(dst, w, Rows[float64]{Sparse: &x}, nil, n, 1); bad != csrLists+5 {
			t.Errorf("Phase reports row %d, want %d", bad, csrLists+5)
		}
	})
}

// TestCSRNonFinite: a cell of W that is not finite reaches the rows that store its column and no others, and the
// padding of panels neither: an entry that is not stored multiplies nothing. TestFirstBadRow has cells of x.
func TestCSRNonFinite(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const n, d, m = 40, 1031, 71
		x, w := sparseRows[float32](n, d, 9, 1), random[float32](d*m, 2)
		lone := x.Col[x.Ptr[30]]
		w[int(lone)*m+m-1] = float32(math.Inf(1))
		dst := make([]float32, n*m)
		Affine(dst, Pack(w, d, m), Rows[float32]{Sparse: &x}, nil, n)
		for i := range n {
			stores := slices.Contains(x.Col[x.Ptr[i]:x.Ptr[i+1]], lone)
			for j, v := range dst[i*m : i*m+m] {
				if finite := v-v == 0; finite == (stores && j == m-1) {
					t.Fatalf("cell %d,%d is %v", i, j, v)
				}
			}
		}
	})
}

// TestCSRPanics: kernels have no bounds checks, so a matrix that is none must not reach them.
func TestCSRPanics(t *testing.T) {
	w := Pack(make([]float64, 15), 5, 3)
	for name, x := range map[string]CSR[float64]{
		"column":    {1, 5, []int{0, 1}, []int32{5}, []float64{1}},
		"negative":  {1, 5, []int{0, 1}, []int32{-1}, []float64{1}},
		"order":     {1, 5, []int{0, 2}, []int32{3, 3}, []float64{1, 1}},
		"pointers":  {2, 5, []int{0, 1}, []int32{3}, []float64{1}},
		"values":    {1, 5, []int{0, 2}, []int32{1, 3}, []float64{1}},
		"width":     {1, 4, []int{0, 1}, []int32{3}, []float64{1}},
		"backwards": {2, 5, []int{0, 2, 1}, []int32{1, 3}, []float64{1, 1}},
	} {
		if !panics(func() { Affine(make([]float64, 6), w, Rows[float64]{Sparse: &x}, nil, x.Rows) }) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func FuzzCSR(f *testing.F) {
	f.Add(uint8(3), uint16(520), uint8(33), uint8(9))
	f.Add(uint8(0), uint16(1), uint8(1), uint8(0))
	f.Add(uint8(70), uint16(1300), uint8(130), uint8(70))
	f.Fuzz(func(t *testing.T, n uint8, d uint16, m, stored uint8) {
		eachISA(t, func(t *testing.T) {
			testMaps[float64](t, int(n%80), int(d%3000), int(m)+1, int(stored), false)
			testMaps[float32](t, int(n%80), int(d%3000), int(m)+1, int(stored), false)
		})
	})
}
