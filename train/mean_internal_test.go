package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// bumps are rows of two columns, and targets that follow from both.
func bumps(n int) *data.Set {
	rng, x := rand.New(rand.NewPCG(1, 2)), tensor.New(tensor.WithShape(n, 2), tensor.Of(tensor.Float64))
	set := &data.Set{X: x, Y: make([]float64, n)}
	for i := range set.Y {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.Float64s()[2*i], x.Float64s()[2*i+1], set.Y[i] = a, b, math.Sin(2*a)*b+.1*rng.NormFloat64()
	}
	return set
}

// TestMean: a recipe that leaves the map open predicts the mean of models with different random numbers, which do as the
// first of their kind has chosen. One that diverges is left out.
func TestMean(t *testing.T) {
	ctx, set := t.Context(), bumps(300)
	r := Recipe{Scale: "standard", Spec: layers.Spec{Seed: 3, Features: 64}}
	f := sgd.ForTuning("")
	f.Epochs, r.Fitter = 6, f
	p := must(r.labelled(ctx, set))
	if err := p.ready(); err != nil {
		t.Fatal(err)
	}
	p.open = true
	starts := must(p.chooseStarts(ctx, p.rows, f))
	if len(starts) != 4 || starts[0].twin || !starts[1].twin {
		t.Fatalf("%d starts: %+v", len(starts), starts)
	}
	network := start{spec: must(p.inPlace(layers.Spec{Map: "sequential", Parts: networkLayers(nil, 4)}, p.x)), rates: &netRates}
	scores := func(t *trial) []float64 {
		return must((&Model{Map: t.m, Head: t.head}).ScoresPrepared(p.x)).RawMatrix().Data
	}
	fit := func(starts []start, seed uint64) ([]start, []float64) {
		own, tr := f, newTrial(p.rows, nil)
		own.Seed += seed
		return must(p.fitFrom(ctx, tr, starts, own)), scores(tr)
	}
	for _, from := range [][]start{starts, {starts[0], network, starts[1], must(p.again(network, 1))}} {
		chosen, got := fit(from, 0)
		mean, lines := make([]float64, len(got)), map[float64]bool{}
		for i, one := range chosen {
			_, s := fit([]start{one}, seedsApart*uint64(i))
			floats.AddScaled(mean, 1./4, s)
			lines[s[0]] = true
			first := chosen[0].course
			if one.rates != nil {
				first = chosen[1].course
			}
			if c := one.course; c.MapDecay != first.MapDecay || c.Directions != first.Directions || len(c.Epochs) != len(first.Epochs) {
				t.Errorf("fit %d has chosen %+v, the first of its kind %+v", i, c, first)
			}
		}
		if len(lines) != 4 || !floats.EqualApprox(got, mean, 1e-5) {
			t.Errorf("%d different models; scores %v, want the mean %v", len(lines), got[:5], mean[:5])
		}
	}
	wild := network
	wild.rates = &sgd.FitOptions{LearnRate: 1e30, MapRate: .1}
	_, alone := fit(starts[:1], 0)
	if chosen, got := fit([]start{starts[0], wild, must(p.again(wild, 1))}, 0); len(chosen) != 1 || !slices.Equal(got, alone) {
		t.Errorf("beside fits that diverge: %d models, scores %v, want %v", len(chosen), got[:5], alone[:5])
	}
	if _, err := p.fitFrom(ctx, newTrial(p.rows, nil), []start{wild, starts[1]}, f); !errors.Is(err, given.ErrDiverged) {
		t.Errorf("a first fit that diverges: %v", err)
	}
}

// TestMeanResumes: fits that were interrupted go on to the same bits. Chosen is called for the first one alone.
func TestMeanResumes(t *testing.T) {
	set, path := bumps(200), t.TempDir()+"/fit"
	f := sgd.ForTuning("")
	f.Epochs, f.MapDecays = 8, []float64{.1}
	fit := func(ctx context.Context, f sgd.MiniBatch) (*Model, error) {
		m, _, err := Recipe{Scale: "standard", Spec: layers.Spec{Seed: 3}, Fitter: f}.Fit(ctx, set)
		return m, err
	}
	calls := 0
	f.Chosen = func(o sgd.FitOptions) {
		if calls++; o.MapDecay != .1 || o.MapDecays != nil || o.Epochs != 8 {
			t.Errorf("chosen are %+v", o)
		}
	}
	want := must(fit(t.Context(), f))
	if calls != 1 {
		t.Errorf("Chosen was called %d times", calls)
	}
	ctx, stop := context.WithCancel(t.Context())
	f.Checkpoints = sgd.Checkpoints{Path: path}
	f.Progress = func(e fits.Epoch) {
		if e.Number == 3 {
			stop()
		}
	}
	if _, err := fit(ctx, f); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.Progress, f.Checkpoints.Resume = nil, true
	got := must(fit(t.Context(), f))
	x := set.X.(*tensor.Dense)
	if a, b := must(want.Scores(x)), must(got.Scores(x)); !slices.Equal(a.RawMatrix().Data, b.RawMatrix().Data) {
		t.Error("a resumed fit has other scores")
	}
}
