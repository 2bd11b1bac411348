package main

import (
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/report"
)

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
