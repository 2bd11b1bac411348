package simd

import (
	"math"
	"slices"
	"testing"
)

// maps are the forms of Homogeneous, for d columns.
func homogeneousForms[T Float](d int) map[string]*Homogeneous[T] {
	each := make([]T, d)
	for j := range each {
		each[j] = T(.3 + .1*float64(j%7))
	}
	return map[string]*Homogeneous[T]{
		"order 0":              {Base: []T{.7}, Root: []T{1.3}, Gamma: 1},
		"order 1":              {F: []int{1}, Base: []T{.66}, Root: []T{.8, .5}, Gamma: 1},
		"order 1, each":        {F: []int{1}, Base: each, Root: []T{.8, .5}, Gamma: 1},
		"order 3, a gap":       {F: []int{1, 2, 5}, Base: []T{.4}, Root: []T{.8, .5, 0, .1}, Gamma: 1},
		"sign":                 {F: []int{1}, Base: []T{.66}, Root: []T{.8, .5}, Gamma: 1, Sign: true},
		"sign, each, degree 2": {F: []int{1, 2}, Base: each, Root: []T{.8, .5, .3}, Gamma: 2, Sign: true},
		"split":                {F: []int{1}, Base: []T{.66}, Root: []T{.8, .5}, Gamma: 1, Split: true},
		"split, order 0":       {Base: []T{.66}, Root: []T{.8}, Gamma: .5, Split: true},
		"degree 2.6":           {F: []int{1, 2}, Base: []T{.66}, Root: []T{.8, .5, .3}, Gamma: 2.6},
		"stationary":           {F: []int{1, 2}, Base: []T{.66}, Root: []T{.8, .5, .3}, Gamma: 1, Stationary: true},
		"stationary, each":     {F: []int{1}, Base: each, Root: []T{.8, .5}, Gamma: 1, Stationary: true},
	}
}

// plainHomogeneous is the formula, for one coordinate in column j.
func plainHomogeneous[T Float](h *Homogeneous[T], v float64, j int) []float64 {
	half := 2*len(h.F) + 1
	out := make([]float64, h.Width())
	if v == 0 && !h.Stationary {
		return out
	}
	at, phase, size := out, v, 1.0
	if !h.Stationary {
		phase, size = Ln(math.Abs(v)), math.Pow(math.Abs(v), h.Gamma/2)
		if v < 0 && h.Sign {
			size = -size
		}
		if v < 0 && h.Split {
			at = out[half:]
		}
	}
	at[0] = float64(h.Root[0]) * size
	for k, f := range h.F {
		s, c := math.Sincos(float64(f) * h.base(j) * phase)
		at[2*k+1], at[2*k+2] = math.Sqrt2*float64(h.Root[k+1])*size*c, math.Sqrt2*float64(h.Root[k+1])*size*s
	}
	return out
}

func TestHomogeneous(t *testing.T) { eachType(t, testHomogeneous[float32], testHomogeneous[float64]) }

func testHomogeneous[T Float](t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {7, 3}, {3, 16}, {2, 255}, {5, 256}, {3, 259}, {600, 1}, {67, 61}} {
		n, d := s[0], s[1]
		for name, h := range homogeneousForms[T](d) {
			for _, zeros := range []float64{0, .2, .9, 1} {
				x := homogeneousRows(h, n, d, zeros)
				dst := slices.Repeat([]T{7}, n*d*h.Width())
				if h.Forward(dst, x, n, d) {
					t.Fatalf("%s: %v is bad", name, s)
				}
				w := h.Width()
				for i, v := range x {
					want := plainHomogeneous(h, float64(v), i%d)
					size := 1e-300
					for _, u := range want {
						size = math.Max(size, math.Abs(u))
					}
					for k, u := range want {
						if got := float64(dst[i*w+k]); !(math.Abs(got-u) <= homogeneousTolerance(h, float64(v))*size) {
							t.Fatalf("%T, %s, %v, cell %d: number %d of %v is %v, want %v", v, name, s, i, k, v, got, u)
						}
					}
				}
			}
		}
	}
}

// homogeneousTolerance is what roundings of the phase f L ln x and of the size make, relative to the size: the
// logarithm and L are off by one unit in the last place each, their product and f L by half of one.
func homogeneousTolerance[T Float](h *Homogeneous[T], v float64) float64 {
	phase, f := v, 1
	if !h.Stationary {
		phase = Ln(math.Abs(v))
	}
	if len(h.F) > 0 {
		f = h.F[len(h.F)-1]
	}
	return 2 * epsilon[T]() * (8 + (2*float64(f)+h.Gamma)*math.Abs(phase))
}

