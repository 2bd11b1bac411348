package sgd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		s      string
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
	for _, o := range []FitOptions{{Schedule: "steps"}, {Solver: "newton"}, {MapRate: .5, MapDecay: 2}, {MapDecay: -1},
		{MapDecays: []float64{}}, {MapDecay: .1, MapDecays: []float64{.1}}, {MapDecays: []float64{.1, -1}},
		{LabelSmoothing: 1}, {LabelSmoothing: -.1}, {LabelSmoothing: math.NaN()}} {
		if err := o.fill(false, 0); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestSolver: the steps are those of Gorgonia's solvers.
func TestSolver(t *testing.T) {
	for _, kind := range []string{Adam, SGD} {
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
			must(0, vm.RunAll())
			grad := tensor.New(tensor.WithShape(3), tensor.Of(tensor.Float64))
			for i, w := range ours.Float64s() {
				grad.Float64s()[i] = 2 * w
			}
			s.step([]*tensor.Dense{ours}, []*tensor.Dense{grad}, 1, .5)
			must(0, reference.Step(G.NodesToValueGrads(G.Nodes{theirs})))
			vm.Reset()
			if !floats.EqualApprox(start, theirs.Value().(*tensor.Dense).Float64s(), 1e-12) {
				t.Fatalf("solver %s: %v, want %v", kind, start, theirs.Value())
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
	must(0, h.SetWeights([]float64{start, 2 * start, -start, start}, []float64{0, start}))
	o.Epochs, o.Batch, o.Solver = 1, 40, SGD
	must(Fit(t.Context(), must(layers.NewIdentity(2)), h, data.Pairs{X: set.X, Y: y}, o))
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

// TestLabelSmoothing: a step of all rows is that to the smoothed probabilities, by hand, with the weight of the row's
// class; a head without probabilities has none to smooth, and -1 chooses by their number.
func TestLabelSmoothing(t *testing.T) {
	const rate, epsilon = .5, .3
	x, y := []float64{1, 2, -1, .5}, mat.NewDense(2, 3, []float64{1, -1, -1, -1, -1, 1})
	weight, class := []float64{2, 1, 3}, []int{0, 2}
	for _, c := range [][]float64{nil, weight} {
		h := trial.HeadOf(t, true, 2, 3) // at 0: all probabilities are 1/3
		o := FitOptions{Epochs: 1, Solver: SGD, LearnRate: rate, LabelSmoothing: epsilon, ClassWeights: c}
		rows := data.Pairs{X: tensor.New(tensor.WithShape(2, 2), tensor.WithBacking(slices.Clone(x))), Y: y}
		must(Fit(t.Context(), must(layers.NewIdentity(2)), h, rows, o))
		want := make([]float64, 9) // W [2, 3] and b
		for i, own := range class {
			w := 1.
			if c != nil {
				w = c[own]
			}
			for j := range 3 {
				p := epsilon / 3
				if j == own {
					p += 1 - epsilon
				}
				for k, v := range []float64{x[2*i], x[2*i+1], 1} {
					want[3*k+j] += rate / 2 * w * v * (p - 1./3)
				}
			}
		}
		if got := weights(h); !floats.EqualApprox(got, want, 1e-12) {
			t.Errorf("class weights %v: %v, want %v", c, got, want)
		}
	}
	for classes, want := range map[int]float64{2: 0, 3: .1} {
		o := FitOptions{LabelSmoothing: -1}
		if err := o.suits(trial.HeadOf(t, true, 2, classes)); err != nil || o.LabelSmoothing != want {
			t.Errorf("-1 of %d classes: %v, %v", classes, o.LabelSmoothing, err)
		}
	}
	_, err := Fit(t.Context(), must(layers.NewIdentity(1)), trial.HeadOf(t, false, 1, 1), data.Pairs{
		X: tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{1, 2})), Y: mat.NewDense(2, 1, []float64{1, 2})},
		FitOptions{LabelSmoothing: .1})
	if !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "SoftmaxHead") {
		t.Errorf("a linear head: %v", err)
	}
}

// TestMapDecay: beside a step the weights of the map shrink by MapRate times MapDecay, under the schedule, and its
// biases and logarithms do not.
func TestMapDecay(t *testing.T) {
	const rate, decay = .25, .4
	x, y := trial.Problem(20, 2, 1, 3)
	for name, build := range map[string]func() layers.Layer{
		"dense": func() layers.Layer { return must(layers.NewDense(2, 5, ops.ReLU, layers.Tune(layers.All))) },
		"fourier": func() layers.Layer {
			return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 3}, 2, 6, layers.Tune(layers.All)))
		},
		"bandwidth": func() layers.Layer {
			return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 3}, 2, 6, layers.Tune(layers.Bandwidth)))
		},
	} {
		for _, solver := range []string{Adam, SGD} {
			after := func(decay float64) []layers.Param {
				m := build()
				for _, p := range m.Params() {
					if p.Tuned && p.Name == "b" { // so that it would shrink
						given.SetCell(p.Value, 0, .7)
					}
				}
				h := trial.HeadOf(t, false, m.Features(), 1)
				must(0, h.SetWeights(slices.Repeat([]float64{.1}, m.Features()), []float64{7}))
				o := FitOptions{Epochs: 1, Batch: 20, Solver: solver, MapRate: rate, MapDecay: decay}
				must(Fit(t.Context(), m, h, data.Pairs{X: x, Y: y}, o))
				return m.Params()
			}
			start, free := build().Params(), after(0)
			for i, p := range after(decay) {
				for j, w := range ops.Float64s(p.Value) {
					want := ops.Float64s(free[i].Value)[j]
					if p.Tuned && p.Name == "W" {
						want -= rate * decay * ops.Float64s(start[i].Value)[j]
					}
					if math.Abs(w-want) > 1e-12 {
						t.Errorf("%s, %s: %s[%d] = %v, want %v", name, solver, p.Name, j, w, want)
					}
				}
			}
		}
	}
}

