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
	add(train.AxisLambda, func(s train.Score) float64 { return s.Lambda })
	return out
}

// full says whether a table of rows by across has a score in every cell, and no cell twice. For lambdas two thirds of
// the cells are enough, because the grid of lambdas grows for some rows only.
func full(rows []setting, across setting) bool {
	names, cells := map[string]bool{}, map[string]bool{}
	for i := range across.at {
		names[nameOf(rows, i)] = true
		cells[fmt.Sprint(nameOf(rows, i), across.at[i])] = true
	}
	all := len(names) * len(across.values)
	return len(cells) == len(across.at) && (len(cells) == all || across.name == train.AxisLambda && 3*len(cells) >= 2*all)
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

// A list has at most cvLines lines, the best ones, and a table at most cvColumns columns.
const cvLines, cvColumns = 20, 16

// printCV prints the errors; the best is marked. A full table has the last setting across. Otherwise each score has a
// line, the best first. It ends with the settings whose best value is at an end.
func printCV(w io.Writer, r *train.Scores, ends []string) {
	all := settingsOf(r)
	fmt.Fprintf(w, "cross-validated %v", r.Metric)
	if last := len(all) - 1; last > 0 && full(all[:last], all[last]) && len(all[last].values) <= cvColumns {
		printRows(w, crossTable(r, all[:last], all[last]))
	} else {
		printRows(w, scoreList(r, all))
	}
	for _, name := range ends {
		fmt.Fprintf(w, "the best %s is at an end of what was tried, and a better one may lie beyond\n", name)
	}
}

// crossTable has a line for each combination of the settings of rows, in the order in which they were scored, and a
// column for each value of across.
func crossTable(r *train.Scores, rows []setting, across setting) [][]string {
	head := []string{across.name + ":"}
	for _, v := range across.values {
		head = append(head, number(v)+" ")
	}
	table, at := [][]string{head}, map[string]int{}
	for i, s := range r.All {
		name := nameOf(rows, i)
		if at[name] == 0 {
			at[name] = len(table)
			table = append(table, append([]string{name}, make([]string, len(across.values))...))
		}
		table[at[name]][1+across.index(i)] = marked(s.Error, i == r.Chosen)
	}
	return table
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
		line := ""
		for j, text := range row {
			pad := strings.Repeat(" ", wide[j]-utf8.RuneCountInString(text))
			if j == 0 {
				line += "  " + text + pad
			} else {
				line += "  " + pad + text
			}
		}
		fmt.Fprint(w, "\n", strings.TrimRight(line, " "))
	}
	fmt.Fprintln(w)
}
