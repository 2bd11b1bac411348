package simd

import (
	"fmt"
	"math"
	"testing"
)

// TestBlocks: maps of several blocks and their backward agree with the formula in float64, with shared directions and
// with directions of their own, dense and sparse.
func TestBlocks(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		// and tiles of dP that end within a block
		for _, s := range append(shapes[:len(shapes):len(shapes)], [3]int{gradientRows + 1, 2, 251}) {
			for _, blocks := range []int{1, 2, 3} {
				t.Run(fmt.Sprint(s, blocks), func(t *testing.T) {
					blocksAgainst[float64](t, s[0], s[1], s[2], blocks, true)
					blocksAgainst[float32](t, s[0], s[1], s[2], blocks, true)
					blocksAgainst[float64](t, s[0], s[1], s[2], blocks, false)
					blocksAgainst[float32](t, s[0], s[1], s[2], blocks, false)
				})
			}
		}
	})
}

func blocksAgainst[T Float](t *testing.T, n, d, m, blocks int, shared bool) {
	q := blocks * m
	if shared {
		q = m
	}
	x, u, norms, g := random[T](n*d, 1), random[T](d*q, 2), random[T](blocks*m, 3), random[T](n*blocks*2*m, 4)
	for i := range u {
		u[i] /= T(math.Sqrt(float64(d))) // phases of about one
	}
	scales := []float64{.7, 1.3, .4}[:blocks]
	p := plain(x, false, u, false, n, d, q)
	z, dp, wide := make([]float64, n*blocks*2*m), make([]float64, n*q), make([]float64, n*blocks*m)
	for i := range n {
		for k := range blocks * m {
			b, j := k/m, k%m
			phase := p[i*q+k%q] * float64(norms[k])
			at := i*blocks*2*m + b*2*m + j
			sin, cos := math.Sincos(phase)
			z[at], z[at+m] = scales[b]*cos, scales[b]*sin
			slope := float64(g[at+m])*z[at] - float64(g[at])*z[at+m]
			wide[i*blocks*m+k] = slope
			dp[i*q+k%q] += slope * float64(norms[k])
		}
	}
	got := make([]T, len(z))
	bad := make([]T, len(z))
	forward := func(dst []T, sparse *CSR[T]) int {
		if shared {
			return SharedPairs(dst, x, n, sparse, nil, Pack(u, d, m), norms, scales)
		}
		row := -1
		for b, scale := range scales {
			w := make([]T, d*m)
			for i := range w {
				w[i] = u[i/m*q+b*m+i%m] * norms[b*m+i%m]
			}
			row = max(row, PairBlock(dst[b*2*m:], blocks*2*m, x, n, sparse, nil, Pack(w, d, m), scale))
		}
		return row
	}
	if row := forward(got, nil); row != -1 {
		t.Errorf("row %d is bad", row)
	}
	near(t, "forward", got, z, 4*d)
	sparse := &CSR[T]{Rows: n, Cols: d, Ptr: make([]int, n+1)}
	for i := range n {
		for j := range d {
			sparse.Col, sparse.Val = append(sparse.Col, int32(j)), append(sparse.Val, x[i*d+j])
		}
		sparse.Ptr[i+1] = len(sparse.Col)
	}
	clear(got)
	forward(got, sparse)
	near(t, "forward of sparse rows", got, z, 4*d)
	x[n*d-1] = T(math.Inf(1))
	if row := forward(bad, nil); row != n-1 {
		t.Errorf("an infinite cell in row %d is reported as %d", n-1, row)
	}
	x = random[T](n*d, 1)

	zt := make([]T, len(z))
	for i, v := range z {
		zt[i] = T(v)
	}
	to := Gradients[T]{DX: make([]T, n*d), DW: make([]T, d*q)}
	Borrow(u, d, q).BlocksBackward(to, x, zt, g, norms, n, m, blocks)
	near(t, "dx", to.DX, plain(narrowed[T](dp), false, u, true, n, q, d), 4*q)
	near(t, "dU", to.DW, plain(x, true, narrowed[T](dp), false, d, n, q), 8*n)
	each := Gradients[T]{DW: make([]T, d*blocks*m)}
	Wide[T](d, blocks*m).BlocksBackward(each, x, zt, g, nil, n, m, blocks)
	near(t, "the products of each block", each.DW, plain(x, true, narrowed[T](wide), false, d, n, blocks*m), 8*n)
}

func narrowed[T Float](v []float64) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return out
}
