package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
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
	trials     int               // 0: all combinations
	candidates []train.Candidate // nil: around the parameter that comes from the data
}

// setSearch reads -grid and -trials, and makes the candidates that need no data. o.spec is there.
func (o *options) setSearch(grid []string, given map[string]bool) error {
	switch {
	case o.cv == 0 && len(grid) > 0:
		return cli.Usage("-grid is searched by cross-validation; say -cv FOLDS")
	case given["trials"] && len(grid) == 0:
		return cli.Usage("-trials draws from ranges; give one, as -grid sigma=1:10")
	case given["trials"] && o.search.trials < 1:
		return cli.Usage("-trials %d: want at least 1", o.search.trials)
	case len(grid) == 0:
		return nil
	}
	ranges := 0
	for _, text := range grid {
		a, err := parseAxis(text)
		if err != nil {
			return err
		}
		if err := o.checkAxis(text, a, given); err != nil {
			return err
		}
		if a.Values == nil {
			ranges++
		}
		o.search.axes = append(o.search.axes, a)
	}
	var err error
	switch {
	case ranges == 0 && given["trials"]:
		return cli.Usage("-trials draws from ranges, and -grid has none; give one, as sigma=1:10")
	case given["trials"]:
		o.search.candidates, err = train.RandomSearch(o.cvSpec(), o.search.trials, o.Seed, o.search.axes...)
	default:
		o.search.candidates, err = train.Grid(o.cvSpec(), o.search.axes...)
	}
	if err != nil {
		return cli.Usage("-grid: %w", err)
	}
	for _, c := range o.search.candidates {
		if e, err := layers.Lookup(c.Spec.Map); err == nil && e.HasFeatures() {
			if err := cli.CheckFeatures("grid features", c.Spec.Features); err != nil {
				return err
			}
		}
		if err := cli.Probe(c.Spec); err != nil {
			return cli.Usage("-grid: %w", err)
		}
	}
	return nil
}

// parseAxis reads name=1,2,4 or name=1:4.
func parseAxis(text string) (train.Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	a := train.Axis{Name: strings.TrimSpace(name)}
	if !ok || a.Name == "" || values == "" {
		return a, cli.Usage("-grid %s: want NAME=VALUE,VALUE,... or NAME=LEAST:MOST", text)
	}
	lo, hi, isRange := strings.Cut(values, ":")
	parts := strings.Split(values, ",")
	if isRange {
		parts = []string{lo, hi}
	}
	for _, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return a, cli.Usage("-grid %s: %q is not a number; want NAME=VALUE,VALUE,... or NAME=LEAST:MOST", text, p)
		}
		a.Values = append(a.Values, v)
	}
	if isRange {
		a.Values, a.Lo, a.Hi = nil, a.Values[0], a.Values[1]
	}
	return a, nil
}

// checkAxis refuses what is given in another flag too, and what the head does not take.
func (o *options) checkAxis(text string, a train.Axis, given map[string]bool) error {
	name, param := strings.CutPrefix(a.Name, "map.")
	_, fixed := o.spec.Params[name]
	switch {
	case a.Values == nil && !given["trials"]:
		return cli.Usage("-grid %s is a range, which -trials N draws from; list values instead, as %s=1,2,4", text, a.Name)
	case !param && (name == train.AxisFeatures || name == train.AxisLambda):
		if given[name] {
			return cli.Usage("-%s and -grid %s: give one of the two", name, text)
		}
		values := a.Values
		if values == nil {
			values = []float64{a.Lo, a.Hi}
		}
		if name == train.AxisLambda && o.head == "svm" && slices.Min(values) <= 0 {
			return cli.Usage("-grid %s: -head svm wants lambdas above 0", text)
		}
	case fixed:
		return cli.Usage("-params %s=%v and -grid %s: give one of the two", name, o.spec.Params[name], text)
	}
	return nil
}

// cvSpec is the map with as many features as it has in cross-validation.
func (o *options) cvSpec() layers.Spec {
	s := o.spec
	s.Features = min(s.Features, cvFeatures)
	return s
}

// choose finds the best of the candidates by cross-validation, or under -lambda held-out the best lambda of ridge
// regression, and puts its parameters, features and lambda into the recipe and the flags.
func (o *options) choose(ctx context.Context, recipe *train.Recipe, rows data.Source, r *result) error {
	heldOut := o.head == "ridge" && o.lambda == "held-out" && !o.ladder
	what, candidates := "cross-validation", o.search.candidates
	co := train.CVOptions{Folds: o.cv, Seed: o.Seed}
	of := *recipe
	switch of.Uncertainty = nil; {
	case o.cv == 0 && !heldOut:
		return nil
	case o.cv == 0:
		co.Folds, what = 5, "lambda"
	case candidates == nil && fromData(o.spec):
		co.Factors = cvFactors[o.head == "ridge"]
		fallthrough
	case candidates == nil:
		candidates = []train.Candidate{{Spec: o.cvSpec()}}
	}
	if o.cv > 0 && o.lambda != "" {
		co.Lambdas = []float64{o.fit.Lambda}
	}
	bar := cli.NewProgress(what + ", folds")
	defer bar.Close()
	co.Progress = func(done, total int) { bar.Step(done, total, "") }
	of.Ready = func(s *train.Start) error {
		if err := o.settle(s); err != nil {
			return err
		}
		s.Fitter = o.cvHead(s.Problem.Rows)
		maps := max(1, len(candidates), len(co.Factors))
		text := fmt.Sprintf("cross-validation of %d maps in %d folds", maps, co.Folds)
		if o.cv == 0 {
			text = fmt.Sprintf("the choice of lambda in %d folds", co.Folds)
		}
		return o.afford(text, s.Problem, co.Cost(s.Fitter, s.Problem, maps))
	}
	scores, err := of.CrossValidate(ctx, rows, candidates, co)
	if err != nil {
		return err
	}
	best := scores.All[scores.Chosen]
	o.fit.Lambda, o.lambda = best.Lambda, "chosen"
	if o.cv == 0 {
		return nil
	}
	if r.cv = scores; o.search.trials == 0 {
		r.cvEnds = scores.AtEnd
	}
	recipe.Spec.Params, r.lambda = best.Spec.Params, &best.Lambda
	if slices.ContainsFunc(o.search.axes, func(a train.Axis) bool { return a.Name == train.AxisFeatures }) {
		recipe.Spec.Features = best.Spec.Features
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

// cvHead is the head with its options, for n rows.
func (o *options) cvHead(n int) fits.Fitter {
	switch {
	case o.newton:
		l := o.logisticOptions(n)
		l.Lambdas = nil
		return l
	case o.head == "ridge":
		return linear.RidgeOptions{ClassWeights: o.fit.ClassWeights}
	case o.head == "svm":
		s := o.svmOptions(n)
		s.Lambdas = nil
		return s
	}
	f := o.fit
	f.Lambda, f.Checkpoints = 0, sgd.Checkpoints{}
	return sgd.MiniBatch{FitOptions: f, Head: o.head}
}

// cvScore is the JSON form of a score; one that is infinite has no error.
type cvScore struct {
	Params    layers.Values `json:"params"`
	Features  int           `json:"features"`
	Lambda    float64       `json:"lambda"`
	MSE       *float64      `json:"mse,omitempty"`
	ErrorRate *float64      `json:"error_rate,omitempty"` // of classes, which it is chosen by
	StdErr    *float64      `json:"std_err"`
}

func cvScores(r *train.Scores) (out []cvScore) {
	for _, s := range r.All {
		one := cvScore{Params: s.Spec.Params, Lambda: s.Lambda, Features: featuresOf(s.Spec)}
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
