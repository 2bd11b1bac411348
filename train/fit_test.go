package train_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// rings are points of the plane in two classes that no line separates.
func rings(n int, dt tensor.Dtype, seed uint64) (x *tensor.Dense, labels []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	y := mat.NewDense(n, 2, nil)
	for i := range n {
		c := i % 2
		r, a := 1+float64(c)+.15*rng.NormFloat64(), 2*math.Pi*rng.Float64()
		y.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		labels = append(labels, c)
	}
	return as(must(data.FromMatrix(y)), dt), labels
}

// ringSet are rows of two rings, with their names.
func ringSet(n int) *data.Set {
	x, labels := rings(n, tensor.Float64, 1)
	set := &data.Set{X: x}
	for _, c := range labels {
		set.Labels = append(set.Labels, []string{"inner", "outer"}[c])
	}
	return set
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestFit: both heads, both solvers, both precisions, frozen and tuned, with a last batch that is smaller: the loss falls and
// the rings are told apart, which a linear model cannot.
func TestFit(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		x, labels := rings(331, dt, 1)
		for _, policy := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.BandwidthEach, layers.All} {
			for _, solver := range []sgd.Solver{sgd.Adam, sgd.SGD} {
				m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 64, layers.WithDtype(dt), layers.Tune(policy)))
				soft := must(layers.NewSoftmaxHead(64, 2, layers.WithDtype(dt)))
				linear := must(layers.NewLinearHead(64, 2, layers.WithDtype(dt)))
				o := sgd.FitOptions{Epochs: 30, Batch: 50, Solver: solver, LearnRate: .05}
				if solver == sgd.SGD {
					o.LearnRate, o.Epochs = .1, 60
				}
				for _, head := range []layers.Head{soft, linear} {
					r, err := sgd.Fit(context.Background(), m, head, trial.Classes(x, labels, 2), o)
					if err != nil {
						t.Fatal(err)
					}
					first, last := r.Epochs[0], r.Epochs[len(r.Epochs)-1]
					if last.Loss >= first.Loss || last.Score < .97 {
						t.Errorf("%v, %v, %v, solver %v: loss %.3f -> %.3f, accuracy %.3f", dt, policy, head, solver, first.Loss, last.Loss, last.Score)
					}
				}
			}
		}
	}
}

// TestFitReachesTheLeastSquares: the linear head's optimum is that of ridge with the same penalty.
func TestFitReachesTheLeastSquares(t *testing.T) {
	x, labels := rings(101, tensor.Float64, 1)
	m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 10))
	head := must(layers.NewLinearHead(10, 2))
	y := must(data.OneVersusRest(labels, 2))
	const penalty = .02
	if _, err := sgd.Fit(context.Background(), m, head, data.Pairs{X: x, Y: y}, sgd.FitOptions{Epochs: 3000, Batch: 101, Solver: sgd.SGD, LearnRate: .4, Schedule: sgd.ConstantRate, Lambda: penalty}); err != nil {
		t.Fatal(err)
	}
	// mean loss + penalty/2 ‖A‖² = (Σ loss + n penalty/2 ‖A‖²)/n, and the unit of a relative lambda is the spread of the rows
	spread := spreadOf(must(m.Transform(nil, x)))
	want := must(linear.FitRidge(context.Background(), m, data.Pairs{X: x, Y: y}, linear.RidgeOptions{Lambdas: []float64{101 * penalty / 2 / spread}}))
	got := head.Params()[0].Value.Float64s()
	for i, w := range want.W.RawMatrix().Data {
		if math.Abs(got[i]-w) > 1e-6 {
			t.Fatalf("W[%d] = %v, ridge %v", i, got[i], w)
		}
	}
}

