package spectral

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"

	"gorgonia.org/tensor"
)

// Structured draws frequencies that need no matrix W: they are products of Walsh-Hadamard matrices and random signs.
// With d' the least power of two >= d, a block of d' frequencies is the rows of
//
//	diag(r) · V,   V = (H/√d') D₃ (H/√d') D₂ (H/√d') D₁,
//
// where H is the Walsh-Hadamard matrix, the Dᵢ are diagonals of independent random signs, x is zero-padded to d'
// coordinates, and the r are independent norms of the kernel's law in ℝ^d'. V is orthogonal. The product with it takes
// O(d' log d') operations, and 3d' signs replace d'² numbers. It needs the NormQuantile of the law. Yu et al. (2016),
// Orthogonal Random Features, section 4, give all frequencies the norm √d'; with independent norms the kernel is also
// right at small distances.
//
// It is biased, because a row of V is not uniform on the sphere. For the Gaussian at t bandwidths in the direction e,
// ‖e‖ = 1, the bias is
//
//	(t⁴/d'²) (1/d' - Σeᵢ⁴/3) + O(t⁶/d'²).
//
// It is largest along an axis; there, at t = 2, it is (by enumeration of the signs up to d' = 16, by sampling beyond)
//
//	d'       2      4      8       16       32       64
//	bias   -0.21  -0.14  -0.031  -0.0048  -0.0008  -0.0002
//
// so d < 16 is an error; use Orthogonal. The bias of a mixture of Gaussians, such as Matern, is the mean of theirs. In
// any dimension, where x - z has few non-zero coordinates, all of the same size (counts, bits), w·(x-z)/‖w‖ lies on a
// grid and is 0 with a probability of up to 3.7/d'. From about d'/4 bandwidths on the estimate tends to that
// probability, not to 0. The error is up to 13 times the error of IID in 16 dimensions with 1024 frequencies, and about
// the error of Orthogonal in 64.
//
// Sample writes W out. StructuredFrequencies returns signs and norms, with which layers.FourierLayer and
// ops.StructuredFourier compute the same features faster in many columns.
type Structured struct{}

// structuredMin is the least number of dimensions with a tolerable bias.
const structuredMin = 16

// structuredBias is the bias for structuredMin/2 dimensions, along an axis at two bandwidths.
const structuredBias = -0.031

func (Structured) String() string { return "structured" }

// Sample fills w with the frequencies that StructuredFrequencies has as signs and norms. Errors are as in Sampler.
func (s Structured) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	if err := cmp.Or(checkSample(s, w, d, m, k, src), s.Fits(d, k)); err != nil {
		return err
	}
	signs, norms := drawStructured(d, m, k.Law(), src)
	structuredDense(w, d, m, signs, norms)
	return nil
}

// Fits returns an error if there is no draw from k in d dimensions: ErrSampler for a law without a uniform
// direction, another transform than Fourier or d < 16, ErrParam for an invalid kernel.
func (s Structured) Fits(d int, k Random) error {
	if err := validate(k); err != nil {
		return err
	}
	t := k.Law().Transform
	return cmp.Or(radial(s, k),
		suits(t == Fourier, s, k, "it is for Fourier features, and these are of the transform %v, of which projections "+
			"that are all alike would make a large bias; use orthogonal, spectral.Orthogonal{}", t),
		suits(d >= structuredMin, s, k, "it is biased where dimensions are few, by %v at two bandwidths for %d, and %d is "+
			"less than %d; use orthogonal, spectral.Orthogonal{}", structuredBias, structuredMin/2, d, structuredMin))
}

// PaddedDims is d', the least power of two that is at least d >= 1.
func PaddedDims(d int) int { return 1 << bits.Len(uint(d-1)) }

// StructuredFrequencies is Frequencies for Structured without W. It returns the signs ±1 [3·⌈m/d'⌉, d'], with the rows
// D₁, D₂ and D₃ of each block, and the norms [m], both float64. Under the same seed Frequencies makes W of the same
// draw. Errors are as for Frequencies.
func StructuredFrequencies(k Random, d, m int, seed uint64) (signs, norms *tensor.Dense, err error) {
	if err := cmp.Or(Structured{}.Fits(d, k), checkCounts(d, m)); err != nil {
		return nil, nil, err
	}
	s, r := drawStructured(d, m, k.Law(), Stream(seed, "W"))
	for j, v := range r {
		if v-v != 0 {
			return nil, nil, invalid("%T drew the norm %v for frequency %d, which is not finite", k, v, j)
		}
	}
	p := PaddedDims(d)
	return tensor.New(tensor.WithShape(len(s)/p, p), tensor.WithBacking(s)),
		tensor.New(tensor.WithShape(m), tensor.WithBacking(r)), nil
}

// drawStructured draws in any number of dimensions. Signs and norms have separate streams.
func drawStructured(d, m int, law Law, src rand.Source) (signs, norms []float64) {
	flips, radii := subStream(src), rand.New(subStream(src))
	p := PaddedDims(d)
	signs, norms = make([]float64, (m+p-1)/p*3*p), make([]float64, m)
	var word uint64
	for i := range signs {
		if i%64 == 0 {
			word = flips.Uint64()
		}
		signs[i] = 1 - 2*float64(word&1)
		word >>= 1
	}
	for j := range norms {
		norms[j] = law.NormQuantile(p, openUniform(radii))
	}
	return signs, norms
}

// structuredDense writes W [d, m] by transforming the unit vectors.
func structuredDense(w []float64, d, m int, signs, norms []float64) {
	p := PaddedDims(d)
	x := make([]float64, p)
	scale := math.Pow(float64(p), -1.5)
	for i := range d {
		for first := 0; first < m; first += p {
			clear(x)
			x[i] = 1
			structuredBlock(x, signs[3*first:3*(first+p)])
			for j := first; j < min(first+p, m); j++ {
				w[i*m+j] = norms[j] * scale * x[j-first]
			}
		}
	}
}

// structuredBlock replaces x by H D₃ H D₂ H D₁ x.
func structuredBlock(x, signs []float64) {
	for len(signs) > 0 {
		for i := range x {
			x[i] *= signs[i]
		}
		walshHadamard(x)
		signs = signs[len(x):]
	}
}

// walshHadamard replaces x, of a power of two numbers, by Hx.
func walshHadamard(x []float64) {
	for h := 1; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			a, b := x[i:i+h], x[i+h:i+2*h]
			for j, u := range a {
				a[j], b[j] = u+b[j], u-b[j]
			}
		}
	}
}
