package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// autoFlags are the flags that go with -auto, besides those of the columns of a table.
var autoFlags = []string{"auto", "train", "test", "task", "label", "drop-unlabelled", "header", "delimiter", "save", "onnx", "plot", "json", "seed", "dtype", "distribution", "level"}

// checkAuto reads -auto, and refuses what it chooses by itself.
func (o *options) checkAuto(race string, given map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch table := name == "label" || name == "header" || name == "delimiter" || slices.Contains(columnFlags, name); {
		case !table && !slices.Contains(autoFlags, name):
			return cli.Usage("-%s does not apply to -auto, which chooses how rows are scaled, mapped and fitted", name)
		case table && o.bags:
			return cli.Usage("-%s does not apply to sets of samples, whose files name the column", name)
		case (table || name == "drop-unlabelled") && o.train == "":
			return cli.Usage("-%s does not apply to the made histograms; it goes with -train", name)
		}
	}
	n, err := strconv.Atoi(race)
	d, timeErr := time.ParseDuration(race)
	switch {
	case err == nil && n > 0:
		o.race.Trials = n
	case err != nil && timeErr == nil && d > 0:
		o.race.Budget = d
	default:
		return cli.Usage("-auto %s: want a time, such as 60s, or a number of trials above 0", race)
	}
	if err := o.CheckDtype(); err != nil {
		return err
	}
	switch {
	case o.train == "" && o.test != "":
		return cli.Usage("-test without -train or -load; say what to train on")
	case o.train == "" && o.task != data.Classification:
		return cli.Usage("the made data have classes; this -task needs -train")
	case o.train == "" && !given["plot"]:
		o.plot = "train.png"
	}
	o.Scale = "none" // which the rows are read for
	return nil
}

// raceModel reads the rows, lets recipes race, and evaluates the model. It calls begins before the race, which an
// interrupt ends with a model to be saved.
func raceModel(ctx context.Context, o *options, begins func() bool) (*result, error) {
	start := time.Now()
	rows, openTest, err := o.open(ctx)
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
	m, err := r.raceRows(ctx, o, rows)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // an interrupt ended the race
	tested, err := test(m)
	if err == nil {
		err = r.checkTest(ctx, o, m, tested)
	}
	if err != nil {
		return nil, errors.Join(err, o.saveModel(m))
	}
	o.showColumns(m.Columns, o.first)
	timed := &cli.TimedMap{Layer: m.Map}
	evaluated := *m
	evaluated.Map = timed
	if err = r.evaluate(ctx, &evaluated, tested); err == nil {
		err = r.evaluateOn(ctx, &evaluated, rows)
	}
	if err == nil && m.Uncertainty != nil {
		err = r.measureSureness(ctx, &evaluated, tested, o.level)
	}
	if err == nil {
		err = r.evaluation().Put(m)
	}
	if err := errors.Join(err, o.saveModel(m)); err != nil { // what was fitted is saved in any case
		return nil, err
	}
	r.seconds.Features = timed.Spent.Seconds()
	r.seconds.Total = time.Since(start).Seconds()
	return r, nil
}

// evaluateOn scores the model on the training rows, which are in memory.
func (r *result) evaluateOn(ctx context.Context, m *train.Model, rows data.Source) (err error) {
	set, ok := rows.(*data.Set)
	if !ok {
		if set, err = m.Rows(rows.(*data.Frame)); err != nil {
			return err
		}
	}
	r.trainRows = set.Rows()
	learned, err := testSetRows(set)(m)
	if err == nil {
		r.train, err = score(ctx, m, learned, func(ops.Matrix) error { return nil })
	}
	return err
}

// raceRows is the race.
func (r *result) raceRows(ctx context.Context, o *options, rows data.Source) (*train.Model, error) {
	start, bar, done := time.Now(), cli.NewProgress("trials"), 0
	ao := o.race
	ao.Seed, ao.Dtype, ao.Columns, ao.Afford = o.Seed, o.Dtype, &o.columns, o.Recipe(layers.Spec{}).Afford
	ao.Uncertainty = o.uncertainty()
	ao.Progress = func(t train.Trial) {
		done++
		note := fmt.Sprintf("round %d, %v: %s", t.Round, t, scoreText(t, o.task))
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
	if r.fitted(report); r.history == nil && r.head == "linear" {
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
