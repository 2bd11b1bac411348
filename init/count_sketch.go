package spectral

import (
	"cmp"
	"math/rand/v2"

	"gorgonia.org/tensor"
)

// DrawCountSketches draws p count sketches of vectors of d coordinates, with m buckets each. Sketch j multiplies
// coordinate i by signs[j,i] = ±1 and adds it to bucket buckets[j,i], a whole number from 0 to m-1:
//
//	C_j(x)_b = Σ_i [buckets[j,i] = b] signs[j,i] x_i,   E C_j(x)·C_j(z) = x·z.
//
// The buckets and signs of a sketch, [p, d], are independent and uniform; the papers assume only pairwise independence.
// They come from the streams "buckets" and "signs" of the seed. Errors wrap ErrParam: p, d or m below 1, or sketches
// that do not fit in memory. Charikar, Chen and Farach-Colton (2002); Pham and Pagh (2013), definition 1.
func DrawCountSketches(p, d, m int, seed uint64) (buckets, signs *tensor.Dense, err error) {
	if err := cmp.Or(checkCounts(d, m), checkCounts(d, p)); err != nil {
		return nil, nil, err
	}
	b, s := make([]float64, p*d), make([]float64, p*d)
	rng, sign := rand.New(Stream(seed, "buckets")), rand.New(Stream(seed, "signs"))
	for i := range b {
		b[i], s[i] = float64(rng.IntN(m)), randomSign(sign)
	}
	return tensor.New(tensor.WithShape(p, d), tensor.WithBacking(b)),
		tensor.New(tensor.WithShape(p, d), tensor.WithBacking(s)), nil
}
