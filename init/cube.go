package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// cube turns a point u of the open unit cube into a frequency w, such that a uniform point gives the kernel's law. The
// low-discrepancy samplers use it.
type cube struct {
	dims      int // coordinates of u
	frequency func(w, u []float64)
}

// newCube uses the quantile function of each coordinate if the law has it. Else the first coordinate of u
// gives the norm and the d others, as normal quantiles, the direction. The sequence has at most most coordinates.
func newCube(s Sampler, d int, k Random, most int) (cube, error) {
	c, remedy := cube{dims: d}, "spectral.IID{}"
	switch law := k.Law(); {
	case law.Quantile != nil:
		c.frequency = func(w, u []float64) {
			for i, p := range u {
				w[i] = law.Quantile(p)
			}
		}
	case law.NormQuantile != nil:
		c.dims, remedy = d+1, "spectral.Orthogonal{}"
		c.frequency = func(w, u []float64) { radialFrequency(w, law.NormQuantile(d, u[0]), u[1:]) }
	default:
		return c, &SamplerError{s, k, "it has neither Quantile nor NormQuantile, so that points of the unit cube " +
			"cannot be made frequencies; use spectral.IID{}"}
	}
	if c.dims > most {
		return c, &SamplerError{s, k, fmt.Sprintf("%d input dimensions need points of %d coordinates, and the "+
			"sequence has at most %d; use %s", d, c.dims, most, remedy)}
	}
	return c, nil
}

// sampleCube is Sample by points of the open unit cube. points returns the function that writes the next of m points of
// so many coordinates to u.
func sampleCube(s Sampler, w []float64, d, m int, k Random, src rand.Source, most int,
	points func(dims int) (next func(u []float64))) error {
	if err := checkSample(s, w, d, m, k, src); err != nil {
		return err
	}
	c, err := newCube(s, d, k, most)
	if err != nil {
		return err
	}
	next, col, u := points(c.dims), make([]float64, d), make([]float64, c.dims)
	for j := range m {
		next(u)
		c.frequency(col, u)
		for i, v := range col {
			w[i*m+j] = v
		}
	}
	return nil
}

// radialFrequency makes w the vector of norm r in the direction of the normal quantiles of u.
func radialFrequency(w []float64, r float64, u []float64) {
	sum := 0.0
	for i, p := range u {
		w[i] = normalQuantile(p)
		sum += w[i] * w[i]
	}
	if sum == 0 { // the centre of the cube has no direction, and the probability 2⁻⁵² in each coordinate
		w[0], sum = 1, 1
	}
	scale := r / math.Sqrt(sum)
	for i := range w {
		w[i] *= scale
	}
}
