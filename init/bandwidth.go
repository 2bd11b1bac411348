package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// SqrtDVar returns √(d Var(x)/2) for x [n, d], where Var is the population variance of all entries. As the Sigma of
// Gaussian it is the same bandwidth as scikit-learn's gamma = "scale" = 1/(d Var).
//
// Errors wrap ErrShape, ErrDtype, or ErrDomain (a NaN or infinite cell, or data without spread).
func SqrtDVar(x *tensor.Dense) (float64, error) {
	return spread("SqrtDVar", x, func(t float64) float64 { return t * t },
		func(scale, d, variance float64) float64 { return scale * math.Sqrt(d/2*variance) })
}

// DMeanAbsDev returns d·mean|x_ij - x̄| for x [n, d], where x̄ is the mean of all entries. It is a first Sigma for
// Laplacian, whose exponent ‖x-z‖₁ is a sum of d absolute differences. Errors are as for SqrtDVar.
func DMeanAbsDev(x *tensor.Dense) (float64, error) {
	return spread("DMeanAbsDev", x, math.Abs,
		func(scale, d, deviation float64) float64 { return scale * d * deviation })
}

// MedianDistance returns the median Euclidean distance between two different rows of x [n, d], n >= 2: a common Sigma
// of Gaussian and Ell of Matern. It takes the given number of random pairs, drawn from the stream "pairs" of the seed,
// or all n(n-1)/2 pairs if these are fewer. Errors are as for SqrtDVar; pairs < 1 wraps ErrParam.
func MedianDistance(x *tensor.Dense, pairs int, seed uint64) (float64, error) {
	r, err := checkedRows("spectral: MedianDistance", x, Domain{})
	if err != nil {
		return 0, err
	}
	if r.n < 2 {
		return 0, fmt.Errorf("spectral: MedianDistance: %d rows have no distances, at least 2 are needed: %w",
			r.n, ErrShape)
	}
	if pairs < 1 {
		return 0, invalid("MedianDistance: pairs = %d, must be at least 1", pairs)
	}
	var dist []float64
	if float64(pairs) >= float64(r.n)*float64(r.n-1)/2 {
		for i := range r.n {
			for j := range i {
				dist = append(dist, distance(r.row(i), r.row(j)))
			}
		}
	} else {
		rng := rand.New(Stream(seed, "pairs"))
		for range pairs {
			i, j := rng.IntN(r.n), rng.IntN(r.n-1)
			if j >= i {
				j++
			}
			dist = append(dist, distance(r.row(i), r.row(j)))
		}
	}
	slices.Sort(dist)
	h := len(dist) / 2
	median := dist[h]
	if len(dist)%2 == 0 {
		median = dist[h-1] + (dist[h]-dist[h-1])/2
	}
	return finiteSpread("MedianDistance", median)
}

// spread returns the bandwidth for scale, the largest |x|, the number of columns d, and the mean over all entries of
// f(x/scale - mean of that). The division keeps squares from overflowing. Data without spread are an error.
func spread(who string, x *tensor.Dense, f func(t float64) float64,
	bandwidth func(scale, d, mean float64) float64) (float64, error) {
	r, err := checkedRows("spectral: "+who, x, Domain{})
	if err != nil {
		return 0, err
	}
	if r.n == 0 {
		return 0, fmt.Errorf("spectral: %s: there are no rows: %w", who, ErrShape)
	}
	if slices.Min(r.data) == slices.Max(r.data) {
		return finiteSpread(who, 0)
	}
	mean, of, n := 0., 0., float64(len(r.data))
	scale := floats.Norm(r.data, math.Inf(1))
	for _, v := range r.data {
		mean += v / scale
	}
	for _, v := range r.data {
		of += f(v/scale - mean/n)
	}
	return finiteSpread(who, bandwidth(scale, float64(r.cols), of/n))
}

// finiteSpread returns the bandwidth, and an error where it is 0 or infinite.
func finiteSpread(who string, sigma float64) (float64, error) {
	switch {
	case sigma == 0:
		return sigma, fmt.Errorf("spectral: %s is 0, the data have no spread (or the median pair is equal); set the "+
			"bandwidth by hand: %w", who, ErrDomain)
	case math.IsInf(sigma, 1):
		return sigma, fmt.Errorf("spectral: %s overflows; scale the data: %w", who, ErrDomain)
	}
	return sigma, nil
}
