package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
)

// cvFeatures is how many features a map has in cross-validation, unless they are searched. The best parameter depends
// little on them.
const cvFeatures = 1024

// cvFactors multiply the parameter that comes from the data: under ridge (true), whose lambdas cost little, and under
// the other heads.
var cvFactors = map[bool][]float64{true: {.25, .35, .5, .7, 1, 1.4, 2, 4}, false: {.25, .5, 1, 2, 4}}

// search is what cross-validation goes over.
type search struct {
	axes       []train.Axis
	random     bool              // candidates are drawn, and not all combinations
	candidates []train.Candidate // nil: around the parameter that comes from the data
}

// setSearch reads --cv, --grid and --trials, and makes the candidates that need no data.
func (f *fitting) setSearch() error {
	switch {
	case f.CV == nil && len(f.Grid) > 0:
		return program.Usage("--grid is searched by cross-validation; say --cv FOLDS")
	case f.Trials != nil && len(f.Grid) == 0:
		return program.Usage("--trials draws from ranges; give one, as --grid sigma=1:10")
	case f.Trials != nil && *f.Trials < 1:
		return program.Usage("--trials %d: want at least 1", *f.Trials)
	case f.CV != nil && *f.CV < 2:
		return program.Usage("--cv %d: want at least 2 folds", *f.CV)
	case f.CV != nil && (f.Lambda == "loo" || f.Lambda == "held-out"):
		return program.Usage("--cv chooses lambda; leave --lambda %s out", f.Lambda)
	case len(f.Grid) == 0:
		return nil
	}
	ranges := 0
	for _, text := range f.Grid {
		a, err := parseAxis(text)
		if err != nil {
			return err
		}
		if err := f.checkAxis(text, a); err != nil {
			return err
		}
		if a.Values == nil {
			ranges++
		}
		f.search.axes = append(f.search.axes, a)
	}
	var err error
	switch {
	case ranges == 0 && f.Trials != nil:
		return program.Usage("--trials draws from ranges, and --grid has none; give one, as sigma=1:10")
	case ranges > 0:
		f.search.random = true
		f.search.candidates, err = train.RandomSearch(f.cvSpec(), cmp.Or(deref(f.Trials), 20), f.recipe.Spec.Seed, f.search.axes...)
	default:
		f.search.candidates, err = train.Grid(f.cvSpec(), f.search.axes...)
	}
	if err != nil {
		return program.Usage("--grid: %w", err)
	}
	for _, c := range f.search.candidates {
		if e, err := layers.Lookup(c.Spec.Map); err == nil && e.HasFeatures() {
			if err := checkFeatures("--grid features", c.Spec.Features); err != nil {
				return err
			}
		}
		if err := probe(c.Spec); err != nil {
			return program.Usage("--grid: %w", err)
		}
	}
	return nil
}

// parseAxis reads name=1,2,4 or name=1:4.
func parseAxis(text string) (train.Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	a := train.Axis{Name: strings.TrimSpace(name)}
	if !ok || a.Name == "" || values == "" {
		return a, program.Usage("--grid %s: want NAME=VALUE,VALUE,... or NAME=LEAST:MOST", text)
	}
	lo, hi, isRange := strings.Cut(values, ":")
	parts := strings.Split(values, ",")
	if isRange {
		parts = []string{lo, hi}
	}
	for _, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return a, program.Usage("--grid %s: %q is not a number; want NAME=VALUE,VALUE,... or NAME=LEAST:MOST", text, p)
		}
		a.Values = append(a.Values, v)
	}
	if isRange {
		a.Values, a.Lo, a.Hi = nil, a.Values[0], a.Values[1]
		if a.Lo > a.Hi {
			return a, program.Usage("--grid %s: %s is above %s; want NAME=LEAST:MOST", text, lo, hi)
		}
	}
	return a, nil
}

// checkAxis refuses what is given elsewhere too, and what the head does not take.
func (f *fitting) checkAxis(text string, a train.Axis) error {
	name, param := strings.CutPrefix(a.Name, "map.")
	value, fixed := f.recipe.Spec.Params[name]
	switch {
	case !param && (name == train.AxisFeatures || name == train.AxisLambda):
		if f.given[name] != nil {
			return program.Usage("--%s and --grid %s: give one of the two", name, text)
		}
		least := a.Lo
		if a.Values != nil {
			least = slices.Min(a.Values)
		}
		if _, svm := f.recipe.Fitter.(linear.SVMOptions); svm && name == train.AxisLambda && least <= 0 {
			return program.Usage("--grid %s: --head svm wants lambdas above 0", text)
		}
	case fixed:
		return program.Usage("--params %s=%v and --grid %s: give one of the two", name, value, text)
	}
	return nil
}

