package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// multiplication is one call of Gemm, with the room between the rows that its operands have.
type multiplication struct {
	aT, bT      bool
	m, n, k     int
	alpha, beta float64
	gap         int
}

func (g multiplication) String() string {
	return fmt.Sprintf("%dx%dx%d aT=%t bT=%t alpha=%v beta=%v gap=%d",
		g.m, g.k, g.n, g.aT, g.bT, g.alpha, g.beta, g.gap)
}

// strided is a random matrix with room between its rows that holds NaN: whoever reads it shows.
func strided[T Float](rows, cols, gap int, seed uint64) (v []T, ld int) {
	ld = max(1, cols+gap)
	v = random[T](rows*ld, seed)
	for i := range v {
		if i%ld >= cols {
			v[i] = T(math.NaN())
		}
	}
	if rows > 0 {
		v = v[: rows*ld-gap : rows*ld-gap] // the last row ends with its last element
	}
	return v, ld
}

// operands returns the operands of a multiplication, before guard pages with a test.
func operands[T Float](test *testing.T, g multiplication) (a, b, c matrix[T]) {
	lie := func(rows, cols int, t bool, seed uint64) matrix[T] {
		if t {
			rows, cols = cols, rows
		}
		v, ld := strided[T](rows, cols, g.gap, seed)
		if test != nil {
			v = guarded(test, v)
		}
		return matrix[T]{v, ld, t}
	}
	return lie(g.m, g.k, g.aT, 1), lie(g.k, g.n, g.bT, 2), lie(g.m, g.n, false, 3)
}

// written is op(x) [rows,cols] in float64, without room between the rows.
func (x matrix[T]) written(rows, cols int) []float64 {
	v := make([]float64, rows*cols)
	for i := range v {
		at := i/cols*x.ld + i%cols
		if x.t {
			at = i%cols*x.ld + i/cols
		}
		v[i] = float64(x.v[at])
	}
	return v
}

func runGemm[T Float](g multiplication, a, b matrix[T], c []T, ldc int) {
	Gemm(g.aT, g.bT, g.m, g.n, g.k, T(g.alpha), a.v, a.ld, b.v, b.ld, T(g.beta), c, ldc)
}

// checkGemm compares with sums in float64, cell by cell: rounding is at most eps, there and here, for each of the k
// products and the few steps after them, of the sum of the absolute values.
func checkGemm[T Float](t *testing.T, g multiplication) {
	t.Helper()
	a, b, c := operands[T](t, g)
	got := guarded(t, c.v)
	if g.beta == 0 {
		for i := range got {
			got[i] = T(math.NaN())
		}
	}
	runGemm(g, a, b, got, c.ld)
	b.t = !b.t // so that the reference reads both row by row
	left, right := a.written(g.m, g.k), b.written(g.n, g.k)
	sums := plain(left, false, right, true, g.m, g.k, g.n)
	sizes := plain(absolute(left), false, absolute(right), true, g.m, g.k, g.n)
	for at, v := range got {
		i, j := at/c.ld, at%c.ld
		if j >= g.n {
			if v == v {
				t.Fatalf("%v: wrote between the rows, at %d,%d", g, i, j)
			}
			continue
		}
		sum, size, old := sums[i*g.n+j], sizes[i*g.n+j], 0.0
		if g.beta != 0 {
			old = g.beta * float64(c.v[at])
		}
		want, bound := g.alpha*sum+old, float64(g.k+4)*(epsilon[T]()+0x1p-53)*(math.Abs(g.alpha)*size+math.Abs(old))
		if d := math.Abs(float64(v) - want); !(d <= bound) {
			t.Fatalf("%v: cell %d,%d is %v, the reference %v, off by more than %v", g, i, j, v, want, bound)
		}
	}
}

