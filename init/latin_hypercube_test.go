package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func init() {
	fittings = append(fittings, fitting{LatinHypercube{}, isEither, "neither Quantile nor NormQuantile"})
	goldenSamplers["latin-hypercube"] = [4]float64{-1.6416811536873293, 0.17059244321046882, -0.12561324266887405,
		0.036528589248536664}
}

// TestLatinHypercubeStrata: in each coordinate every interval of length 1/m has one point, and the permutations of two
// coordinates differ.
func TestLatinHypercubeStrata(t *testing.T) {
	for _, m := range []int{1, 2, 7, 1000} {
		const d = 3
		k := Laplacian{1.3}
		w := sample(LatinHypercube{}, d, m, k, Stream(1, "strata"))
		equal := 0
		for i := range d {
			seen := make([]bool, m)
			for j, v := range w[i*m : (i+1)*m] {
				// by the distribution function of the Cauchy law
				stratum := int(float64(m) * (.5 + math.Atan(v*1.3)/math.Pi))
				if seen[stratum] {
					t.Fatalf("m = %d: two points of coordinate %d in the interval %d", m, i, stratum)
				}
				if seen[stratum] = true; i > 0 && stratum == int(float64(m)*(.5+math.Atan(w[j]*1.3)/math.Pi)) {
					equal++
				}
			}
		}
		if m == 1000 && equal > 20 { // 2 are expected
			t.Errorf("%d of %d points are in the same interval of two coordinates", equal, 2*m)
		}
	}
}

// TestLatinHypercubeBound: the variance is at most m/(m-1) times the variance of IID (Owen 1997), also where the
// coordinates interact most, far out and for few frequencies.
func TestLatinHypercubeBound(t *testing.T) {
	const draws = 4000
	rng := rand.New(Stream(1, "bound"))
	for _, c := range []struct{ d, m int }{{1, 2}, {2, 2}, {2, 3}, {3, 4}, {8, 5}} {
		for _, k := range []Random{Gaussian{1}, Laplacian{1}, Matern{1.5, 1}, ExpSemigroup{1}} {
			x, z := make([]float64, c.d), make([]float64, c.d)
			for i := range x {
				x[i] = 2 * rng.Float64()
			}
			iid := must(IID{}.Variance(k, x, z, c.m))
			got := estimates(t, LatinHypercube{}, k, [][]float64{x}, z, c.m, draws, Stream(2, "bound"))[0]
			mse, se := squaredErrors(got, k.At(x, z))
			if most := iid * float64(c.m) / float64(c.m-1); mse > most+4*se {
				t.Errorf("%T, d = %d, m = %d: variance %.3g ± %.2g, at most %.3g", k, c.d, c.m, mse, se, most)
			}
		}
	}
}

func ExampleLatinHypercube() {
	k, x, z := Laplacian{1}, []float64{.5, .5, .5}, []float64{0, .5, .5}
	w, err := Frequencies(k, LatinHypercube{}, 3, 256, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	estimate := 0.0
	for j := range 256 { // x and z differ in the first coordinate
		estimate += math.Cos((x[0]-z[0])*w.Float64s()[j]) / 256
	}
	v, _ := PairVariance(k, x, z)
	fmt.Printf("kernel %.4f, estimate %.4f, standard error of independent frequencies %.3f\n",
		k.At(x, z), estimate, math.Sqrt(v/256))
	// Output: kernel 0.6065, estimate 0.6007, standard error of independent frequencies 0.035
}
