package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gorgonia.org/tensor"
)

// MedianDistance returns the median Euclidean distance between two different rows of x [n, d], n >= 2: a common Sigma
// of Gaussian and Ell of Matern. It takes the given number of random pairs, drawn from the stream "pairs" of the seed,
// or all n(n-1)/2 pairs if these are fewer.
//
// Errors wrap ErrShape, ErrDtype, ErrDomain (a NaN or infinite cell, a median of 0 or one that overflows), or ErrParam
// (pairs < 1).
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
	switch {
	case median == 0:
		return 0, fmt.Errorf("spectral: MedianDistance is 0, the data have no spread, or the median pair is equal; set the "+
			"bandwidth by hand: %w", ErrDomain)
	case math.IsInf(median, 1):
		return 0, fmt.Errorf("spectral: MedianDistance overflows; scale the data: %w", ErrDomain)
	}
	return median, nil
}
