package spectral

import (
	"cmp"
	_ "embed"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/samplemv"
)

// Halton, Sobol and LatinHypercube take points of the unit cube that are more even than independent ones. The Quantile
// of the law turns each coordinate of a point into one of a frequency. A law with NormQuantile alone needs one
// coordinate more: one for the quantile of the norm and d normal quantiles for the direction. Every single point is
// uniform, so the features are unbiased, and the spread over seeds is their error. Yang, Sindhwani, Avron and Mahoney
// (2014), Quasi-Monte Carlo Feature Maps for Shift-Invariant Kernels.

// Halton takes the first m points of a randomised Halton sequence; coordinate i has the ith prime as its base. The
// digits that tell the points apart are permuted at random and the digits behind them are independent. Owen (2017), A
// randomized Halton algorithm in R.
//
// It has less variance than IID in few dimensions and for many frequencies, and up to 1.26 times as much with no more
// than two frequencies a dimension. In many dimensions, where the primes are as large as m, the points are hardly more
// even than independent ones. It has at most 1000 coordinates: 1000 dimensions, or 999 for a law with NormQuantile
// alone.
type Halton struct{}

// Sobol takes the first m points of a randomised Sobol' sequence. A random lower-triangular matrix scrambles the digits
// of each coordinate (Matoušek 1998) and a random digital shift makes every single point uniform. The points are most
// even when m is a power of two.
//
// The direction numbers are from Joe and Kuo (2008), Constructing Sobol sequences with better two-dimensional
// projections, SIAM J. Sci. Comput. 30, 2635-2654, file new-joe-kuo-6.21201, and the points come in their order
// (Antonov and Saleev's Gray code). The package has the polynomials of degree up to 13: 1111 dimensions, or 1110 for a
// law with NormQuantile alone.
//
// It has less variance than IID in few dimensions and for many frequencies. With few frequencies the points of some
// pairs of coordinates lie on a few lines. Where x and z differ in such a pair it has up to 5.6 times the variance in 8
// dimensions with 16 frequencies, 9 times in 16 with 32, and 37 times in 64 with 128. With 1024 frequencies all pairs
// of the first 8 coordinates are even, but among the first 64 one still has 11 times the variance. On the diagonal it
// is at most 1.18 times.
type Sobol struct{}

// LatinHypercube takes m points that are stratified in each coordinate: each of the m intervals of length 1/m holds one
// point, at a uniform place, and independent random permutations assign the points. McKay, Beckman and Conover (1979),
// A Comparison of Three Methods for Selecting Values of Input Variables in the Analysis of Output from a Computer Code.
//
// Stratification removes the part of cos(w·(x-z)) that is a sum of functions of one coordinate each (Stein 1987). For a
// law with Quantile this is nearly all of the variance along an axis in any dimension, and hardly any along the
// diagonal in many. For every pair of rows the variance is at most m/(m-1) times the variance of IID (Owen 1997, Monte
// Carlo variance of scrambled net quadrature, section 3); no other sampler of this package has such a bound. The
// dimensions have no limit.
type LatinHypercube struct{}

func (Halton) String() string         { return "halton" }
func (Sobol) String() string          { return "sobol" }
func (LatinHypercube) String() string { return "latin-hypercube" }

// Sample fills w column after column. The points take as much memory as w. Errors are as in Sampler.
func (s Halton) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	return sampleCube(s, w, d, m, k, src, haltonDims, haltonPoints)
}

// Sample fills w column after column. Errors are as in Sampler.
func (s Sobol) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	return sampleCube(s, w, d, m, k, src, sobolDims, sobolPoints)
}

// Sample fills w column after column. The points take as much memory as w. Errors are as in Sampler.
func (s LatinHypercube) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	return sampleCube(s, w, d, m, k, src, math.MaxInt, latinPoints)
}

// sampleCube is Sample by points of the open unit cube, of at most most coordinates. points returns the function that
// writes the next of m points of dims coordinates to u.
func sampleCube(s Sampler, w []float64, d, m int, k Random, src rand.Source, most int,
	points func(dims, m int, src rand.Source) (next func(u []float64))) error {
	if err := checkSample(s, w, d, m, k, src); err != nil {
		return err
	}
	law, dims, remedy := k.Law(), d, "iid, spectral.IID{}"
	if law.Quantile == nil {
		dims, remedy = d+1, "orthogonal, spectral.Orthogonal{}"
	}
	if err := cmp.Or(suits(law.Quantile != nil || law.NormQuantile != nil, s, k, "it has neither Quantile nor "+
		"NormQuantile, so that points of the unit cube cannot be made frequencies; use iid, spectral.IID{}"),
		suits(dims <= most, s, k, "%d input dimensions need points of %d coordinates, and the sequence has at most %d; "+
			"use %s", d, dims, most, remedy)); err != nil {
		return err
	}
	next, u := points(dims, m, src), make([]float64, dims)
	fillColumns(w, d, m, func(col []float64) {
		next(u)
		if law.Quantile == nil {
			radialFrequency(col, law.NormQuantile(d, u[0]), u[1:])
			return
		}
		for i, p := range u {
			col[i] = law.Quantile(p)
		}
	})
	return nil
}

// radialFrequency makes w the vector of norm r in the direction of the normal quantiles of u.
func radialFrequency(w []float64, r float64, u []float64) {
	sum := 0.0
	for i, p := range u {
		w[i] = normalQuantile(p)
		sum += w[i] * w[i]
	}
	if sum == 0 { // the centre of the cube has no direction, and the probability 2⁻⁵² in each coordinate
		w[0], sum = 1, 1
	}
	scale := r / math.Sqrt(sum)
	for i := range w {
		w[i] *= scale
	}
}

