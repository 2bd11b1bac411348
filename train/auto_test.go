package train_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
)

// autoSets are rows of every kind that Auto knows, in classes or with targets.
func autoSets(t *testing.T) map[string]*data.Set {
	dense, targets := ringSets(240)
	histograms, labels, _ := counts(240, 12, 1)
	unit, l2 := cvSets(t, 240)["classes"], must(data.ParseScalers("l2"))
	noError(t, l2.Fit(unit.X))
	unit.X = must(l2.Apply(unit.X))
	return map[string]*data.Set{"dense": dense, "targets": targets, "counts": {X: histograms, Labels: labels},
		"sparse": {X: must(ops.CSROf(histograms)), Labels: labels}, "unit": unit,
		"bags": twoShapes(120, 2, 1, true)}
}

// TestAuto: of every kind of rows the model is better than a guess, there are no more trials than were asked for, the
// best is the one of the least score, and no recipe is bound to these columns. Two runs of one seed are the same, of
// dense targets and of sparse classes.
func TestAuto(t *testing.T) {
	for name, set := range autoSets(t) {
		o := train.AutoOptions{Trials: 5, Seed: 3, MaxFeatures: 32}
		var called []train.Trial
		o.Progress = func(t train.Trial) { called = append(called, t) }
		m, r, err := train.Auto(t.Context(), set, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := len(r.Trials); n != len(called) || n > 5 || n < 3 || !r.Whole || r.Report.Lambda == 0 &&
			r.Epochs == nil {
			t.Errorf("%s: %d trials, %d told of, whole %v", name, n, len(called), r.Whole)
		}
		for i, trial := range r.Trials {
			if trial.Loss < r.Trials[r.Best].Loss || trial.Round < 1 ||
				trial.Note == "" && (trial.Rows == 0 || trial.Features == 0) || trial.Recipe.Spec.Dims != 0 {
				t.Errorf("%s: trial %d: %+v", name, i, trial)
			}
		}
		best, weights := r.Trials[r.Best], 0.
		if set.Y == nil && best.Score > .3 || set.Y != nil && best.Score > .4 ||
			!strings.Contains(best.String(), best.Kind) {
			t.Errorf("%s: the best is %v with %v", name, best, best.Score)
		}
		for _, trial := range r.Trials {
			weights += trial.Weight
		}
		if math.Abs(weights-1) > 1e-12 {
			t.Errorf("%s: the weights add up to %v", name, weights)
		}
		comesBack(t, name, m, set.X)
		var recipe train.Recipe
		if text, err := json.Marshal(best.Recipe); err != nil || json.Unmarshal(text, &recipe) != nil {
			t.Errorf("%s: the recipe of the best: %v", name, err)
		}
		if _, _, err := recipe.Fit(t.Context(), set); err != nil {
			t.Errorf("%s: %v: %v", name, best, err)
		}
		if set.Y == nil && !reflect.DeepEqual(m.Classes, data.NewClasses(set.Labels)) {
			t.Errorf("%s: classes %v", name, m.Classes)
		}
		if name != "targets" && name != "sparse" {
			continue
		}
		again, r2, err := train.Auto(t.Context(), set, train.AutoOptions{Trials: 5, Seed: 3, MaxFeatures: 32})
		if err != nil || !mat.Equal(must(m.Scores(set.X)), must(again.Scores(set.X))) || r.Best != r2.Best ||
			len(r.Trials) != len(r2.Trials) {
			t.Errorf("%s: two runs differ, %v", name, err)
		}
	}
}

// TestAutoEnds: before there is a model the error is the context's; after it, the model is of the trials so far. Within
// no time at all there is an error, and within little a model.
func TestAutoEnds(t *testing.T) {
	set, _ := ringSets(240)
	ctx, cancel := context.WithCancel(t.Context())
	o := train.AutoOptions{Trials: 20, MaxFeatures: 32, Progress: func(train.Trial) { cancel() }}
	m, r, err := train.Auto(ctx, set, o)
	if err != nil || r.Whole || len(r.Trials) == 0 || r.Report.Lambda == 0 && r.Epochs == nil ||
		len(must(m.PredictClasses(set.X))) != 240 {
		t.Errorf("after a trial: %+v, %v", r, err)
	}
	wants(t, "before a model", third(train.Auto(ctx, set, o)), context.Canceled, "stopped before there was a model")
	wants(t, "a nanosecond", third(train.Auto(t.Context(), set, train.AutoOptions{Budget: 1})),
		context.DeadlineExceeded, "give more time")
	for budget := time.Second; ; budget *= 8 { // on a busy machine no trial may be done within a second
		m, r, err = train.Auto(t.Context(), set, train.AutoOptions{Budget: budget, MaxFeatures: 16})
		if !errors.Is(err, context.DeadlineExceeded) || budget > time.Minute {
			break
		}
	}
	// How many members learn from all rows depends on the clock.
	if err != nil || len(must(m.PredictClasses(set.X))) != 240 {
		t.Errorf("little time: %+v, %v", r, err)
	}
}

// TestAutoEnsemble: a model of several trials has a part for each, and its intervals of targets, or its sets of classes,
// hold new rows as often as asked.
func TestAutoEnsemble(t *testing.T) {
	classes, targets := ringSets(480)
	lists := 0
	for name, set := range map[string]*data.Set{"classes": classes, "targets": targets} {
		learn, test := parted(set, 240)
		o := train.AutoOptions{Trials: 8, Seed: 1, MaxFeatures: 16, Uncertainty: new(train.UncertaintyOptions)}
		m, r := must2(train.Auto(t.Context(), learn, o))
		members, kinds := 0, map[string]bool{}
		for _, trial := range r.Trials {
			if kinds[trial.Kind] = true; trial.Weight > 0 {
				members++
			}
		}
		if !kinds["frozen"] || !kinds["tuned"] || !kinds["network"] {
			t.Errorf("%s: %d trials are of the kinds %v", name, len(r.Trials), kinds)
		}
		if m.Dims() != set.Dims() || m.Map.Dims() != m.Scaler.Lists()*m.Dims() {
			t.Errorf("%s: %d columns by %s are %d of the map", name, m.Dims(), m.Scaler.Name(), m.Map.Dims())
		}
		lists = max(lists, m.Scaler.Lists())
		if len(m.Spec.Parts) != members || m.Spec.Features != m.Map.Features() {
			t.Errorf("%s: %d members, the map has %d parts", name, members, len(m.Spec.Parts))
		}
		m = reloaded(t, m.Save)
		share := coverage(t, m, test, .9)
		if share < 188./240 { // four standard errors, of 240 rows and of the 240 that the quantile is from
			t.Errorf("%s: the intervals or the sets cover %v of the rows, want about .9", name, share)
		}
	}
	if lists < 2 {
		t.Error("no ensemble has members of several scalers")
	}
}

// TestAutoErrors: what it cannot do is an error that says why.
func TestAutoErrors(t *testing.T) {
	good, _ := ringSets(240)
	one := train.AutoOptions{Trials: 1}
	few := must(data.FromSlices([][]float64{{1}, {2}}))
	nan := must(data.FromSlices([][]float64{{math.NaN()}, {1}}))
	ab := []string{"a", "b"}
	type options = train.AutoOptions
	auto := func(rows data.Source, o options) error { return third(train.Auto(t.Context(), rows, o)) }
	sure := &train.UncertaintyOptions{HeldOut: 2}
	wantsAll(t, []mistake{
		{auto(good, options{}), domain.ErrParam, "give one of the two"},
		{auto(good, options{Trials: 1, Budget: 1}), domain.ErrParam, "give one of the two"},
		{auto(good, options{Trials: -1, Budget: 1}), domain.ErrParam, "Trials = -1"},
		{auto(good, options{Trials: 1, HeldOut: 1}), domain.ErrParam, "HeldOut = 1"},
		{auto(good, options{Trials: 1, MaxFeatures: -1}), domain.ErrParam, "MaxFeatures = -1"},
		{auto(good, options{Trials: 1, Dtype: "int"}), domain.ErrParam, "int"},
		{auto(good, options{Trials: 1, Groups: []int{1}}), domain.ErrShape, "1 Groups for 240 rows"},
		{auto(good, options{Trials: 1, Uncertainty: sure}), domain.ErrParam, "HeldOut = 2"},
		{auto(nil, one), domain.ErrParam, "rows is nil"},
		{auto((*data.Set)(nil), one), domain.ErrParam, "rows is nil"},
		{auto(&data.Set{}, one), domain.ErrParam, "no X"},
		{auto(&data.Stream{}, one), domain.ErrParam, "read them whole"},
		{auto(&data.Set{X: good.X}, one), domain.ErrParam, "neither Labels nor Y"},
		{auto(&data.Set{X: few, Labels: ab}, one), domain.ErrShape, "2 rows are too few"},
		{auto(&data.Set{X: nan, Labels: ab}, one), domain.ErrDomain, "x[0,0] = NaN"},
	})
}

// A model of rows without a recipe.
func ExampleAuto() {
	rows, _ := ringSets(240)
	m, report, err := train.Auto(context.Background(), rows, train.AutoOptions{Trials: 10, Seed: 1, MaxFeatures: 64})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Kind, right(m, rows) > 235./240)
	// Output: 240 rows of 3 columns, dense true
}
