package spectral

import (
	"math"
	"sort"
	"testing"
)

// The two terms of the proof, evaluated at the γ that makes them equal, have the constant 2^(1+(2+9d)/(d+2)) of
// Theorem5, and that γ is in the range 0 < γ <= 4R of the net.
func TestTheorem5(t *testing.T) {
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
	// the number of features of the comment; one feature has no more than the trivial bound
	s := 1 + sort.Search(1<<20, func(i int) bool { return must(Theorem5(8, 1+i, 1, 1, .1)) <= .05 })
	if p := must(Theorem5(8, 1, 1, 1, .1)); s != 14166 || p != 1 {
		t.Errorf("%v features; one feature: %v", s, p)
	}
}
