package train_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
)

func tune(t *testing.T, set *data.Set, spec layers.Spec, l train.Tuner) (*train.Model, *train.Report) {
	t.Helper()
	return must2(train.Recipe{Spec: spec, Tuner: &l}.Fit(t.Context(), set))
}

// TestTuner: of classes and of targets tuning wins, the columns that matter are found, the model says what it is,
// and neither the unit of x nor of the targets changes a figure.
func TestTuner(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector")
	}
	l := train.Tuner{Seed: 5, Descent: sgd.FitOptions{Batch: 64}}
	for _, targets := range []bool{false, true} {
		spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.8}}
		set := waves(600, 1, targets)
		m, c := tune(t, set, spec, l)
		frozen, chosen := c.Steps[0], c.Steps[0]
		for _, r := range c.Steps {
			if r.Name == c.Chosen {
				chosen = r
			}
			if r.Note != "" {
				t.Errorf("targets %v: %s: %s", targets, r.Name, r.Note)
			}
		}
		steps := 4 // of classes, whose heads are not solved for
		if targets {
			steps = 5
		}
		if frozen.Name != train.StepFrozen || len(c.Steps) != steps || !(chosen.Score < .85*frozen.Score) ||
			!(chosen.Gain > 2*chosen.StdErr) || c.Lambda == 0 && c.Epochs == nil || m.Spec.Tune == "" {
			t.Errorf("targets %v: chosen %s %+v of %+v", targets, c.Chosen, chosen, c.Steps)
		}
		if e := c.Evidence; e != nil && (len(e.Relevance) != 8 ||
			slices.Max(e.Relevance[2:]) > .5*min(e.Relevance[0], e.Relevance[1])) {
			t.Errorf("targets %v: the relevance is %v", targets, e.Relevance)
		}
		spec.Params = layers.Values{"sigma": 2.8 * 1024}
		_, scaled := tune(t, waves(600, 1024, targets), spec, l)
		for i, r := range scaled.Steps {
			want, slack := c.Steps[i].Score, .012 // a few of 600 rows
			if targets {                          // of a deviation of 100: the rounding of float32
				want, slack = 1024*want, 1024*slack
			}
			if math.Abs(r.Score-want) > .05*want+slack {
				t.Errorf("targets %v, in another unit: %s %v, want %v", targets, r.Name, r.Score, want)
			}
		}
	}
}

