package simd

import (
	"math"
	"slices"
	"testing"
)

// TestCSRView: the rows i to j are the same slices under a part of the row pointers.
func TestCSRView(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const n, d, m = 31, 1031, 37
		x, w, dp := sparseRows[float64](n, d, 17, 1), random[float64](d*m, 2), random[float64](n*m, 3)
		all, part := make([]float64, n*m), make([]float64, 7*m)
		packed := Pack(w, d, m)
		Affine(all, packed, Rows[float64]{Sparse: &x}, nil, n)
		view := CSR[float64]{7, d, x.Ptr[11:19], x.Col, x.Val}
		if Affine(part, packed, Rows[float64]{Sparse: &view}, nil, 7); !slices.Equal(part, all[11*m:18*m]) {
			t.Error("the product of a part differs from the part of the product")
		}
		dw := make([]float64, d*m)
		GradWCSR(dw, view, nil, dp[:7*m], m)
		near(t, "GradW of a part", dw, plain(view.dense(), true, dp[:7*m], false, d, 7, m), 30)
	})
}

// TestCSRTall: more rows than have their index lists in memory at once; of two bad rows the first is reported, in a later
// part too.
func TestCSRTall(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const n, m = 2*csrLists + 7, 3
		x := CSR[float64]{Rows: n, Cols: 2, Ptr: make([]int, n+1)}
		for i := range n {
			x.Col, x.Val = append(x.Col, int32(i%2)), append(x.Val, float64(i))
			x.Ptr[i+1] = i + 1
		}
		w, dst := Pack([]float64{1, 2, 3, 4, 5, 6}, 2, m), filled[float64](t, n*m)
		Affine(dst, w, Rows[float64]{Sparse: &x}, nil, n)
		for i, v := range dst {
			if want := float64(i/m) * float64(i%m+1+3*(i/m%2)); v != want {
				t.Fatalf("cell %d,%d is %v, want %v", i/m, i%m, v, want)
			}
		}
		x.Val[n-1], x.Val[csrLists+5] = math.Inf(1), math.NaN()
		if bad := Phase(dst, w, Rows[float64]{Sparse: &x}, nil, n, 1); bad != csrLists+5 {
			t.Errorf("Phase reports row %d, want %d", bad, csrLists+5)
		}
	})
}

// TestCSRNonFinite: a value that is not finite reaches its row and no other, the padding of panels neither; an entry
// that is not stored multiplies nothing. Of several bad rows the first is reported.
func TestCSRNonFinite(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const n, d, m = 40, 1031, 71
		x, w := sparseRows[float32](n, d, 9, 1), random[float32](d*m, 2)
		lone := -1 // a column that row 3 does not store
		for j := range d {
			if !slices.Contains(x.Col[x.Ptr[3]:x.Ptr[4]], int32(j)) &&
				slices.Contains(x.Col[x.Ptr[30]:x.Ptr[31]], int32(j)) {
				lone = j
			}
		}
		w[lone*m+m-1] = float32(math.Inf(1))
		dst, packed := make([]float32, n*m), Pack(w, d, m)
		Affine(dst, packed, Rows[float32]{Sparse: &x}, nil, n)
		for i := range n {
			stores := slices.Contains(x.Col[x.Ptr[i]:x.Ptr[i+1]], int32(lone))
			for j, v := range dst[i*m : i*m+m] {
				if finite := v-v == 0; finite == (stores && j == m-1) {
					t.Fatalf("cell %d,%d is %v", i, j, v)
				}
			}
		}
		w[lone*m+m-1] = 0
		for _, i := range []int{29, 17} {
			x.Val[x.Ptr[i]] = float32(math.NaN())
		}
		if bad := Phase(dst, Pack(w, d, m), Rows[float32]{Sparse: &x}, nil, n, 1); bad != 17 {
			t.Errorf("Phase reports row %d, want 17", bad)
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
	f.Add(uint8(70), uint16(2500), uint8(130), uint8(200))
	f.Fuzz(func(t *testing.T, n uint8, d uint16, m, stored uint8) {
		defer func(i isa) { active = i }(active)
		for active = generic; active <= best(); active++ {
			testMaps[float64](t, int(n%80), int(d%3000), int(m)+1, int(stored), false)
			testMaps[float32](t, int(n%80), int(d%3000), int(m)+1, int(stored), false)
		}
	})
}