// cvSpec is the map with as many features as it has in cross-validation.
func (f *fitting) cvSpec() layers.Spec {
	s := f.recipe.Spec
	s.Features = min(s.Features, cvFeatures)
	return s
}

// choose finds the best of the candidates by cross-validation, and puts its parameters, features and lambda into the
// recipe.
func (f *fitting) choose(ctx context.Context, rows data.Source, r *result) error {
	if f.CV == nil {
		return nil
	}
	of, candidates := f.recipe, f.search.candidates
	co := train.CVOptions{Folds: *f.CV, Seed: of.Spec.Seed}
	if of.Uncertainty = nil; candidates == nil {
		candidates = []train.Candidate{{Spec: f.cvSpec()}}
		if _, ridge := of.Fitter.(linear.RidgeOptions); fromData(of.Spec) {
			co.Factors = cvFactors[ridge]
		}
	}
	if v, err := strconv.ParseFloat(f.Lambda, 64); err == nil {
		co.Lambdas = []float64{v}
	}
	bar := program.NewProgress("cross-validation, folds")
	defer bar.Close()
	co.Progress = func(done, total int) { bar.Step(done, total, "") }
	of.Ready = func(s *train.Start) error {
		if err := f.settle(s); err != nil {
			return err
		}
		if s.Fitter, _ = with(s.Fitter, "Checkpoints", sgd.Checkpoints{}); f.Lambda != "" {
			s.Fitter = withLambdas(s.Fitter)
		}
		maps := max(1, len(candidates), len(co.Factors))
		text := fmt.Sprintf("cross-validation of %d maps in %d folds", maps, co.Folds)
		return f.afford(text, s.Problem, co.Cost(s.Fitter, s.Problem, maps))
	}
	scores, err := of.CrossValidate(ctx, rows, candidates, co)
	if err != nil {
		return err
	}
	best := scores.All[scores.Chosen]
	r.cv, r.CV = scores, cvScores(scores)
	if !f.search.random {
		r.CVEnds = scores.AtEnd
	}
	f.recipe.Spec.Params = best.Spec.Params
	if !math.IsNaN(best.Lambda) {
		r.Lambda = &best.Lambda
		f.newton = false
		f.recipe.Fitter = withLambdas(f.recipe.Fitter, best.Lambda)
	}
	if slices.ContainsFunc(f.search.axes, func(a train.Axis) bool { return a.Name == train.AxisFeatures }) {
		f.recipe.Spec.Features = best.Spec.Features
	}
	return nil
}

// fromData says whether the map of a spec has a parameter that comes from the data and is not given.
func fromData(s layers.Spec) bool {
	e, err := layers.Lookup(s.Map)
	if err != nil {
		return false
	}
	for _, p := range e.ParamsOf(s.Params) {
		if _, given := s.Params[p.Name]; !given && p.Default == nil && !p.Whole {
			return true
		}
	}
	return false
}

// cvScore is the JSON form of a score; one that is infinite has no error.
type cvScore struct {
	Params    layers.Values `json:"params"`
	Features  int           `json:"features"`
	Lambda    *float64      `json:"lambda"` // null for a Tuner, which keeps its own
	MSE       *float64      `json:"mse,omitempty"`
	ErrorRate *float64      `json:"error_rate,omitempty"` // of classes, which it is chosen by
	StdErr    *float64      `json:"std_err"`
}

func cvScores(r *train.Scores) (out []cvScore) {
	for _, s := range r.All {
		one := cvScore{Params: s.Spec.Params, Features: featuresOf(s.Spec)}
		if !math.IsNaN(s.Lambda) {
			one.Lambda = &s.Lambda
		}
		if !math.IsInf(s.Error, 1) {
			one.StdErr = &s.StdErr
			if r.Metric == fits.ErrorRate {
				one.ErrorRate = &s.Error
			}
			if !math.IsNaN(s.MSE) {
				one.MSE = &s.MSE
			}
		}
		out = append(out, one)
	}
	return out
}

// featuresOf is how many columns a map of a finished spec makes.
func featuresOf(s layers.Spec) int {
	if n, err := s.Columns(); err == nil {
		return n
	}
	return s.Features
}
