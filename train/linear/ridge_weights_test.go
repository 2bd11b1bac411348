package linear

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
)

// TestRidgeClassWeights: with weights 2, 1 and 3 the fit is that of each row as often, for more rows than features and fewer, for one column of -1 and
// 1 too, and for features of two signs.
func TestRidgeClassWeights(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 61, 4, 3)
	x2, y2 := trial.Repeated(x, y)
	signed, err := layers.Spec{Map: "delta-gaussian", Dims: 4, Features: 16, Seed: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]layers.Map{"none": nil, "narrow": trial.Fourier(t, 4, 16, 4), "wide": trial.Fourier(t, 4, 128, 4), "signed": signed} {
		for _, block := range []int{0, 7} {
			want := fit(t, m, x2, y2, RidgeOptions{Lambdas: []float64{.1}})
			got := fit(t, m, x, y, RidgeOptions{Lambdas: []float64{.1}, ClassWeights: trial.ClassTimes, BlockRows: block})
			if d := differ(got, want); d > 1e-10 {
				t.Errorf("%s: the weights are %v off", name, d)
			}
			if d := differ(fit(t, m, x, y, RidgeOptions{Lambdas: []float64{.1}}), want); d < 1e-3 {
				t.Errorf("%s: without weights it is the same", name)
			}
		}
	}
	var rows []int
	sign := mat.NewDense(61, 1, nil)
	for i := range y.RawMatrix().Rows {
		c := given.ArgMax(y.RawRowView(i))
		sign.Set(i, 0, -1)
		rows = append(rows, i)
		if c == 2 {
			sign.Set(i, 0, 1)
			rows = append(rows, i)
		}
	}
	want := fit(t, nil, data.Rows(x, rows), trial.TakeRows(sign, rows), RidgeOptions{Lambdas: []float64{1}})
	if d := differ(fit(t, nil, x, sign, RidgeOptions{Lambdas: []float64{1}, ClassWeights: []float64{1, 2}}), want); d > 1e-10 {
		t.Errorf("one column: the weights are %v off", d)
	}
}

// TestRidgeWeightedLOO: the leave-one-out errors are those of fits without the row, at the same effective lambda, weighted.
func TestRidgeWeightedLOO(t *testing.T) {
	const n = 23
	x, y, _ := trial.Overlapping(t, n, 3, 3)
	signed, err := layers.Spec{Map: "delta-gaussian", Dims: 3, Features: 8, Seed: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]layers.Map{"plain": trial.Fourier(t, 3, 8, 4), "signed": signed} {
		lambdas := []float64{.01, 1}
		got := fit(t, m, x, y, RidgeOptions{Lambdas: lambdas, Select: SelectLOO, ClassWeights: trial.ClassTimes})
		scaleOf := func(rows []int) float64 {
			s := RidgeStats{ClassWeights: trial.ClassTimes}
			if err := s.AddRows(context.Background(), m, data.Pairs{X: data.Rows(x, rows), Y: trial.TakeRows(y, rows)}); err != nil {
				t.Fatal(err)
			}
			scale, err := s.scale()
			if err != nil {
				t.Fatal(err)
			}
			return scale
		}
		var all []int
		for i := range n {
			all = append(all, i)
		}
		for l, lambda := range lambdas {
			want, mass := 0., 0.
			for i := range y.RawMatrix().Rows {
				c := given.ArgMax(y.RawRowView(i))
				rest := slices.Delete(slices.Clone(all), i, i+1)
				head := fit(t, m, data.Rows(x, rest), trial.TakeRows(y, rest), RidgeOptions{Lambdas: []float64{lambda * scaleOf(all) / scaleOf(rest)}, ClassWeights: trial.ClassTimes})
				one := RidgeStats{}
				if err := one.AddRows(context.Background(), m, data.Pairs{X: data.Rows(x, []int{i}), Y: trial.TakeRows(y, []int{i})}); err != nil {
					t.Fatal(err)
				}
				e, err := one.MSE(head)
				if err != nil {
					t.Fatal(err)
				}
				want += trial.ClassTimes[c] * e
				mass += trial.ClassTimes[c]
			}
			if want /= mass; math.Abs(got.Scores[l].MSE/want-1) > 1e-8 {
				t.Errorf("%s: lambda %v has the error %v, by hand %v", name, lambda, got.Scores[l].MSE, want)
			}
		}
	}
}

// TestRidgeStatsWeights: weighted sums are written, read, gone on with and merged; sums with other weights are refused.
func TestRidgeStatsWeights(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 61, 4, 3)
	part := func(lo, hi int, weights []float64) *RidgeStats {
		var rows []int
		for i := lo; i < hi; i++ {
			rows = append(rows, i)
		}
		s := &RidgeStats{ClassWeights: weights}
		if err := s.Add(data.Rows(x, rows), trial.TakeRows(y, rows)); err != nil {
			t.Fatal(err)
		}
		return s
	}
	raw, err := part(0, 20, trial.ClassTimes).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back, merged RidgeStats
	if err := back.UnmarshalBinary(raw); err != nil || !slices.Equal(back.ClassWeights, trial.ClassTimes) {
		t.Fatal(back.ClassWeights, err)
	}
	if again, err := back.MarshalBinary(); err != nil || !slices.Equal(raw, again) {
		t.Error("came back as something else", err)
	}
	if err := errors.Join(merged.Merge(&back), merged.Merge(part(20, 61, trial.ClassTimes))); err != nil {
		t.Fatal(err)
	}
	a, errA := merged.Solve(.1)
	b, errB := part(0, 61, trial.ClassTimes).Solve(.1)
	if errA != nil || errB != nil || differ(a, b) > 1e-12 || merged.N() != 61 {
		t.Errorf("%d rows, %v off; %v, %v", merged.N(), differ(a, b), errA, errB)
	}
	mse, err := merged.MSE(a)
	x2, y2 := trial.Repeated(x, y)
	var all RidgeStats
	if err := errors.Join(err, all.Add(x2, y2)); err != nil {
		t.Fatal(err)
	}
	if want, err := all.MSE(a); err != nil || math.Abs(mse/want-1) > 1e-10 {
		t.Errorf("the error is %v, of repeated rows %v (%v)", mse, want, err)
	}
	for _, other := range [][]float64{nil, {1, 1, 1}} {
		if err := merged.Merge(part(0, 9, other)); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "class weights") {
			t.Errorf("merged with %v: %v", other, err)
		}
	}
	if err := (&RidgeStats{ClassWeights: trial.ClassTimes}).Merge(part(0, 9, nil)); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	for i, cut := range [][]byte{raw[:60], raw[:len(raw)-1], append([]byte(nil), raw...)} {
		if i == 2 {
			cut[56] ^= 1 // of the sum of the weights
		}
		if err := new(RidgeStats).UnmarshalBinary(cut); err == nil {
			t.Errorf("damaged bytes %d are taken", i)
		}
	}
	y.Set(7, 0, 3)
	if err := (&RidgeStats{ClassWeights: trial.ClassTimes}).Add(x, y); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "row 7 are of no class") {
		t.Error(err)
	}
}
