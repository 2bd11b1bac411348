package spectral

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/samplemv"
)

// Halton takes the first m points of a randomised Halton sequence in place of independent points; coordinate i has the
// ith prime as its base. The Quantile of the law turns each coordinate of a point into one of a frequency. A law with
// NormQuantile alone needs one coordinate more: one for the quantile of the norm and d normal quantiles for the
// direction. The digits that tell the points apart are permuted at random and the digits behind them are independent,
// so every single point is uniform, the features are unbiased, and the spread over seeds is their error. Owen (2017), A
// randomized Halton algorithm in R; Yang, Sindhwani, Avron and Mahoney (2014), Quasi-Monte Carlo Feature Maps for
// Shift-Invariant Kernels.
//
// It has less variance than IID in few dimensions and for many frequencies, and up to 1.26 times as much with no more
// than two frequencies a dimension. In many dimensions, where the primes are as large as m, the points are hardly more
// even than independent ones. It has at most 1000 coordinates: 1000 dimensions, or 999 for a law with NormQuantile
// alone.
//
//	sampler      d     m  x - z         .1      .5       1       2       3       4       5
//	Halton       1     2  axis        1.03    1.02    1.01    1.00    1.01    1.01     .99
//	Halton       1    64  axis        .054    .035   .0053    .014    .028    .033    .030
//	Halton       2     4  axis         .63     .60     .48     .25     .57     .92    1.00
//	Halton       2     4  diagonal     .68     .67     .66     .88    1.26    1.22    1.13
//	Halton       2    64  axis        .053    .035   .0054    .014    .029    .034    .031
//	Halton       2    64  diagonal    .076    .064    .062     .23     .45     .49     .61
//	Halton       3     6  axis         .44     .39     .26     .14     .48     .70     .77
//	Halton       3     6  diagonal     .66     .64     .63     .86    1.00     .98    1.00
//	Halton       3    64  axis        .054    .035   .0055    .014    .029    .033    .031
//	Halton       3    64  diagonal     .11    .097     .11     .42     .76     .99    1.06
//	Halton       8    16  axis         .19     .15    .063    .085    .082     .19     .16
//	Halton       8    16  diagonal     .76     .76     .77     .93    1.01    1.00    1.01
//	Halton       8    16  1+6          .65     .64     .64     .85    1.02    1.03    1.05
//	Halton       8    64  axis        .053    .034   .0052    .014    .029    .033    .031
//	Halton       8    64  diagonal     .35     .34     .38     .78     .98     .99    1.00
//	Halton       8    64  6+7          .49     .49     .51     .73     .90     .92     .93
//	Halton       8  1024  axis       .0035   .0014  .00015  .00051   .0012   .0018   .0022
//	Halton       8  1024  diagonal    .030    .031    .078     .57     .91     .92     .90
//	Halton       8  1024  4+6         .041    .036    .037    .099     .16     .23     .27
//	Halton      64   128  axis        .027    .015   .0013   .0039   .0099    .016    .022
//	Halton      64   128  diagonal    1.10    1.09    1.09    1.03    1.05    1.04    1.13
//	Halton      64   128  4+36         .56     .56     .57     .81     .99     .98    1.01
//	Halton      64  1024  axis       .0035   .0014  .00014  .00051   .0012   .0018   .0023
//	Halton      64  1024  diagonal     .71     .71     .71     .91     .97    1.03    1.02
//	Halton      64  1024  4+36         .26     .26     .27     .39     .47     .55     .61
//
//guide:frequencies scrambled Halton sequence
//guide:for either; up to 1000 input columns, 999 for `matern`
//guide:errors .34, .38, .78, .98, .99, 1.00 for 64 frequencies; .031, .078, .57, .91, .92, .90 for 1024
//guide:worse few frequencies: up to 1.26
type Halton struct{}

var _ Sampler = Halton{}

// haltonDims is the number of primes that samplemv.Halton knows.
const haltonDims = 1000

func (Halton) String() string { return "halton" }

func (Halton) papers() []string { return []string{"Yang, Sindhwani et al. 2014", "Owen 2017"} }

// Sample fills w column after column. The points take as much memory as w. Errors are as in Sampler.
func (s Halton) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	return sampleCube(s, w, d, m, k, src, haltonDims, func(dims int) func(u []float64) {
		points := mat.NewDense(m, dims, nil) // samplemv adds digits to what is there
		permutations, behind := subStream(src), rand.New(subStream(src))
		samplemv.Halton{Kind: samplemv.Owen, Q: haltonCells{cells(dims, m), behind}, Src: permutations}.Sample(points)
		j := -1
		return func(u []float64) {
			j++
			copy(u, points.RawRowView(j))
		}
	})
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
		cell := min(math.Floor(p[i]*n), n-1) // a sum of digits may round to 1
		x[i] = min((cell+openUniform(h.rng))/n, 1-0x1p-53)
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
