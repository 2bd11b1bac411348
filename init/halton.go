package spectral

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/samplemv"
)

// Halton takes the first m points of a randomised Halton sequence, coordinate i in base of the ith prime, in place of
// independent ones: it has less variance than IID in few dimensions and for many frequencies, and up to 1.26 times as
// much with no more than two frequencies a dimension. The points become frequencies through the quantile of each
// coordinate for a ProductLaw, and for a RadialLaw, with one coordinate more, through the norm and normal quantiles.
// The digits that tell the points apart are permuted at random, and those behind are independent, which makes every
// single point uniform: the features are unbiased, and their error over seeds is an honest one. Owen (2017), A
// randomized Halton algorithm in R; Yang, Sindhwani, Avron and Mahoney (2014), Quasi-Monte Carlo Feature Maps for
// Shift-Invariant Kernels.
//
// In many dimensions, where the primes are as large as m, the points are little more even than independent ones.
//
// It has at most 1000 coordinates: 1000 dimensions for a ProductLaw, 999 for a RadialLaw. Sobol has some more.
type Halton struct{}

var _ Sampler = Halton{}

// haltonDims is the number of primes that samplemv.Halton knows.
const haltonDims = 1000

func (Halton) String() string { return "halton" }

// Sample fills w column after column; it takes the memory of w once more for the points.
func (s Halton) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	if err := checkSample(s, w, d, m, k, src); err != nil {
		return err
	}
	c, err := newCube(s, d, k, haltonDims)
	if err != nil {
		return err
	}
	points := mat.NewDense(m, c.dims, nil) // samplemv adds digits to what is there
	permutations, behind := subStream(src), rand.New(subStream(src))
	samplemv.Halton{Kind: samplemv.Owen, Q: haltonCells{cells(c.dims, m), behind}, Src: permutations}.Sample(points)
	col := make([]float64, d)
	for j := range m {
		c.frequency(col, points.RawRowView(j))
		for i, v := range col {
			w[i*m+j] = v
		}
	}
	return nil
}

// haltonCells replaces the digits behind those that tell m points apart by independent ones. samplemv permutes them as well, but all
// points have the same there: the error of one draw would be tiny mostly, and now and then large, which a few dozen seeds do not show.
type haltonCells struct {
	cells []float64 // a coordinate: the least power of its prime that is at least m
	rng   *rand.Rand
}

// Quantile moves each coordinate to a random place in its cell, 2⁻⁵³ away from 0 and 1 at least.
func (h haltonCells) Quantile(x, p []float64) []float64 {
	for i, n := range h.cells {
		cell := min(math.Floor(p[i]*n), n-1) // a sum of digits may round to 1
		x[i] = min((cell+openUniform(h.rng))/n, 1-0x1p-53)
	}
	return x
}

// cells are the least powers, at least m, of the first primes.
func cells(dims, m int) []float64 {
	var primes []int
	out := make([]float64, dims)
	for n := 2; len(primes) < dims; n++ {
		if slices.ContainsFunc(primes, func(p int) bool { return n%p == 0 }) {
			continue
		}
		primes = append(primes, n)
	}
	for i, p := range primes {
		for out[i] = float64(p); out[i] < float64(m); out[i] *= float64(p) {
		}
	}
	return out
}
