package spectral

import (
	"math"
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
					got, err := Theorem5(d, s, R, L, eps)
					if err != nil {
						t.Fatal(err)
					}
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
	rng, w := testRand("gradient"), make([]float64, 1)
	mean := 0.0
	for range reps {
		c := 0.0
		for range s {
			k.Draw(w, rng)
			c += w[0] * math.Exp(-w[0]*r) / s
		}
		exact := k.Lambda / (k.Lambda + r) / (k.Lambda + r) // E w e^(-rw)
		mean += (c*c + exact*exact) / reps
	}
	if l := k.LaplaceMoment(r); mean > 2*l {
		t.Errorf("E sup of the squared derivative is up to %v, bound %v", mean, 2*l)
	}
}

func TestTheorem5Features(t *testing.T) {
	// the example of the comment
	if s, err := Theorem5Features(8, 1, 1, 0.1, 0.05); s != 14166 || err != nil {
		t.Errorf("%v features, %v", s, err)
	}
	for _, d := range []int{1, 7, 1000} {
		for _, fail := range []float64{0.5, 0.05, 1e-9} {
			k := ReciprocalSemigroup{2}
			s, err := Theorem5Features(d, 3, k.LaplaceMoment(0), 0.2, fail)
			if err != nil {
				t.Fatal(err)
			}
			at, _ := Theorem5(d, s, 3, k.LaplaceMoment(0), 0.2)
			before, _ := Theorem5(d, s-1, 3, k.LaplaceMoment(0), 0.2)
			if at > fail*(1+1e-9) || before <= fail {
				t.Errorf("d = %d, fail = %v: s = %d has %v, s-1 %v", d, fail, s, at, before)
			}
		}
	}
	if p, err := Theorem5(8, 1, 1, 1, 0.1); p != 1 || err != nil {
		t.Errorf("one feature: %v, %v", p, err)
	}
}

// δ makes the gap of the kernel at most eps/2 (the printed one does not, from β = 1 on), and exactly so at x = z = 0
// to first order.
func TestLemma7Shift(t *testing.T) {
	for _, beta := range []float64{0.01, 1, 5} {
		for _, d := range []int{1, 5, 100} {
			const eps = 0.1
			k := ExpSemigroup{beta}
			_, delta, err := Lemma7(k, d, 10, 2, eps)
			if err != nil {
				t.Fatal(err)
			}
			x, shifted := make([]float64, d), make([]float64, d)
			for i := range x {
				shifted[i] = delta
			}
			if gap := k.At(x, x) - k.At(shifted, shifted); gap > eps/2 || gap < eps/2*0.97 {
				t.Errorf("beta = %v, d = %d: the shift costs %v of %v", beta, d, gap, eps/2)
			}
			s, delta2, err := Lemma7Features(k, d, 2, eps, 0.01)
			if err != nil || delta2 != delta {
				t.Fatal(delta2, err)
			}
			at, _, _ := Lemma7(k, d, s, 2, eps)
			before, _, _ := Lemma7(k, d, s-1, 2, eps)
			if at > 0.01*(1+1e-9) || before < 0.01*(1-1e-9) || at >= before {
				t.Errorf("beta = %v, d = %d: s = %d has %v, s-1 %v", beta, d, s, at, before)
			}
		}
	}
}

// At the number of features that the bound asks for, the largest error over a grid is below eps.
func TestTheorem5HoldsOnAGrid(t *testing.T) {
	k := ReciprocalSemigroup{1}
	s, err := Theorem5Features(1, 2, k.LaplaceMoment(0), 0.1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, s)
	if err := (IID{}).Sample(w, 1, s, k, Stream(1, "grid")); err != nil {
		t.Fatal(err)
	}
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

func TestConvergenceErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		d            int
		R, L, eps, p float64
		says         string
	}{
		{0, 1, 1, 0.1, 0.1, "d = 0"}, {1, 0, 1, 0.1, 0.1, "R = 0"}, {1, nan, 1, 0.1, 0.1, "R = NaN"},
		{1, 1, 0, 0.1, 0.1, "L = 0"}, {1, 1, inf, 0.1, 0.1, "Lemma7"}, {1, 1, 1, 0, 0.1, "eps = 0"},
		{1, 1, 1, -1, 0.1, "eps = -1"},
		{1, 1, 1, 1, 0.1, "R √L = 1"}, {3, 0.1, 4, 0.3, 0.1, "R √L"}, {1, 1, 1, 0.1, 0, "fail = 0"},
		{1, 1, 1, 0.1, 1, "fail = 1"},
		{1, 1, 1, 1e-12, 0.1, "frequencies"},
	} {
		_, err := Theorem5Features(c.d, c.R, c.L, c.eps, c.p)
		wantErr(t, err, ErrParam, "spectral: Theorem5Features", c.says)
		if c.p == 0.1 && c.eps != 1e-12 {
			_, err = Theorem5(c.d, 10, c.R, c.L, c.eps)
			wantErr(t, err, ErrParam, "spectral: Theorem5", c.says)
		}
	}
	_, err := Theorem5(1, 0, 1, 1, 0.1)
	wantErr(t, err, ErrParam, "s = 0")
	_, _, err = Lemma7(ExpSemigroup{0}, 1, 1, 1, 0.1)
	wantErr(t, err, ErrParam, "Beta = 0")
	_, _, err = Lemma7(ExpSemigroup{1}, 0, 1, 1, 0.1)
	wantErr(t, err, ErrParam, "Lemma7", "d = 0")
	_, _, err = Lemma7Features(ExpSemigroup{1}, 1, 1, 0, 0.1)
	wantErr(t, err, ErrParam, "Lemma7Features", "eps = 0")
	_, _, err = Lemma7Features(ExpSemigroup{1}, 1, 1, 0.1, 2)
	wantErr(t, err, ErrParam, "fail = 2")
}
