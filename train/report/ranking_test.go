package report

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRanking: the area is the share of pairs in order, the average precision is the mean of the precisions at the
// positive rows, and the equal error rate lies where the curve crosses the diagonal, with ties and without.
func TestRanking(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, values := range []int{2, 5, 1 << 30} { // how many different scores there are
		scores, positive := make([]float64, 200), make([]bool, 200)
		for i := range scores {
			positive[i] = rng.IntN(3) == 0
			if scores[i] = float64(rng.IntN(values)); positive[i] {
				scores[i] = max(scores[i], float64(rng.IntN(values)))
			}
		}
		r := must(NewRanking(scores, positive))
		pairs, ordered, precision, n := 0., 0., 0., 0.
		for i, s := range scores {
			if !positive[i] {
				continue
			}
			above, hits := 0., 0.
			for j, o := range scores {
				switch {
				case positive[j]:
				case s > o:
					ordered++
				case s == o:
					ordered += .5
				}
				if !positive[j] {
					pairs++
				}
				if o >= s {
					above++
					if positive[j] {
						hits++
					}
				}
			}
			precision += hits / above
			n++
		}
		if got, want := r.AUC(), ordered/pairs; math.Abs(got-want) > 1e-12 {
			t.Errorf("%d values: AUC %v, want %v", values, got, want)
		}
		if got, want := r.AveragePrecision(), precision/n; math.Abs(got-want) > 1e-12 {
			t.Errorf("%d values: average precision %v, want %v", values, got, want)
		}
		curve := r.ROC("")
		// The point between thresholds at which both errors are equal, by bisection.
		low, high := 0., float64(len(curve.Y)-1)
		at := func(u float64) (missed, alarms float64) {
			i := min(int(u), len(curve.Y)-2)
			u -= float64(i)
			return 1 - curve.Y[i] - u*(curve.Y[i+1]-curve.Y[i]), curve.X[i] + u*(curve.X[i+1]-curve.X[i])
		}
		for range 100 {
			if missed, alarms := at((low + high) / 2); missed > alarms {
				low = (low + high) / 2
			} else {
				high = (low + high) / 2
			}
		}
		if _, want := at(high); math.Abs(r.EqualErrorRate()-want) > 1e-12 {
			t.Errorf("%d values: equal error rate %v, want %v", values, r.EqualErrorRate(), want)
		}
	}
}
