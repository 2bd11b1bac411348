package spectral

import (
	"math"
	"math/rand/v2"
)

// LatinHypercube draws m points of the unit cube that are stratified in each coordinate: each of the m intervals of
// length 1/m holds one point, at a uniform place, and independent random permutations assign the points. The Quantile
// of the law turns each coordinate of a point into one of a frequency. A law with NormQuantile alone needs one
// coordinate more: one for the quantile of the norm and d normal quantiles for the direction. Every single point is
// uniform, so the features are unbiased. McKay, Beckman and Conover (1979), A Comparison of Three Methods for Selecting
// Values of Input Variables in the Analysis of Output from a Computer Code.
//
// Stratification removes the part of cos(w·(x-z)) that is a sum of functions of one coordinate each (Stein 1987). For a
// law with Quantile this is nearly all of the variance along an axis in any dimension, and hardly any along the
// diagonal in many. For every pair of rows the variance is at most m/(m-1) times the variance of IID (Owen 1997, Monte
// Carlo variance of scrambled net quadrature, section 3); no other sampler of this package has such a bound. The
// dimensions have no limit.
//
//	sampler          d     m  x - z         .1      .5       1       2       3       4       5
//	LatinHypercube   1     2  axis        1.00    1.00    1.00    1.00    1.01    1.01    1.01
//	LatinHypercube   1    64  axis        .053    .034   .0054    .014    .029    .033    .031
//	LatinHypercube   2     4  axis         .63     .59     .47     .24     .57     .92     .99
//	LatinHypercube   2     4  diagonal     .92     .92     .93    1.01    1.11    1.08    1.06
//	LatinHypercube   2    64  axis        .053    .034   .0053    .014    .029    .033    .031
//	LatinHypercube   2    64  diagonal     .53     .53     .55     .81    1.01    1.02    1.01
//	LatinHypercube   3     6  axis         .45     .41     .28     .16     .45     .38     .50
//	LatinHypercube   3     6  diagonal     .92     .92     .92     .96     .99    1.00     .98
//	LatinHypercube   3    64  axis        .053    .034   .0053    .014    .029    .033    .031
//	LatinHypercube   3    64  diagonal     .70     .70     .71     .90    1.00    1.00     .99
//	LatinHypercube   8    16  axis         .19     .15    .063    .087    .081     .19     .16
//	LatinHypercube   8    16  diagonal     .95     .95     .95     .99    1.00    1.02    1.01
//	LatinHypercube   8    16  0+1          .63     .62     .62     .84    1.03    1.05    1.05
//	LatinHypercube   8    64  axis        .054    .035   .0054    .014    .029    .033    .031
//	LatinHypercube   8    64  diagonal     .90     .90     .91     .98     .98     .99    1.00
//	LatinHypercube   8    64  0+1          .54     .54     .55     .83    1.01    1.03    1.00
//	LatinHypercube   8  1024  axis       .0036   .0014  .00016  .00053   .0011   .0017   .0022
//	LatinHypercube   8  1024  diagonal     .86     .86     .86     .90     .94    1.01    1.06
//	LatinHypercube   8  1024  0+1          .54     .54     .55     .81     .96     .97     .99
//	LatinHypercube  64   128  axis        .026    .015   .0014   .0040   .0094    .016    .021
//	LatinHypercube  64   128  diagonal     .95     .95     .95    1.03    1.01    1.01     .95
//	LatinHypercube  64   128  0+1          .51     .51     .52     .79    1.00    1.04    1.05
//
//guide:frequencies a Latin hypercube: each coordinate stratified
//guide:for either, of any number of input columns
//guide:errors .90, .91, .98, .98, .99, 1.00 for 64 frequencies; on an axis .035, .0054, .014, .029, .033, .031
//guide:worse nowhere by more than m/(m-1) for m frequencies
type LatinHypercube struct{}

var _ Sampler = LatinHypercube{}

func (LatinHypercube) String() string { return "latin-hypercube" }

func (LatinHypercube) papers() []string { return []string{"McKay et al. 1979"} }

// Sample fills w column after column. The points take as much memory as w. Errors are as in Sampler.
func (s LatinHypercube) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	return sampleCube(s, w, d, m, k, src, math.MaxInt, func(dims int) func(u []float64) {
		strata, within := rand.New(subStream(src)), rand.New(subStream(src))
		points := make([]float64, m*dims)
		for i := range dims {
			for j, stratum := range strata.Perm(m) {
				u := (float64(stratum) + openUniform(within)) / float64(m)
				points[j*dims+i] = min(u, 1-0x1p-53) // the last may round to 1
			}
		}
		return func(u []float64) { points = points[copy(u, points):] }
	})
}
