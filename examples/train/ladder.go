package main

import (
	"fmt"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/train"
)

// tuner tunes the map step by step, or by evidence alone, and shows what each step brought.
func (o *options) tuner(classes bool) *train.Tuner {
	bar, steps := cli.NewProgress("ladder, steps"), 0
	if o.steps != nil {
		bar = cli.NewProgress("evidence, evaluations")
	}
	l := train.Tuner{Steps: o.steps, HeldOut: o.fit.HeldOut, Seed: o.Seed, Descent: o.fit}
	l.Descent.HeldOut, l.Descent.Lambda = 0, 0
	l.Evidence.Seed = o.Seed
	l.Progress = func(g train.Step) {
		steps++
		bar.Step(steps, 5, rungText(g, classes))
	}
	if o.steps != nil {
		l.Evidence.Progress = func(done, most int, loss float64) { bar.Step(done, most, fmt.Sprintf("loss %.4f", loss)) }
	}
	return &l
}

// rungText is a step in a few words.
func rungText(g train.Step, classes bool) string {
	switch {
	case g.Note != "":
		return g.Name + ": " + g.Note
	case classes:
		return fmt.Sprintf("%s: error rate %.4f", g.Name, g.Score)
	}
	return fmt.Sprintf("%s: rmse %.4g", g.Name, g.Score)
}

// rung is a step in JSON; one that the map does not have has a note in place of figures.
type rung struct {
	Step      string   `json:"step"`
	ErrorRate *float64 `json:"error_rate,omitempty"`
	RMSE      *float64 `json:"rmse,omitempty"`
	Gain      *float64 `json:"gain,omitempty"` // of the error rate or the mean squared error over the frozen map
	StdErr    *float64 `json:"std_err,omitempty"`
	Seconds   float64  `json:"seconds"`
	Note      string   `json:"note,omitempty"`
	Chosen    bool     `json:"chosen,omitempty"`
}

func (r *result) rungs() (out []rung) {
	for _, g := range r.climb.Steps {
		one := rung{Step: g.Name, Seconds: g.Seconds, Note: g.Note, Chosen: g.Name == r.climb.Chosen}
		if g.Note == "" {
			one.Gain, one.StdErr = &g.Gain, &g.StdErr
			if r.classes != nil {
				one.ErrorRate = &g.Score
			} else {
				one.RMSE = &g.Score
			}
		}
		out = append(out, one)
	}
	return out
}

// showClimb prints what each step brought.
func (r *result) showClimb() {
	if r.climb.Steps == nil {
		return
	}
	score, of := "error rate", "error rate"
	if r.classes == nil {
		score, of = "rmse", "mean squared error"
	}
	fmt.Printf("\n| step | %s, held out | less %s than frozen | seconds | |\n|---|---|---|---|---|\n", score, of)
	for _, g := range r.climb.Steps {
		if g.Note != "" {
			fmt.Printf("| %s | | | | %s |\n", g.Name, g.Note)
			continue
		}
		mark := ""
		if g.Name == r.climb.Chosen {
			mark = "chosen"
		}
		fmt.Printf("| %s | %.4g | %.2g ± %.1g | %.1f | %s |\n", g.Name, g.Score, g.Gain, g.StdErr, g.Seconds, mark)
	}
	fmt.Println()
}