// homogeneousRows are numbers of many magnitudes, some of them 0, and some negative where that has a meaning.
func homogeneousRows[T Float](h *Homogeneous[T], n, d int, zeros float64) []T {
	x, signs, blanks := random[T](n*d, 1), random[T](n*d, 2), random[T](n*d, 3)
	for i, v := range x {
		x[i] = T(math.Exp(3 * float64(v)))
		if (h.Sign || h.Split || h.Stationary) && signs[i] < 0 {
			x[i] = -x[i]
		}
		if math.Erf(math.Abs(float64(blanks[i]))/math.Sqrt2) < zeros {
			x[i] = 0
		}
	}
	return x
}

// TestHomogeneousZerosAndBad: zeros of either sign are zeros, denormal numbers are none, and what has no image is
// reported wherever it stands.
func TestHomogeneousZerosAndBad(t *testing.T) {
	eachType(t, homogeneousBad[float32], homogeneousBad[float64])
}

func homogeneousBad[T Float](t *testing.T) {
	least := T(math.SmallestNonzeroFloat32)
	if sizeof[T]() == 8 {
		tiny := math.SmallestNonzeroFloat64
		least = T(tiny)
	}
	for name, h := range homogeneousForms[T](1) {
		for _, n := range []int{1, 2, 5, 300, 5000} {
			for _, at := range []int{0, n / 2, n - 1} {
				for _, c := range []struct {
					v   T
					bad bool
				}{{0, false}, {T(math.Copysign(0, -1)), false}, {least, false},
					{-least, !(h.Sign || h.Split || h.Stationary)}, {-1, !(h.Sign || h.Split || h.Stationary)},
					{Largest[T](), h.Gamma > 2}, {T(math.NaN()), true}, {T(math.Inf(1)), true}, {T(math.Inf(-1)), true}} {
					if h.Stationary && c.v == Largest[T]() || h.Gamma > 2 && c.v == least { // whose number underflows
						continue
					}
					x, dst := slices.Repeat([]T{.5}, n), make([]T, n*h.Width())
					x[at] = c.v
					if bad := h.Forward(dst, x, n, 1); bad != c.bad {
						t.Errorf("%s: %v at %d of %d is bad: %v", name, c.v, at, n, bad)
					}
					z := dst[at*h.Width():][:h.Width()]
					if zero := slices.Max(z) == 0 && slices.Min(z) == 0; !c.bad && !h.Stationary && zero != (c.v == 0) {
						t.Errorf("%s: the numbers of %v are %v", name, c.v, z)
					}
				}
			}
		}
	}
}

// TestHomogeneousAccuracy: over all numbers from 1e-300 to 1e300 the map is within 1e-12 of the amplitude √2 r v^{γ/2}.
// The phase f L ln v is up to 690·f·L; its rounding, 4.4e-16 of it at most, is what limits f L to about 3. The oracle
// has ln v and the phase in 150 bits.
func TestHomogeneousAccuracy(t *testing.T) {
	const l = 2 * math.Pi / 13.8
	h := &Homogeneous[float64]{F: []int{1, 2, 3, 5}, Base: []float64{l}, Root: []float64{1, 1, 1, 1, 1}}
	gammas, w := []float64{.5, 1, 1.9, 2}, h.Width()
	var x []float64
	want := make([][]float64, len(gammas))
	for e := -300.0; e <= 300; e += .37 {
		v := math.Pow(10, e)
		ln, waves := bigLog(v), []float64{1}
		for _, f := range h.F {
			sin, cos := circularOf(newBig(0).Mul(newBig(0).Mul(newBig(float64(f)), newBig(l)), ln))
			waves = append(waves, math.Sqrt2*cos, math.Sqrt2*sin)
		}
		x = append(x, v)
		for k, gamma := range gammas {
			want[k] = append(want[k], scaled(waves, expOf(newBig(0).Mul(ln, newBig(-gamma/2))))...)
		}
	}
	eachISA(t, func(t *testing.T) {
		z := make([]float64, len(x)*w)
		for k, gamma := range gammas {
			h.Gamma = gamma
			h.Forward(z, x, len(x), 1)
			for i, v := range want[k] {
				if e := (z[i] - v) / want[k][i/w*w]; !(math.Abs(e) <= 1e-12) {
					t.Errorf("γ = %v: number %d of %v is off by %.2g of its amplitude", gamma, i%w, x[i/w], e)
				}
			}
		}
	})
}

// TestHomogeneousNeighbours: the bits do not depend on the neighbours of a coordinate.
func TestHomogeneousNeighbours(t *testing.T) {
	const n, d = 301, 17
	h := homogeneousForms[float64](d)["sign"]
	x, all, own := homogeneousRows(h, n, d, .5), make([]float64, n*d*3), make([]float64, 3)
	h.Forward(all, x, n, d)
	for i, v := range x {
		if h.Forward(own, []float64{v}, 1, 1); !slices.Equal(own, all[3*i:3*i+3]) {
			t.Fatalf("%v alone gives %v, in a row %v", v, own, all[3*i:3*i+3])
		}
	}
}
