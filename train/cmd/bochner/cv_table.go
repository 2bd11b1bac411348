package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bochner-go/bochner/train"
)

// setting is what varies over the scores of a cross-validation: a parameter of the map, the features or lambda.
type setting struct {
	name   string
	at     []float64 // of each score
	values []float64 // the different ones, in rising order
}

// index is the place of a score's value among the values.
func (s setting) index(score int) int {
	i, _ := slices.BinarySearch(s.values, s.at[score])
	return i
}

// settingsOf are the parameters by name, the features and lambda, as far as they vary.
func settingsOf(r *train.Scores) (out []setting) {
	add := func(name string, of func(s train.Score) float64) {
		one := setting{name: name}
		for _, s := range r.All {
			one.at = append(one.at, of(s))
		}
		one.values = slices.Clone(one.at)
		slices.Sort(one.values)
		if one.values = slices.Compact(one.values); len(one.values) > 1 {
			out = append(out, one)
		}
	}
	var names []string
	for name, value := range r.All[0].Spec.Params {
		if _, number := value.(float64); number {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		shown := name
		if name == train.AxisFeatures || name == train.AxisLambda {
			shown = "map." + name
		}
		add(shown, func(s train.Score) float64 { return s.Spec.Params.Number(name) })
	}
	add(train.AxisFeatures, func(s train.Score) float64 { return float64(featuresOf(s.Spec)) })
	if !math.IsNaN(r.All[0].Lambda) { // a Tuner keeps its own
		add(train.AxisLambda, func(s train.Score) float64 { return s.Lambda })
	}
	return out
}

// nameOf is what a score has for the settings.
func nameOf(all []setting, score int) string {
	var parts []string
	for _, s := range all {
		parts = append(parts, s.name+"="+number(s.at[score]))
	}
	return strings.Join(parts, " ")
}

func number(v float64) string { return fmt.Sprintf("%.4g", v) }

// cvLines is how many scores a table has at most, the best ones.
const cvLines = 20

// printCV prints a line for each score, the best first, and the settings whose best value is at an end.
func printCV(w io.Writer, r *train.Scores, ends []string) {
	fmt.Fprintf(w, "cross-validated %v", r.Metric)
	printRows(w, scoreList(r, settingsOf(r)))
	for _, name := range ends {
		fmt.Fprintf(w, "the best %s is at an end of what was tried, and a better one may lie beyond\n", name)
	}
}

// scoreList has a line for each score with its standard error: by the one setting, or the best first.
func scoreList(r *train.Scores, all []setting) [][]string {
	order := make([]int, len(r.All))
	for i := range order {
		order[i] = i
	}
	head := []string{"", "error ", "± std. error"}
	if len(all) != 1 || len(order) > cvLines {
		slices.SortStableFunc(order, func(a, b int) int {
			switch x, y := r.All[a].Error, r.All[b].Error; {
			case a == r.Chosen || x < y:
				return -1
			case b == r.Chosen || x > y:
				return 1
			}
			return 0
		})
	}
	if len(order) > cvLines {
		head[0] = fmt.Sprintf("the %d best of %d", cvLines, len(order))
		order = order[:cvLines]
	}
	table := [][]string{head}
	for _, i := range order {
		s := r.All[i]
		table = append(table, []string{nameOf(all, i), marked(s.Error, i == r.Chosen), fmt.Sprintf("± %.2g", s.StdErr)})
	}
	return table
}

func marked(v float64, best bool) string {
	switch {
	case math.IsInf(v, 1):
		return "- "
	case best:
		return number(v) + "*"
	}
	return number(v) + " "
}

// printRows prints a table with its columns below one another, the first to the left.
func printRows(w io.Writer, table [][]string) {
	wide := make([]int, len(table[0]))
	for _, row := range table {
		for j, text := range row {
			wide[j] = max(wide[j], utf8.RuneCountInString(text))
		}
	}
	for _, row := range table {
		line := fmt.Sprintf("  %-*s", wide[0], row[0])
		for j, text := range row[1:] {
			line += fmt.Sprintf("  %*s", wide[j+1], text)
		}
		fmt.Fprint(w, "\n", strings.TrimRight(line, " "))
	}
	fmt.Fprintln(w)
}
