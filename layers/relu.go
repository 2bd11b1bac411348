package layers

import spectral "github.com/bochner-go/bochner/init"

// NewRandomReLULayer draws the random feature map of the arc-cosine kernels and of the neural tangent kernel: a layer of
// random step functions s or rectified linear units r,
//
//	z(x) = √(2/m) s(xW)                    spectral.ArcCosine of order 0
//	z(x) = √(2/m) r(xW)                    spectral.ArcCosine of order 1
//	z(x) = √(2/m) [r(xA) | s(xA)∘(xV)]     spectral.NeuralTangent, W = [A | V]
//
// with m frequencies from N(0, I): m = features, or features/2 for the neural tangent kernel. Input [n, d], any finite
// numbers; output [n, features]. Cho and Saul (2009), equation (1); Jacot, Gabriel and Hongler (2018).
//
// A step has the gradient 0, so the map of order 0 has nothing to tune, and layers before it do not learn. NewGORFLayer
// of the same kernels makes the differences of Gaussian features, on the unit sphere.
//
// Errors: a kernel that is not of the transforms Step, ReLU or Tangent, parameters out of range, an odd number of
// features for Tangent, Tune for Step (ErrParam); a sampler that does not fit the kernel (spectral.ErrSampler).
func NewRandomReLULayer(k spectral.Random, d, features int, opts ...Option) (*RandomLayer, error) {
	return newOfTransform(spectral.ReLU, k, d, features, opts)
}
