package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// shapes are n, d, m: one, odd, below and above a row tile, narrow and wide.
var shapes = [][3]int{{1, 1, 1}, {1, 7, 5}, {3, 1, 2}, {31, 3, 7}, {32, 5, 67}, {33, 67, 5}, {101, 17, 131},
	{7, 1031, 11}}

func random[T Float](n int, seed uint64) []T {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]T, n)
	for i := range v {
		v[i] = T(rng.NormFloat64())
	}
	return v
}

// plain is the reference of every product, in float64: op(a)·op(b) for row-major a and b.
func plain[T Float](a []T, aT bool, b []T, bT bool, rows, inner, cols int) []float64 {
	out := make([]float64, rows*cols)
	for i := range rows {
		for j := range cols {
			for k := range inner {
				x, y := i*inner+k, k*cols+j
				if aT {
					x = k*rows + i
				}
				if bT {
					y = j*inner + k
				}
				out[i*cols+j] += float64(a[x]) * float64(b[y])
			}
		}
	}
	return out
}

// near compares with a bound of inner roundings of products of size about one.
func near[T Float](t *testing.T, what string, got []T, want []float64, inner int) {
	t.Helper()
	eps := 2.2e-16
	if _, ok := any(got).([]float32); ok {
		eps = 1.2e-7
	}
	tol := 16 * eps * float64(inner+4)
	if len(got) != len(want) {
		t.Fatalf("%s: %d cells, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tol*(1+math.Abs(w))) {
			t.Fatalf("%s: cell %d is %v, the reference %v", what, i, got[i], w)
		}
	}
}

func TestAgainstReference(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range shapes {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				against[float64](t, s[0], s[1], s[2])
				against[float32](t, s[0], s[1], s[2])
			})
		}
	})
}

func against[T Float](t *testing.T, n, d, m int) {
	x, w, b, g := random[T](n*d, 1), random[T](d*m, 2), random[T](m, 3), random[T](n*2*m, 4)
	p := plain(x, false, w, false, n, d, m)
	packed := Pack(w, d, m)
	at := func(f func(i, j int) float64, cols int) []float64 {
		out := make([]float64, n*cols)
		for i := range n {
			for j := range cols {
				out[i*cols+j] = f(i, j)
			}
		}
		return out
	}

	pair := make([]T, n*2*m)
	if bad := Pair(pair, x, n, packed, .5); bad != -1 {
		t.Fatalf("Pair reports row %d", bad)
	}
	near(t, "Pair", pair, at(func(i, j int) float64 {
		if j < m {
			return .5 * math.Cos(p[i*m+j])
		}
		return .5 * math.Sin(p[i*m+j-m])
	}, 2*m), d)

	dp := make([]T, n*m)
	PairGrad(dp, pair, g, n, m)
	near(t, "PairGrad", dp, at(func(i, j int) float64 {
		s, c := math.Sincos(p[i*m+j])
		return .5 * (float64(g[i*2*m+m+j])*c - float64(g[i*2*m+j])*s)
	}, m), d)

	affine := make([]T, n*m)
	packed.Affine(affine, x, b, n)
	near(t, "Affine", affine, at(func(i, j int) float64 { return p[i*m+j] + float64(b[j]) }, m), d)

	phase := make([]T, n*m)
	if bad := Phase(phase, x, b, n, packed, 2); bad != -1 {
		t.Fatalf("Phase reports row %d", bad)
	}
	near(t, "Phase", phase, at(func(i, j int) float64 { return 2 * math.Cos(p[i*m+j]+float64(b[j])) }, m), 2*d)
	CosGrad(dp, affine, g[:n*m], n, m, 2)
	near(t, "CosGrad", dp, at(func(i, j int) float64 {
		return -2 * math.Sin(p[i*m+j]+float64(b[j])) * float64(g[i*m+j])
	}, m), 2*d)

	exp := make([]T, n*m)
	Exp(exp, x, n, Pack(scaled(w, .1), d, m), 3)
	small := plain(x, false, scaled(w, .1), false, n, d, m)
	near(t, "Exp", exp, at(func(i, j int) float64 { return 3 * math.Exp(-small[i*m+j]) }, m), d)
	ExpGrad(dp, exp, g[:n*m], n, m)
	near(t, "ExpGrad", dp, at(func(i, j int) float64 { return -float64(g[i*m+j]) * float64(exp[i*m+j]) }, m), 1)

	dx, dw, db := make([]T, n*d), make([]T, d*m), make([]T, m)
	packed.GradX(dx, g[:n*m], n)
	near(t, "GradX", dx, plain(g[:n*m], false, w, true, n, m, d), 4*m)
	borrowed := make([]T, n*d)
	if Borrow(w, d, m).GradX(borrowed, g[:n*m], n); !slices.Equal(borrowed, dx) {
		t.Error("GradX of borrowed weights differs from GradX of packed ones")
	}
	GradW(dw, x, g[:n*m], n, d, m)
	near(t, "GradW", dw, plain(x, true, g[:n*m], false, d, n, m), 4*n)
	ColSum(db, g[:n*m], n)
	ones := make([]T, n)
	for i := range ones {
		ones[i] = 1
	}
	near(t, "ColSum", db, plain(ones, false, g[:n*m], false, 1, n, m), n)
}

func scaled[T Float](v []T, s float64) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(s * float64(x))
	}
	return out
}

// TestFirstBadRow: of several rows whose projection is not finite the first is told, whichever goroutine finds it.
func TestFirstBadRow(t *testing.T) {
	eachISA(t, testFirstBadRow)
}

func testFirstBadRow(t *testing.T) {
	const n = 200
	x, w := make([]float64, n), Pack([]float64{math.MaxFloat64}, 1, 1)
	for i := 77; i < n; i++ {
		x[i] = 10
	}
	if bad := Pair(make([]float64, 2*n), x, n, w, 1); bad != 77 {
		t.Errorf("Pair reports row %d, want 77", bad)
	}
	if bad := Phase(make([]float64, n), x, []float64{0}, n, w, 1); bad != 77 {
		t.Errorf("Phase reports row %d, want 77", bad)
	}
}

// TestGradWWithoutRows: an empty sum is zero, not what was in the memory.
func TestGradWWithoutRows(t *testing.T) {
	dw := []float64{1, 2, 3}
	GradW(dw, nil, nil, 0, 1, 3)
	if dw[0] != 0 || dw[1] != 0 || dw[2] != 0 {
		t.Error(dw)
	}
}
