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
	basis := scaled(random[T](v*b, 3), 1./v)
	for _, w := range []*Waves[T]{{Lambda: []T{.1, 1.3, 2.7}, Root: []T{.5, .4, .3}},
		{Lambda: []T{0}, Root: []T{.7}, Even: true}} {
		r, m := w.Rows(), len(w.Lambda)
		g := random[T](n*r*b, 4)
		got, dp, dl := make([]T, n*r*b), make([]T, n*v), make([]T, m)
		if bad := w.Project(got, p, basis, n, v, b); bad != -1 {
			t.Fatalf("row %d is bad", bad)
		}
		w.Backward(dp, dl, p, basis, g, n, v, b)
		slopes := plain(g, false, basis, true, n*r, b, v) // by the values of the waves
		terms := plain(absolute(g), false, absolute(basis), true, n*r, b, v)
		waves, wantL := make([]float64, n*r*v), make([]float64, m)
		wantP, sizes := make([]float64, n*v), make([]float64, n*v)
		for at, u := range p {
			if u == 0 {
				continue
			}
			ln, root := Ln(float64(u)), math.Sqrt(float64(u))
			for k := range r {
				j, i := k*m/r, at/v*r*v+k*v+at%v
				l, s := float64(w.Lambda[j]), slopes[i]*float64(w.Root[j])
				sin, cos := math.Sincos(l * ln)
				wave, turn := cos, -sin
				if k%(r/m) == 1 {
					wave, turn = sin, cos
				}
				waves[i] = float64(w.Root[j]) * root * wave
				wantP[at] += s * (wave/2 + l*turn) / root
				sizes[at] += terms[i] * float64(w.Root[j]) * (.5 + l) / root
				wantL[j] += s * root * ln * turn
			}
		}
		for i, z := range plain(waves, false, as[float64](basis), false, n*r, v, b) {
			if !(math.Abs(float64(got[i])-z) <= tol) {
				t.Fatalf("even %v: coefficient %d is %v, want %v", w.Even, i, got[i], z)
			}
		}
		for i, want := range wantP {
			if !(math.Abs(float64(dp[i])-want) <= 20*tol*sizes[i]) {
				t.Fatalf("even %v: dp[%d] = %v at %v, want %v", w.Even, i, dp[i], p[i], want)
			}
		}
		for j, want := range wantL {
			if !(math.Abs(float64(dl[j])-want) <= 20*tol*(1+math.Abs(want))) {
				t.Errorf("even %v: dλ[%d] = %v, want %v", w.Even, j, dl[j], want)
			}
		}
		only := make([]T, m)
		if w.Backward(nil, only, p, basis, g, n, v, b); only[0] != dl[0] {
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
		const half, v = 389, 7 * 5 * 11
		x := absolute(scaled(random[float64](2*half*3, 4), .2))
		g := slices.Repeat(random[float64](v, 5), 2)
		run := func(offsets ...int) (p, dx, dh []float64) {
			p, dx, dh = make([]float64, v*(len(offsets)-1)), make([]float64, len(x)), make([]float64, 3)
			k.Forward(p, x, offsets)
			k.Backward(dx, dh, x, g, offsets)
			return p, dx, dh
		}
		p, dx, dh := run(0, 2*half)
		parts, px, ph := run(0, half, 2*half)
		for i := range p {
			parts[i] += parts[v+i]
		}
		near(t, "densities", p, scaled(parts[:v], .5), 16)
		near(t, "dx", dx, scaled(px, .5), 16)
		near(t, "dh", dh, scaled(ph, .5), 2000)
	})
}
