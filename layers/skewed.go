package layers

import spectral "github.com/bochner-go/bochner/init"

// SkewedChi2Layer is the random feature map of the skewed χ² kernel. It makes Fourier features of ln(x + c), with
// hyperbolic-secant frequencies,
//
//	z(x) = [cos(ln(x + c)W) | sin(ln(x + c)W)] / √m,   x > -c.
//
// WithPhase gives the phase form. Input [n, d]; output [n, features]. Li, Ionescu and Sminchisescu (2010), equations
// (5), (9) and (10).
type SkewedChi2Layer struct{ *randomMap }

// NewSkewedChi2Layer draws the map for d dimensions and the given number of output columns. Errors as for
// NewFourierLayer.
func NewSkewedChi2Layer(c float64, d, features int, opts ...Option) (*SkewedChi2Layer, error) {
	return newTransform[SkewedChi2Layer]("skewed_chi2", spectral.SkewedChi2{C: c}, d, features, opts,
		spectral.LogFourier)
}

// SkewedIntersectionLayer is the random feature map of the skewed intersection kernel: as SkewedChi2Layer, but with
// Cauchy frequencies of scale 1/2.
type SkewedIntersectionLayer struct{ *randomMap }

// NewSkewedIntersectionLayer draws the map for d dimensions and the given number of output columns. Errors as for
// NewFourierLayer.
func NewSkewedIntersectionLayer(c float64, d, features int, opts ...Option) (*SkewedIntersectionLayer, error) {
	return newTransform[SkewedIntersectionLayer]("skewed_intersection", spectral.SkewedIntersection{C: c}, d, features,
		opts, spectral.LogFourier)
}

// SkewedLayer is the random feature map of any kernel k(x, x') = E cos(w·(ln(x + c) - ln(x' + c))), which is
// translation-invariant on the skewed multiplicative group. Use it for a frequency distribution of your own. Features,
// input and output as of SkewedChi2Layer.
type SkewedLayer struct{ *randomMap }

// NewSkewedLayer draws the map of k for d dimensions and the given number of output columns. Errors as for
// NewFourierLayer.
func NewSkewedLayer(k spectral.Random, d, features int, opts ...Option) (*SkewedLayer, error) {
	return newTransform[SkewedLayer]("skewed", k, d, features, opts, spectral.LogFourier)
}
