package main

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/report"
)

// relevantColumn is a column and by how much it matters, relative to the one that matters most.
type relevantColumn struct {
	Column    string  `json:"column"`
	Relevance float64 `json:"relevance"`
}

// relevanceOf are the columns of a model by their relevance, the largest first; nil where evidence has not found one scale a
// column.
func relevanceOf(m *train.Model) (out []relevantColumn) {
	var names []string
	if m.Columns != nil {
		names = m.Columns.Names()
	}
	d, lists := m.Dims(), strings.Split(m.Scaler.Name(), "|")
	for j, v := range m.Relevance {
		name := fmt.Sprint(j%d + 1)
		if names != nil {
			name = names[j%d]
		}
		if len(lists) > 1 {
			name += " by " + lists[j/d]
		}
		out = append(out, relevantColumn{name, v})
	}
	slices.SortStableFunc(out, func(a, b relevantColumn) int { return cmp.Compare(b.Relevance, a.Relevance) })
	return out
}

// mostRelevant is how many columns are printed, and drawnRelevant how many are drawn.
const mostRelevant, drawnRelevant = 8, 30

// showRelevance prints the columns that matter most.
func (r *result) showRelevance() {
	if r.Relevance == nil {
		return
	}
	var words []string
	for _, c := range r.Relevance {
		words = append(words, fmt.Sprintf("%s %.2g", c.Column, c.Relevance))
	}
	fmt.Printf("relevance    %s\n", program.Shown(listOf(words, mostRelevant)))
}

// drawRelevance draws them as bars.
func (r *result) drawRelevance() (image.Image, error) {
	var bars []report.Bar
	for _, c := range r.Relevance[:min(drawnRelevant, len(r.Relevance))] {
		name := c.Column
		if r.columnsByPlace {
			name = "column " + name
		}
		bars = append(bars, report.Bar{Name: name, Value: c.Relevance})
	}
	title := "How much each column matters"
	if len(bars) < len(r.Relevance) {
		title = fmt.Sprintf("The %d columns of %d that matter most", len(bars), len(r.Relevance))
	}
	return report.Bars("relevance", bars, report.WithTitle(title))
}
