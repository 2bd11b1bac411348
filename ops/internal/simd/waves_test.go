package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWaves compares the coefficients and the gradients with their formulas in float64, over more densities than a
// block and more points than a chunk, with zeros and numbers of all sizes among them.
func TestWaves(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		testWaves[float32](t, 1e-5)
		testWaves[float64](t, 1e-13)
	})
}

func testWaves[T Float](t *testing.T, tol float64) {
	const n, v, b = 151, 601, 3
	rng := rand.New(rand.NewPCG(2, 0))
	p := make([]T, n*v)
	for i := range p {
		switch rng.IntN(5) {
		case 0:
		case 1:
			p[i] = T(math.Exp(60 * (rng.Float64() - .8)))
		default:
			p[i] = T(2 * rng.Float64())
		}
	}
	basis := random[T](v*b, 3)
	for i := range basis {
		basis[i] /= v
	}
	for _, w := range []*Waves[T]{{Lambda: []T{.1, 1.3, 2.7}, Root: []T{.5, .4, .3}},
		{Lambda: []T{0}, Root: []T{.7}, Even: true}} {
		r, m := w.Rows(), len(w.Lambda)
		g := random[T](n*r*b, 4)
		got, dp, dl := make([]T, n*r*b), make([]T, n*v), make([]T, m)
		if bad := w.Project(got, p, basis, n, v, b); bad != -1 {
			t.Fatalf("row %d is bad", bad)
		}
		w.Backward(dp, dl, p, basis, g, n, v, b)
		wantL, worst, worstP := make([]float64, m), 0.0, 0.0
		for i := range n {
			want := make([]float64, r*b)
			for k, u := range p[i*v : i*v+v] {
				if u == 0 {
					if dp[i*v+k] != 0 {
						t.Fatalf("dp at 0 is %v", dp[i*v+k])
					}
					continue
				}
				ln, root, slope, scale := Ln(float64(u)), math.Sqrt(float64(u)), 0.0, 0.0
				for j := range m {
					s, c := math.Sincos(float64(w.Lambda[j]) * ln)
					for f, wave := range []float64{c, s}[:r/m] {
						for q := range b {
							phi, at := float64(basis[k*b+q]), (j*(r/m)+f)*b+q
							want[at] += float64(w.Root[j]) * root * wave * phi
							d := float64(g[i*r*b+at]) * phi * float64(w.Root[j])
							turn := [2]float64{-s, c}[f]
							slope += d * (wave/2 + float64(w.Lambda[j])*turn) / root
							scale += math.Abs(d) * (.5 + float64(w.Lambda[j])) / root
							wantL[j] += d * root * ln * turn
						}
					}
				}
				worstP = math.Max(worstP, math.Abs(float64(dp[i*v+k])-slope)/(scale+1e-30))
			}
			for q, z := range want {
				worst = math.Max(worst, math.Abs(float64(got[i*r*b+q])-z))
			}
		}
		if !(worst <= tol) || !(worstP <= 20*tol) {
			t.Errorf("even %v: coefficients off by %v, dp by %v", w.Even, worst, worstP)
		}
		for j, want := range wantL {
			if !(math.Abs(float64(dl[j])-want) <= 20*tol*(1+math.Abs(want))) {
				t.Errorf("even %v: dλ[%d] = %v, want %v", w.Even, j, dl[j], want)
			}
		}
		only := make([]T, m)
		w.Backward(nil, only, p, basis, g, n, v, b)
		if only[0] != dl[0] {
			t.Errorf("dλ alone is %v, with dp %v", only, dl)
		}
	}
	w := Waves[T]{Lambda: []T{T(math.Inf(1))}, Root: []T{1}}
	if bad := w.Project(make([]T, 2*2*b), []T{1, 1, 2, 2}, basis[:2*b], 2, 2, b); bad != 0 {
		t.Errorf("an infinite frequency is bad in row %d", bad)
	}
}

// TestKDEBlocks: a bag of more samples than a block has the densities and the gradients of its parts, on every
// instruction set. The definition is compared with in package ops.
func TestKDEBlocks(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		k := KDE[float64]{Points: []int{7, 5, 11}, H: []float64{.1, .3, .2}}
		rng := rand.New(rand.NewPCG(4, 0))
		const half, v = 389, 7 * 5 * 11
		x := make([]float64, 2*half*3)
		for i := range x {
			x[i] = rng.Float64()
		}
		g := slices.Repeat(random[float64](v, 5), 2)
		whole, parts := make([]float64, v), make([]float64, 2*v)
		k.Forward(whole, x, []int{0, 2 * half})
		k.Forward(parts, x, []int{0, half, 2 * half})
		for i, p := range whole {
			if mean := (parts[i] + parts[v+i]) / 2; !(math.Abs(p-mean) <= 1e-13*mean) {
				t.Errorf("point %d: %v, by parts %v", i, p, mean)
			}
		}
		dx, dh, px, ph := make([]float64, len(x)), make([]float64, 3), make([]float64, len(x)), make([]float64, 3)
		k.Backward(dx, dh, x, g, []int{0, 2 * half})
		k.Backward(px, ph, x, g, []int{0, half, 2 * half})
		for i, d := range dx {
			if !(math.Abs(d-px[i]/2) <= 1e-13*(1+math.Abs(d))) {
				t.Errorf("dx[%d] = %v, by parts %v", i, d, px[i]/2)
			}
		}
		for j, d := range dh {
			if !(math.Abs(d-ph[j]/2) <= 1e-11*(1+math.Abs(d))) {
				t.Errorf("dh[%d] = %v, by parts %v", j, d, ph[j]/2)
			}
		}
	})
}