// TestFitSeed: another seed gives other weights. TestFitters has the same seed, and features that are not kept.
func TestFitSeed(t *testing.T) {
	x, labels := rings(131, tensor.Float64, 1)
	fit := func(seed uint64) []float64 {
		m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 16, layers.WithSeed(2)))
		head := must(layers.NewSoftmaxHead(16, 2))
		must(sgd.Fit(context.Background(), m, head, trial.Classes(x, labels, 2), sgd.FitOptions{Epochs: 3, Batch: 32, Seed: seed}))
		return head.Params()[0].Value.Float64s()
	}
	if slices.Equal(fit(1), fit(2)) {
		t.Error("another seed gives the same weights")
	}
}

// TestEarlyStopping: once the held-out loss rises, fitting stops, and the best epoch's parameters are kept.
func TestEarlyStopping(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, labels := rings(60, tensor.Float64, 1)
	for i := range labels {
		labels[i] = rng.IntN(2) // nothing to learn, so it overfits
	}
	m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .1}, 2, 256, layers.Tune(layers.All)))
	head := must(layers.NewSoftmaxHead(256, 2))
	var seen int
	r := must(sgd.Fit(context.Background(), m, head, trial.Classes(x, labels, 2), sgd.FitOptions{Epochs: 200, HeldOut: .3, Patience: 3, LearnRate: .1, Progress: func(fits.Epoch) { seen++ }}))
	if !r.Stopped || seen != len(r.Epochs) || len(r.Epochs) != r.Best+3 {
		t.Errorf("stopped %v after %d epochs (%d told), best %d", r.Stopped, len(r.Epochs), seen, r.Best)
	}
	if e := r.Epochs[len(r.Epochs)-1]; !(e.HeldLoss > r.Epochs[r.Best-1].HeldLoss) {
		t.Errorf("held-out loss %v at the end, %v at the best", e.HeldLoss, r.Epochs[r.Best-1].HeldLoss)
	}
}

// TestFitErrors: bad options, shapes, data, a loss that explodes, a context that ends.
func TestFitErrors(t *testing.T) {
	x, labels := rings(50, tensor.Float64, 1)
	y := must(data.OneVersusRest(labels, 2))
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	nan := x.Clone().(*tensor.Dense)
	nan.Float64s()[2*7+1] = math.NaN()
	x32, _ := rings(50, tensor.Float32, 1)
	for _, tc := range []struct {
		name string
		ctx  context.Context
		x    *tensor.Dense
		y    *mat.Dense
		o    sgd.FitOptions
		is   error
		text string
	}{
		{"epochs", nil, x, y, sgd.FitOptions{Epochs: -1}, domain.ErrParam, "Epochs = -1"},
		{"rate", nil, x, y, sgd.FitOptions{LearnRate: math.NaN()}, domain.ErrParam, "LearnRate = NaN"},
		{"held out", nil, x, y, sgd.FitOptions{HeldOut: 1}, domain.ErrParam, "HeldOut = 1"},
		{"all held out", nil, x, y, sgd.FitOptions{HeldOut: .999}, domain.ErrShape, "none is left"},
		{"rows", nil, x, must(data.OneVersusRest(labels[:49], 2)), sgd.FitOptions{}, domain.ErrShape, "x has 50 rows"},
		{"dtype", nil, x32, y, sgd.FitOptions{}, domain.ErrDtype, "x is float32"},
		{"NaN", nil, nan, y, sgd.FitOptions{}, domain.ErrDomain, "x[7,1] = NaN"},
		{"NaN in a batch", nil, nan, y, sgd.FitOptions{CacheBytes: -1, Batch: 16}, domain.ErrDomain, "x[7,1] = NaN"},
		{"explodes", nil, x, y, sgd.FitOptions{LearnRate: 1e300, Solver: sgd.SGD, Epochs: 5, Batch: 10}, nil, "lower the learning rate"},
		{"cancelled", cancelled, x, y, sgd.FitOptions{}, context.Canceled, "epoch 1 of 20"},
	} {
		ctx := tc.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 16))
		_, err := sgd.Fit(ctx, m, must(layers.NewLinearHead(16, 2)), data.Pairs{X: tc.x, Y: tc.y}, tc.o)
		if err == nil || tc.is != nil && !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: error %v, want %v with %q", tc.name, err, tc.is, tc.text)
		}
	}
}
