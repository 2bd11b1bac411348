package train_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
)

// uniform has n rows of eight uniform columns, and noisy targets f.
func uniform(n int, f func(x []float64) float64) *data.Set {
	rng := rand.New(rand.NewPCG(1, 2))
	rows, y := make([][]float64, n), make([]float64, n)
	for i := range rows {
		for range 8 {
			rows[i] = append(rows[i], rng.Float64())
		}
		y[i] = f(rows[i]) + .05*rng.NormFloat64()
	}
	return &data.Set{X: must(data.FromSlices(rows)), Y: y}
}

// TestStartScaled: by default a map starts with a scale for each column where that helps on rows held out, and later
// fits to parts of the rows do too. It does not where it does not help, for fewer than 100 rows, and for a Fitter that
// chooses no decay.
func TestStartScaled(t *testing.T) {
	wave := func(x []float64) float64 { return math.Sin(16 * x[3]) }
	spec := layers.Spec{Map: "gaussian", Features: 128, Seed: 1}
	set, fresh := uniform(1000, wave), uniform(1300, wave)
	m, c, err := train.Recipe{Spec: spec, Uncertainty: &train.UncertaintyOptions{}}.Fit(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	rmse := func(m *train.Model) float64 {
		return floats.Distance(must(m.PredictTargets(fresh.X))[1000:], fresh.Y[1000:], 2) / math.Sqrt(300)
	}
	if c.Evidence == nil || c.Epochs.Directions || !slices.Equal(m.Relevance, c.Evidence.Relevance) ||
		floats.MaxIdx(m.Relevance) != 3 || m.Spec.Tune != "all" || !(rmse(m) < .2) {
		t.Errorf("evidence %+v, directions %v, relevance %v, error %v", c.Evidence, c.Epochs.Directions, m.Relevance, rmse(m))
	}
	lower, upper, err := m.PredictIntervals(fresh.X, .9)
	if err != nil {
		t.Fatal(err)
	}
	if width := upper.At(1100, 0) - lower.At(1100, 0); !(width < .7) { // fits from the map as drawn are off by as much as y varies
		t.Errorf("an interval is %v wide", width)
	}
	plain := func(set *data.Set, r train.Recipe) {
		t.Helper()
		r.Spec = spec
		if m, c, err := r.Fit(t.Context(), set); err != nil || c.Evidence != nil || m.Relevance != nil {
			t.Errorf("%v, evidence %+v", err, c.Evidence)
		}
	}
	plain(uniform(600, floats.Sum), train.Recipe{})
	plain(uniform(90, wave), train.Recipe{})
	plain(set, train.Recipe{Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 5}}})
}

