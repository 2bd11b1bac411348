package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// eachISA runs f under every instruction set of this machine.
func eachISA[B interface {
	Run(string, func(B)) bool
	Cleanup(func())
}](b B, f func(B)) {
	for i := generic; i <= best(); i++ {
		b.Run(i.String(), func(b B) {
			use(b, i)
			f(b)
		})
	}
}

// eachType runs a test of both types under every instruction set.
func eachType(t *testing.T, single, double func(*testing.T)) {
	eachISA(t, func(t *testing.T) { single(t); double(t) })
}

// use makes an instruction set the active one for a test.
func use(t interface{ Cleanup(func()) }, i isa) {
	before := active
	active = i
	t.Cleanup(func() { active = before })
}

// panics tells whether f does.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}

func random[T Float](n int, seed uint64) []T {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]T, n)
	for i := range v {
		v[i] = T(rng.NormFloat64())
	}
	return v
}

func scaled[T Float](v []T, s float64) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(s * float64(x))
	}
	return out
}

// absolute are the sizes of v.
func absolute[T Float](v []T) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = max(x, -x)
	}
	return out
}

// squares are those of v, plus a number.
func squares[T Float](v []T, plus T) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = x*x + plus
	}
	return out
}

// as converts v.
func as[U, T Float](v []T) []U {
	out := make([]U, len(v))
	for i, x := range v {
		out[i] = U(x)
	}
	return out
}

// filled is memory that holds NaN, before a guard page: what is not written shows.
func filled[T Float](t *testing.T, n int) []T {
	return guarded(t, slices.Repeat([]T{T(math.NaN())}, n))
}

// epsilon is the largest relative error of a rounding.
func epsilon[T Float]() float64 {
	if sizeof[T]() == 4 {
		return 0x1p-24
	}
	return 0x1p-53
}

// plain is the reference of every product, in float64: op(a)·op(b) for row-major a and b.
func plain[T Float](a []T, aT bool, b []T, bT bool, rows, inner, cols int) []float64 {
	out := make([]float64, rows*cols)
	for i := range rows {
		for j := range cols {
			x, y, dx, dy, sum := i*inner, j, 1, cols, 0.0
			if aT {
				x, dx = i, rows
			}
			if bT {
				y, dy = j*inner, 1
			}
			for k := range inner {
				sum += float64(a[x+k*dx]) * float64(b[y+k*dy])
			}
			out[i*cols+j] = sum
		}
	}
	return out
}

// near compares with a bound of so many roundings of sums of size about one. A number that is NaN is not to be written.
func near[T Float](t *testing.T, what string, got []T, want []float64, roundings int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%T, %s: %d cells, want %d", got, what, len(got), len(want))
	}
	for i, w := range want {
		g := float64(got[i])
		if !(math.Abs(g-w) <= 32*epsilon[T]()*float64(roundings+4)*(1+math.Abs(w))) && (w == w || g == g) {
			t.Fatalf("%T, %s: cell %d is %v, the reference %v", got, what, i, g, w)
		}
	}
}

// dense spreads x out.
func (x CSR[T]) dense() []T {
	v := make([]T, x.Rows*x.Cols)
	for i := range x.Rows {
		x.AddRow(v[i*x.Cols:(i+1)*x.Cols], i)
	}
	return v
}

// sparseRows draws a sparse matrix of about stored entries a row. It is a part of a matrix with one row more.
func sparseRows[T Float](n, d, stored int, seed uint64) CSR[T] {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := CSR[T]{Rows: n + 1, Cols: d, Ptr: make([]int, n+2)}
	for i := range n + 1 {
		for j := range d {
			if rng.IntN(d) < stored {
				x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, T(rng.NormFloat64()))
			}
		}
		x.Ptr[i+1] = len(x.Col)
	}
	return x.Part(1, n+1)
}
