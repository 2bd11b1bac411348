package report

import (
	"fmt"
	"math"
	"testing"
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
		acc, err := Accuracy(c.pred, c.truth)
		if err != nil || math.Abs(acc-c.acc) > 1e-15 {
			t.Errorf("Accuracy(%v, %v) = %v, %v; want %v", c.pred, c.truth, acc, err, c.acc)
		}
		f1, err := F1(c.pred, c.truth)
		if err != nil || math.Abs(f1-c.f1) > 1e-15 {
			t.Errorf("F1(%v, %v) = %v, %v; want %v", c.pred, c.truth, f1, err, c.f1)
		}
	}
	for _, scale := range []float64{1, 1e-300, 1e300, 5e-324} {
		got, err := RMSE([]float64{3 * scale, 0, 1 * scale, 0}, []float64{0, 0, 1 * scale, 1 * scale})
		if want := math.Sqrt(2.5); err != nil || math.Abs(got/scale-want) > max(1e-14*want, 5e-324/scale) {
			t.Errorf("RMSE at scale %g = %g, %v", scale, got, err)
		}
	}
	if got, err := RMSE([]float64{2}, []float64{2}); got != 0 || err != nil {
		t.Errorf("RMSE of equals = %v, %v", got, err)
	}
}

func TestMetricErrors(t *testing.T) {
	for _, n := range [][2]int{{0, 0}, {2, 3}, {3, 0}} {
		says := fmt.Sprintf("%d predictions and %d true values", n[0], n[1])
		a, b := make([]int, n[0]), make([]int, n[1])
		x, y := make([]float64, n[0]), make([]float64, n[1])
		wantErr(t, failed(Accuracy(a, b)), ErrShape, "report: Accuracy: "+says)
		wantErr(t, failed(F1(a, b)), ErrShape, "report: F1: "+says)
		wantErr(t, failed(ConfusionMatrix(a, b, 2)), ErrShape, "report: ConfusionMatrix: "+says)
		wantErr(t, failed(RMSE(x, y)), ErrShape, "report: RMSE: "+says)
		wantErr(t, failed(NewRanking(x, make([]bool, n[1]))), ErrShape, "report: NewRanking: "+says)
	}
	wantErr(t, failed(ConfusionMatrix([]int{0, -1}, []int{0, 1}, 2)), ErrDomain, "row 1")
	wantErr(t, failed(ConfusionMatrix([]int{0, 1}, []int{0, 2}, 2)), ErrDomain, "row 1")
	wantErr(t, failed(ConfusionMatrix([]int{0}, []int{0}, 0)), ErrParam, "k = 0")
	for _, p := range []float64{math.NaN(), math.Inf(1), math.MaxFloat64} {
		wantErr(t, failed(RMSE([]float64{0, p}, []float64{0, -math.MaxFloat64})), ErrDomain, "row 1")
	}
	nan, two := []float64{1, math.NaN()}, []float64{1, 2}
	wantErr(t, failed(NewRanking(nan, []bool{true, false})), ErrDomain, "the score of row 1 is NaN")
	wantErr(t, failed(NewRanking(two, []bool{true, true})), ErrDomain, "2 rows are positive and 0 are not")
	wantErr(t, failed(NewRanking(two, []bool{false, false})), ErrDomain, "0 rows are positive and 2 are not; give")
}
