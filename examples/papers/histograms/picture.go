package main

import (
	"image"
	"math"
	"strings"

	"github.com/bochner-go/bochner/train/report"
)

// picture draws accuracy against features: the maps that are drawn at random in one panel, the others in a second.
func picture(results []result, path string) error {
	var panels []image.Image
	for _, p := range []struct {
		title  string
		random bool
	}{{"Random maps, mean and standard deviation of the draws", true}, {"Maps without chance", false}} {
		series := curves(results, p.random)
		if len(series) == 0 {
			continue
		}
		img, err := report.ScoreCurves(series, report.WithTitle(p.title), report.WithMetric("accuracy on the test rows, %"))
		if err != nil {
			return err
		}
		panels = append(panels, img)
	}
	img, err := report.Grid(len(panels), panels...)
	if err != nil {
		return err
	}
	return report.SavePNG(path, img)
}

// curves gathers the results of each map, kernel and sampler, whatever the order and the number of features.
func curves(results []result, random bool) []report.ScoreSeries {
	var out []report.ScoreSeries
	at, exact := map[string]int{}, map[string]float64{}
	for _, r := range results {
		accuracy, sd := r.accuracy()
		if r.exact {
			exact[r.curve()] = accuracy
			continue
		}
		if r.method.sized() != random {
			continue
		}
		name := strings.TrimSuffix(r.curve()+", "+r.sampler, ", ")
		i, known := at[name]
		if !known {
			i = len(out)
			at[name] = i
			out = append(out, report.ScoreSeries{Name: name, Exact: math.NaN()})
			if v, known := exact[r.curve()]; known {
				out[i].Exact = v
			}
		}
		s := &out[i]
		s.Features, s.Score, s.StdDev = append(s.Features, r.features), append(s.Score, accuracy), append(s.StdDev, sd)
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
