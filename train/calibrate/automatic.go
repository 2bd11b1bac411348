package calibrate

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

const (
	crossFolds = 5
	leastRows  = 20 // of which Automatic chooses
)

// crossFit returns the mean negative log-probability of the labels under calibrations that were fitted to other rows,
// in nats. A fixed shuffle deals the rows to 5 folds, and each fold is scored by a fit to the other four. It tells
// which method suits the scores.
func crossFit(method Method, scores *mat.Dense, labels []int) (float64, error) {
	n, k := scores.Dims()
	order, total := rand.New(rand.NewPCG(5, 5)).Perm(n), 0.0
	p := make([]float64, k)
	for fold := range crossFolds {
		lo, hi := fold*n/crossFolds, (fold+1)*n/crossFolds
		rest := append(append([]int{}, order[:lo]...), order[hi:]...)
		s, l := mat.NewDense(len(rest), k, nil), make([]int, len(rest))
		for i, r := range rest {
			s.SetRow(i, scores.RawRowView(r))
			l[i] = labels[r]
		}
		c, err := Fit(method, s, l)
		if err != nil {
			return 0, err
		}
		for _, r := range order[lo:hi] {
			c.row(p, scores.RawRowView(r))
			total -= math.Log(max(p[labels[r]], math.SmallestNonzeroFloat64))
		}
	}
	return total / float64(n), nil
}

// choose returns the method with the least cross-fitted loss.
func choose(scores *mat.Dense, labels []int) (Method, error) {
	best, least := Temperature, math.Inf(1)
	if len(labels) < leastRows {
		return best, nil
	}
	for _, m := range []Method{Temperature, TemperatureBias, Platt, Isotonic} {
		loss, err := crossFit(m, scores, labels)
		if err != nil {
			return 0, err
		}
		if loss < least {
			best, least = m, loss
		}
	}
	return best, nil
}
