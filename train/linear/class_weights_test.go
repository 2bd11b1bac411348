package linear

import (
	"context"
	"math"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
)

// TestSVMClassWeights: with weights 2, 1 and 3 the fit is that of each row as often, in columns of their own and, of two classes, in one.
func TestSVMClassWeights(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 61, 4, 3)
	x2, y2 := trial.Repeated(x, y)
	column := func(y *mat.Dense) *mat.Dense { return mat.DenseCopyOf(y.Slice(0, y.RawMatrix().Rows, 2, 3)) } // of the third class, which weighs 3
	for _, o := range []SVMOptions{{}, {CacheBytes: -1, BlockRows: 7}} {
		o.Lambdas, o.Tol = []float64{.1}, 1e-6
		weighted := o
		weighted.ClassWeights = trial.ClassTimes
		want, err := FitSVM(context.Background(), nil, data.Pairs{X: x2, Y: y2}, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FitSVM(context.Background(), nil, data.Pairs{X: x, Y: y}, weighted)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got.W, want.W, 1e-5*mat.Norm(want.W, 2)) || math.Abs(got.C/want.C-1) > 1e-12 {
			t.Errorf("%v and C = %v, want\n%v and %v", mat.Formatted(got.W), got.C, mat.Formatted(want.W), want.C)
		}
		for j, f := range want.Objective {
			if math.Abs(got.Objective[j]/f-1) > 1e-10 || math.Abs(got.B[j]-want.B[j]) > 1e-5*math.Abs(want.B[j]) {
				t.Errorf("column %d: objective %v and intercept %v, want %v and %v", j, got.Objective[j], got.B[j], f, want.B[j])
			}
		}
		// In one column the classes 0 and 1 are one, which weighs half of the other.
		half := o
		half.ClassWeights = []float64{1, 2}
		var rows []int
		for i := range y.RawMatrix().Rows {
			c := given.ArgMax(y.RawRowView(i))
			rows = append(rows, i)
			if c == 2 {
				rows = append(rows, i)
			}
		}
		want, err = FitSVM(context.Background(), nil, data.Pairs{X: data.Rows(x, rows), Y: column(trial.TakeRows(y, rows))}, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err = FitSVM(context.Background(), nil, data.Pairs{X: x, Y: column(y)}, half)
		if err != nil || math.Abs(got.Objective[0]/want.Objective[0]-1) > 1e-10 {
			t.Error(got, want, err)
		}
	}
}
