package train_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
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

// severalOf says whether a spec is maps of this name side by side: four of at most 10,000 rows.
func severalOf(s layers.Spec, name string) bool {
	other := func(p layers.Spec) bool { return p.Map != name }
	return s.Map == "concat" && len(s.Parts) == 4 && !slices.ContainsFunc(s.Parts, other)
}

// keepsMap checks that a recipe is fitted with Gaussian maps, which are the default.
func keepsMap(t *testing.T, what string, r train.Recipe, set *data.Set) {
	t.Helper()
	if m, _, err := r.Fit(t.Context(), set); err != nil || !severalOf(m.Spec, "gaussian") && m.Spec.Map != "gaussian" {
		t.Error(what, m, err)
	}
}

// beginsWithMap checks that the first fit of a recipe to all rows is one of the Gaussian map, and ends it there.
func beginsWithMap(t *testing.T, what string, r train.Recipe, set *data.Set) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var first layers.Layer
	r.Ready = func(s *train.Start) error {
		s.Wrap = func(m layers.Layer) layers.Layer {
			first = m
			cancel()
			return m
		}
		return nil
	}
	wants(t, what, third(r.Fit(ctx, set)), context.Canceled, "")
	if _, ok := first.(*layers.RandomLayer); !ok {
		t.Errorf("%s: %v", what, first)
	}
}

