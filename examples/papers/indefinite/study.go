package main

import (
	"context"
	"fmt"
	"image"

	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/train/report"
)

// A study is a part that measures the methods at all sizes, for each kernel and set.
type study struct {
	part, title string
	// prepare returns the columns of a set, and what is measured of a method with so many features.
	prepare func(ctx context.Context, k *kernel, s source) (dims int, measure measure)
	cell    func(k *kernel, s source, m method, size int, v frame.Spread) string
	bar     func(frame.Spread) float64 // drawn about the mean
	draw    func([]report.Series, ...report.Option) (image.Image, error)
}

// A measure is the error or the accuracy of a method with features of one draw.
type measure func(m method, features int, seed uint64) float64

// run prints the table of a study, and draws a picture for each kernel and set.
func (e *experiment) run(ctx context.Context, t study) {
	fmt.Print(frame.TableHead(append([]string{"kernel", "rows", "method"}, columns(sizes)...)...))
	for _, k := range e.kernels {
		for _, s := range e.sources {
			d, value := t.prepare(ctx, k, s)
			features := frame.Each(sizes, func(s size) int { return s.features(d) })
			var series []report.Series
			for _, m := range k.methods {
				if !m.in(t.part) {
					continue
				}
				what := fmt.Sprintf("%s, %s, %s", k.name, s.name, m.name)
				frame.In(s.name+", "+m.name, func() {
					spreads := e.Over(ctx, what, columns(sizes), func(i int, seed uint64) float64 {
						return value(m, features[i], seed)
					})
					frame.Line(fmt.Sprintf("%s | %s | %s", k, s.name, m.name), spreads, func(i int, v frame.Spread) string {
						return t.cell(k, s, m, i, v)
					})
					series = append(series, frame.NewSeries(m.name, features, spreads, t.bar))
				})
			}
			title := report.WithTitle(fmt.Sprintf("%s, %s, %s", t.title, k, s.name))
			e.Add(frame.Get(t.draw(series, title)))
		}
	}
	fmt.Println()
}
