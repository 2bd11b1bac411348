package spectral

import (
	"cmp"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// Polynomial is a kernel that is a polynomial of the inner product on its domain,
//
//	k(x, z) = Σ_n a_n (x·z)^n,   n = 0 to p.
type Polynomial interface {
	Kernel
	// Maclaurin returns the coefficients a_0 to a_p, at least one of them not 0.
	Maclaurin() []float64
}

// DrawProducts draws m random Maclaurin features of k in ℝ^d under a seed. Feature i is the product of degrees[i] inner
// products of x with random signs,
//
//	z_i(x) = scales[i]/√m Π_{j < degrees[i]} (w_{·,jm+i}·x),   scales[i] = √(|a_N|/P(N)), N = degrees[i],
//
// so that E z_i(x) z_i(z) = E (|a_N|/P(N)) (x·z)^N. This is k(x, z)/m for coefficients a_n >= 0. Where some are
// negative, the feature needs the sign of a_N in addition. w is [d, p·m], ±1, and 0 in columns that no product uses.
//
// The degrees, with probabilities proportional to 2^-(n+1), come from the stream "degrees", the signs from the stream
// "W". Errors wrap ErrParam: an invalid kernel, d or m below 1, coefficients that are all 0 or not finite. Kar and
// Karnick (2012), algorithm 1.
func DrawProducts(k Polynomial, d, m int, seed uint64) (w *tensor.Dense, degrees []int, scales []float64, err error) {
	if err := cmp.Or(validate(k), checkCounts(d, m)); err != nil {
		return nil, nil, nil, err
	}
	a := k.Maclaurin()
	if size := floats.Norm(a, math.Inf(1)); !(size > 0) || math.IsInf(size, 1) {
		return nil, nil, nil, invalid("the largest coefficient of the powers of x·z is %v; want a finite number above "+
			"0", size)
	}
	p, sum := make([]float64, len(a)), 1-math.Exp2(-float64(len(a)))
	for n := range a {
		p[n] = math.Exp2(-float64(n+1)) / sum
	}
	most := max(1, len(a)-1)
	degrees, scales = make([]int, m), make([]float64, m)
	cells, cols := make([]float64, d*most*m), most*m
	rng, signs := rand.New(Stream(seed, "degrees")), rand.New(Stream(seed, "W"))
	for i := range m {
		n := pick(p, rng.Float64())
		degrees[i], scales[i] = n, math.Sqrt(math.Abs(a[n])/p[n])
		for j := range n {
			for l := range d {
				cells[l*cols+j*m+i] = randomSign(signs)
			}
		}
	}
	return tensor.New(tensor.WithShape(d, cols), tensor.WithBacking(cells)), degrees, scales, nil
}

// pick returns the index whose part of the distribution p contains u, in [0, 1). It never returns an index of
// probability 0.
func pick(p []float64, u float64) int {
	last := 0
	for n, v := range p {
		if v == 0 {
			continue
		}
		if last = n; u < v {
			break
		}
		u -= v
	}
	return last
}

func randomSign(rng *rand.Rand) float64 {
	if rng.Uint64()>>63 == 0 {
		return -1
	}
	return 1
}

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
	buckets = drawCells(seed, "buckets", p, d, func(rng *rand.Rand) float64 { return float64(rng.IntN(m)) })
	return buckets, drawCells(seed, "signs", p, d, randomSign), nil
}

// drawCells draws the cells of a matrix, row after row, from a stream of the seed.
func drawCells(seed uint64, stream string, rows, cols int, draw func(rng *rand.Rand) float64) *tensor.Dense {
	cells, rng := make([]float64, rows*cols), rand.New(Stream(seed, stream))
	for i := range cells {
		cells[i] = draw(rng)
	}
	return tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(cells))
}
