package simd

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// backward is one, with W and with dP computed apart.
type backward[T Float] struct {
	run   func(to Gradients[T])
	dp, w []T
}

// backwards are the backwards of a layer at (n, d, m).
func backwards[T Float](n, d, m int) map[string]backward[T] {
	x, w, b, g := random[T](n*d, 1), scaled(random[T](d*m, 2), .1), random[T](m, 3), random[T](n*2*m, 4)
	packed := Pack(w, d, m)
	pair, exp, p := make([]T, n*2*m), make([]T, n*m), make([]T, n*m)
	Pair(pair, x, n, packed, .5)
	Exp(exp, x, n, packed, 3)
	packed.Affine(p, x, b, n)
	pairDP, expDP, phaseDP := make([]T, n*m), make([]T, n*m), make([]T, n*m)
	PairGrad(pairDP, pair, g, n, m)
	ExpGrad(expDP, exp, g[:n*m], n, m)
	CosGrad(phaseDP, p, g[:n*m], n, m, 2)
	return map[string]backward[T]{
		"pair":     {func(to Gradients[T]) { packed.PairBackward(to, x, pair, g, n) }, pairDP, w},
		"exp":      {func(to Gradients[T]) { packed.ExpBackward(to, x, exp, g[:n*m], n) }, expDP, w},
		"phase":    {func(to Gradients[T]) { packed.PhaseBackward(to, x, b, g[:n*m], n, 2) }, phaseDP, w},
		"cos":      {func(to Gradients[T]) { packed.CosBackward(to, x, p, g[:n*m], n, 2) }, phaseDP, w},
		"borrowed": {func(to Gradients[T]) { Borrow(w, d, m).PhaseBackward(to, x, b, g[:n*m], n, 2) }, phaseDP, w},
	}
}

// severalRows and severalCols are two tiles of dP and a part of a third.
const severalRows = 2*gradientRows + 11

func severalCols[T Float]() int {
	_, cols := gradientTile[T](severalRows, 1<<20)
	return 2*cols + 11
}

// TestBackward: the gradients of all maps against the gradients from dP computed apart, for one block of rows and for
// several.
func TestBackward(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range [][3]int{{1, 1, 1}, {5, 3, 7}, {33, 67, 5}, {101, 17, 131}, {severalRows, 2, 3},
			{gradientRows + 1, 3, severalCols[float32]()}} {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				testBackward[float64](t, s[0], s[1], s[2])
				testBackward[float32](t, s[0], s[1], s[2])
			})
		}
	})
}

func testBackward[T Float](t *testing.T, n, d, m int) {
	x, ones := random[T](n*d, 1), slices.Repeat([]T{1}, n)
	for name, b := range backwards[T](n, d, m) {
		full := Gradients[T]{DX: make([]T, n*d), DW: slices.Repeat([]T{9}, d*m), DB: slices.Repeat([]T{9}, m)}
		b.run(full)
		near(t, name+": dx", full.DX, plain(b.dp, false, b.w, true, n, m, d), 4*m)
		near(t, name+": dW", full.DW, plain(x, true, b.dp, false, d, n, m), 4*n)
		near(t, name+": db", full.DB, plain(ones, false, b.dp, false, 1, n, m), 4*n)
		for i, only := range []Gradients[T]{{DX: make([]T, n*d)}, {DW: make([]T, d*m)}, {DB: make([]T, m)}, {}} {
			b.run(only)
			got, want := [][]T{only.DX, only.DW, only.DB, nil}[i], [][]T{full.DX, full.DW, full.DB, nil}[i]
			if !slices.Equal(got, want) {
				t.Errorf("%s: gradient %d alone differs from the one that is computed with the others", name, i)
			}
		}
	}
}

// TestBackwardBits: the same bits for any GOMAXPROCS.
func TestBackwardBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const d, m = 37, 1031
	n := severalRows
	want := map[string][]float32{}
	for _, procs := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(procs)
		for name, b := range backwards[float32](n, d, m) {
			got := make([]float32, n*d+d*m+m)
			b.run(Gradients[float32]{DX: got[:n*d], DW: got[n*d:][:d*m], DB: got[n*d+d*m:]})
			if procs == 1 {
				want[name] = got
			} else if !slices.Equal(got, want[name]) {
				t.Errorf("%s: GOMAXPROCS %d gives other bits", name, procs)
			}
		}
	}
}

// TestBackwardWithoutRows: empty sums are zero, not what was in the memory.
func TestBackwardWithoutRows(t *testing.T) {
	to := Gradients[float64]{DX: []float64{}, DW: []float64{1, 2, 3}, DB: []float64{4, 5, 6}}
	Borrow([]float64{1, 2, 3}, 1, 3).PairBackward(to, nil, nil, nil, 0)
	if want := []float64{0, 0, 0}; !slices.Equal(to.DW, want) || !slices.Equal(to.DB, want) {
		t.Error(to)
	}
}

// TestPointwise: every instruction set gives the bits of plain Go, at every length.
func TestPointwise(t *testing.T) { eachType(t, testPointwise[float32], testPointwise[float64]) }

func testPointwise[T Float](t *testing.T) {
	for n := range 70 {
		a, b, c, d := random[T](n, 1), random[T](n, 2), random[T](n, 3), random[T](n, 4)
		product, sum, pair := make([]T, n), slices.Clone(a), make([]T, n)
		vecProduct(product, a, b, -1)
		vecAdd(sum, b)
		vecPairGrad(pair, a, b, c, d)
		for i := range n {
			if product[i] != -(a[i]*b[i]) || sum[i] != a[i]+b[i] || pair[i] != T(d[i]*a[i])-T(c[i]*b[i]) {
				t.Fatalf("n = %d: element %d: %v, %v, %v", n, i, product[i], sum[i], pair[i])
			}
		}
	}
}
