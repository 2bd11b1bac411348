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
	"github.com/bochner-go/bochner/train/sgd"
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

// TestMean: a recipe that leaves the map open predicts the mean of two models with different frequencies, of which the
// second does as the first has chosen; in later fits too. One that diverges is left out.
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
	if len(starts) != 2 || !starts[1].twin || starts[1].spec.Seed == p.model.Spec.Seed {
		t.Fatalf("%d starts: %+v", len(starts), starts)
	}
	both, each := newTrial(p.rows, nil), [2]*trial{newTrial(p.rows, nil), newTrial(p.rows, nil)}
	chosen := must(p.fitFrom(ctx, both, starts, f))
	if a, b := chosen[0].course, chosen[1].course; a.MapDecay != b.MapDecay || a.Directions != b.Directions ||
		len(a.Epochs) != len(b.Epochs) {
		t.Errorf("the first fit has chosen %+v, the second %+v", a, b)
	}
	scores := func(t *trial) []float64 {
		return must((&Model{Map: t.m, Head: t.head}).ScoresPrepared(p.x)).RawMatrix().Data
	}
	for i, t := range each {
		one, own := chosen[i], f
		own.Seed += seedsApart * uint64(i)
		if i == 1 {
			own.ScoreRows = -1
		}
		must(p.fitFrom(ctx, t, []start{one}, own))
	}
	a, b := scores(each[0]), scores(each[1])
	if slices.Equal(a, b) {
		t.Error("both models are the same")
	}
	for i, v := range scores(both) {
		if want := (a[i] + b[i]) / 2; math.Abs(v-want) > 1e-5 {
			t.Fatalf("row %d: %v, want the mean %v of %v and %v", i, v, want, a[i], b[i])
		}
	}
	wild := sgd.FitOptions{LearnRate: 1e30, MapRate: .1}
	network := must(p.inPlace(layers.Spec{Map: "sequential", Parts: networkLayers(nil, 4)}, p.x))
	alone := newTrial(p.rows, nil)
	chosen, err := p.fitFrom(ctx, alone, []start{starts[0], {spec: network, rates: &wild}}, f)
	if err != nil || len(chosen) != 1 || !slices.Equal(scores(alone), a) {
		t.Errorf("beside a fit that diverges: %d starts, %v", len(chosen), err)
	}
	if _, err := p.fitFrom(ctx, alone, []start{{spec: network, rates: &wild}, starts[1]}, f); err == nil {
		t.Error("no error of a first fit that diverges")
	}
}

// TestMeanResumes: two fits that were interrupted go on to the same bits.
func TestMeanResumes(t *testing.T) {
	set, path := bumps(200), t.TempDir()+"/fit"
	f := sgd.ForTuning("")
	f.Epochs, f.MapDecays = 8, []float64{.1}
	fit := func(ctx context.Context, f sgd.MiniBatch) (*Model, error) {
		m, _, err := Recipe{Scale: "standard", Spec: layers.Spec{Seed: 3}, Fitter: f}.Fit(ctx, set)
		return m, err
	}
	want := must(fit(t.Context(), f))
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
