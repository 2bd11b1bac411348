package main

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// TestRows: a seed makes the same rows again, another seed others, and the rows to learn from are not the test rows. The
// noise has its standard deviation, to four standard errors.
func TestRows(t *testing.T) {
	const n = 4000
	zero := func(x []float64) float64 { return 0 }
	rows, test := made(n, n, 2, 1, zero)
	again, _ := made(n, n, 2, 1, zero)
	other, _ := made(n, n, 2, 2, zero)
	if !slices.Equal(rows.Y, again.Y) || slices.Equal(rows.Y, other.Y) || slices.Equal(rows.Y, test.Y) {
		t.Error("the rows differ between runs of one seed and part")
	}
	if s := stat.StdDev(rows.Y, nil); math.Abs(s-noise) > 4*noise/math.Sqrt(2*n) {
		t.Errorf("noise with the standard deviation %v", s)
	}
	cells := func(s *data.Set) []float64 { return s.X.(*tensor.Dense).Float64s() }
	if !slices.Equal(cells(rows), cells(again)) || slices.Equal(cells(rows), cells(other)) {
		t.Error("the cells differ between runs of one seed")
	}
}

// TestRipples: 32 tuned features beat 128 as they are drawn, and both do better than the mean of the targets.
func TestRipples(t *testing.T) {
	rows, test := ripples(1200, 1000, 3)
	rmse := func(features int, step string) float64 {
		m, _ := learn(rows, layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.5}, Features: features, Seed: 3}, step)
		return score(m, test)
	}
	tuned, frozen, mean := rmse(32, train.StepAll), rmse(128, train.StepFrozen), stat.StdDev(test.Y, nil)
	if tuned > .5*frozen || frozen > .95*mean {
		t.Errorf("errors %.3f tuned, %.3f frozen, %.3f of the mean", tuned, frozen, mean)
	}
}

// TestMostRelevant: they come in falling order.
func TestMostRelevant(t *testing.T) {
	if got := mostRelevant([]float64{.1, 1, 0, .3}, 3); !slices.Equal(got, []int{1, 3, 0}) {
		t.Error(got)
	}
}
