package report_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/report"
)

func TestMetrics(t *testing.T) {
	for _, c := range []struct {
		pred, truth []int
		acc, f1     float64
	}{
		{[]int{0, 1, 2}, []int{0, 1, 2}, 1, 1},
		{[]int{1, 0}, []int{0, 1}, 0, 0},
		{[]int{1, 1, 1, 0}, []int{1, 1, 0, 0}, 0.75, (4.0/5 + 2.0/3) / 2}, // binary: the mean of both classes
		{[]int{7, 7, 7}, []int{7, 7, 7}, 1, 1},                            // 0..6 occur in neither and do not count
		{[]int{0, 0, 2}, []int{0, 0, 0}, 2.0 / 3, (4.0/5 + 0) / 2},        // 2 occurs in pred alone and counts as 0
		{[]int{-1, 1}, []int{1, 1}, 0.5, (2.0/3 + 0) / 2},                 // -1, which is no class, is a miss
	} {
		acc, err := report.Accuracy(c.pred, c.truth)
		if err != nil || math.Abs(acc-c.acc) > 1e-15 {
			t.Errorf("Accuracy(%v, %v) = %v, %v; want %v", c.pred, c.truth, acc, err, c.acc)
		}
		f1, err := report.F1(c.pred, c.truth)
		if err != nil || math.Abs(f1-c.f1) > 1e-15 {
			t.Errorf("F1(%v, %v) = %v, %v; want %v", c.pred, c.truth, f1, err, c.f1)
		}
	}
	for _, scale := range []float64{1, 1e-300, 1e300, 5e-324} {
		got, err := report.RMSE([]float64{3 * scale, 0, 1 * scale, 0}, []float64{0, 0, 1 * scale, 1 * scale})
		if want := math.Sqrt(2.5); err != nil || math.Abs(got/scale-want) > max(1e-14*want, 5e-324/scale) {
			t.Errorf("RMSE at scale %g = %g, %v", scale, got, err)
		}
	}
	if got, err := report.RMSE([]float64{2}, []float64{2}); got != 0 || err != nil {
		t.Errorf("RMSE of equals = %v, %v", got, err)
	}
}

func TestMetricErrors(t *testing.T) {
	ints := func(f func(a, b []int) error) func(n, m int) error {
		return func(n, m int) error { return f(make([]int, n), make([]int, m)) }
	}
	for name, f := range map[string]func(n, m int) error{
		"Accuracy":        ints(func(a, b []int) error { _, err := report.Accuracy(a, b); return err }),
		"F1":              ints(func(a, b []int) error { _, err := report.F1(a, b); return err }),
		"ConfusionMatrix": ints(func(a, b []int) error { _, err := report.ConfusionMatrix(a, b, 2); return err }),
		"RMSE": func(n, m int) error {
			_, err := report.RMSE(make([]float64, n), make([]float64, m))
			return err
		},
		"NewRanking": func(n, m int) error {
			_, err := report.NewRanking(make([]float64, n), make([]bool, m))
			return err
		},
	} {
		for _, n := range [][2]int{{0, 0}, {2, 3}, {3, 0}} {
			want := fmt.Sprintf("report: %s: %d predictions and %d true values", name, n[0], n[1])
			if err := f(n[0], n[1]); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v", n, err)
			}
		}
	}
	_, low := report.ConfusionMatrix([]int{0, -1}, []int{0, 1}, 2)
	_, high := report.ConfusionMatrix([]int{0, 1}, []int{0, 2}, 2)
	for _, err := range []error{low, high} {
		if !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "row 1") {
			t.Error(err)
		}
	}
	if _, err := report.ConfusionMatrix([]int{0}, []int{0}, 0); !errors.Is(err, domain.ErrParam) ||
		!strings.Contains(err.Error(), "k = 0") {
		t.Error(err)
	}
	for _, p := range []float64{math.NaN(), math.Inf(1), math.MaxFloat64} {
		if _, err := report.RMSE([]float64{0, p}, []float64{0, -math.MaxFloat64}); !errors.Is(err, domain.ErrDomain) ||
			!strings.Contains(err.Error(), "row 1") {
			t.Errorf("RMSE with %v: %v", p, err)
		}
	}
}

func TestRankingErrors(t *testing.T) {
	for part, of := range map[string]struct {
		scores   []float64
		positive []bool
	}{
		"the score of row 1 is NaN":               {[]float64{1, math.NaN()}, []bool{true, false}},
		"2 rows are positive and 0 are not":       {[]float64{1, 2}, []bool{true, true}},
		"0 rows are positive and 2 are not; give": {[]float64{1, 2}, []bool{false, false}},
	} {
		if _, err := report.NewRanking(of.scores, of.positive); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", part, err)
		}
	}
}

func ExampleConfusionMatrix() {
	m, err := report.ConfusionMatrix([]int{0, 1, 1, 2}, []int{0, 0, 1, 2}, 3)
	fmt.Println(m, err)
	// Output: [[1 1 0] [0 1 0] [0 0 1]] <nil>
}
