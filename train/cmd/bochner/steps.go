package main

import "fmt"

// tunerStep is a step in JSON; one that the map does not have has a note in place of figures.
type tunerStep struct {
	Step      string   `json:"step"`
	ErrorRate *float64 `json:"error_rate,omitempty"`
	RMSE      *float64 `json:"rmse,omitempty"`
	Gain      *float64 `json:"gain,omitempty"` // of the error rate or the mean squared error over the frozen map
	StdErr    *float64 `json:"std_err,omitempty"`
	Seconds   float64  `json:"seconds"`
	Note      string   `json:"note,omitempty"`
	Chosen    bool     `json:"chosen,omitempty"`
}

func (r *result) tunerSteps() (out []tunerStep) {
	for _, g := range r.steps.Steps {
		one := tunerStep{Step: g.Name, Seconds: g.Seconds, Note: g.Note, Chosen: g.Name == r.steps.Chosen}
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

// showSteps prints what each step brought.
func (r *result) showSteps() {
	if r.steps.Steps == nil {
		return
	}
	score, of := "error rate", "error rate"
	if r.classes == nil {
		score, of = "rmse", "mean squared error"
	}
	fmt.Printf("\n| step | %s, held out | gain over frozen, %s | seconds | |\n|---|---|---|---|---|\n", score, of)
	for _, g := range r.steps.Steps {
		if g.Note != "" {
			fmt.Printf("| %s | | | | %s |\n", g.Name, g.Note)
			continue
		}
		mark := ""
		if g.Name == r.steps.Chosen {
			mark = "chosen"
		}
		fmt.Printf("| %s | %.4g | %.2g ± %.1g | %.1f | %s |\n", g.Name, g.Score, g.Gain, g.StdErr, g.Seconds, mark)
	}
	fmt.Println()
}
