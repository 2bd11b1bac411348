package layers

import spectral "github.com/bochner-go/bochner/init"

// NewAdditiveLayer draws the random Fourier feature map of an additive kernel k(x, x') = Σ_j E cos(w_j (x_j - x'_j)),
// such as spectral.AdditiveGaussian: Fourier features of each column by itself, with k frequencies W_j of its own,
//
//	z(x) = [cos(x₁W₁) | sin(x₁W₁) | cos(x₂W₂) | sin(x₂W₂) | ...] / √k.
//
// A linear model on them is a sum of functions of one column each, a generalised additive model. Input [n, d], any
// finite numbers; output [n, features], k = features/2d. z(x)·z(x) = d exactly. Rahimi and Recht (2007), algorithm 1,
// for each term.
//
// Tuned by All it learns the frequencies of each column, as a PeriodicLayer does, which has more to learn.
//
// Errors: a kernel that is not of the Additive transform, parameters out of range, features that are no multiple of 2d
// (ErrParam); a sampler that does not fit the kernel (spectral.ErrSampler).
func NewAdditiveLayer(k spectral.Random, d, features int, opts ...Option) (*RandomLayer, error) {
	return newOfTransform(spectral.Additive, k, d, features, opts)
}
