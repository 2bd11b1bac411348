package sgd

import (
	"context"
	"math"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestFitClassWeights: full batches of weighted rows take the steps of each row as often, at a rate and a penalty that make up for the other number of
// rows; unweighted ones do not.
func TestFitClassWeights(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 61, 4, 3)
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		m := must(layers.NewIdentity(4, layers.WithDtype(dt)))
		for _, softmax := range []bool{false, true} {
			fit := func(x *tensor.Dense, y *mat.Dense, times []float64, per float64) []float64 {
				kind := "linear"
				if softmax {
					kind = "softmax"
				}
				head := must(layers.NewHead(kind, 4, 3, layers.WithDtype(dt)))
				o := FitOptions{Epochs: 20, Batch: 1000, Solver: SGD, LearnRate: .002 * per, Lambda: .1 / per,
					ClassWeights: times}
				must(Fit(context.Background(), m, head, data.Pairs{X: must((&data.Set{X: x}).As(dt)), Y: y}, o))
				return weights(head)
			}
			x2, y2 := trial.Repeated(x, y)
			per := float64(x2.Shape()[0]) / 61
			want, got, plain := fit(x2, y2, nil, per), fit(x, y, trial.ClassTimes, 1), fit(x, y, nil, 1)
			tol, off := map[tensor.Dtype]float64{tensor.Float64: 1e-10, tensor.Float32: 1e-4}[dt], 0.
			for i, w := range want {
				if math.Abs(got[i]-w) > tol {
					t.Errorf("%v, softmax %v: weight %d is %v, want %v", dt, softmax, i, got[i], w)
				}
				off = max(off, math.Abs(plain[i]-w))
			}
			if off < 1e-2 {
				t.Errorf("%v, softmax %v: without weights it is the same", dt, softmax)
			}
		}
	}
}
