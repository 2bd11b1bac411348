package calibrate

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestMeasures(t *testing.T) {
	p := mat.NewDense(4, 2, []float64{.75, .25, .25, .75, .5, .5, 0, 1})
	labels := []int{0, 0, 1, 1}
	nll, err := NLL(p, labels)
	if want := -(math.Log(.75) + math.Log(.25) + math.Log(.5)) / 4; err != nil || math.Abs(nll-want) > 1e-15 {
		t.Errorf("NLL %v, want %v (%v)", nll, want, err)
	}
	brier, err := Brier(p, labels)
	if want := (.125 + 1.125 + .5 + 0) / 4; err != nil || math.Abs(brier-want) > 1e-15 {
		t.Errorf("Brier %v, want %v (%v)", brier, want, err)
	}
	// Confidences .5 (wrong: the first of equals), .75 (one right, one wrong) and 1 (right), in halves and fifths.
	ece, err := ECE(p, labels, 2)
	if want := .25*.5 + .75*math.Abs(2./3-2.5/3); err != nil || math.Abs(ece-want) > 1e-15 {
		t.Errorf("ECE %v, want %v (%v)", ece, want, err)
	}
	bins, err := Reliability(p, labels, 5)
	want := []Bin{{.4, .6, .5, 0, 1}, {.6, .8, .75, .5, 2}, {.8, 1, 1, 1, 1}}
	if err != nil || !reflect.DeepEqual(bins, want) {
		t.Errorf("%v, want %v (%v)", bins, want, err)
	}
	if nll, err = NLL(p, []int{0, 0, 1, 0}); err != nil || !math.IsInf(nll, 1) {
		t.Errorf("a true class of probability 0: %v, %v", nll, err)
	}
}

func TestCoverage(t *testing.T) {
	y := mat.NewDense(3, 2, []float64{1, 1, 2, 2, 3, 3})
	lower := mat.NewDense(3, 2, []float64{1, 2, 0, math.Inf(-1), 4, 0})
	upper := mat.NewDense(3, 2, []float64{1, 3, 3, 2, 5, 2})
	share, err := Coverage(y, lower, upper)
	if err != nil || !reflect.DeepEqual(share, []float64{2. / 3, 1. / 3}) {
		t.Errorf("%v, %v", share, err)
	}
	in, size, err := SetCoverage([][]int{{0, 1}, {}, {2}}, []int{1, 0, 1})
	if err != nil || in != 1./3 || size != 1 {
		t.Error(in, size, err)
	}
}
