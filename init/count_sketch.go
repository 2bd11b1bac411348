package spectral

import (
	"math/rand/v2"

	"gorgonia.org/tensor"
)

// CountSketches holds p count sketches of vectors of d coordinates, with m buckets each. Sketch j multiplies coordinate
// i by the sign Signs[j,i] and adds it to bucket Buckets[j,i]:
//
//	C_j(x)_b = Σ_i [Buckets[j,i] = b] Signs[j,i] x_i,   E C_j(x)·C_j(z) = x·z.
//
// The buckets and signs of a sketch are independent and uniform; the papers assume only pairwise independence.
// Charikar, Chen and Farach-Colton (2002); Pham and Pagh (2013), definition 1.
type CountSketches struct {
	Buckets, Signs *tensor.Dense // [p, d]: whole numbers from 0 to m-1, and ±1
}

// DrawCountSketches draws p sketches of d coordinates with m buckets from the streams "buckets" and "signs" of the
// seed. Errors wrap ErrParam: p, d or m below 1, or sketches that do not fit in memory.
func DrawCountSketches(p, d, m int, seed uint64) (*CountSketches, error) {
	if err := checkCounts(d, m); err != nil {
		return nil, err
	}
	if err := checkCounts(d, p); err != nil {
		return nil, err
	}
	buckets, signs := make([]float64, p*d), make([]float64, p*d)
	rng, sign := rand.New(Stream(seed, "buckets")), rand.New(Stream(seed, "signs"))
	for i := range buckets {
		buckets[i], signs[i] = float64(rng.IntN(m)), randomSign(sign)
	}
	return &CountSketches{tensor.New(tensor.WithShape(p, d), tensor.WithBacking(buckets)),
		tensor.New(tensor.WithShape(p, d), tensor.WithBacking(signs))}, nil
}
