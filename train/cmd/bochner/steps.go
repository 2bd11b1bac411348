package main

import (
	"cmp"
	"fmt"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// heldOutScore is the score of a trial on rows held out, in JSON.
type heldOutScore struct {
	ErrorRate *float64 `json:"error_rate,omitempty"`
	RMSE      *float64 `json:"rmse,omitempty"`
}

func heldOut(score *float64, classes data.Classes) heldOutScore {
	if classes != nil {
		return heldOutScore{ErrorRate: score}
	}
	return heldOutScore{RMSE: score}
}

// scoreText is a score in words, or a note in its place.
func scoreText(score float64, note string, task data.Task) string {
	switch {
	case note != "":
		return note
	case task == data.Regression:
		return fmt.Sprintf("rmse %.4g", score)
	}
	return fmt.Sprintf("error rate %.4f", score)
}

// tunerStep is a step in JSON; one that the map does not have has a note in place of figures.
type tunerStep struct {
	Step string `json:"step"`
	heldOutScore
	Gain    *float64 `json:"gain,omitempty"` // of the error rate or the mean squared error over the frozen map
	StdErr  *float64 `json:"std_err,omitempty"`
	Seconds float64  `json:"seconds"`
	Note    string   `json:"note,omitempty"`
	Chosen  bool     `json:"chosen,omitempty"`
}

func tunerSteps(r *train.Report, classes data.Classes) (out []tunerStep) {
	for _, g := range r.Steps {
		one := tunerStep{Step: g.Name, Seconds: g.Seconds, Note: g.Note, Chosen: g.Name == r.Chosen}
		if g.Note == "" {
			one.heldOutScore, one.Gain, one.StdErr = heldOut(&g.Score, classes), &g.Gain, &g.StdErr
		}
		out = append(out, one)
	}
	return out
}

// showSteps prints what each step brought.
func (r *result) showSteps() {
	score, of := "error rate", "error rate"
	if r.classes == nil {
		score, of = "rmse", "mean squared error"
	}
	fmt.Printf("\n| step | %s, held out | gain over frozen, %s | seconds | |\n|---|---|---|---|---|\n", score, of)
	for _, g := range r.Ladder {
		if g.Note != "" {
			fmt.Printf("| %s | | | | %s |\n", g.Step, g.Note)
			continue
		}
		mark := ""
		if g.Chosen {
			mark = "chosen"
		}
		fmt.Printf("| %s | %.4g | %.2g ± %.1g | %.1f | %s |\n", g.Step, *cmp.Or(g.ErrorRate, g.RMSE), *g.Gain, *g.StdErr, g.Seconds, mark)
	}
	fmt.Println()
}
