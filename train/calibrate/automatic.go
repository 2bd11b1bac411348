package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

const (
	crossFolds = 5
	leastRows  = 20 // of which Automatic chooses
)

// CrossFit returns the mean negative log-probability of the labels under calibrations that were fitted to other rows,
// in nats. A fixed shuffle deals the rows to 5 folds, and each fold is scored by a fit to the other four. It tells
// which method suits the scores. Errors: see Fit; domain.ErrShape for fewer than 5 rows.
func CrossFit(method Method, scores *mat.Dense, labels []int) (float64, error) {
	if err := scoresOf("CrossFit", "scores", scores, labels); err != nil {
		return 0, err
	}
	n, k := scores.Dims()
	if n < crossFolds {
		return 0, fmt.Errorf("train: CrossFit: there are %d rows for %d folds; give more: %w", n, crossFolds, domain.ErrShape)
	}
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

// choose returns the method with the least CrossFit.
func choose(scores *mat.Dense, labels []int) (Method, error) {
	best, least := Temperature, math.Inf(1)
	if len(labels) < leastRows {
		return best, nil
	}
	for _, m := range []Method{Temperature, TemperatureBias, Platt, Isotonic} {
		loss, err := CrossFit(m, scores, labels)
		if err != nil {
			return 0, err
		}
		if loss < least {
			best, least = m, loss
		}
	}
	return best, nil
}
