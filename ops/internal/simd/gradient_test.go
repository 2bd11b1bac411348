package simd

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// backward is one: the slopes, dP [n,q] by its formula, and W; and the gradients.
type backward[T Float] struct {
	name   string
	slopes Slopes[T]
	want   []float64
	q      int
	w      []T
	run    func(to Gradients[T])
}

// backwards are the backwards of the maps of rows x [n,d].
func backwards[T Float](n, d, m int) (x []T, all []backward[T]) {
	const blocks = 2
	x = random[T](n*d, 1)
	b, g, norms := random[T](m, 3), random[T](n*blocks*2*m, 4), random[T](blocks*m, 5)
	add := func(name string, q int, slopes Slopes[T], want func(i, j int) float64, w []T) {
		dp := make([]float64, n*q)
		for at := range dp {
			dp[at] = want(at/q, at%q)
		}
		packed := Pack(w, d, q)
		all = append(all, backward[T]{name, slopes, dp, q, w,
			func(to Gradients[T]) { packed.Backward(to, x, n, slopes) }})
	}
	w := scaled(random[T](d*m, 2), .1)
	packed := Pack(w, d, m)
	exp, p := make([]T, n*m), make([]T, n*m)
	Exp(exp, packed, Rows[T]{Dense: x}, n, 3)
	Affine(p, packed, Rows[T]{Dense: x}, b, n)
	for _, sign := range []float64{-1, 1} {
		add(fmt.Sprint("exp ", sign), m, ExpSlopes(exp, g, m, T(sign)), func(i, j int) float64 {
			return sign * float64(g[i*m+j]) * float64(exp[i*m+j])
		}, w)
	}
	add("cos", m, CosSlopes(p, g, m, 2), func(i, j int) float64 {
		return -2 * math.Sin(float64(p[i*m+j])) * float64(g[i*m+j])
	}, w)
	for i, w := range []*Weights[T]{packed, Borrow(w, d, m)} {
		phase := all[2]
		phase.name = []string{"phase", "phase, borrowed"}[i]
		phase.run = func(to Gradients[T]) { w.PhaseBackward(to, x, b, g, n, 2) }
		all = append(all, phase)
	}
	for _, c := range []struct {
		blocks, q int
		norms     []T
	}{{1, m, nil}, {blocks, m, norms}, {blocks, blocks * m, norms}, {blocks, blocks * m, nil}} {
		z, ld := random[T](n*c.blocks*2*m, 6), c.blocks*2*m
		add(fmt.Sprint("blocks ", c.blocks, c.q/m, c.norms != nil), c.q, BlocksSlopes(z, g, c.norms, m, c.blocks, c.q),
			func(i, j int) (sum float64) {
				for k := j; k < c.blocks*m; k += c.q {
					at, r := i*ld+k/m*2*m+k%m, 1.
					if c.norms != nil {
						r = float64(c.norms[k])
					}
					sum += r * (float64(g[at+m])*float64(z[at]) - float64(g[at])*float64(z[at+m]))
				}
				return sum
			}, scaled(random[T](d*c.q, 2), .1))
	}
	return x, all
}

// severalRows and severalCols are two tiles of dP and a part of a third.
const severalRows = 2*gradientRows + 11

func severalCols[T Float]() int {
	_, cols := gradientTile[T](severalRows, 1<<20)
	return 2*cols + 11
}

// TestBackward: the slopes against their formulas, and the gradients of all maps against the products with them, for
// one tile of dP and for several, which may end within a block.
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
	x, all := backwards[T](n, d, m)
	for _, b := range all {
		dp, m := filled[T](t, n*b.q), b.q
		b.slopes.Write(dp, n, m)
		near(t, b.name+": dP", dp, b.want, 4)
		full := Gradients[T]{DX: filled[T](t, n*d), DW: filled[T](t, d*m), DB: filled[T](t, m)}
		b.run(full)
		near(t, b.name+": dx", full.DX, plain(dp, false, b.w, true, n, m, d), 4*m)
		near(t, b.name+": dW", full.DW, plain(x, true, dp, false, d, n, m), 4*n)
		near(t, b.name+": db", full.DB, plain(slices.Repeat([]T{1}, n), false, dp, false, 1, n, m), 4*n)
		for i, only := range []Gradients[T]{{DX: make([]T, n*d)}, {DW: make([]T, d*m)}, {DB: make([]T, m)}, {}} {
			b.run(only)
			got, want := [][]T{only.DX, only.DW, only.DB, nil}[i], [][]T{full.DX, full.DW, full.DB, nil}[i]
			if !slices.Equal(got, want) {
				t.Errorf("%s: gradient %d alone differs from the one that is computed with the others", b.name, i)
			}
		}
	}
}

// TestWithoutRows: empty sums are zero, not what was in the memory.
func TestWithoutRows(t *testing.T) {
	to, dw := Gradients[float64]{DX: []float64{}, DW: []float64{1, 2, 3}, DB: []float64{4, 5, 6}}, []float64{1, 2, 3}
	Borrow([]float64{1, 2, 3}, 1, 3).Backward(to, nil, 0, nil)
	GradW(dw, nil, nil, 0, 1, 3)
	if want := []float64{0, 0, 0}; !slices.Equal(to.DW, want) || !slices.Equal(to.DB, want) || !slices.Equal(dw, want) {
		t.Error(to, dw)
	}
}
