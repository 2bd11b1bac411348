package sgd

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		s      Schedule
		warmUp int
		want   []float64
	}{
		{ConstantRate, 0, []float64{1, 1, 1, 1}},
		{LinearRate, 0, []float64{1, .75, .5, .25}},
		{CosineRate, 0, []float64{1, (1 + math.Sqrt2/2) / 2, .5, (1 - math.Sqrt2/2) / 2}},
		{LinearRate, 2, []float64{1. / 3, .75 * 2 / 3, .5, .25}},
	} {
		o := FitOptions{Epochs: 4, Schedule: c.s, WarmUp: c.warmUp}
		for i, w := range c.want {
			if got := o.rate(i + 1); math.Abs(got-w) > 1e-15 {
				t.Errorf("%v, warm-up %d: epoch %d at %v, want %v", c.s, c.warmUp, i+1, got, w)
			}
		}
	}
	for _, o := range []FitOptions{{Schedule: "steps"}, {Solver: "newton"}} {
		if err := o.fill(false); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestSolver: the steps are those of Gorgonia's solvers.
func TestSolver(t *testing.T) {
	for _, kind := range []Solver{Adam, SGD} {
		g := G.NewGraph()
		start := []float64{1, -2, 3}
		theirs := G.NewVector(g, tensor.Float64, G.WithShape(3), G.WithName("w"), G.WithValue(tensor.New(tensor.WithShape(3), tensor.WithBacking([]float64{1, -2, 3}))))
		loss := G.Must(G.Sum(G.Must(G.Square(theirs))))
		vm := must(Backprop(loss, G.Nodes{theirs}))
		var reference G.Solver = G.NewAdamSolver(G.WithLearnRate(.1))
		if kind == SGD {
			reference = G.NewVanillaSolver(G.WithLearnRate(.1))
		}
		ours := tensor.New(tensor.WithShape(3), tensor.WithBacking(start))
		s := &solver{kind: kind, rate: .4}
		s.add(layers.Param{Value: ours}, []float64{.5})
		for range 5 {
			if err := vm.RunAll(); err != nil {
				t.Fatal(err)
			}
			grad := tensor.New(tensor.WithShape(3), tensor.Of(tensor.Float64))
			for i, w := range ours.Float64s() {
				grad.Float64s()[i] = 2 * w
			}
			s.step([]*tensor.Dense{ours}, []*tensor.Dense{grad}, 1, .5)
			if err := reference.Step(G.NodesToValueGrads(G.Nodes{theirs})); err != nil {
				t.Fatal(err)
			}
			vm.Reset()
			for i, w := range theirs.Value().(*tensor.Dense).Float64s() {
				if math.Abs(w-start[i]) > 1e-12 {
					t.Fatalf("solver %s: %v, want %v", kind, start, theirs.Value())
				}
			}
		}
		vm.Close()
	}
}

// one fits one step of gradient descent to all rows at once and returns the weights.
func one(t *testing.T, o FitOptions, start float64) []float64 {
	t.Helper()
	rows, set := fields(t, data.StreamOptions{}, "csv", 40)
	y := must(data.OneVersusRest(must(rows.Classes.Index(set.Labels)), 2))
	h := trial.HeadOf(t, true, 2, 2)
	if err := h.SetWeights([]float64{start, 2 * start, -start, start}, []float64{0, start}); err != nil {
		t.Fatal(err)
	}
	m := must(layers.NewIdentity(2))
	o.Epochs, o.Batch, o.Solver = 1, 40, SGD
	if _, err := Fit(context.Background(), m, h, data.Pairs{X: set.X, Y: y}, o); err != nil {
		t.Fatal(err)
	}
	return weights(h)
}

// TestClipAndDecay: a step is cut to ClipNorm, and the decay is beside it.
func TestClipAndDecay(t *testing.T) {
	const rate, start = .5, .3
	from := []float64{start, 2 * start, -start, start, 0, start}
	free := one(t, FitOptions{LearnRate: rate}, start)
	norm := 0.0
	for i, w := range free {
		norm += (w - from[i]) * (w - from[i])
	}
	norm = math.Sqrt(norm) / rate
	clipped := one(t, FitOptions{LearnRate: rate, ClipNorm: norm / 4}, start)
	loose := one(t, FitOptions{LearnRate: rate, ClipNorm: 2 * norm}, start)
	decayed := one(t, FitOptions{LearnRate: rate, WeightDecay: .2}, start)
	for i, w := range free {
		want := w
		if i < 4 { // not the intercept
			want -= rate * .2 * from[i]
		}
		if math.Abs(clipped[i]-from[i]-(w-from[i])/4) > 1e-12 || loose[i] != w || math.Abs(decayed[i]-want) > 1e-12 {
			t.Errorf("weight %d: %v free, %v clipped, %v loose, %v decayed", i, w, clipped[i], loose[i], decayed[i])
		}
	}
}

// TestClipOfHugeGradients: the squares of a gradient overflow, and its norm does not; the step has the length that it
// is cut to.
func TestClipOfHugeGradients(t *testing.T) {
	one := func(v float64) *tensor.Dense {
		return tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{v}))
	}
	h := trial.HeadOf(t, false, 1, 1)
	if err := h.SetWeights([]float64{1}, []float64{0}); err != nil {
		t.Fatal(err)
	}
	m := must(layers.NewIdentity(1))
	o := FitOptions{Epochs: 1, Batch: 1, Solver: SGD, LearnRate: .5, ClipNorm: 1}
	if _, err := Fit(context.Background(), m, h, data.Pairs{X: one(1), Y: mat.NewDense(1, 1, []float64{1e154})}, o); err != nil {
		t.Fatal(err)
	}
	w := weights(h)
	if got := math.Hypot(w[0]-1, w[1]); math.Abs(got-.5) > 1e-12 {
		t.Errorf("the step has the length %v, want .5", got)
	}
}

// must is the value of a call that must not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
