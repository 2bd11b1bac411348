package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gorgonia.org/tensor"
)

// waves are n rows of 8 columns, of which the first two matter, in a unit: the class or the target is a wave of them.
func waves(n int, unit float64, targets bool) *data.Set {
	rng := rand.New(rand.NewPCG(3, 4))
	x, set := make([]float64, 8*n), &data.Set{}
	for i := range n {
		row := x[8*i : 8*i+8]
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		v := math.Sin(2*row[0]) + math.Cos(2*row[1]-.5)
		if targets {
			set.Y = append(set.Y, 100*unit*v)
		} else {
			set.Labels = append(set.Labels, fmt.Sprint(v > .5))
		}
		for j := range row {
			row[j] *= unit
		}
	}
	set.X = tensor.New(tensor.WithShape(n, 8), tensor.WithBacking(x))
	return set
}

func tune(t *testing.T, set *data.Set, spec layers.Spec, l train.Tuner) (*train.Model, *train.Report) {
	t.Helper()
	m, c, err := train.Recipe{Spec: spec, Tuner: &l}.Fit(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

// TestTuner: of classes and of targets tuning wins, the columns that matter are found, the model says what it is and comes
// back from its file, and neither the unit of x nor that of the targets changes a figure.
func TestTuner(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector")
	}
	for _, targets := range []bool{false, true} {
		spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.8}}
		set := waves(600, 1, targets)
		m, c := tune(t, set, spec, train.Tuner{Seed: 5, Descent: sgd.FitOptions{Batch: 64}})
		frozen, chosen := c.Steps[0], c.Steps[0]
		for _, r := range c.Steps {
			if r.Name == c.Chosen {
				chosen = r
			}
			if r.Note != "" {
				t.Errorf("targets %v: %s: %s", targets, r.Name, r.Note)
			}
		}
		if frozen.Name != train.StepFrozen || len(c.Steps) != 5 || !(chosen.Score < .85*frozen.Score) || !(chosen.Gain > 2*chosen.StdErr) || c.Lambda == 0 && c.Epochs == nil {
			t.Errorf("targets %v: chosen %s %+v of %+v", targets, c.Chosen, chosen, c.Steps)
		}
		if m.Spec.Tune == "" {
			t.Errorf("targets %v: the spec does not say what is tuned", targets)
		}
		if e := c.Evidence; e != nil && (len(e.Relevance) != 8 || slices.Max(e.Relevance[2:]) > .5*min(e.Relevance[0], e.Relevance[1])) {
			t.Errorf("targets %v: the relevance is %v", targets, e.Relevance)
		}
		path := t.TempDir() + "/m"
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		again, err := train.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := m.Scores(set.X)
		if got, err := again.Scores(set.X); err != nil || got.At(7, 0) != want.At(7, 0) {
			t.Errorf("targets %v: loaded %v, %v, want %v", targets, got.At(7, 0), err, want.At(7, 0))
		}
		spec.Params = layers.Values{"sigma": 2.8 * 1024}
		_, scaled := tune(t, waves(600, 1024, targets), spec, train.Tuner{Seed: 5, Descent: sgd.FitOptions{Batch: 64}})
		for i, r := range scaled.Steps {
			want := c.Steps[i].Score
			if targets {
				want *= 1024
			}
			if math.Abs(r.Score-want) > .05*want+.012 {
				t.Errorf("targets %v, in another unit: %s %v, want %v", targets, r.Name, r.Score, want)
			}
		}
	}
}

