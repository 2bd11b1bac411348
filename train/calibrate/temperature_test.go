package calibrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Two classes whose scores are ±1, m of n rows being right: p of the right class is the mean of the smoothed targets.
func TestTemperatureClosedForm(t *testing.T) {
	const n, m = 41, 34
	for _, unit := range []float64{1, 1e-200, 1e200} {
		scores, labels := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			labels[i] = i % 2
			class := labels[i]
			if i >= m {
				class = 1 - class
			}
			scores.SetRow(i, []float64{-unit, -unit})
			scores.Set(i, class, unit)
		}
		c := fitted(Temperature, scores, labels)
		rest := 1. / (n + 2)
		share := float64(m) / n
		mean := share*(1-rest) + (1-share)*rest
		if want := 2 / math.Log(mean/(1-mean)) * unit; math.Abs(c.T()-want) > 1e-12*want {
			t.Errorf("unit %v: T = %v, want %v", unit, c.T(), want)
		}
		if p := probabilities(c, scores).At(0, 0); math.Abs(p-mean) > 1e-12 {
			t.Errorf("unit %v: p = %v, want %v", unit, p, mean)
		}
	}
}

// The derivative of the definition is 0 at the fit, by central differences.
func TestTemperatureIsLeast(t *testing.T) {
	scores, _, labels := drawn(300, 5, 2, 3)
	c := fitted(Temperature, scores, labels)
	loss := func(beta float64) (sum float64) {
		p, rest := make([]float64, 5), 1./302
		for i, l := range labels {
			tempered(p, scores.RawRowView(i), beta)
			for j, v := range p {
				target := rest / 4
				if j == l {
					target = 1 - rest
				}
				sum -= target * math.Log(v) / 300
			}
		}
		return sum
	}
	const h = 1e-5
	if d := (loss(*c.p.Inverse+h) - loss(*c.p.Inverse-h)) / (2 * h); math.Abs(d) > 1e-9 {
		t.Errorf("the derivative at 1/T = %v is %v", *c.p.Inverse, d)
	}
}

// T agrees with the law, within 4 standard errors by its Fisher information: the variance of the scores under p.
func TestTemperatureOfLaw(t *testing.T) {
	const n, want = 4000, 2.5
	scores, p, labels := drawn(n, 6, want, 4)
	information := 0.0
	for i := range n {
		mean, square := 0.0, 0.0
		for j, v := range scores.RawRowView(i) {
			mean += p.At(i, j) * v
			square += p.At(i, j) * v * v
		}
		information += square - mean*mean
	}
	c := fitted(Temperature, scores, labels)
	if off, se := math.Abs(1/c.T()-1/want), 1/math.Sqrt(information); off > 4*se {
		t.Errorf("1/T = %v is off by %v, standard error %v", 1/c.T(), off, se)
	}
}

func TestTemperatureAtEnds(t *testing.T) {
	right := mat.NewDense(3, 2, []float64{5, 0, 0, 1, 2, 1})
	if c := fitted(Temperature, right, []int{0, 1, 0}); !(c.T() > 0) || !finite(c.T()) {
		t.Errorf("all rows right: T = %v", c.T())
	}
	wrong := fitted(Temperature, right, []int{1, 0, 1})
	if !math.IsInf(wrong.T(), 1) {
		t.Errorf("all rows wrong: T = %v", wrong.T())
	}
	same := fitted(Temperature, mat.NewDense(2, 2, []float64{7, 7, 3, 3}), []int{0, 1})
	for _, c := range []*Calibration{wrong, same} {
		if p := probabilities(c, right); p.At(0, 0) != .5 || p.At(0, 1) != .5 {
			t.Errorf("scores that say nothing: %v", p)
		}
	}
}
