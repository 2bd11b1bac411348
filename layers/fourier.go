package layers

import spectral "github.com/bochner-go/bochner/init"

// NewFourierLayer draws the random Fourier feature map of a shift-invariant kernel k(x, x') = E cos(w·(x - x')),
//
//	z(x) = [cos(xW) | sin(xW)] / √m   (default)      z(x) = √(2/m) cos(xW + b)   (WithPhase)
//
// for d dimensions and the given number of output columns, with m frequencies from the kernel's spectral distribution.
// The pair form has m = features/2, the lower variance, and z(x)·z(x) = k(x, x) exactly; the phase form has m =
// features. Input [n, d], any finite numbers; output [n, features]. Rahimi and Recht (2007), algorithm 1.
//
// With the sampler spectral.Structured, for d >= 16, W is a product of Hadamard matrices: the parameters are signs and
// norms, and a row costs O(d log d) for each d frequencies. W itself is formed only if multiplying by it is faster, for
// d <= 64 in float32 and d <= 48 in float64. The policy of such a map is Frozen or Bandwidth.
//
// Errors: a kernel that is not of the Fourier transform, parameters out of range, features < 1 or odd in the pair form,
// the policies BandwidthEach and All for the sampler spectral.Structured (ErrParam); a sampler that does not fit the
// kernel (spectral.ErrSampler).
func NewFourierLayer(k spectral.Random, d, features int, opts ...Option) (*RandomLayer, error) {
	return newOfTransform(spectral.Fourier, k, d, features, opts)
}
