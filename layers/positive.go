package layers

import spectral "github.com/bochner-go/bochner/init"

// NewPositiveLayer draws the positive random feature map of the softmax kernel k(x, x') = exp(x·x'/σ²),
// spectral.Softmax,
//
//	z(x) = exp(xW - ‖x‖²/2σ²) / √m,
//
// with m = features normal frequencies. Input [n, d], any finite numbers; output [n, m], never negative. Choromanski et
// al. (2021), FAVOR+; their orthogonal frequencies are the sampler spectral.Orthogonal.
//
// It is for attention in linear time, as in the example: a sum of such products never vanishes, and the small ones,
// where x·x' is below 0, are the most exact. For rows longer than σ the error grows like exp(2‖x‖²/σ²); a Gaussian map
// of NewFourierLayer has no such limit, and is the one for tables. A feature that overflows, as only rows of many
// columns can have, is an error, and one that underflows is 0.
//
// A tuned bandwidth changes σ in both terms of the exponent. All tunes W and keeps σ in the second.
//
// Errors: a kernel that is not of the Positive transform, parameters out of range (ErrParam); a sampler that does not
// fit the kernel (spectral.ErrSampler).
func NewPositiveLayer(k spectral.Random, d, features int, opts ...Option) (*RandomLayer, error) {
	return newOfTransform(spectral.Positive, k, d, features, opts)
}
