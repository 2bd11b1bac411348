package layers

import spectral "github.com/bochner-go/bochner/init"

// RandomLaplaceLayer is the random Laplace feature map of a kernel of histograms, a RandomLayer.
type RandomLaplaceLayer = RandomLayer

// NewRandomLaplaceLayer draws the random Laplace feature map of a semigroup kernel k(x, x') = E exp(-w·(x + x')) on
// histograms,
//
//	z(x) = exp(-xW) / √m,   x >= 0,
//
// with m = features frequencies w >= 0 from the kernel's distribution. Input [n, d], non-negative; output [n, m], in
// [0, 1/√m]. Yang et al. (2014), algorithm 1 and equation (4).
//
// WithNormalisation scales each row to the length √k(x, x), √k(x, x) z(x)/‖z(x)‖. This removes most of the error at no
// cost: k(x, x) is exact, even if the features themselves underflow. An error remains from the variation of the kernel
// over the rows, and a bias of the order 1/m; spectral.NormalisedVariance predicts both. LevyLayer is better if there
// are enough features for the columns of x. A tuned bandwidth also changes k(x, x). All tunes W and keeps the lengths
// of the kernel that the map was drawn for. The derivative of the length at x = 0 is defined as 0.
//
// Errors: a kernel that is not of the Laplace transform, parameters out of range, WithNormalisation for a kernel other
// than spectral.ExpSemigroup and spectral.ReciprocalSemigroup (ErrParam); a sampler that does not fit the kernel
// (spectral.ErrSampler).
func NewRandomLaplaceLayer(k spectral.Random, d, features int, opts ...Option) (*RandomLaplaceLayer, error) {
	return newOfTransform(spectral.Laplace, k, d, features, opts)
}
