package spectral

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSobolTable: all 1111 dimensions of the first 2¹⁴ points, for which every number of the table is needed, by the
// sum of n·d·2¹⁴·x over the points n and dimensions d, counted from 1, which scipy.stats.qmc.Sobol gives. Each number
// is in the middle of its cell.
func TestSobolTable(t *testing.T) {
	const want int64 = 679229447197474816
	s, u, sum := newSobol(sobolDims, 1<<14), make([]float64, sobolDims), int64(0)
	for n := range 1 << 14 {
		s.next(u)
		for i, v := range u {
			sum += int64(n+1) * int64(i+1) * int64(v*(1<<14))
			if v*(1<<14) != math.Floor(v*(1<<14))+0x1p-39 {
				t.Fatalf("point %d, coordinate %d: %v", n, i, v)
			}
		}
	}
	if sum != want {
		t.Errorf("sum %d, want %d", sum, want)
	}
	if lines := strings.Count(joeKuo, "\n") - strings.Count(joeKuo, "#") - 1; lines != sobolDims-1 {
		t.Errorf("%d lines of direction numbers, want %d", lines, sobolDims-1)
	}
	if !strings.Contains(joeKuo, "Copyright (c) 2008, Frances Y. Kuo and Stephen Joe") {
		t.Error("the table has lost its licence")
	}
}

// TestSobolFarPoint: the recurrence beyond the table's own numbers, against scipy.stats.qmc.Sobol(1111, scramble=False,
// bits=30).
func TestSobolFarPoint(t *testing.T) {
	const n = 1<<25 + 5
	s := newSobol(sobolDims, n+1)
	gray := uint(n) ^ uint(n)>>1
	for i, want := range map[int]float64{
		0: 0.8750000447034836, 1: 0.6259803920984268, 2: 0.37501074373722076, 9: 0.6875648945569992,
		99: 0.009965464472770691, 1110: 0.3068252056837082,
	} {
		x := uint64(0)
		for k := range bits.Len(gray) {
			x ^= s.v[i*s.columns+k] * uint64(gray>>k&1)
		}
		if got := float64(x>>12) / (1 << 52); got != want {
			t.Errorf("coordinate %d: %v, want %v", i+1, got, want)
		}
	}
}

// uniformLaw has the points of the cube themselves as frequencies.
var uniformLaw = withLaw{Gaussian{1}, Law{Transform: Fourier, Quantile: func(p float64) float64 { return p }}}

// TestSequencesAreEven: after scrambling, b^k points still have one in each of the b^k intervals of a coordinate: b = 2
// for Sobol, and the prime of the coordinate for Halton, up to the rounding of the sum of its digits. Any number of
// points of a Latin hypercube have.
func TestSequencesAreEven(t *testing.T) {
	type line struct {
		s             Sampler
		coordinate, m int
	}
	lines := []line{{Sobol{}, 0, 64}, {Sobol{}, 4, 64}, {Sobol{}, 12, 256}, {Halton{}, 0, 64}, {Halton{}, 1, 81},
		{Halton{}, 2, 125}, {Halton{}, 5, 169}}
	for _, m := range []int{1, 2, 7, 1000} {
		lines = append(lines, line{LatinHypercube{}, 0, m}, line{LatinHypercube{}, 1, m}, line{LatinHypercube{}, 2, m})
	}
	for _, c := range lines {
		const d = 13
		w := sample(c.s, d, c.m, uniformLaw, Stream(1, "even"))
		seen := make([]bool, c.m)
		for _, v := range w[c.coordinate*c.m : (c.coordinate+1)*c.m] {
			if !(v > 0 && v < 1) {
				t.Errorf("%v: a point at %v", c.s, v)
			}
			seen[int(v*float64(c.m)+1e-9)] = true
		}
		if slices.Contains(seen, false) {
			t.Errorf("%v, coordinate %d: an interval of %d has no point", c.s, c.coordinate, c.m)
		}
	}
}

