package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
)

// A result is a row of the table.
type result struct {
	method   method
	form     string // as in -params
	sampler  string // where the map draws
	exact    bool   // the exact kernel
	features int
	params   layers.Values // what cross-validation chose
	lambda   float64
	draws    []draw // one a draw; one where nothing is drawn
}

// A draw is what one draw of a map gave.
type draw struct {
	accuracy, f1  float64 // in percent
	lambda        float64
	kernelError   float64       // ‖K - ZZᵀ‖_F / ‖K‖_F on the training rows
	features, fit time.Duration // features of training and test rows, or their kernel matrix; the fit
}

var tableHead = frame.TableHead("map", "form", "features", "parameter", "λ", "accuracy, %", "F1, %", "kernel error", "features or K, s", "fit, s")

// row is a line of the table.
func (r result) row() string {
	features, kernelError := "", ""
	if !r.exact {
		features, kernelError = fmt.Sprint(r.features), fmt.Sprintf("%.3g", r.over(func(d draw) float64 { return d.kernelError }).Mean)
	}
	percent := func(s frame.Spread) string {
		if len(r.draws) > 1 {
			return fmt.Sprintf("%.1f ± %.1f", s.Mean, s.SD)
		}
		return fmt.Sprintf("%.1f", s.Mean)
	}
	seconds := func(f func(draw) time.Duration) string {
		return fmt.Sprintf("%.2g", r.over(func(d draw) float64 { return f(d).Seconds() }).Mean)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %.0e | %s | %s | %s | %s | %s |\n", r.method.Map, r.name(), features, r.params.Short(), r.lambda,
		percent(r.accuracy()), percent(r.over(func(d draw) float64 { return d.f1 })), kernelError,
		seconds(func(d draw) time.Duration { return d.features }), seconds(func(d draw) time.Duration { return d.fit }))
}

// name tells the forms of a map apart.
func (r result) name() string {
	form := strings.ReplaceAll(r.form, ",", ", ")
	switch {
	case r.exact:
		return strings.TrimPrefix(degreeOf(r.form)+", exact kernel", ", ")
	case r.sampler != "":
		return strings.TrimPrefix(form+", "+r.sampler, ", ")
	default:
		return form
	}
}

// accuracy is mean and standard deviation over the draws, in percent.
func (r result) accuracy() frame.Spread {
	return r.over(func(d draw) float64 { return d.accuracy })
}

// over is mean and standard deviation of f over the draws.
func (r result) over(f func(draw) float64) frame.Spread {
	return frame.SpreadOf(frame.Each(r.draws, f))
}

// picture draws accuracy against features: of the maps that are drawn at random, or of the others.
func (e *experiment) picture(title string, random bool) {
	if series := curves(e.results, random); len(series) > 0 {
		metric := report.WithMetric("accuracy on the test rows, %")
		e.Add(try.Get(report.ScoreCurves(series, report.WithTitle(title), metric)))
	}
}

// curves gathers the results of each map, kernel and sampler, whatever the order and the number of features.
func curves(results []result, random bool) []report.Line {
	var out []report.Line
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
			out = append(out, report.Line{Name: name, Exact: exact[r.curve()]})
		}
		out[i].Add(float64(r.features), accuracy.Mean, accuracy.SD)
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
