package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
)

// setAuto reads --auto, and refuses what it chooses by itself.
func (f *fitting) setAuto(node *kong.Node) error {
	if name := f.given.first(node, []string{"Map", "Head", "Search", "Recipe", "Files"}, "auto", "dtype", "seed", "distribution"); name != "" {
		return program.Usage("--%s does not apply to --auto, which chooses how rows are scaled, mapped and fitted", name)
	}
	n, err := strconv.Atoi(f.Auto)
	d, timeErr := time.ParseDuration(f.Auto)
	switch {
	case err == nil && n > 0:
		f.race.Trials = n
	case err != nil && timeErr == nil && d > 0:
		f.race.Budget = d
	default:
		return program.Usage("--auto %s: want a time, such as 60s, or a number of trials above 0", f.Auto)
	}
	if f.Maps.Seed != nil {
		f.recipe.Spec.Seed = *f.Maps.Seed
	}
	return nil
}

// raceModel reads the rows, lets recipes race, and evaluates the model. It calls begins before the race, which an
// interrupt ends with a model to be saved.
func (f *fitting) raceModel(ctx context.Context, begins func() bool) (*result, error) {
	start := time.Now()
	rows, openTest, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	test, err := openTest()
	if err != nil {
		return nil, err
	}
	r := new(result)
	r.seconds.Load = time.Since(start).Seconds()
	begins()
	m, err := r.raceRows(ctx, f, rows)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // an interrupt ended the race
	tested, err := test(m)
	if err == nil {
		err = r.checkTest(ctx, f, m, tested)
	}
	if err != nil {
		return nil, errors.Join(err, f.save(m))
	}
	showColumns(m.Columns, f.first, layers.Spec{Map: "gaussian"}, f.recipe.Scale)
	return r, f.assess(ctx, r, m, &timedMap{Layer: m.Map}, tested, rows, start)
}

// raceRows is the race.
func (r *result) raceRows(ctx context.Context, f *fitting, rows data.Source) (*train.Model, error) {
	start, bar, done := time.Now(), program.NewProgress("trials"), 0
	ao := f.race
	ao.Seed, ao.Dtype, ao.Columns, ao.Uncertainty = f.recipe.Spec.Seed, deref(f.Maps.Dtype), f.recipe.Columns, f.recipe.Uncertainty
	ao.Afford = affordScaling
	ao.Progress = func(t train.Trial) {
		done++
		note := fmt.Sprintf("round %d, %v: %s", t.Round, t, scoreText(t, f.task))
		if ao.Trials > 0 {
			bar.Step(done, ao.Trials, note)
		} else {
			bar.Step(min(int(time.Since(start)), int(ao.Budget)-1)/int(time.Second), int(ao.Budget/time.Second), note)
		}
	}
	m, report, err := train.Auto(ctx, rows, ao)
	bar.Close()
	if err != nil {
		return nil, err
	}
	r.auto, r.head, r.tuned = report, m.Head.Kind(), m.Spec.Tune
	if r.describeFit(report); r.history == nil && r.head == "linear" {
		r.head = "ridge"
	}
	if best := report.Trials[report.Best]; !report.Whole {
		fmt.Fprintf(os.Stderr, "interrupted: the model is that of the best trial, which has learned from %d rows\n", best.Rows)
	}
	r.seconds.Fit = time.Since(start).Seconds()
	return m, nil
}

// scoreText is the score of a trial in words.
func scoreText(t train.Trial, task data.Task) string {
	switch {
	case t.Note != "":
		return t.Note
	case task == data.Regression:
		return fmt.Sprintf("rmse %.4g", t.Score)
	}
	return fmt.Sprintf("error rate %.4f", t.Score)
}

// autoTrial is a trial in JSON; one that failed has a note in place of a score.
type autoTrial struct {
	Recipe    string        `json:"recipe"`
	Map       string        `json:"map"`
	Params    layers.Values `json:"params"`
	Features  int           `json:"features"`
	Scale     string        `json:"scale"`
	Steps     []string      `json:"steps"`
	Epochs    int           `json:"epochs,omitempty"`
	MapRate   float64       `json:"map_rate,omitempty"`
	Round     int           `json:"round"`
	Rows      int           `json:"rows"`
	ErrorRate *float64      `json:"error_rate,omitempty"`
	RMSE      *float64      `json:"rmse,omitempty"`
	Seconds   float64       `json:"seconds"`
	Note      string        `json:"note,omitempty"`
	Chosen    bool          `json:"chosen,omitempty"`
}

func (r *result) autoTrials() (out []autoTrial) {
	for i, t := range r.auto.Trials {
		spec := t.Recipe.Spec
		one := autoTrial{Recipe: t.String(), Map: spec.Map, Params: spec.Params, Features: t.Features, Scale: t.Recipe.Scale, Steps: t.Steps, Epochs: t.Epochs, MapRate: t.MapRate, Round: t.Round, Rows: t.Rows,
			Seconds: t.Seconds, Note: t.Note, Chosen: i == r.auto.Best}
		switch {
		case t.Note != "":
		case r.classes != nil:
			one.ErrorRate = &t.Score
		default:
			one.RMSE = &t.Score
		}
		out = append(out, one)
	}
	return out
}

// leaderboard are the trials by score, those that failed last.
func (r *result) leaderboard() []train.Trial {
	all := slices.Clone(r.auto.Trials)
	slices.SortStableFunc(all, func(a, b train.Trial) int {
		if a.Note != "" || b.Note != "" {
			return cmp.Compare(len(a.Note), len(b.Note))
		}
		return cmp.Compare(a.Score, b.Score)
	})
	return all
}

// showAuto prints the leaderboard.
func (r *result) showAuto() {
	score := "error rate"
	if r.classes == nil {
		score = "rmse"
	}
	fmt.Printf("\n%s\n\n| rank | recipe | round | rows | %s, held out | seconds |\n|---|---|---|---|---|---|\n", r.auto.Kind, score)
	for i, t := range r.leaderboard() {
		text := fmt.Sprintf("%.4g", t.Score)
		if t.Note != "" {
			text = strings.ReplaceAll(short(t.Note, 60), "|", "/")
		}
		fmt.Printf("| %d | %v | %d | %d | %s | %.1f |\n", i+1, t, t.Round, t.Rows, text, t.Seconds)
	}
	fmt.Println()
}

// autoBars is how many trials a picture shows.
const autoBars = 20

// drawAuto draws the scores of the better trials as bars, the best on top, with the recipe and the rows beside each.
func (r *result) drawAuto() (image.Image, error) {
	all := slices.DeleteFunc(r.leaderboard(), func(t train.Trial) bool { return t.Note != "" })
	all = all[:min(autoBars, len(all))]
	label := "error rate on rows held out"
	if r.classes == nil {
		label = "root mean squared error on rows held out"
	}
	var bars []report.Bar
	for i, t := range all {
		kind := "tuned"
		switch {
		case i == 0:
			kind = "the best"
		case t.Steps[0] == train.StepFrozen:
			kind = "frozen"
		}
		name := fmt.Sprintf("%s, %s, %d, %s; %d rows", t.Recipe.Scale, t.Recipe.Spec.Map, t.Features, strings.Join(t.Steps, "+"), t.Rows)
		bars = append(bars, report.Bar{Name: name, Value: t.Score, Kind: kind})
	}
	return report.Bars(label, bars, report.WithTitle(fmt.Sprintf("The best %d of %d trials", len(all), len(r.auto.Trials))))
}