// TestScramblingsDiffer: two draws have no point in common, and each coordinate of the first point is uniform.
func TestScramblingsDiffer(t *testing.T) {
	const draws, d = 4000, 2
	for _, s := range []Sampler{Sobol{}, Halton{}} {
		first, src := [d][]float64{}, Stream(1, "scramblings")
		for range draws {
			for i, v := range sample(s, d, 1, uniformLaw, src) {
				first[i] = append(first[i], v)
			}
		}
		for i, sample := range first {
			wantLaw(t, sample, func(p float64) float64 { return p }, "%v, coordinate %d", s, i)
			if n := len(slices.Compact(sample)); n < draws-1 { // sorted by now
				t.Errorf("%v, coordinate %d: %d different of %d", s, i, n, draws)
			}
		}
	}
}

// TestSequencesRunOut: as many dimensions as there are, and one more.
func TestSequencesRunOut(t *testing.T) {
	for _, c := range []struct {
		s    Sampler
		k    Random
		most int
		says string
	}{
		{Halton{}, Laplacian{1}, 1000, "1001 coordinates, and the sequence has at most 1000; use iid, spectral.IID{}"},
		{Halton{}, Matern{1.5, 1}, 999, "1001 coordinates|at most 1000; use orthogonal, spectral.Orthogonal{}"},
		{Sobol{}, Laplacian{1}, 1111, "1112 coordinates|at most 1111; use iid, spectral.IID{}"},
		{Sobol{}, Matern{1.5, 1}, 1110, "1112 coordinates|at most 1111; use orthogonal, spectral.Orthogonal{}"},
	} {
		if _, err := Frequencies(c.k, c.s, c.most, 3, 1); err != nil {
			t.Error(err)
		}
		_, err := Frequencies(c.k, c.s, c.most+1, 3, 1)
		says := append(strings.Split(c.says, "|"), fmt.Sprintf("%d input dimensions need points", c.most+1))
		wantErr(t, err, ErrSampler, append(says, "sampler "+c.s.String()+" does not fit")...)
	}
}

// TestCubeEdges: sums of digits that round to 1, or are 0, and the centre of the cube, which has no direction.
func TestCubeEdges(t *testing.T) {
	rng := testRand("edges")
	for range 1000 {
		u := haltonCells{[]float64{4, 3, 7}, rng}.Quantile(make([]float64, 3), []float64{0, 1, 2. / 7})
		if !(0 < u[0] && u[0] < .25 && 2./3 < u[1] && u[1] < 1 && 2./7 < u[2] && u[2] < 3./7) {
			t.Fatalf("%v", u)
		}
	}
	w := []float64{7, 7, 7}
	if radialFrequency(w, 2, []float64{.5, .5, .5}); w[0] != 2 || w[1] != 0 || w[2] != 0 {
		t.Errorf("%v", w)
	}
	if c := cells(1000, 4096); c[0] != 4096 || c[1] != 6561 || c[999] != 7919 {
		t.Errorf("cells %v, %v ... %v", c[0], c[1], c[999])
	}
}

// TestLatinHypercubeBound: the variance is at most m/(m-1) times the variance of IID (Owen 1997), also where the
// coordinates interact most, far out and for few frequencies.
func TestLatinHypercubeBound(t *testing.T) {
	const draws = 4000
	rng := rand.New(Stream(1, "bound"))
	for _, c := range []struct{ d, m int }{{1, 2}, {2, 2}, {2, 3}, {3, 4}, {8, 5}} {
		for _, k := range []Random{Gaussian{1}, Laplacian{1}, Matern{1.5, 1}, ExpSemigroup{1}} {
			x, z := make([]float64, c.d), make([]float64, c.d)
			for i := range x {
				x[i] = 2 * rng.Float64()
			}
			iid := must(IID{}.Variance(k, x, z, c.m))
			got := estimates(LatinHypercube{}, k, [][]float64{x}, z, c.m, draws, Stream(2, "bound"))[0]
			mse, se := squaredErrors(got, k.At(x, z))
			if most := iid * float64(c.m) / float64(c.m-1); mse > most+4*se {
				t.Errorf("%T, d = %d, m = %d: variance %.3g ± %.2g, at most %.3g", k, c.d, c.m, mse, se, most)
			}
		}
	}
}