// TestStartScaled: by default a map starts with a scale for each column where that helps on rows held out, and later
// fits to parts of the rows do too. It does not where it does not help, for fewer than 100 rows, and for a Fitter that
// chooses no decay.
func TestStartScaled(t *testing.T) {
	wave := func(x []float64) float64 { return math.Sin(16 * x[3]) }
	spec := layers.Spec{Map: "gaussian", Features: 128, Seed: 1}
	set, fresh := parted(uniform(1300, wave), 1000)
	m, c := must2(train.Recipe{Spec: spec, Uncertainty: &train.UncertaintyOptions{}}.Fit(t.Context(), set))
	if off := errorOf(m, fresh); c.Evidence == nil || c.Epochs.Directions || floats.MaxIdx(m.Relevance) != 3 ||
		!slices.Equal(m.Relevance, c.Evidence.Relevance) || m.Spec.Tune != "all" || !(off < .2) {
		t.Errorf("evidence %+v, directions %v, relevance %v, error %v", c.Evidence, c.Epochs.Directions, m.Relevance, off)
	}
	lower, upper := must2(m.PredictIntervals(fresh.X, .9))
	// Fits from the map as drawn are off by as much as y varies.
	if width := upper.At(100, 0) - lower.At(100, 0); !(width < .7) {
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
// the fits of its uncertainty, and begins with a map for fewer than 500 rows, a smooth target, and a recipe that names
// anything of the map.
func TestStartNetwork(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector; TestMean has fits side by side")
	}
	steps := func(x []float64) float64 { return math.Floor(3*x[0]) * math.Floor(3*x[1]) }
	all := uniform(1000, steps)
	for i, v := range ops.Float64s(all.X.(*tensor.Dense)) {
		if i%8 == 5 { // a column of two values, which has no waves
			all.X.(*tensor.Dense).Float64s()[i] = math.Round(v)
		}
	}
	set, fresh := parted(all, 700)
	r := train.Recipe{Spec: layers.Spec{Seed: 1}, Uncertainty: &train.UncertaintyOptions{HeldOut: .2}}
	m, report := must2(r.Fit(t.Context(), set))
	if off := errorOf(m, fresh); !severalOf(m.Spec, "sequential") || report.Evidence != nil || !(off < .3) {
		t.Errorf("%v has the error %.3g", m.Spec, off)
	}
	var runs []string
	for _, p := range m.Spec.Parts[0].Parts[0].Parts {
		runs = append(runs, p.Map)
	}
	if !slices.Equal(runs, []string{"periodic", "linear", "periodic"}) {
		t.Errorf("the network begins with %v", runs)
	}
	p, squares := must(m.PredictDistribution(fresh.X)), 0.
	for i, y := range fresh.Y {
		r := (y - p.Mean.At(i, 0)) / p.Std.At(i, 0)
		squares += r * r / 300
	}
	if share := coverage(t, m, fresh, .9); share < .8 || share > 295./300 || squares < .4 || squares > 2.5 {
		t.Errorf("intervals of 90 %% have %v of the targets, and the squared error is %.2f of the variance", share, squares)
	}
	scores := must(train.Recipe{}.CrossValidate(t.Context(), uniform(150, steps), nil,
		train.CVOptions{Folds: 2, Lambdas: []float64{0}}))
	if best := scores.Best(train.Recipe{}); best.Spec.Map != "" {
		t.Errorf("cross-validation names the map of %v", best.Spec)
	}
	smooth := func(x []float64) float64 { return math.Sin(2 * floats.Sum(x)) }
	beginsWithMap(t, "named", train.Recipe{Spec: layers.Spec{Features: 64}}, set)
	beginsWithMap(t, "too few", train.Recipe{}, uniform(490, steps))
	beginsWithMap(t, "smooth", train.Recipe{}, uniform(1000, smooth))
}

// TestStartSharp: classes that follow from single values of a column, such as amounts that a few rows share, are learned
// by a network that tells these from their neighbours, which Auto tries too.
func TestStartSharp(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector; TestMean has fits side by side")
	}
	const flipped, values, learned = .1, 60, 5200
	rng := rand.New(rand.NewPCG(1, 2))
	var amount [values]float64
	var more [values]bool
	for i := range values {
		amount[i], more[i] = math.Round(2000*math.Exp(rng.NormFloat64())), rng.IntN(2) == 1
	}
	all := uniform(3*learned/2, floats.Sum)
	x := all.X.(*tensor.Dense).Float64s()
	all.Y = nil
	for i := 0; i < len(x); i += 8 {
		v, is := rng.IntN(2*values), false
		if x[i] = 0; v < values {
			x[i], is = amount[v], more[v]
		}
		all.Labels = append(all.Labels, map[bool]string{true: "more", false: "less"}[is != (rng.Float64() < flipped)])
	}
	set, fresh := parted(all, learned)
	m, _ := must2(train.Recipe{Scale: "quantile", Spec: layers.Spec{Seed: 1}}.Fit(t.Context(), set))
	missed := 0
	for i, l := range must(m.PredictClasses(fresh.X)) {
		if l != fresh.Labels[i] {
			missed++
		}
	}
	sharp := func(s layers.Spec) bool {
		return slices.ContainsFunc(s.Parts, func(p layers.Spec) bool { return p.Params["sigma"] == 10. })
	}
	if share := float64(missed) / float64(fresh.Rows()); !severalOf(m.Spec, "sequential") || !sharp(m.Spec.Parts[0]) || share > 1.5*flipped {
		t.Errorf("%v misses %.3f of the classes", m.Spec, share)
	}
	_, report := must2(train.Auto(t.Context(), set, train.AutoOptions{Trials: 8, MaxFeatures: 32}))
	if !slices.ContainsFunc(report.Trials, func(t train.Trial) bool { return sharp(t.Recipe.Spec) }) {
		t.Errorf("Auto tries no such network: %v", report.Trials)
	}
}

