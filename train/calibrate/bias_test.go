package calibrate

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The gradient agrees with the loss, by central differences, and 0 at the fit.
func TestBiasIsLeast(t *testing.T) {
	scores, _, labels := drawn(300, 4, 2, 41)
	for i := range labels {
		if i%3 == 0 {
			labels[i] = 2 // of which the scores know nothing
		}
	}
	inverse := .7
	f := (&Parameters{Classes: 4, Inverse: &inverse}).biases(scores, labels)
	at := []float64{.5, .1, -.3, 1, .2}
	grad, moved := make([]float64, 5), slices.Clone(at)
	slope := func(x []float64, j int) float64 {
		const h = 1e-5
		copy(moved, x)
		moved[j] = x[j] + h
		up := f.loss(nil, nil, moved)
		moved[j] = x[j] - h
		return (up - f.loss(nil, nil, moved)) / (2 * h)
	}
	f.loss(grad, nil, at)
	for j, g := range grad {
		if want := slope(at, j); math.Abs(g-want) > 1e-9 {
			t.Errorf("the derivative by %d is %v, want %v", j, g, want)
		}
	}
	c := fitted(TemperatureBias, scores, labels)
	best := append([]float64{*c.p.Inverse / inverse}, c.p.Bias...)
	for j := range best {
		if d := slope(best, j); math.Abs(d) > 1e-8 {
			t.Errorf("at the fit the derivative by %d is %v", j, d)
		}
	}
	// The derivatives by b add up to Σb/n, the others being probabilities.
	if s := floats.Sum(c.p.Bias); math.Abs(s) > 1e-5 {
		t.Errorf("the sum of b is %v", s)
	}
	plain := must(crossFit(ways[0], scores, labels))
	with := must(crossFit(ways[1], scores, labels))
	if with > plain-.02 {
		t.Errorf("crossFit %v with b and %v without, of a class that the scores give too little", with, plain)
	}
}

// The unit of the scores does not matter, and where they say nothing the classes have their shares.
func TestBiasAtEnds(t *testing.T) {
	scores, _, labels := drawn(200, 3, 2, 43)
	want := probabilities(fitted(TemperatureBias, scores, labels), scores)
	for _, unit := range []float64{1e-200, 1e200} {
		var s mat.Dense
		s.Scale(unit, scores)
		if got := probabilities(fitted(TemperatureBias, &s, labels), &s); !mat.EqualApprox(got, want, 1e-7) {
			t.Errorf("unit %v: other probabilities", unit)
		}
	}
	nothing, some := mat.NewDense(1000, 2, nil), make([]int, 1000)
	for i := range 250 {
		some[i] = 1
	}
	c := fitted(TemperatureBias, nothing, some)
	if p := probabilities(c, nothing).At(0, 1); math.Abs(p-.25) > 2e-3 || !math.IsInf(c.T(), 1) {
		t.Errorf("scores that say nothing: p = %v for .25, T = %v", p, c.T())
	}
}