// haltonDims is the number of primes that samplemv.Halton knows.
const haltonDims = 1000

func haltonPoints(dims, m int, src rand.Source) func(u []float64) {
	points := mat.NewDense(m, dims, nil) // samplemv adds digits to what is there
	permutations, behind := subStream(src), rand.New(subStream(src))
	samplemv.Halton{Kind: samplemv.Owen, Q: haltonCells{cells(dims, m), behind}, Src: permutations}.Sample(points)
	return inTurn(points.RawMatrix().Data)
}

// inTurn returns points of the rows of a matrix.
func inTurn(points []float64) func(u []float64) {
	return func(u []float64) { points = points[copy(u, points):] }
}

// haltonCells replaces the digits behind those that tell m points apart by independent ones. samplemv permutes these
// too, but all points have the same ones: most draws would then have a tiny error and a few a large one.
type haltonCells struct {
	cells []float64 // for each coordinate, the least power of its prime that is at least m
	rng   *rand.Rand
}

// Quantile moves each coordinate to a random place in its cell, at least 2⁻⁵³ away from 0 and 1.
func (h haltonCells) Quantile(x, p []float64) []float64 {
	for i, n := range h.cells {
		x[i] = inStratum(min(math.Floor(p[i]*n), n-1), n, h.rng) // a sum of digits may round to 1
	}
	return x
}

// cells returns for each of the first dims primes its least power that is at least m.
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

func latinPoints(dims, m int, src rand.Source) func(u []float64) {
	strata, within := rand.New(subStream(src)), rand.New(subStream(src))
	points := make([]float64, m*dims)
	for i := range dims {
		for j, stratum := range strata.Perm(m) {
			points[j*dims+i] = inStratum(float64(stratum), float64(m), within)
		}
	}
	return inTurn(points)
}

// sobolDims is the number of dimensions in joeKuo, the first, which needs no numbers, included.
const sobolDims = 1111

// joeKuo has, after its licence, a line "d s a m₁ ... m_s" for every dimension d from 2 on: the degree s and the
// coefficients a of a primitive polynomial, and the first direction numbers.
//
//go:embed sobol_joe_kuo.txt
var joeKuo string

// sobolBits is the number of binary digits of a point: u is the middle of one of 2⁵² cells, never 0 or 1, and u and 1-u
// are equally likely.
const sobolBits = 52

// sobol is a Sobol' sequence of a known number of points.
type sobol struct {
	columns int      // direction numbers a dimension: those that the points need
	v       []uint64 // [dims, columns], digits from the top bit on
	x       []uint64 // the next point, [dims]
	n       uint     // its number
}

func sobolPoints(dims, m int, src rand.Source) func(u []float64) {
	s := newSobol(dims, m)
	s.scramble(src)
	return s.next
}

// newSobol prepares m points in dims <= sobolDims dimensions, not scrambled.
func newSobol(dims, m int) *sobol {
	s := &sobol{columns: bits.Len(uint(m - 1)), x: make([]uint64, dims)}
	s.v = make([]uint64, dims*s.columns)
	for c := range s.columns { // van der Corput's sequence
		s.v[c] = 1 << (63 - c)
	}
	at := 1
	for line := range strings.Lines(joeKuo) {
		if at == dims {
			break
		}
		if line[0] == '#' || line[0] == 'd' { // the licence and the heading
			continue
		}
		directionNumbers(s.v[at*s.columns:(at+1)*s.columns], line)
		at++
	}
	return s
}

// directionNumbers fills v from a line "d s a m₁ ... m_s": v_k = m_k/2^k for k <= s, and from there on the recurrence
// v_k = a₁v_{k-1} ⊕ ... ⊕ a_{s-1}v_{k-s+1} ⊕ v_{k-s} ⊕ v_{k-s}/2^s, where a has the binary digits a₁ ... a_{s-1}.
func directionNumbers(v []uint64, line string) {
	var numbers []uint64
	for _, f := range strings.Fields(line) {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			panic("spectral: sobol_joe_kuo.txt: " + err.Error())
		}
		numbers = append(numbers, n)
	}
	s, a, m := int(numbers[1]), numbers[2], numbers[3:]
	for k := range v {
		if k < s {
			v[k] = m[k] << (63 - k)
			continue
		}
		v[k] = v[k-s] ^ v[k-s]>>s
		for i := 1; i < s; i++ {
			v[k] ^= (a >> (s - 1 - i) & 1) * v[k-i]
		}
	}
}

// scramble multiplies the digits of each dimension by a random lower-triangular matrix with ones on the diagonal, and
// draws the digital shift.
func (s *sobol) scramble(src rand.Source) {
	var matrix [sobolBits]uint64
	for i := range s.x {
		for r := range matrix {
			matrix[r] = src.Uint64()&^(^uint64(0)>>r) | 1<<(63-r)
		}
		v := s.v[i*s.columns : (i+1)*s.columns]
		for k, digits := range v {
			v[k] = 0
			for r, row := range matrix {
				v[k] |= uint64(bits.OnesCount64(row&digits)&1) << (63 - r)
			}
		}
		s.x[i] = src.Uint64()
	}
}

// next writes the next point to u and advances.
func (s *sobol) next(u []float64) {
	for i, x := range s.x {
		u[i] = (float64(x>>(64-sobolBits)) + .5) / (1 << sobolBits)
	}
	s.n++
	if k := bits.TrailingZeros(s.n); k < s.columns { // but after the last point
		for i := range s.x {
			s.x[i] ^= s.v[i*s.columns+k]
		}
	}
}