// TestOrLinear: a recipe that leaves the map open fits a linear model where that predicts better, also in the fits of its
// uncertainty, in folds, and of sparse rows of more columns than rows. It keeps the map for a target that is not linear,
// for a recipe that names anything of the map, and for options that mini-batches alone have.
func TestOrLinear(t *testing.T) {
	set, fresh := parted(uniform(360, floats.Sum), 60)
	ctx, r := t.Context(), train.Recipe{Spec: layers.Spec{Seed: 1}}
	sure := r
	sure.Uncertainty = &train.UncertaintyOptions{}
	m, report := must2(sure.Fit(ctx, set))
	if off := errorOf(m, fresh); m.Spec.Map != "linear" || m.Map.Features() != 8 || report.Epochs != nil ||
		!(report.Lambda > 0) || !(off < .06) {
		t.Errorf("%v has the error %.3g, and lambda %v", m.Spec, off, report.Lambda)
	}
	if s := must(m.PredictDistribution(fresh.X)).Std.At(40, 0); !(s > .04 && s < .08) {
		t.Errorf("the noise of .05 has the deviation %.3g", s)
	}
	more := uniform(200, floats.Sum)
	labelled := &data.Set{X: more.X}
	for _, y := range more.Y {
		labelled.Labels = append(labelled.Labels, map[bool]string{true: "more", false: "less"}[y > 4])
	}
	m, report = must2(r.Fit(ctx, labelled))
	if m.Spec.Map != "linear" || m.Head.Kind() != "softmax" || !(report.Lambda > 0) {
		t.Errorf("%v under %v, lambda %v", m.Spec, m.Head, report.Lambda)
	}
	scores := must(r.CrossValidate(ctx, set, nil, train.CVOptions{Folds: 2}))
	if s := math.Sqrt(scores.All[scores.Chosen].MSE); !(s < .07) {
		t.Errorf("the folds have the error %.3g", s)
	}
	const n, columns = 40, 600 // of which smooth curves have six patterns
	curves, wide := tensor.New(tensor.WithShape(n, columns), tensor.Of(tensor.Float64)), &data.Set{Y: make([]float64, n)}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range wide.Y {
		for k := range 6 {
			v := rng.NormFloat64()
			wide.Y[i] += float64(k%2) * v
			for j := range columns {
				curves.Float64s()[i*columns+j] += v * math.Sin(2*math.Pi*float64((k+1)*j)/columns)
			}
		}
	}
	wide.X = must(ops.CSROf(curves))
	m, report = must2(r.Fit(ctx, wide))
	if off := errorOf(m, wide); m.Spec.Map != "linear" || !(report.Lambda > 0) || !(off < .02) {
		t.Errorf("%v of wide rows has the error %.3g", m.Spec, off)
	}
	curved := func(x []float64) float64 { return math.Sin(5*x[0]) * x[1] }
	batches := func(o sgd.FitOptions) train.Recipe {
		o.MapDecays = []float64{.1}
		return train.Recipe{Fitter: sgd.MiniBatch{FitOptions: o}}
	}
	keepsMap(t, "curved", r, uniform(150, curved))
	keepsMap(t, "named", train.Recipe{Spec: layers.Spec{Features: 64}}, set)
	keepsMap(t, "penalty", batches(sgd.FitOptions{Lambda: 1e-3}), set)
	keepsMap(t, "epochs", batches(sgd.FitOptions{Epochs: 30}), set)
	keepsMap(t, "too few", r, uniform(19, floats.Sum))
}

