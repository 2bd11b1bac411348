package calibrate

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
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
		softmax(p.RawRowView(i), scores.RawRowView(i), 1/temperature)
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

func fitted(t *testing.T, m Method, scores *mat.Dense, labels []int) *Calibration {
	t.Helper()
	c, err := Fit(m, scores, labels)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func probabilities(t *testing.T, c *Calibration, scores *mat.Dense) *mat.Dense {
	t.Helper()
	p, err := c.Probabilities(scores)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What calibration is for: probabilities that were too sure are nearly true after it, by all methods.
func TestCalibrationHelps(t *testing.T) {
	scores, _, labels := drawn(3000, 4, 3, 11)
	test, truth, testLabels := drawn(3000, 4, 3, 12)
	before := mat.NewDense(3000, 4, nil)
	for i := range 3000 {
		softmax(before.RawRowView(i), test.RawRowView(i), 1)
	}
	worst, err := NLL(before, testLabels)
	if err != nil {
		t.Fatal(err)
	}
	best, err := NLL(truth, testLabels)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Method{Temperature, TemperatureBias, Platt, Isotonic} {
		p := probabilities(t, fitted(t, m, scores, labels), test)
		nll, err := NLL(p, testLabels)
		if err != nil {
			t.Fatal(err)
		}
		ece, err := ECE(p, testLabels, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: NLL %.4f (before %.4f, true %.4f), ECE %.4f", m, nll, worst, best, ece)
		if (m == Temperature || m == TemperatureBias) && nll > best+.005 || nll > best+.4*(worst-best) {
			t.Errorf("%v: NLL %.4f, before %.4f, of the law %.4f", m, nll, worst, best)
		}
	}
	if c := fitted(t, Automatic, scores, labels); c.Method() != Temperature && c.Method() != TemperatureBias {
		t.Errorf("Automatic took %v of a law with a temperature", c.Method())
	}
}

// Scores squared are no logits of anything, but in the right order within a class: isotonic is the one that follows.
// Automatic takes the least cross-fitted loss.
func TestAutomatic(t *testing.T) {
	scores, p, labels := drawn(4000, 2, 1, 13)
	for i := range 4000 {
		for j := range 2 {
			scores.Set(i, j, math.Pow(p.At(i, j), 9)+.3*math.Floor(3*p.At(i, j)))
		}
	}
	best, least := Automatic, math.Inf(1)
	for _, w := range ways {
		loss, err := crossFit(w, scores, labels)
		if err != nil {
			t.Fatal(err)
		}
		if loss < least {
			best, least = w.Method, loss
		}
	}
	if c := fitted(t, Automatic, scores, labels); c.Method() != best || best == Temperature || best == TemperatureBias {
		t.Errorf("Automatic took %v, the least cross-fitted loss is that of %v", c.Method(), best)
	}
	few := mat.DenseCopyOf(scores.Slice(0, 19, 0, 2))
	if c := fitted(t, Automatic, few, labels[:19]); c.Method() != Temperature {
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
	for _, m := range []Method{Temperature, TemperatureBias, Platt, Isotonic} {
		c := fitted(t, m, scores, labels)
		for _, s := range []*mat.Dense{scores, extreme} {
			p := probabilities(t, c, s)
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

func TestCalibrationErrors(t *testing.T) {
	good, labels := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 0}), []int{0, 1, 0}
	nan := mat.NewDense(3, 2, []float64{1, 0, 0, math.NaN(), 1, 0})
	huge := mat.NewDense(3, 2, []float64{1e308, -1e308, 0, 1, 1, 0})
	for _, c := range []struct {
		name   string
		method Method
		scores *mat.Dense
		labels []int
		want   error
	}{
		{"nil", Platt, nil, labels, domain.ErrParam},
		{"empty", Platt, &mat.Dense{}, nil, domain.ErrShape},
		{"one column", Platt, mat.NewDense(3, 1, nil), labels, domain.ErrShape},
		{"two labels", Platt, good, labels[:2], domain.ErrShape},
		{"a label of no class", Platt, good, []int{0, 2, 0}, domain.ErrDomain},
		{"a negative label", Platt, good, []int{0, -1, 0}, domain.ErrDomain},
		{"NaN", Platt, nan, labels, domain.ErrDomain},
		{"differences that overflow", Temperature, huge, labels, domain.ErrDomain},
		{"no method", Method("none"), good, labels, domain.ErrParam},
	} {
		if _, err := Fit(c.method, c.scores, c.labels); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	c := fitted(t, Platt, good, labels)
	if _, err := c.Probabilities(mat.NewDense(1, 3, nil)); !errors.Is(err, domain.ErrShape) {
		t.Errorf("three scores of two classes: %v", err)
	}
	if _, err := c.Probabilities(nan); !errors.Is(err, domain.ErrDomain) {
		t.Errorf("NaN: %v", err)
	}
	var none Calibration
	if _, err := none.Probabilities(good); !errors.Is(err, domain.ErrParam) {
		t.Errorf("not fitted: %v", err)
	}
}

func TestLogProbabilities(t *testing.T) {
	l, err := LogProbabilities(mat.NewDense(1, 2, []float64{1, 0}))
	if err != nil || l.At(0, 0) != 0 || l.At(0, 1) != -126*math.Ln2 {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := LogProbabilities(mat.NewDense(1, 2, []float64{.5, .6})); !errors.Is(err, domain.ErrDomain) {
		t.Error(err)
	}
}
