package report

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
)

// Accuracy returns the share of rows with pred[i] = truth[i]. Errors: ErrShape when the lengths differ or are 0.
func Accuracy(pred, truth []int) (float64, error) {
	if err := samePairs("Accuracy", len(pred), len(truth)); err != nil {
		return 0, err
	}
	hits := 0
	for i, p := range pred {
		if p == truth[i] {
			hits++
		}
	}
	return float64(hits) / float64(len(pred)), nil
}

// F1 returns the macro F1, the unweighted mean over the classes of
//
//	F1 = 2 TP / (2 TP + FP + FN).
//
// The classes are the numbers that occur in pred or truth. With two classes it is still the mean of both, not the F1 of
// the positive class; compute the latter from ConfusionMatrix. Errors: ErrShape when the lengths differ or are
// 0.
func F1(pred, truth []int) (float64, error) {
	if err := samePairs("F1", len(pred), len(truth)); err != nil {
		return 0, err
	}
	// A row adds 1 to the denominators of its prediction and of its truth, and 2 to the denominator of a class that it
	// hits.
	hits, members := map[int]int{}, map[int]int{}
	order := []int{} // of first occurrence, so that the sum has one order
	count := func(c int) {
		if members[c] == 0 {
			order = append(order, c)
		}
		members[c]++
	}
	for i, p := range pred {
		count(p)
		count(truth[i])
		if p == truth[i] {
			hits[p]++
		}
	}
	sum := 0.0
	for _, c := range order {
		sum += 2 * float64(hits[c]) / float64(members[c])
	}
	return sum / float64(len(order)), nil
}

// RMSE returns the root mean squared difference of pred and truth. Errors: ErrShape when the lengths differ or
// are 0, ErrDomain for a difference that is not finite.
func RMSE(pred, truth []float64) (float64, error) {
	if err := samePairs("RMSE", len(pred), len(truth)); err != nil {
		return 0, err
	}
	for i, p := range pred {
		if d := p - truth[i]; d-d != 0 {
			return 0, fmt.Errorf("report: RMSE: row %d has the prediction %v and the target %v, whose difference is "+
				"not a finite number; drop the row or scale the targets: %w", i, p, truth[i], ErrDomain)
		}
	}
	return floats.Distance(pred, truth, 2) / math.Sqrt(float64(len(pred))), nil
}

// ConfusionMatrix counts rows: entry [t][p] is the number of rows of class t that were predicted as class p, for k
// classes 0..k-1. Errors: ErrShape when the lengths differ or are 0, ErrParam for k < 1 and for k² counts
// that no memory holds, ErrDomain for a class out of range.
func ConfusionMatrix(pred, truth []int, k int) ([][]int, error) {
	if err := samePairs("ConfusionMatrix", len(pred), len(truth)); err != nil {
		return nil, err
	}
	if k < 1 {
		return nil, fmt.Errorf("report: ConfusionMatrix: k = %d, want at least 1: %w", k, ErrParam)
	}
	for i, p := range pred {
		if t := truth[i]; p < 0 || p >= k || t < 0 || t >= k {
			return nil, fmt.Errorf("report: ConfusionMatrix: row %d has the prediction %d and the class %d, not "+
				"both in 0..%d; number the classes from 0: %w", i, p, t, k-1, ErrDomain)
		}
	}
	if err := domain.CheckSize("report: ConfusionMatrix", 8, k, k); err != nil {
		return nil, err
	}
	m := make([][]int, k)
	for i := range m {
		m[i] = make([]int, k)
	}
	for i, p := range pred {
		m[truth[i]][p]++
	}
	return m, nil
}

func samePairs(who string, pred, truth int) error {
	if pred == truth && pred > 0 {
		return nil
	}
	return fmt.Errorf("report: %s: %d predictions and %d true values; give one of each a row, and at least one row: "+
		"%w", who, pred, truth, ErrShape)
}
