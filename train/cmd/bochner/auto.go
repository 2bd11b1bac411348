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
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
)

// setAuto reads --auto, and refuses what it chooses by itself.
func (f *fitting) setAuto(node *kong.Node) error {
	if name := f.given.first(node, []string{"Map", "Head", "Search", "Recipe", "Files"}, "auto", "dtype", "seed", "distribution", "save-recipe"); name != "" {
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
	rows, test, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	r := new(result)
	r.Seconds.Load = time.Since(start).Seconds()
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
	showColumns(m.Columns, f.first, "", false)
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
		note := fmt.Sprintf("round %d, %v: %s", t.Round, t, scoreText(t.Score, t.Note, f.task))
		if ao.Trials > 0 {
			bar.Step(done, ao.Trials, note)
		} else {
			bar.Step(int(min(time.Since(start), ao.Budget-1)/time.Second), int(ao.Budget/time.Second), note)
		}
	}
	m, report, err := train.Auto(ctx, rows, ao)
	bar.Close()
	if err != nil {
		return nil, err
	}
	r.auto, r.Auto, r.Head = report, autoTrials(report, m.Classes), m.Head.Kind()
	best := report.Trials[report.Best]
	f.recipe, f.fitted = best.Recipe, best.Recipe.Fitter
	if r.describeFit(report); r.history == nil && r.Head == "linear" {
		r.Head = "ridge"
	}
	if !report.Whole && ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "interrupted: the model is of the trials so far, the best of which learned from %d rows\n",
			best.Rows)
	}
	r.Seconds.Fit = time.Since(start).Seconds()
	return m, nil
}

// autoTrial is a trial in JSON; one that failed has a note in place of a score. Its recipe is as --recipe reads it.
type autoTrial struct {
	Name     string       `json:"name"`
	Recipe   train.Recipe `json:"recipe"`
	Round    int          `json:"round"`
	Rows     int          `json:"rows"`
	Features int          `json:"features"`
	Loss     *float64     `json:"loss,omitempty"`
	heldOutScore
	Seconds float64 `json:"seconds"`
	Ended   float64 `json:"ended"`
	Weight  float64 `json:"weight"`
	Note    string  `json:"note,omitempty"`
}

func autoTrials(r *train.Report, classes data.Classes) (out []autoTrial) {
	for _, t := range r.Trials {
		one := autoTrial{Name: t.String(), Recipe: t.Recipe, Round: t.Round, Rows: t.Rows, Features: t.Features,
			Seconds: t.Seconds, Ended: t.Ended, Weight: t.Weight, Note: t.Note}
		if t.Note == "" {
			one.Loss, one.heldOutScore = &t.Loss, heldOut(&t.Score, classes)
		}
		out = append(out, one)
	}
	return out
}

// showAuto prints the trials by loss, those that failed last.
func (r *result) showAuto() {
	all := slices.Clone(r.auto.Trials)
	slices.SortStableFunc(all, func(a, b train.Trial) int {
		if a.Note != "" || b.Note != "" {
			return cmp.Compare(len(a.Note), len(b.Note))
		}
		return cmp.Compare(a.Loss, b.Loss)
	})
	loss, score := "log loss, held out", "error rate"
	if r.classes == nil {
		loss, score = "squared error, held out", "rmse"
	}
	fmt.Printf("\n%s\n\n| recipe | rows | %s | %s | seconds | weight |\n|---|---|---|---|---|---|\n", r.auto.Kind, loss, score)
	for _, t := range all {
		text := fmt.Sprintf("%.4g | %.4g", t.Loss, t.Score)
		if t.Note != "" {
			text = strings.ReplaceAll(short(t.Note, 60), "|", "/") + " | "
		}
		fmt.Printf("| %v | %d | %s | %.1f | %.2g |\n", t, t.Rows, text, t.Seconds, t.Weight)
	}
	fmt.Println()
}

// drawAuto draws the loss of each trial by the time when it ended, and the least so far.
func (r *result) drawAuto() (image.Image, error) {
	label := "negative log-likelihood of rows held out"
	if r.classes == nil {
		label = "mean squared error on rows held out"
	}
	var lines []report.Line
	least := report.Line{Name: "the least so far"}
	for _, t := range r.auto.Trials {
		if t.Note != "" {
			continue
		}
		i := slices.IndexFunc(lines, func(l report.Line) bool { return l.Name == t.Kind })
		if i < 0 {
			i = len(lines)
			lines = append(lines, report.Line{Name: t.Kind, Points: true})
		}
		lines[i].X, lines[i].Y = append(lines[i].X, t.Ended), append(lines[i].Y, t.Loss)
	}
	for _, t := range slices.SortedFunc(slices.Values(r.auto.Trials), func(a, b train.Trial) int { return cmp.Compare(a.Ended, b.Ended) }) {
		if n := len(least.Y); t.Note == "" && (n == 0 || t.Loss < least.Y[n-1]) {
			least.X, least.Y = append(least.X, t.Ended), append(least.Y, t.Loss)
		}
	}
	return report.Lines("seconds", label, append(lines, least), report.WithTitle(fmt.Sprintf("%d trials", len(r.auto.Trials))))
}