// TestOrScales: a recipe that leaves the map open solves for a head on the map with scales where that predicts targets
// better, also in the fits of its uncertainty and in folds. Mini-batches tune the map of classes.
func TestOrScales(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector; TestMean has fits side by side")
	}
	wave := func(x []float64) float64 { return math.Sin(7*x[0]) * math.Cos(5*x[1]) }
	set, fresh := parted(uniform(460, wave), 400)
	ctx, r := t.Context(), train.Recipe{Spec: layers.Spec{Seed: 1}}
	sure := r
	sure.Uncertainty = &train.UncertaintyOptions{}
	m, report := must2(sure.Fit(ctx, set))
	if off := errorOf(m, fresh); m.Spec.Map != "gaussian" || report.Epochs != nil || !(report.Lambda > 0) || !(off < .08) {
		t.Errorf("%v has the error %.3g, and lambda %v", m.Spec, off, report.Lambda)
	}
	if report.Evidence == nil || !slices.Equal(m.Relevance, report.Evidence.Relevance) || !(min(m.Relevance[0], m.Relevance[1]) >
		4*slices.Max(m.Relevance[2:])) {
		t.Errorf("evidence %+v, relevance %v", report.Evidence, m.Relevance)
	}
	if s := must(m.PredictDistribution(fresh.X)).Std.At(40, 0); !(s > .04 && s < .09) {
		t.Errorf("the noise of .05 has the deviation %.3g", s)
	}
	scores := must(r.CrossValidate(ctx, set, nil, train.CVOptions{Folds: 2}))
	if s := math.Sqrt(scores.All[scores.Chosen].MSE); !(s < .1) {
		t.Errorf("the folds have the error %.3g", s)
	}
	labelled := &data.Set{X: set.X}
	for _, y := range set.Y {
		labelled.Labels = append(labelled.Labels, map[bool]string{true: "more", false: "less"}[y > 0])
	}
	if m, report := must2(r.Fit(ctx, labelled)); !severalOf(m.Spec, "gaussian") || report.Epochs == nil {
		t.Errorf("%v of classes, %+v", m.Spec, report)
	}
}

// TestWideRows: a recipe that leaves the map open begins with a linear model of many columns, which is fitted with a
// lambda of its own, unless it has options for another or the posterior would take too much memory.
func TestWideRows(t *testing.T) {
	const n, d = 60, 20_000
	rng, set := rand.New(rand.NewPCG(1, 2)), &data.Set{}
	words, labels := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64)), make([]string, n)
	for i := range labels {
		labels[i] = []string{"left", "right", "up"}[i%3]
		for range 200 {
			words.Float64s()[i*d+rng.IntN(d/4)+d/4*(i%3)]++
		}
	}
	set.X, set.Labels = must(ops.CSROf(words)), labels
	m, report := must2(train.Recipe{}.Fit(t.Context(), set))
	if m.Spec.Map != "linear" || m.Scaler.Name() != "l2" && m.Scaler.Name() != "none" || !(report.Lambda > 0) || report.Scores == nil {
		t.Errorf("%v by %s, lambda %v of %v", m.Spec, m.Scaler.Name(), report.Lambda, report.Scores)
	}
	targets, enough := &data.Set{X: set.X, Y: make([]float64, n)}, errors.New("enough")
	targets.Y[0] = 1
	for _, c := range []struct {
		name string
		r    train.Recipe
		rows *data.Set
		want string
	}{
		{"classes", train.Recipe{}, set, "linear"},
		{"targets", train.Recipe{}, targets, "linear"},
		{"sets of classes", train.Recipe{Uncertainty: &train.UncertaintyOptions{}}, set, "linear"},
		{"mini-batches", train.Recipe{Fitter: sgd.ForTuning("softmax")}, set, "linear"},
		{"a posterior", train.Recipe{Uncertainty: &train.UncertaintyOptions{}}, targets, "gaussian"},
		{"features", train.Recipe{Spec: layers.Spec{Features: 64}}, set, "gaussian"},
		{"a Tuner", train.Recipe{Tuner: &train.Tuner{Steps: []string{train.StepEvidence}}}, set, "gaussian"},
		{"epochs", train.Recipe{Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 2}}}, set, "gaussian"},
		{"a frozen map", train.Recipe{Spec: layers.Spec{Tune: "none"}}, set, "gaussian"},
		{"a Laplace approximation", train.Recipe{Uncertainty: &train.UncertaintyOptions{Laplace: true}}, set, "gaussian"},
	} {
		c.r.Scale = "none"
		c.r.Ready = func(s *train.Start) error {
			if s.Model.Spec.Map != c.want {
				t.Errorf("%s: %v", c.name, s.Model.Spec)
			}
			return enough
		}
		if _, _, err := c.r.Fit(t.Context(), c.rows); !errors.Is(err, enough) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
