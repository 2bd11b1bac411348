package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/bochner-go/bochner/train"
)

// setting is what varies over the scores of a cross-validation: a parameter of the map, the features or lambda.
type setting struct {
	name   string
	at     []float64 // of each score
	values []float64 // the different ones, in rising order
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
	params := r.All[0].Spec.Params
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if _, number := params[name].(float64); !number {
			continue
		}
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

// showCV prints a line for each score with its standard error, by the one setting or the best first, and the settings
// whose best value is at an end.
func (r *result) showCV() {
	all, order, first := settingsOf(r.cv), make([]int, len(r.cv.All)), ""
	for i := range order {
		order[i] = i
	}
	if len(all) != 1 || len(order) > cvLines {
		rank := func(i int) float64 {
			if i == r.cv.Chosen {
				return math.Inf(-1)
			}
			return r.cv.All[i].Error
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	}
	if len(order) > cvLines {
		first = fmt.Sprintf("the %d best of %d", cvLines, len(order))
		order = order[:cvLines]
	}
	fmt.Printf("cross-validated %v\n", r.cv.Metric)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  %s\terror\t± std. error\n", first)
	for _, i := range order {
		s := r.cv.All[i]
		text := number(s.Error)
		switch {
		case math.IsInf(s.Error, 1):
			text = "-"
		case i == r.cv.Chosen:
			text += "*"
		}
		fmt.Fprintf(table, "  %s\t%s\t± %.2g\n", nameOf(all, i), text, s.StdErr)
	}
	table.Flush()
	for _, name := range r.CVEnds {
		fmt.Printf("the best %s is at an end of what was tried, and a better one may lie beyond\n", name)
	}
}