// TestMapDecays: the decay with the least loss on the held-out rows of its short fits is taken, and the fit is the one
// with it alone, with any number of cores, and under a layer of the program's own, of which package layers makes no copies.
// HeldLoss is the loss of the best epochs with one. A decay that diverges is not taken, and one that all do is an error.
func TestMapDecays(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 400 // a fifth is 80 rows: eight divisions, and 18 epochs would do
	x, y := trial.Problem(n, 2, 1, 3)
	for i, e := 0, rand.New(rand.NewPCG(1, 2)); i < n; i++ {
		y.Set(i, 0, y.At(i, 0)+e.NormFloat64())
	}
	rows := data.Pairs{X: x, Y: y}
	own := false
	fit := func(o FitOptions) (*fits.Course, []float64, error) {
		var m layers.Layer = must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .3}, 2, 100, layers.Tune(layers.All)))
		if own {
			m = struct{ layers.Layer }{m}
		}
		c, err := Fit(t.Context(), m, trial.HeadOf(t, false, 100, 1), rows, o)
		return c, ops.Float64s(m.Params()[0].Value), err
	}
	base, decays := FitOptions{Epochs: 12, Batch: 50, Seed: 5}, []float64{0, .3, 3}
	best, least := 0., math.Inf(1)
	first := 0. // the loss of the best epochs with the first decay
	for k, d := range decays {
		loss := 0.
		for i := range uint64(8) {
			o := base
			o.MapDecay, o.Seed, o.HeldOut, o.Patience = d, base.Seed+i, .2, base.Epochs
			c, _, err := fit(o)
			must(0, err)
			loss += c.Epochs[base.Epochs-1].HeldLoss
			if k == 0 {
				first += c.Epochs[c.Best-1].HeldLoss
			}
		}
		if loss < least {
			best, least = d, loss
		}
	}
	o, one := base, base
	o.MapDecays, one.MapDecay = decays, best
	_, want, _ := fit(one)
	for _, procs := range []int{1, 2, 20} {
		runtime.GOMAXPROCS(procs)
		own = procs == 2
		c, w, err := fit(o)
		if err != nil || best == 0 || c.MapDecay != best || !slices.Equal(w, want) || len(c.Epochs) != base.Epochs {
			t.Errorf("%d cores, own layer %v: the decay is %v, want %v; %v", procs, own, c.MapDecay, best, err)
		}
		if math.Abs(8*c.HeldLoss-least) > 1e-12*least {
			t.Errorf("%d cores, own layer %v: the loss is %v, want %v", procs, own, 8*c.HeldLoss, least)
		}
	}
	own = false
	m, head := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .3}, 2, 100, layers.Tune(layers.All))), trial.HeadOf(t, false, 100, 1)
	drawn := slices.Clone(ops.Float64s(m.Params()[0].Value))
	one.MapDecay = decays[0]
	loss, err := one.HeldLoss(t.Context(), m, head, rows)
	if err != nil || math.Abs(8*loss-first) > 1e-12*first || !slices.Equal(ops.Float64s(m.Params()[0].Value), drawn) {
		t.Errorf("HeldLoss is %v, want %v, of a map that stays; %v", loss, first, err)
	}
	o.LearnRate, o.MapRate, o.Solver = 1e200, 1e-3, SGD
	if _, _, err := fit(o); !errors.Is(err, given.ErrDiverged) {
		t.Errorf("a rate of 1e200: %v", err)
	}
}

// TestClipOfHugeGradients: the squares of a gradient overflow, and its norm does not; the step has the length that it
// is cut to.
func TestClipOfHugeGradients(t *testing.T) {
	h, o := trial.HeadOf(t, false, 1, 1), FitOptions{Epochs: 1, Solver: SGD, LearnRate: .5, ClipNorm: 1}
	x, y := tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{1})), mat.NewDense(1, 1, []float64{1e154})
	must(0, h.SetWeights([]float64{1}, []float64{0}))
	must(Fit(t.Context(), must(layers.NewIdentity(1)), h, data.Pairs{X: x, Y: y}, o))
	w := weights(h)
	if got := math.Hypot(w[0]-1, w[1]); math.Abs(got-.5) > 1e-12 {
		t.Errorf("the step has the length %v, want .5", got)
	}
}