// TestTunerErrors: a map without a step says so, one with nothing to tune stays frozen, and what cannot be tuned is an
// error.
func TestTunerErrors(t *testing.T) {
	_, c := tune(t, waves(200, 1, false), layers.Spec{Map: "linear"}, train.Tuner{})
	if c.Chosen != train.StepFrozen || len(c.Steps) != 3 || c.Steps[1].Note == "" || c.Steps[2].Note == "" ||
		!math.IsNaN(c.Steps[2].Score) {
		t.Errorf("of the linear map: %+v", c)
	}
	r := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 32, Params: layers.Values{"sigma": 2.}},
		Fitter: linear.RidgeOptions{Lambdas: []float64{1e-3}}, Tuner: &train.Tuner{Steps: []string{train.StepEvidence}}}
	if _, c, err := r.Fit(t.Context(), waves(200, 1, true)); err != nil || c.Lambda != 1e-3 {
		t.Errorf("the head is solved with lambda %v, %v", c.Lambda, err)
	}
	gaussian, set := layers.Spec{Features: 16}, waves(60, 1, false)
	stream := must(data.OpenStream(data.StreamOptions{}, csvOf(t, set)))
	fit := func(ctx context.Context, tuner train.Tuner, spec layers.Spec, rows data.Source) error {
		return third(train.Recipe{Spec: spec, Tuner: &tuner}.Fit(ctx, rows))
	}
	heldOut := func(share float64) error { return fit(t.Context(), train.Tuner{HeldOut: share}, gaussian, set) }
	steps := func(spec layers.Spec, s ...string) error { return fit(t.Context(), train.Tuner{Steps: s}, spec, set) }
	for _, some := range [][]string{nil, {train.StepEvidence}, {train.StepBoth}} {
		err := fit(t.Context(), train.Tuner{Steps: some, Evidence: evidence.Options{Rows: 2}}, gaussian, set)
		if err == nil || !strings.HasPrefix(err.Error(), "train: Maximise: Rows = 2, want at least 3") {
			t.Errorf("steps %q with a wrong option of the evidence: %v", some, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	wantsAll(t, []mistake{
		{heldOut(-1), domain.ErrParam, "HeldOut = -1"},
		{heldOut(1), domain.ErrParam, "HeldOut = 1"},
		{heldOut(math.NaN()), domain.ErrParam, "HeldOut = NaN"},
		{heldOut(.001), domain.ErrParam, "leaves none"},
		{steps(gaussian, []string{}...), domain.ErrParam, "Steps is empty"},
		{steps(gaussian, "most"), domain.ErrParam, `no step "most"`},
		{steps(gaussian, train.StepAll, train.StepFrozen), domain.ErrParam, "out of order"},
		{steps(gaussian, train.StepAll, train.StepAll), domain.ErrParam, "out of order"},
		{steps(gaussian, train.StepFrozen, train.StepSolved), domain.ErrParam, "goes on from"},
		{steps(layers.Spec{Map: "linear"}, train.StepEvidence), domain.ErrParam, "no such step"},
		{steps(layers.Spec{Map: "linear"}, train.StepBoth), domain.ErrParam, "Tuner: evidence, all: the map has no such step"},
		{steps(layers.Spec{Map: "linear"}, train.StepSolved), domain.ErrParam, "Tuner: solved: the map has no such step"},
		{fit(t.Context(), train.Tuner{}, gaussian, waves(4, 1, true)), domain.ErrShape, "at least 5"},
		{fit(t.Context(), train.Tuner{}, gaussian, stream), domain.ErrParam, "read them whole"},
		{fit(cancelled, train.Tuner{}, gaussian, set), context.Canceled, ""},
	})
}

// TestTunerSteps: some of the steps are those of all, and one alone is taken on all rows, in memory or from files.
func TestTunerSteps(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector")
	}
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.8}}
	set := waves(400, 1, true)
	of := func(steps ...string) (*train.Model, *train.Report) {
		return tune(t, set, spec, train.Tuner{Seed: 5, Descent: sgd.FitOptions{Batch: 64, Epochs: 5}, Steps: steps})
	}
	_, all := of()
	_, some := of(train.StepEvidence, train.StepBoth)
	if len(some.Steps) != 2 || some.Steps[0].Score != all.Steps[1].Score || some.Steps[1].Score != all.Steps[3].Score ||
		some.Steps[0].Gain != 0 {
		t.Errorf("%+v, of all steps %+v", some.Steps, all.Steps)
	}
	both, c := of(train.StepBoth)
	if c.Steps != nil || c.Chosen != train.StepBoth || both.Spec.Tune != "all" || both.Relevance == nil {
		t.Errorf("one step: %+v, the map tunes %q", c, both.Spec.Tune)
	}
	m, c := of(train.StepEvidence)
	if c.Evidence == nil || !c.Evidence.Converged || !slices.Equal(m.Relevance, c.Evidence.Relevance) ||
		m.Spec.Tune != "bandwidth-each" || !slices.Equal(reloaded(t, m.Save).Relevance, m.Relevance) {
		t.Errorf("evidence alone: %+v, relevance %v", c, m.Relevance)
	}
}

// TestTunerOfSets: maps of sets of samples have steps that tune, as maps of rows.
func TestTunerOfSets(t *testing.T) {
	set := must(data.SyntheticBags(1))
	for _, name := range []string{"hdd-js", "mean-map"} {
		m, _ := tune(t, set, layers.Spec{Map: name, Features: 16},
			train.Tuner{Descent: sgd.FitOptions{Epochs: 1}, Steps: []string{train.StepAll}})
		if m.Spec.Tune != "all" {
			t.Errorf("%s tunes %q", name, m.Spec.Tune)
		}
	}
}

// failing is ridge regression that fails on many rows where the map is tuned: it learns no targets.
type failing struct {
	linear.RidgeOptions
	rows int
}

func (f failing) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	pairs := rows.(data.Pairs)
	n, k := pairs.Y.Dims()
	tuned := func(p layers.Param) bool { return p.Tuned }
	if n > f.rows && slices.ContainsFunc(m.Params(), tuned) {
		none := mat.NewDense(n, k, nil)
		none.Set(0, 0, 1)
		pairs.Y = none
	}
	return f.RidgeOptions.Fit(ctx, m, head, pairs)
}

// TestTunerFailed: a step that fails on all rows, where it was the best on those held out, gives way to the next.
func TestTunerFailed(t *testing.T) {
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.8}}
	set := waves(400, 1, true)
	steps := []string{train.StepFrozen, train.StepEvidence}
	r := train.Recipe{Spec: spec, Tuner: &train.Tuner{Seed: 5, Steps: steps}, Fitter: failing{rows: 399}}
	m, c := must2(r.Fit(t.Context(), set))
	frozen, evidence := c.Steps[0], c.Steps[1]
	if c.Chosen != train.StepFrozen || !(evidence.Score < frozen.Score) || evidence.Note == "" || frozen.Note != "" ||
		c.Evidence != nil || m.Relevance != nil || m.Spec.Tune != "" {
		t.Errorf("%s of %+v, evidence %v, the map tunes %q", c.Chosen, c.Steps, c.Evidence, m.Spec.Tune)
	}
	if rmse := errorOf(m, set); !(rmse < 1.1*frozen.Score) {
		t.Errorf("the error on the rows is %v, and was %v on those held out", rmse, frozen.Score)
	}
}
