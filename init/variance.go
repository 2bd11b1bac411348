package spectral

import (
	"cmp"
	"fmt"
	"math"
)

// PairVariance returns the variance of the term of one independent frequency in the estimate of k(x, z). The estimate
// from m frequencies has the standard error √(PairVariance/m), so ⌈PairVariance/s²⌉ independent frequencies bring it
// down to s.
//
//	Fourier, LogFourier   cos(w·δ), features [cos | sin]:   (1 + k(2δ))/2 - k²
//	Laplace               exp(-w·(x+z)):                    k(2x, 2z) - k²
//	Positive              exp(w·(x+z) - s²(‖x‖²+‖z‖²)/2):   E (term)² - k², in closed form for Softmax
//	Step, ReLU, Tangent   the terms of the Transform:       E (term)² - k², in closed form for ArcCosine, NeuralTangent
//
// Here δ is x - z, or ln(x+c) - ln(z+c). k(2δ) is k(2(x-z), 0) for a Fourier kernel, and k of two rows with the log
// difference 2δ for a LogFourier kernel. The phase form √2 cos(w·x + b), with b uniform on [0, 2π), has ½ more, also at
// x = z. Errors: an invalid kernel (ErrParam), rows of different lengths (ErrShape), a Fourier kernel that is not
// defined on all of ℝ^d (ErrDomain).
func PairVariance(k Random, x, z []float64) (float64, error) {
	if err := validPair(k, x, z); err != nil {
		return 0, err
	}
	law := k.Law()
	if law.squares != nil {
		value, square := k.At(x, z), law.squares(x, z)
		if math.IsInf(square, 1) { // the difference of two infinities would be NaN
			return square, nil
		}
		return max(0, square-value*value), nil
	}
	_, value, doubled, err := difference(k, x, z)
	if err != nil {
		return 0, err
	}
	if law.Transform == Laplace {
		return max(0, doubled-value*value), nil
	}
	return max(0, (1+doubled)/2-value*value), nil
}

// validPair checks a kernel and two rows.
func validPair(k Random, x, z []float64) error {
	return cmp.Or(validate(k), checkLengths(x, z))
}

// difference returns the vector δ of k = E cos(w·δ), or of E exp(-w·δ), and k at (x, z) and at 2δ.
func difference(k Random, x, z []float64) (delta []float64, value, doubled float64, err error) {
	if err := validPair(k, x, z); err != nil {
		return nil, 0, 0, err
	}
	law := k.Law()
	if law.Transform == Fourier && (k.Domain() != Domain{}) {
		return nil, 0, 0, fmt.Errorf("spectral: the variance of %T needs k at 2(x-z), outside its domain %v: %w",
			k, k.Domain(), ErrDomain)
	}
	delta = make([]float64, len(x))
	x2, z2 := make([]float64, len(x)), make([]float64, len(x))
	for i, a := range x {
		switch b := z[i]; law.Transform {
		case Fourier:
			delta[i], x2[i] = a-b, 2*(a-b)
		case Laplace:
			delta[i], x2[i], z2[i] = a+b, 2*a, 2*b
		case LogFourier:
			delta[i] = logRatio(a, b, law.Shift)
			x2[i], z2[i] = doubleLog(a, b, law.Shift)
		default:
			return nil, 0, 0, fmt.Errorf("spectral: %T is of the transform %v; want Fourier, Laplace or LogFourier: %w",
				k, law.Transform, ErrParam)
		}
	}
	return delta, k.At(x, z), k.At(x2, z2), nil
}

// doubleLog returns x', z' with ln(x'+c) - ln(z'+c) = 2 (ln(x+c) - ln(z+c)). The pair x' = (x+c)² - c would lose every
// digit where (x+c)² is far below c. So the pair is scaled such that the smaller of x'+c and z'+c is 2c, or 1 for c =
// 0.
func doubleLog(x, z, c float64) (x2, z2 float64) {
	base := 2 * c
	if c == 0 {
		base = 1
	}
	if x < z {
		z2, x2 = doubleLog(z, x, c)
		return x2, z2
	}
	r := (x + c) / (z + c)
	return min(base*r*r, math.MaxFloat64) - c, base - c
}