// TestFailed: a fit has failed if it diverges, or has more than twice the loss of the short fits in its last epoch. The
// loss of smoothed labels, and one with a penalty, do not compare.
func TestFailed(t *testing.T) {
	c := choice{loss: .1}
	course := &fits.Course{Epochs: []fits.Epoch{{Loss: .1}, {Loss: .21}}}
	for i, want := range []struct {
		course *fits.Course
		err    error
		o      FitOptions
		failed bool
	}{
		{course, nil, FitOptions{}, true},
		{&fits.Course{Epochs: []fits.Epoch{{Loss: .7}, {Loss: .19}}}, nil, FitOptions{}, false},
		{course, nil, FitOptions{LabelSmoothing: .1}, false},
		{course, nil, FitOptions{Lambda: .1}, false},
		{nil, fmt.Errorf("the loss is NaN: %w", given.ErrDiverged), FitOptions{}, true},
		{course, errors.New("another"), FitOptions{}, false},
	} {
		if got := c.failed(want.course, want.err, want.o); got != want.failed {
			t.Errorf("case %d: %v", i, got)
		}
	}
}

// must is the value of a call that must not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestNoisyLabels: where labels contradict one another, the fit ends after as many epochs as the short ones if more of
// them have more loss on held-out rows; a given number of epochs stays.
func TestNoisyLabels(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("half a minute under the race detector, which sees such fits in TestMapDecays")
	}
	const n, d, features = 5000, 8, 256 // short fits have 120,000/n epochs
	for _, c := range []struct {
		flipped       float64
		given, epochs int
	}{{.3, 0, 24}, {0, 0, 40}, {.3, 40, 40}} {
		rng, labels := rand.New(rand.NewPCG(1, 2)), make([]int, n)
		x := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float32))
		for i := range x.Float32s() {
			x.Float32s()[i] = float32(rng.NormFloat64())
		}
		for i := range labels {
			if (x.Float32s()[i*d] > 0) != (rng.Float64() < c.flipped) {
				labels[i] = 1
			}
		}
		rows := data.Pairs{X: x, Y: must(data.OneVersusRest(labels, 2))}
		m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 3}, d, features, layers.Tune(layers.All),
			layers.WithDtype(tensor.Float32)))
		head := must(layers.NewSoftmaxHead(features, 2, layers.WithDtype(tensor.Float32)))
		course := must(Fit(t.Context(), m, head, rows, FitOptions{MapDecays: []float64{0}, Epochs: c.given}))
		if got := len(course.Epochs); got != c.epochs {
			t.Errorf("%v of the labels are wrong: %d epochs, want %d", c.flipped, got, c.epochs)
		}
	}
}

// TestManyRows: the epochs of a fit without Epochs go over two million rows together, and a loss of short fits is the
// one of 50,000 of the rows, whose errors name the row among all.
func TestManyRows(t *testing.T) {
	drawn := func() layers.Layer {
		return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 1, 2, layers.Tune(layers.All)))
	}
	for _, c := range []struct{ rows, epochs int }{{1000, 40}, {100_000, 20}, {300_000, 8}} {
		var o FitOptions
		if err := o.fill(true, c.rows); err != nil || o.Epochs != c.epochs {
			t.Errorf("%d rows: %d epochs, want %d (%v)", c.rows, o.Epochs, c.epochs, err)
		}
	}
	const n, o = 60_000, 50_000
	x, y := trial.Problem(n, 1, 1, 3)
	ctx, stop := context.WithCancel(t.Context())
	epochs := 0 // as the first one tells
	all := FitOptions{Batch: n, Progress: func(e fits.Epoch) { epochs = e.Of; stop() }}
	_, err := Fit(ctx, drawn(), trial.HeadOf(t, false, 2, 1), data.Pairs{X: x, Y: y}, all)
	if epochs != 33 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d rows: %d epochs (%v)", n, epochs, err)
	}
	options := FitOptions{Epochs: 1, Batch: o, Seed: 7}
	part := data.Shuffle(n, options.Seed)[:o]
	loss := func(rows data.Pairs) float64 {
		return must(options.HeldLoss(t.Context(), drawn(), trial.HeadOf(t, false, 2, 1), rows))
	}
	if got, want := loss(data.Pairs{X: x, Y: y}), loss(data.Pairs{X: data.Rows(x, part), Y: given.TargetRows(y, part)}); got != want {
		t.Errorf("the loss of %d rows is %v, want %v, of %d of them", n, got, want, o)
	}
	bad := data.Shuffle(n, options.Seed)[1]
	for i := range n {
		must(0, x.SetAt(1., i, 0))
	}
	must(0, x.SetAt(-1., bad, 0))
	m := must(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: 1}, 1, 2, layers.Tune(layers.All)))
	_, err = options.HeldLoss(t.Context(), m, trial.HeadOf(t, false, 2, 1), data.Pairs{X: x, Y: y})
	if want := fmt.Sprintf("x[%d,0] = -1", bad); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not say %s", err, want)
	}
}
