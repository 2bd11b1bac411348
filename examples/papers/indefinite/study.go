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
	prepare func(ctx context.Context, k *kernel, s source) (dims int, measure measure, err error)
	cell    func(k *kernel, s source, m method, size int, v frame.Spread) string
	bar     func(frame.Spread) float64 // drawn about the mean
	draw    func([]report.Series, ...report.Option) (image.Image, error)
}

// A measure is the error or the accuracy of a method with features of one draw.
type measure func(m method, features int, seed uint64) (float64, error)

// run prints the table of a study, and draws a picture for each kernel and set.
func (e *experiment) run(ctx context.Context, t study) error {
	fmt.Print(frame.TableHead(append([]string{"kernel", "rows", "method"}, columns(sizes)...)...))
	for _, k := range e.kernels {
		for _, s := range e.sources {
			d, value, err := t.prepare(ctx, k, s)
			if err != nil {
				return err
			}
			features := frame.Each(sizes, func(s size) int { return s.features(d) })
			var series []report.Series
			for _, m := range k.methods {
				if !m.in(t.part) {
					continue
				}
				what := fmt.Sprintf("%s, %s, %s", k.name, s.name, m.name)
				spreads, err := e.Over(ctx, what, columns(sizes), func(i int, seed uint64) (float64, error) {
					return value(m, features[i], seed)
				})
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, m.name, err)
				}
				frame.Line(fmt.Sprintf("%s | %s | %s", k, s.name, m.name), spreads, func(i int, v frame.Spread) string {
					return t.cell(k, s, m, i, v)
				})
				series = append(series, frame.NewSeries(m.name, features, spreads, t.bar))
			}
			title := report.WithTitle(fmt.Sprintf("%s, %s, %s", t.title, k, s.name))
			if err := e.Add(t.draw(series, title)); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	return nil
}