// TestTunerOfOthers: a map without a step says so, one with nothing to tune stays frozen, and what cannot be tuned is an error.
func TestTunerOfOthers(t *testing.T) {
	_, c := tune(t, waves(200, 1, false), layers.Spec{Map: "linear"}, train.Tuner{})
	if c.Chosen != train.StepFrozen || len(c.Steps) != 3 || c.Steps[1].Note == "" || c.Steps[2].Note == "" || c.Steps[2].Score == c.Steps[2].Score {
		t.Errorf("of the linear map: %+v", c)
	}
	r := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 32, Params: layers.Values{"sigma": 2.}},
		Fitter: linear.RidgeOptions{Lambdas: []float64{1e-3}}, Tuner: &train.Tuner{Steps: []string{train.StepEvidence}}}
	if _, c, err := r.Fit(context.Background(), waves(200, 1, true)); err != nil || c.Lambda != 1e-3 {
		t.Errorf("the head is solved with lambda %v, %v", c.Lambda, err)
	}
	r, set := train.Recipe{Spec: layers.Spec{Features: 16}}, waves(60, 1, false)
	for _, l := range []train.Tuner{{HeldOut: -1}, {HeldOut: 1}, {HeldOut: math.NaN()}, {HeldOut: .001}, {Steps: []string{}}, {Steps: []string{"most"}},
		{Steps: []string{train.StepAll, train.StepFrozen}}, {Steps: []string{train.StepAll, train.StepAll}}, {Steps: []string{train.StepFrozen, train.StepSolved}}, {Steps: []string{train.StepSolved}}} {
		r.Tuner = &l
		if _, _, err := r.Fit(context.Background(), set); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.Tuner = new(train.Tuner)
	if _, _, err := r.Fit(ctx, set); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestTunerSteps: some of the steps are those of all, and one alone is taken on all rows, in memory or from files.
func TestTunerSteps(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector")
	}
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.8}}
	set := waves(400, 1, true)
	l := train.Tuner{Seed: 5, Descent: sgd.FitOptions{Batch: 64, Epochs: 5}}
	_, all := tune(t, set, spec, l)
	l.Steps = []string{train.StepEvidence, train.StepBoth}
	_, some := tune(t, set, spec, l)
	if len(some.Steps) != 2 || some.Steps[0].Score != all.Steps[1].Score || some.Steps[1].Score != all.Steps[3].Score || some.Steps[0].Gain != 0 {
		t.Errorf("%+v, of all steps %+v", some.Steps, all.Steps)
	}
	l.Steps = []string{train.StepBoth}
	both, c := tune(t, set, spec, l)
	if c.Steps != nil || c.Chosen != train.StepBoth || both.Spec.Tune != "all" || both.Relevance == nil {
		t.Errorf("one step: %+v, the map tunes %q", c, both.Spec.Tune)
	}
	l.Steps = []string{train.StepEvidence}
	m, c := tune(t, set, spec, l)
	if c.Evidence == nil || !c.Evidence.Converged || !slices.Equal(m.Relevance, c.Evidence.Relevance) || m.Spec.Tune != "bandwidth-each" {
		t.Errorf("evidence alone: %+v", c)
	}
	path := t.TempDir() + "/m"
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if again, err := train.Load(path); err != nil || !slices.Equal(again.Relevance, m.Relevance) {
		t.Errorf("the relevance is not in the file: %v", err)
	}
	m.Relevance = []float64{1}
	if err := m.Save(path); !errors.Is(err, domain.ErrParam) {
		t.Errorf("a relevance of one column: %v", err)
	}
	if _, _, err := (train.Recipe{Spec: layers.Spec{Map: "linear"}, Tuner: &l}).Fit(context.Background(), set); !errors.Is(err, domain.ErrParam) {
		t.Errorf("a map without scales: %v", err)
	}
}

// TestDtype: what mini-batches may tune is float32 unless the Spec says otherwise, and what is solved is float64. A
// candidate without an element type has that of the rows.
func TestDtype(t *testing.T) {
	set := waves(60, 1, false)
	for _, c := range []struct {
		tune, dtype string
		steps       []string
		want        tensor.Dtype
	}{
		{"", "", nil, tensor.Float64},
		{"", "float32", nil, tensor.Float32},
		{"all", "", nil, tensor.Float32},
		{"bandwidth", "float64", nil, tensor.Float64},
		{"", "", []string{train.StepFrozen}, tensor.Float64},
		{"", "", []string{train.StepEvidence}, tensor.Float64},
		{"", "", []string{train.StepAll}, tensor.Float32},
		{"", "", []string{train.StepBoth}, tensor.Float32},
		{"", "float64", []string{train.StepAll}, tensor.Float64},
	} {
		spec := layers.Spec{Map: "gaussian", Features: 16, Seed: 1, Tune: c.tune, Dtype: c.dtype}
		r := train.Recipe{Spec: spec}
		if c.steps != nil {
			r.Tuner = &train.Tuner{Steps: c.steps, Descent: sgd.FitOptions{Epochs: 1}}
		}
		m, _, err := r.Fit(t.Context(), set)
		if err != nil || m.Map.Dtype() != c.want || m.Head.Dtype() != c.want || m.Spec.ElementType() != c.want {
			t.Errorf("%+v: the map is %v, the head %v: %v", c, m.Map.Dtype(), m.Head.Dtype(), err)
		}
	}
	spec := layers.Spec{Map: "gaussian", Features: 16, Seed: 1, Tune: "all"}
	candidates := must(train.Grid(spec, train.Axis{Name: "sigma", Values: []float64{1, 2}}))
	recipe := train.Recipe{Spec: spec, Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 1}}}
	r := must(recipe.CrossValidate(t.Context(), set, candidates, train.CVOptions{Folds: 2, Lambdas: []float64{0}}))
	if best := r.Best(recipe); best.Spec.Dtype != "float32" {
		t.Errorf("cross-validation fits %q", best.Spec.Dtype)
	}
}
