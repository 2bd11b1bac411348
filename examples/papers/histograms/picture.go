package main

import (
	"strings"

	"github.com/bochner-go/bochner/train/report"
)

// picture draws accuracy against features: of the maps that are drawn at random, or of the others.
func (e *experiment) picture(title string, random bool) error {
	series := curves(e.results, random)
	if len(series) == 0 {
		return nil
	}
	return e.Add(report.ScoreCurves(series, report.WithTitle(title), report.WithMetric("accuracy on the test rows, %")))
}

// curves gathers the results of each map, kernel and sampler, whatever the order and the number of features.
func curves(results []result, random bool) []report.Series {
	var out []report.Series
	at, exact := map[string]int{}, map[string]float64{}
	for _, r := range results {
		accuracy := r.accuracy()
		if r.exact {
			exact[r.curve()] = accuracy.Mean
			continue
		}
		if r.method.random() != random {
			continue
		}
		name := strings.TrimSuffix(r.curve()+", "+r.sampler, ", ")
		i, known := at[name]
		if !known {
			i = len(out)
			at[name] = i
			out = append(out, report.Series{Name: name, Exact: exact[r.curve()]})
		}
		out[i].Add(r.features, accuracy.Mean, accuracy.SD)
	}
	return out
}

// curve is the map and the degree of its kernel.
func (r result) curve() string {
	if degree := degreeOf(r.form); degree != "" {
		return r.method.Map + ", " + degree
	}
	return r.method.Map
}

// degreeOf is the part of a form that changes the kernel, gamma, unless that is 1.
func degreeOf(form string) string {
	for _, part := range strings.Split(form, ",") {
		if strings.HasPrefix(part, "gamma=") && part != "gamma=1" {
			return part
		}
	}
	return ""
}
