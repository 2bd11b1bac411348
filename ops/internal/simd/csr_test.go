package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// dense spreads x out.
func (x CSR[T]) dense() []T {
	v := make([]T, x.Rows*x.Cols)
	for i := range x.Rows {
		x.AddRow(v[i*x.Cols:(i+1)*x.Cols], i)
	}
	return v
}

// sparseRows draws a sparse matrix of about so many entries a row.
func sparseRows[T Float](n, d, stored int, seed uint64) CSR[T] {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := CSR[T]{Rows: n, Cols: d, Ptr: make([]int, n+1)}
	for i := range n {
		for j := range d {
			if rng.IntN(d) < stored {
				x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, T(rng.NormFloat64()))
			}
		}
		x.Ptr[i+1] = len(x.Col)
	}
	return x
}

// csrShapes are n, d, m and the entries a row: none, one column, around a panel and a strip, around a K block, a group
// and several.
var csrShapes = [][4]int{
	{0, 3, 5, 1}, {1, 1, 1, 1}, {3, 0, 7, 0}, {5, 7, 1, 0}, {7, 13, 5, 3}, {11, 101, 32, 7}, {13, 31, 33, 31},
	{2, 509, 127, 40}, {29, 513, 131, 11},
	{3, 1031, 67, 60}, {17, 2053, 24, 5}, {5, 4099, 97, 300}, {1100, 7, 9, 2},
}

// TestCSR compares the products of sparse rows, packed and borrowed, with the products of the same rows made dense, in
// float64.
func TestCSR(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range csrShapes {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				checkCSR[float64](t, s[0], s[1], s[2], s[3])
				checkCSR[float32](t, s[0], s[1], s[2], s[3])
			})
		}
	})
}

func checkCSR[T Float](t *testing.T, n, d, m, stored int) {
	t.Helper()
	x, w, b, dp, base := sparseRows[T](n, d, stored, 1), random[T](d*m, 2), random[T](m, 3), random[T](n*m, 4),
		random[T](d, 5)
	p := plain(x.dense(), false, w, false, n, d, m)
	at := func(cols int, f func(i, j int) float64) []float64 {
		out := make([]float64, n*cols)
		for k := range out {
			out[k] = f(k/cols, k%cols)
		}
		return out
	}
	terms := stored + 20 // a row has not many more
	for name, packed := range map[string]*Weights[T]{"packed": Pack(w, d, m), "borrowed": Borrow(w, d, m)} {
		got := filled[T](n * m)
		packed.AffineCSR(got, x, nil)
		near(t, name, got, p, terms)
		packed.AffineCSR(got, x, b)
		near(t, name+" with a bias", got, at(m, func(i, j int) float64 { return p[i*m+j] + float64(b[j]) }), terms)
		if bad := PhaseCSR(got, x, b, packed, 2); bad != -1 {
			t.Fatalf("%s: Phase reports row %d", name, bad)
		}
		near(t, name+" Phase", got, at(m, func(i, j int) float64 {
			return 2 * math.Cos(p[i*m+j]+float64(b[j]))
		}), 4*terms)
		pair := filled[T](n * 2 * m)
		if bad := PairCSR(pair, x, nil, packed, .5); bad != -1 {
			t.Fatalf("%s: Pair reports row %d", name, bad)
		}
		near(t, name+" Pair", pair, at(2*m, func(i, j int) float64 {
			if j < m {
				return .5 * math.Cos(p[i*m+j])
			}
			return .5 * math.Sin(p[i*m+j-m])
		}), 4*terms)
	}
	small := Pack(scaled(w, .02), d, m)
	got := filled[T](n * m)
	ExpCSR(got, x, nil, small, 3)
	near(t, "Exp", got, at(m, func(i, j int) float64 { return 3 * math.Exp(-.02*p[i*m+j]) }), terms)

	dw := filled[T](d * m)
	GradWCSR(dw, x, nil, dp, m)
	near(t, "GradW", dw, plain(x.dense(), true, dp, false, d, n, m), 4*n)
	GradWCSR(dw, x, base, dp, m)
	shifted := x.dense()
	for k := range shifted {
		shifted[k] += base[k%d]
	}
	near(t, "GradW with a base", dw, plain(shifted, true, dp, false, d, n, m), 16*n)
}

// filled is memory that holds NaN: what is not written shows.
func filled[T Float](n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(math.NaN())
	}
	return v
}

