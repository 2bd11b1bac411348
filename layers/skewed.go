package layers

import spectral "github.com/bochner-go/bochner/init"

// NewSkewedLayer draws the random feature map of a kernel k(x, x') = E cos(w·(ln(x + c) - ln(x' + c))), which is
// translation-invariant on the skewed multiplicative group, such as spectral.SkewedChi2 and
// spectral.SkewedIntersection. It makes Fourier features of ln(x + c),
//
//	z(x) = [cos(ln(x + c)W) | sin(ln(x + c)W)] / √m,   x > -c,
//
// for d dimensions and the given number of output columns. WithPhase gives the phase form. Input [n, d]; output
// [n, features]. Li, Ionescu and Sminchisescu (2010), equations (5), (9) and (10).
//
// Errors: a kernel that is not of the LogFourier transform (ErrParam); others as for NewFourierLayer.
func NewSkewedLayer(k spectral.Random, d, features int, opts ...Option) (*RandomLayer, error) {
	return newOfTransform(spectral.LogFourier, k, d, features, opts)
}

// SkewedChi2Layer is the random feature map of the skewed χ² kernel, a RandomLayer.
type SkewedChi2Layer = RandomLayer

// NewSkewedChi2Layer draws the map of NewSkewedLayer for spectral.SkewedChi2, with hyperbolic-secant frequencies, x > -c.
// Errors are as for NewFourierLayer.
func NewSkewedChi2Layer(c float64, d, features int, opts ...Option) (*SkewedChi2Layer, error) {
	return newOfKind("SkewedChi2Layer", spectral.LogFourier, spectral.SkewedChi2{C: c}, d, features, opts)
}
