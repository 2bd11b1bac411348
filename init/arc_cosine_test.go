package spectral

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// unitKernels are the kernels of random units, with the features of one frequency.
var unitKernels = map[Random]func(w, v, x []float64) (first, second float64){
	ArcCosine{Order: 0}: func(w, _, x []float64) (float64, float64) { return step(floats.Dot(w, x)), 0 },
	ArcCosine{Order: 1}: func(w, _, x []float64) (float64, float64) { return max(0, floats.Dot(w, x)), 0 },
	NeuralTangent{}: func(w, v, x []float64) (float64, float64) {
		return max(0, floats.Dot(w, x)), step(floats.Dot(w, x)) * floats.Dot(v, x)
	},
}

func step(t float64) float64 {
	if t > 0 {
		return 1
	}
	return 0
}

// TestUnits: the terms of the frequencies have the mean k(x, z) and the variance of the formula, within 4 standard
// errors, for rows of any length: at an angle, close, almost opposite, and 0.
func TestUnits(t *testing.T) {
	const d, m = 3, 100000
	x := []float64{.4, -1.1, .2}
	for k, unit := range unitKernels {
		columns := m
		if k.Law().Transform == Tangent {
			columns *= 2
		}
		for _, s := range []Sampler{IID{}, Orthogonal{}, Antithetic{}} {
			w := must(Frequencies(k, s, d, columns, 5))
			column := func(j int) []float64 {
				c := make([]float64, d)
				for i := range c {
					c[i] = w.Float64s()[i*columns+j%columns]
				}
				return c
			}
			for _, z := range [][]float64{{2, .3, .5}, {.41, -1.12, .19}, {-.4, 1.1, -.25}, {0, 0, 0}} {
				terms, squares, want := make([]float64, m), make([]float64, m), k.At(x, z)
				for j := range terms {
					a, b := unit(column(j), column(j+m), x)
					p, q := unit(column(j), column(j+m), z)
					terms[j] = 2 * (a*p + b*q)
					squares[j] = (terms[j] - want) * (terms[j] - want)
				}
				if mean, se := meanStdErr(terms); math.Abs(mean-want) > 4*se+1e-15 {
					t.Errorf("%T%+v, %v, z = %v: mean %v, kernel %v, standard error %v", k, k, s, z, mean, want, se)
				}
				variance, err := PairVariance(k, x, z)
				if mean, se := meanStdErr(squares); s == (IID{}) && (err != nil || math.Abs(mean-variance) > 4*se+1e-15) {
					t.Errorf("%T%+v, z = %v: variance %v ± %v, by the formula %v, %v", k, k, z, mean, se, variance, err)
				}
			}
		}
	}
}

// TestUnitsOfLengths: the kernels are homogeneous in each row, of degree 0 or 1, also where squares would overflow.
func TestUnitsOfLengths(t *testing.T) {
	x, z := []float64{.4, -1.1, .2}, []float64{2, .3, .5}
	for k := range unitKernels {
		for _, c := range []float64{1e-200, 3, 1e200} {
			want, scaled := k.At(x, z), make([]float64, len(x))
			if k != (ArcCosine{Order: 0}) {
				want *= c
			}
			for i, v := range x {
				scaled[i] = c * v
			}
			wantNear(t, k.At(scaled, z), want, 1e-14, "%T%+v of %v·x", k, k, c)
		}
	}
}