// TestCSRView: the rows i to j are the same slices under a part of the row pointers.
func TestCSRView(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const n, d, m = 31, 1031, 37
		x, w, dp := sparseRows[float64](n, d, 17, 1), random[float64](d*m, 2), random[float64](n*m, 3)
		all, part := make([]float64, n*m), make([]float64, 7*m)
		packed := Pack(w, d, m)
		packed.AffineCSR(all, x, nil)
		view := CSR[float64]{7, d, x.Ptr[11:19], x.Col, x.Val}
		if packed.AffineCSR(part, view, nil); !slices.Equal(part, all[11*m:18*m]) {
			t.Error("the product of a part differs from the part of the product")
		}
		dw := make([]float64, d*m)
		GradWCSR(dw, view, nil, dp[:7*m], m)
		near(t, "GradW of a part", dw, plain(view.dense(), true, dp[:7*m], false, d, 7, m), 30)
	})
}

// TestCSRTall: more rows than have their index lists in memory at once; of two bad rows the first is told, in a later
// part too.
func TestCSRTall(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const n, m = 2*csrLists + 7, 3
		x := CSR[float64]{Rows: n, Cols: 2, Ptr: make([]int, n+1)}
		for i := range n {
			x.Col, x.Val = append(x.Col, int32(i%2)), append(x.Val, float64(i))
			x.Ptr[i+1] = i + 1
		}
		w, dst := Pack([]float64{1, 2, 3, 4, 5, 6}, 2, m), filled[float64](n*m)
		w.AffineCSR(dst, x, nil)
		for i, v := range dst {
			if want := float64(i/m) * float64(i%m+1+3*(i/m%2)); v != want {
				t.Fatalf("cell %d,%d is %v, want %v", i/m, i%m, v, want)
			}
		}
		x.Val[n-1], x.Val[csrLists+5] = math.Inf(1), math.NaN()
		if bad := PhaseCSR(dst, x, make([]float64, m), w, 1); bad != csrLists+5 {
			t.Errorf("Phase reports row %d, want %d", bad, csrLists+5)
		}
	})
}

// TestCSRBits: packed or borrowed, whatever GOMAXPROCS and the instruction set, the bits are the same.
func TestCSRBits(t *testing.T) {
	if best() == generic {
		return // no kernels here
	}
	csrBits[float64](t)
	csrBits[float32](t)
}

func csrBits[T Float](t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	defer func(i isa) { active = i }(active)
	for _, s := range [][4]int{{67, 3001, 301, 40}, {5, 2053, 1201, 90}, {1500, 37, 5, 3}} {
		n, d, m := s[0], s[1], s[2]
		x, w, b, dp := sparseRows[T](n, d, s[3], 1), random[T](d*m, 2), random[T](m, 3), random[T](n*m, 4)
		var want, wantW []T
		for active = generic + 1; active <= best(); active++ {
			for _, procs := range []int{1, 2, 5} {
				runtime.GOMAXPROCS(procs)
				got, dw := make([]T, n*m), make([]T, d*m)
				GradWCSR(dw, x, nil, dp, m)
				for _, packed := range []*Weights[T]{Pack(w, d, m), Borrow(w, d, m)} {
					packed.AffineCSR(got, x, b)
					if want == nil {
						want, wantW = slices.Clone(got), dw
					}
					if !slices.Equal(got, want) || !slices.Equal(dw, wantW) {
						t.Errorf("%v, %d goroutines, %v: other bits", s, procs, active)
					}
				}
			}
		}
	}
}

// TestCSRNonFinite: a value that is not finite reaches its row and no other, the padding of panels neither; an entry
// that is not stored multiplies nothing. Of several bad rows the first is told.
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
		packed.AffineCSR(dst, x, nil)
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
		if bad := PhaseCSR(dst, x, make([]float32, m), Pack(w, d, m), 1); bad != 17 {
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
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			w.AffineCSR(make([]float64, 6), x, nil)
		}()
	}
}

func FuzzCSR(f *testing.F) {
	f.Add(uint8(3), uint16(520), uint8(33), uint8(9))
	f.Add(uint8(0), uint16(1), uint8(1), uint8(0))
	f.Add(uint8(70), uint16(2500), uint8(130), uint8(200))
	f.Fuzz(func(t *testing.T, n uint8, d uint16, m, stored uint8) {
		defer func(i isa) { active = i }(active)
		for active = generic; active <= best(); active++ {
			checkCSR[float64](t, int(n%80), int(d%3000), int(m)+1, int(stored))
			checkCSR[float32](t, int(n%80), int(d%3000), int(m)+1, int(stored))
		}
	})
}
