package spectral

import (
	"math"
	"sort"
	"testing"
)

// The two terms of the proof, evaluated at the γ that makes them equal, have the constant 2^(1+(2+9d)/(d+2)) of
// Theorem5, and that γ is in the range 0 < γ <= 4R of the net.
func TestTheorem5ConstantFollowsFromTheProof(t *testing.T) {
	for _, d := range []int{1, 2, 3, 8, 100, 4000} {
		for _, R := range []float64{0.5, 1, 30} {
			for _, L := range []float64{1, 17} {
				for _, eps := range []float64{0.01, 0.3} {
					n := float64(d)
					// where the bound starts to say something
					s := int((n + 2) / eps / eps * (9 + math.Log(n*R*R*L/eps/eps)))
					logNet := math.Ln2 + n*math.Log(8*R) - float64(s)*eps*eps/2
					logGrad := math.Log(8 * n * L / eps / eps)
					logGamma := (logNet - logGrad) / (n + 2)
					proof := math.Exp(logNet-n*logGamma) + math.Exp(logGrad+2*logGamma)
					got := must(Theorem5(d, s, R, L, eps))
					if logGamma > math.Log(4*R) || !near(got, min(1, proof), 1e-9) {
						t.Errorf("d = %d, R = %v, L = %v, eps = %v, s = %d: %v, the proof gives %v",
							d, R, L, eps, s, got, proof)
					}
				}
			}
		}
	}
}

// The proof's second claim: E sup ‖∇f‖² <= 2dL. The supremum over coordinates >= r of the mean's derivative is its
// value at r.
func TestTheorem5GradientBound(t *testing.T) {
	const s, reps, r = 20, 4000, 0.1
	k := ReciprocalSemigroup{1.3}
	draw, w := k.Law().drawer(testRand("gradient")), make([]float64, 1)
	mean := 0.0
	for range reps {
		c := 0.0
		for range s {
			draw(w)
			c += w[0] * math.Exp(-w[0]*r) / s
		}
		exact := k.Lambda / (k.Lambda + r) / (k.Lambda + r) // E w e^(-rw)
		mean += (c*c + exact*exact) / reps
	}
	if l := 2 * k.Lambda / math.Pow(k.Lambda+2*r, 3); mean > 2*l {
		t.Errorf("E sup of the squared derivative is up to %v, bound %v", mean, 2*l)
	}
}

// featuresOfTheorem5 is the smallest s for which the bound is at most .05.
func featuresOfTheorem5(d int, R, L, eps float64) int {
	return 1 + sort.Search(1<<20, func(i int) bool {
		bound, err := Theorem5(d, 1+i, R, L, eps)
		return err == nil && bound <= .05
	})
}

// The number of features of the comment; one feature has no more than the trivial bound.
func TestTheorem5Features(t *testing.T) {
	if s := featuresOfTheorem5(8, 1, 1, 0.1); s != 14166 {
		t.Errorf("%v features", s)
	}
	if p, err := Theorem5(8, 1, 1, 1, 0.1); p != 1 || err != nil {
		t.Errorf("one feature: %v, %v", p, err)
	}
}

// At the number of features that the bound asks for, the largest error over a grid is below eps.
func TestTheorem5HoldsOnAGrid(t *testing.T) {
	k := ReciprocalSemigroup{1}
	s := featuresOfTheorem5(1, 2, 2, 0.1)
	w := sample(IID{}, 1, s, k, Stream(1, "grid"))
	for x := 0.0; x <= 2; x += 0.1 {
		mean := 0.0
		for _, v := range w {
			mean += math.Exp(-2*v*x) / float64(s)
		}
		if e := math.Abs(mean - k.At([]float64{x}, []float64{x})); e > 0.1 {
			t.Errorf("s = %d, x = %v: error %v", s, x, e)
		}
	}
}
