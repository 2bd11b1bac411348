package spectral

import (
	_ "embed"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Sobol takes the first m points of a randomised Sobol' sequence in place of independent points. The Quantile of the
// law turns each coordinate of a point into one of a frequency. A law with NormQuantile alone needs one coordinate
// more: one for the quantile of the norm and d normal quantiles for the direction. A random lower-triangular matrix
// scrambles the digits of each coordinate (Matoušek 1998) and a random digital shift makes every single point uniform,
// so the features are unbiased, and the spread over seeds is their error. The points are most even when m is a power of
// two.
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
//
//	sampler      d     m  x - z         .1      .5       1       2       3       4       5
//	Sobol        1     2  axis        1.01    1.01    1.00     .99    1.00    1.00    1.00
//	Sobol        1    64  axis        .052    .034   .0055    .014    .028    .033    .031
//	Sobol        2     4  axis         .64     .60     .48     .24     .58     .93    1.00
//	Sobol        2     4  diagonal     .75     .73     .67     .62     .90    1.05    1.06
//	Sobol        2    64  axis        .052    .034   .0055    .014    .028    .032    .031
//	Sobol        2    64  diagonal    .053    .040    .029    .094     .27     .37     .46
//	Sobol        3     6  axis         .59     .56     .47     .42     .53     .52     .69
//	Sobol        3     6  diagonal     .76     .75     .74     .98    1.18    1.06     .98
//	Sobol        3    64  axis        .053    .034   .0053    .014    .028    .033    .030
//	Sobol        3    64  diagonal    .061    .051    .058     .28     .85    1.14    1.08
//	Sobol        8    16  axis         .19     .15    .063    .087    .083     .19     .16
//	Sobol        8    16  diagonal     .99     .99    1.00    1.07    1.02    1.01    1.02
//	Sobol        8    16  1-6         3.62    3.85    4.53    5.62    4.07    2.01    1.44
//	Sobol        8    64  axis        .053    .035   .0055    .014    .029    .033    .031
//	Sobol        8    64  diagonal     .29     .28     .33     .82    1.01    1.00    1.02
//	Sobol        8    64  1-7         2.35    2.40    2.41     .90     .44    1.26    1.34
//	Sobol        8  1024  axis       .0035   .0014  .00015  .00051   .0011   .0016   .0020
//	Sobol        8  1024  diagonal   .0074   .0090    .045     .40     .83     .93     .98
//	Sobol        8  1024  1-7         .025    .015    .013    .065     .22     .20     .24
//	Sobol       16    32  axis         .10    .074    .020    .041    .053    .054     .10
//	Sobol       16    32  diagonal     .95     .95     .96    1.06    1.03     .98    1.00
//	Sobol       16    32  4-14        6.60    7.09    8.48    9.20    4.04    1.66    1.44
//	Sobol       64   128  axis        .026    .015   .0014   .0036   .0091    .017    .020
//	Sobol       64   128  diagonal     .80     .80     .82    1.02    1.04     .95     .96
//	Sobol       64   128  50-53       26.5    28.5    34.0    37.0    15.0    6.85    3.92
//	Sobol       64  1024  axis       .0035   .0014  .00016  .00052   .0012   .0018   .0023
//	Sobol       64  1024  diagonal     .10     .11     .18     .75    1.02    1.04     .94
//	Sobol       64  1024  6+43        1.20    1.09    1.16    6.44    4.68    10.8    8.89
//
//guide:frequencies scrambled Sobol' sequence
//guide:for either; up to 1111 input columns, 1110 for `matern`
//guide:errors .28, .33, .82, 1.01, 1.00, 1.02 for 64 frequencies; .0090, .045, .40, .83, .93, .98 for 1024
//guide:worse few frequencies, rows that differ in two unlucky columns: 5.6 for 8 columns and 16 frequencies, 37 for
//guide:worse 64 and 128
type Sobol struct{}

var _ Sampler = Sobol{}

// sobolDims is the number of dimensions in joeKuo, the first, which needs no numbers, included.
const sobolDims = 1111

// joeKuo has, after its licence, a line "d s a m₁ ... m_s" for every dimension d from 2 on: the degree s and the
// coefficients a of a primitive polynomial, and the first direction numbers.
//
//go:embed sobol_joe_kuo.txt
var joeKuo string

func (Sobol) String() string { return "sobol" }

func (Sobol) papers() []string {
	return []string{"Yang, Sindhwani et al. 2014", "Joe and Kuo 2008", "Matoušek 1998"}
}

// Sample fills w column after column. Errors are as in Sampler.
func (s Sobol) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	return sampleCube(s, w, d, m, k, src, sobolDims, func(dims int) func(u []float64) {
		seq := newSobol(dims, m)
		seq.scramble(src)
		return seq.next
	})
}

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