// TestStartNetwork: a recipe that leaves the map open fits a network where that has less loss on rows held out, also in
// the fits of its uncertainty, and keeps a map for fewer than 500 rows, a smooth target, and a recipe that names anything
// of the map.
func TestStartNetwork(t *testing.T) {
	steps := func(x []float64) float64 { return math.Floor(3*x[0]) * math.Floor(3*x[1]) }
	set, fresh := uniform(1200, steps), uniform(1500, steps)
	ctx := t.Context()
	m, report, err := train.Recipe{Spec: layers.Spec{Seed: 1}, Uncertainty: &train.UncertaintyOptions{HeldOut: .5}}.Fit(ctx, set)
	if err != nil {
		t.Fatal(err)
	}
	guess, y := must(m.PredictTargets(fresh.X))[1200:], fresh.Y[1200:]
	rmse := floats.Distance(guess, y, 2) / math.Sqrt(300)
	if m.Spec.Map != "sequential" || m.Spec.Parts[0].Params["activation"] != "relu" || report.Evidence != nil || !(rmse < .3) {
		t.Errorf("%v has the error %.3g", m.Spec, rmse)
	}
	inside, squares := 0, 0.
	p, err := m.PredictDistribution(fresh.X)
	if err != nil {
		t.Fatal(err)
	}
	lower, upper, err := m.PredictIntervals(fresh.X, .9)
	if err != nil {
		t.Fatal(err)
	}
	for i := range y {
		if v := y[i]; lower.At(1200+i, 0) <= v && v <= upper.At(1200+i, 0) {
			inside++
		}
		r := (y[i] - guess[i]) / p.Std.At(1200+i, 0)
		squares += r * r / 300
	}
	if inside < 240 || inside > 295 || squares < .4 || squares > 2.5 {
		t.Errorf("intervals of 90 %% have %d of 300 targets, and the squared error is %.2f of the variance", inside, squares)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if again := must(must(train.Load(path)).PredictTargets(fresh.X))[1200:]; !slices.Equal(again, guess) {
		t.Error("a saved network predicts other targets")
	}
	scores, err := train.Recipe{}.CrossValidate(ctx, uniform(150, steps), nil, train.CVOptions{Folds: 2, Lambdas: []float64{0}})
	if err != nil {
		t.Fatal(err)
	}
	if best := scores.Best(train.Recipe{}); best.Spec.Map != "" {
		t.Errorf("cross-validation names the map of %v", best.Spec)
	}
	plain := func(set *data.Set, s layers.Spec) {
		t.Helper()
		if m, _, err := (train.Recipe{Spec: s}).Fit(ctx, set); err != nil || m.Spec.Map != "gaussian" {
			t.Error(m, err)
		}
	}
	plain(set, layers.Spec{Features: 64})
	plain(uniform(490, steps), layers.Spec{})
	plain(uniform(1000, func(x []float64) float64 { return math.Sin(2 * floats.Sum(x)) }), layers.Spec{})
}

// TestOrLinear: a recipe that leaves the map open fits a linear model where that predicts better, also in the fits of its
// uncertainty, and in folds. It keeps the map for a target that is not linear, for a recipe that names anything of the
// map, and for options that mini-batches alone have.
func TestOrLinear(t *testing.T) {
	set, fresh := uniform(60, floats.Sum), uniform(360, floats.Sum)
	ctx, r := t.Context(), train.Recipe{Spec: layers.Spec{Seed: 1}}
	rmse := func(m *train.Model) float64 {
		return floats.Distance(must(m.PredictTargets(fresh.X))[60:], fresh.Y[60:], 2) / math.Sqrt(300)
	}
	sure := r
	sure.Uncertainty = &train.UncertaintyOptions{}
	m, report, err := sure.Fit(ctx, set)
	if err != nil {
		t.Fatal(err)
	}
	if m.Spec.Map != "linear" || m.Map.Features() != 8 || report.Epochs != nil || !(report.Lambda > 0) || !(rmse(m) < .06) {
		t.Errorf("%v has the error %.3g, and lambda %v", m.Spec, rmse(m), report.Lambda)
	}
	p, err := m.PredictDistribution(fresh.X)
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Std.At(100, 0); !(s > .04 && s < .08) {
		t.Errorf("the noise of .05 has the deviation %.3g", s)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if again := must(train.Load(path)); rmse(again) != rmse(m) {
		t.Error("a saved linear model predicts other targets")
	}
	labelled := &data.Set{X: set.X}
	for _, y := range set.Y {
		labelled.Labels = append(labelled.Labels, map[bool]string{true: "more", false: "less"}[y > 4])
	}
	if m, report, err = r.Fit(ctx, labelled); err != nil || m.Spec.Map != "linear" || m.Head.Kind() != "softmax" || !(report.Lambda > 0) {
		t.Error(m, err)
	}
	scores, err := r.CrossValidate(ctx, set, nil, train.CVOptions{Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	if s := math.Sqrt(scores.All[scores.Chosen].MSE); !(s < .07) {
		t.Errorf("the folds have the error %.3g", s)
	}
	curved := func(x []float64) float64 { return math.Sin(5*x[0]) * x[1] }
	for name, c := range map[string]struct {
		set *data.Set
		r   train.Recipe
	}{
		"curved":  {uniform(150, curved), r},
		"named":   {set, train.Recipe{Spec: layers.Spec{Features: 64}}},
		"penalty": {set, train.Recipe{Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{MapDecays: []float64{.1}, Lambda: 1e-3}}}},
		"epochs":  {set, train.Recipe{Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{MapDecays: []float64{.1}, Epochs: 30}}}},
		"too few": {uniform(19, floats.Sum), r},
	} {
		if m, _, err := c.r.Fit(ctx, c.set); err != nil || m.Spec.Map != "gaussian" {
			t.Error(name, m, err)
		}
	}
}
