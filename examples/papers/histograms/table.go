package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/papers/internal/frame"
)

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
