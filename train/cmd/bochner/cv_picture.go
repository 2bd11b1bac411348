package main

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/report"
)

// cvColumns is how many values of a setting have a line through their least errors.
const cvColumns = 16

// drawCV draws the errors, with a bar of a standard error to both sides, in a panel for each setting that varies.
func drawCV(r *train.Scores) (image.Image, error) {
	var panels []image.Image
	for _, s := range settingsOf(r) {
		panel, err := drawCloud(r, s)
		if err != nil {
			return nil, err
		}
		panels = append(panels, panel)
	}
	if panels == nil {
		return nil, nil
	}
	return report.Grid(min(2, len(panels)), panels...)
}

// drawCloud draws all scores against a setting as points, with a line through the least of each value where there are
// several of few.
func drawCloud(r *train.Scores, x setting) (image.Image, error) {
	cloud := report.Line{Name: fmt.Sprintf("%d candidates", len(r.All)), Points: true}
	best := report.Line{Name: "the best: " + x.name + "=" + number(x.at[r.Chosen]), Points: true}
	for i := range r.All {
		if i == r.Chosen {
			x.add(&best, r, i)
		} else {
			x.add(&cloud, r, i)
		}
	}
	lines := []report.Line{cloud}
	if n := len(x.values); n <= cvColumns && n < len(r.All) {
		lines = append(lines, x.least(r))
	}
	return x.draw(r, append(lines, best))
}

// least is a line through the least error of each value.
func (s setting) least(r *train.Scores) report.Line {
	at := make([]int, len(s.values)) // of the score, from 1
	for i, score := range r.All {
		if j, _ := slices.BinarySearch(s.values, s.at[i]); at[j] == 0 || score.Error < r.All[at[j]-1].Error {
			at[j] = i + 1
		}
	}
	l := report.Line{Name: "the least of each"}
	for _, i := range at {
		s.add(&l, r, i-1)
	}
	l.Bars = nil
	return l
}

// add puts a score on a line, unless it is infinite.
func (s setting) add(l *report.Line, r *train.Scores, i int) {
	score, x := r.All[i], s.at[i]
	if x == 0 && s.values[0] == 0 {
		x = s.zero()
	}
	if !math.IsInf(score.Error, 1) {
		l.Add(x, score.Error, score.StdErr)
	}
}

// zero is where 0 is drawn on a logarithmic axis.
func (s setting) zero() float64 { return s.values[1] / 10 }

// draw draws the lines that have points, on a logarithmic axis where no value is negative.
func (s setting) draw(r *train.Scores, lines []report.Line) (image.Image, error) {
	lines = slices.DeleteFunc(lines, func(l report.Line) bool { return len(l.X) == 0 })
	opts, label := []report.Option{report.WithTitle("Cross-validation, with standard errors")}, s.name
	if s.values[0] >= 0 {
		opts = append(opts, report.WithLogX())
	}
	if s.values[0] == 0 {
		label += fmt.Sprintf(" (0 is drawn at %s)", number(s.zero()))
	}
	return report.Lines(label, r.Metric.String(), lines, opts...)
}