// TestGemm: odd shapes, one row, one column, below and above a tile, a panel and a K block; transposes, strides, alpha
// and beta; and a transposed operand whose rows are a power of two apart, which takes a way of its own.
func TestGemm(t *testing.T) {
	sizes := [][3]int{ // m, n, k
		{0, 3, 5}, {3, 0, 5}, {3, 5, 0}, {1, 1, 1}, {1, 33, 7}, {67, 1, 5}, {1, 1, 1031}, {12, 32, 4}, {13, 31, 3},
		{11, 97, 67}, {5, 24, 8}, {12, 32, 64}, {8, 24, 33}, {7, 95, 3}, {50, 9, 517}, {3, 700, 11},
		{6, 16, 2}, {7, 17, 513}, {61, 53, 257}, {3, 7, 1025}, {131, 67, 37}, {29, 263, 11}, {256, 19, 523},
	}
	eachISA(t, func(t *testing.T) {
		for i, s := range sizes {
			for l := range 4 {
				for j, scale := range [][2]float64{{1, 0}, {1, 1}, {-.5, 0}, {2, -3}, {0, .5}, {0, 0}} {
					g := multiplication{aT: l&1 != 0, bT: l&2 != 0, m: s[0], n: s[1], k: s[2], alpha: scale[0],
						beta: scale[1], gap: (i + j) % 3}
					checkGemm[float64](t, g)
					checkGemm[float32](t, g)
				}
			}
		}
	})
}

// TestGemmNonFinite: NaN and Inf go where a plain sum takes them, 0·Inf included, and nowhere else: the padding of a
// panel or of a tile does not spread.
func TestGemmNonFinite(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		if active == generic {
			return // gonum skips zeros of a
		}
		nonFinite[float64](t)
		nonFinite[float32](t)
	})
}

func nonFinite[T Float](t *testing.T) {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	const m, n, k = 29, 71, 17
	for trial := range 50 {
		rng := rand.New(rand.NewPCG(uint64(trial), 5))
		a, b := random[T](m*k, uint64(trial)), random[T](k*n, uint64(trial)+100)
		for range 6 {
			a[rng.IntN(len(a))] = []T{0, inf, -inf, nan}[rng.IntN(4)]
			b[rng.IntN(len(b))] = []T{0, inf, -inf, nan}[rng.IntN(4)]
		}
		row := rng.IntN(m)
		clear(a[row*k : (row+1)*k])
		c, want := make([]T, m*n), plain(a, false, b, false, m, k, n)
		Gemm(false, false, m, n, k, 1, a, k, b, n, 0, c, n)
		for i, w := range want {
			same := float64(c[i]) == w
			if w-w == 0 {
				same = math.Abs(float64(c[i])-w) < 1e-4
			}
			if !same && !(w != w && c[i] != c[i]) {
				t.Fatalf("trial %d: cell %d,%d is %v, want %v", trial, i/n, i%n, c[i], w)
			}
		}
	}
}

// TestGemmPanics: kernels have no bounds checks, so an operand outside its slice must not reach them.
func TestGemmPanics(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range [][4]int{{5, 3, 3, 3}, {4, 3, 3, 3}, {5, 2, 3, 3}, {5, 3, 2, 3}, {5, 3, 3, 0}, {5, 3, 3, 1},
			{5, 3, 3, 2}} {
			size := [4]int{7 * 5, 5 * 3, 7 * 3}
			size[s[3]]--
			a, b, c := make([]float64, size[0]), make([]float64, size[1]), make([]float64, size[2])
			did := panics(func() { Gemm(false, false, 7, 3, 5, 1, a, s[0], b, s[1], 0, c, s[2]) })
			if good := s == [4]int{5, 3, 3, 3}; did == good {
				t.Errorf("strides %v, operand %d short: panics %t", s[:3], s[3], did)
			}
		}
	})
}

func TestChoose(t *testing.T) {
	top := isa(len(names) - 1)
	for i := generic; i <= top; i++ {
		if choose(i, "") != i || choose(top, i.String()) != i {
			t.Errorf("another instruction set than %v, which is named", i)
		}
		for _, name := range append(names[i+1:len(names):len(names)], "sse") {
			if !panics(func() { choose(i, name) }) {
				t.Errorf("choose(%v, %s) does not panic", i, name)
			}
		}
	}
}

func FuzzGemm(f *testing.F) {
	f.Add(uint8(0), uint16(13), uint16(33), uint16(520), uint8(1), int8(2), int8(0))
	f.Add(uint8(3), uint16(1), uint16(1), uint16(1), uint8(0), int8(1), int8(1))
	f.Add(uint8(1), uint16(64), uint16(300), uint16(9), uint8(4), int8(-1), int8(3))
	f.Fuzz(func(t *testing.T, trans uint8, m, n, k uint16, gap uint8, alpha, beta int8) {
		g := multiplication{trans&1 != 0, trans&2 != 0, int(m % 300), int(n % 300), int(k % 600), float64(alpha),
			float64(beta), int(gap)}
		eachISA(t, func(t *testing.T) {
			checkGemm[float64](t, g)
			checkGemm[float32](t, g)
		})
	})
}
