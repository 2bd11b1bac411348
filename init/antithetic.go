package spectral

import (
	"math"
	"math/rand/v2"
)

// Antithetic draws frequencies in pairs, columns 2i and 2i+1, whose coordinates are F⁻¹(u) in one and F⁻¹(1-u) in the
// other. F is the distribution function of a coordinate, and every coordinate has a u of its own. Each single frequency
// has exactly the kernel's law, so the features are unbiased. It needs the Quantile of the law. Hammersley and Morton
// (1956), A new Monte Carlo technique: antithetic variates.
//
// A Laplace feature falls with every coordinate of its frequency, so a pair never has more variance than two
// independent frequencies. Nor has a pair w and -w of units (Step, ReLU), only one of which is active on a row, or of
// positive features, one of which falls where the other rises. For Fourier features of a symmetric law, F is the
// distribution of |w| and the signs are independent: a pair w and -w would give the same cosine twice. Every Fourier and
// LogFourier kernel of this package has a symmetric law.
//
// For the Gaussian it has less variance than IID where x and z are close. It has more where they are far apart in one
// or two coordinates: up to 1.64 times as much at four bandwidths in one, 1.34 times at three in two. Along an axis the
// Laplacian has up to 1.33 times the variance of IID, SkewedChi2 1.52 times. Only the coordinates in which x and z
// differ count: the fewer they are, the larger are gain and loss. From eight on the variance is within six per cent of
// IID.
type Antithetic struct{}

func (Antithetic) String() string { return "antithetic" }

// Sample fills w pair after pair. A last column without a partner is an independent frequency. Errors are as in
// Sampler.
func (s Antithetic) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	if err := checkSample(s, w, d, m, k, src); err != nil {
		return err
	}
	if err := independent(s, k); err != nil {
		return err
	}
	values, signs := rand.New(subStream(src)), rand.New(subStream(src))
	of, symmetric := magnitude(k.Law())
	for j := 0; j < m; j += 2 {
		for i := range d {
			p := openUniform(values)
			for c := i*m + j; c < i*m+min(j+2, m); c++ {
				w[c] = of(p)
				if symmetric && signs.Uint64()>>63 == 1 {
					w[c] = -w[c]
				}
				p = 1 - p
			}
		}
	}
	return nil
}

// asymmetry is the relative difference of opposite quantiles up to which a law is taken as symmetric. A Quantile that
// is interpolated or found by bisection has such errors, and a pair w and -w would be of no use.
const asymmetry = 1e-3

// magnitude returns the quantile function of the absolute value of a coordinate and true for cosines with a
// symmetric law, else the quantile function of the coordinate and false.
func magnitude(law Law) (quantile func(p float64) float64, symmetric bool) {
	if t := law.Transform; t != Fourier && t != LogFourier && t != Additive {
		return law.Quantile, false
	}
	for _, p := range []float64{1. / 1024, 1. / 64, .125, .25, .4375} {
		if low, high := law.Quantile(p), law.Quantile(1-p); math.Abs(low+high) > asymmetry*math.Abs(low) {
			return law.Quantile, false
		}
	}
	// F(-|w|) = (1-p)/2; the lower tail keeps its digits.
	return func(p float64) float64 { return -law.Quantile((1 - p) / 2) }, true
}

// independent returns an error if a sampler that needs independent coordinates does not fit k.
func independent(s Sampler, k Random) error {
	return suits(k.Law().Quantile != nil, s, k,
		"its frequencies are not known to have independent coordinates (no Quantile); use iid, spectral.IID{}")
}
