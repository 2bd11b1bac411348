package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// drawn are n rows of k logits, of which the classes are drawn by softmax(s/temperature), and what that is.
func drawn(n, k int, temperature float64, seed uint64) (scores, p *mat.Dense, labels []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	scores, p, labels = mat.NewDense(n, k, nil), mat.NewDense(n, k, nil), make([]int, n)
	for i := range n {
		for j := range k {
			scores.Set(i, j, 4*rng.NormFloat64())
		}
		tempered(p.RawRowView(i), scores.RawRowView(i), 1/temperature)
		labels[i] = pick(rng, p.RawRowView(i))
	}
	return scores, p, labels
}

func pick(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for j, v := range p {
		if u -= v; u < 0 {
			return j
		}
	}
	return len(p) - 1
}

// must is the value of a call that must not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func fitted(m string, scores *mat.Dense, labels []int) *Calibration {
	return must(Fit(m, scores, labels))
}

func probabilities(c *Calibration, scores *mat.Dense) *mat.Dense {
	return must(c.Probabilities(scores))
}

// tempered writes softmax(inverse·s).
func tempered(dst, s []float64, inverse float64) { (&Parameters{Inverse: &inverse}).tempered(dst, s) }

// What calibration is for: probabilities that were too sure are nearly true after it, by all methods.
func TestCalibrationHelps(t *testing.T) {
	const n = 1500
	scores, _, labels := drawn(n, 4, 3, 11)
	test, truth, testLabels := drawn(n, 4, 3, 12)
	before := mat.NewDense(n, 4, nil)
	for i := range n {
		tempered(before.RawRowView(i), test.RawRowView(i), 1)
	}
	worst := must(NLL(before, testLabels))
	best := must(NLL(truth, testLabels))
	for _, m := range []string{Temperature, TemperatureBias, Platt, Isotonic} {
		p := probabilities(fitted(m, scores, labels), test)
		nll := must(NLL(p, testLabels))
		ece := must(ECE(p, testLabels, 0))
		t.Logf("%v: NLL %.4f (before %.4f, true %.4f), ECE %.4f", m, nll, worst, best, ece)
		if (m == Temperature || m == TemperatureBias) && nll > best+.005 || nll > best+.4*(worst-best) {
			t.Errorf("%v: NLL %.4f, before %.4f, of the law %.4f", m, nll, worst, best)
		}
	}
	if c := fitted(Automatic, scores, labels); c.Method() != Temperature && c.Method() != TemperatureBias {
		t.Errorf("Automatic took %v of a law with a temperature", c.Method())
	}
}

// Scores squared are no logits of anything, but in the right order within a class: isotonic is the one that follows.
// Automatic takes the least cross-fitted loss.
func TestAutomatic(t *testing.T) {
	const n = 2000
	scores, p, labels := drawn(n, 2, 1, 13)
	for i := range n {
		for j := range 2 {
			scores.Set(i, j, math.Pow(p.At(i, j), 9)+.3*math.Floor(3*p.At(i, j)))
		}
	}
	best, least := Automatic, math.Inf(1)
	for _, w := range ways {
		loss := must(crossFit(w, scores, labels))
		if loss < least {
			best, least = w.method, loss
		}
	}
	if c := fitted(Automatic, scores, labels); c.Method() != best || best == Temperature || best == TemperatureBias {
		t.Errorf("Automatic took %v, the least cross-fitted loss is that of %v", c.Method(), best)
	}
	few := mat.DenseCopyOf(scores.Slice(0, 19, 0, 2))
	if c := fitted(Automatic, few, labels[:19]); c.Method() != Temperature {
		t.Errorf("Automatic took %v of 19 rows", c.Method())
	}
}

// Rows sum to 1 and no number is NaN, whatever the scores, and the zero that Isotonic has is its floor.
func TestProbabilitiesSumToOne(t *testing.T) {
	scores, _, labels := drawn(100, 3, 1, 17)
	for i := range labels {
		labels[i] = min(labels[i], 1) // the class 2 has no row
	}
	extreme := mat.NewDense(4, 3, []float64{1e300, -1e300, 0, -1e300, -1e300, -1e300, math.MaxFloat64, -math.MaxFloat64, 1, 5e-324, 0, -5e-324})
	for _, m := range []string{Temperature, TemperatureBias, Platt, Isotonic} {
		c := fitted(m, scores, labels)
		for _, s := range []*mat.Dense{scores, extreme} {
			p := probabilities(c, s)
			n, _ := p.Dims()
			for i := range n {
				if sum := floats.Sum(p.RawRowView(i)); !(math.Abs(sum-1) < 1e-14) {
					t.Errorf("%v: row %v of %v sums to %v", m, p.RawRowView(i), s.RawRowView(i), sum)
				}
				if m == Isotonic && floats.Min(p.RawRowView(i)) < 1./(102*2)/2 {
					t.Errorf("%v: %v is under the floor", m, p.RawRowView(i))
				}
			}
		}
	}
}
