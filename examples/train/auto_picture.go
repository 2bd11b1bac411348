package main

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// autoBars is how many trials a picture shows.
const autoBars = 20

// The colours of the bars: of frozen maps, of tuned ones, and of the best.
var frozenBar, tunedBar, bestBar = color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}

// drawAuto draws the scores of the better trials as bars, the best on top, with the recipe and the rows beside each.
func (r *result) drawAuto() (image.Image, error) {
	all := slices.DeleteFunc(r.leaderboard(), func(t train.Trial) bool { return t.Note != "" })
	all = all[:min(autoBars, len(all))]
	slices.Reverse(all) // the first bar is the lowest
	p := plot.New()
	p.Title.Text = fmt.Sprintf("The best %d of %d trials", len(all), len(r.auto.Trials))
	p.X.Label.Text = "error rate on rows held out"
	if r.classes == nil {
		p.X.Label.Text = "root mean squared error on rows held out"
	}
	p.Title.Padding = vg.Points(8)
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	p.Add(grid)
	names := make([]string, len(all))
	kinds := []struct {
		name  string
		color color.RGBA
		bars  plotter.Values
	}{{"frozen", frozenBar, nil}, {"tuned", tunedBar, nil}, {"the best", bestBar, nil}}
	for i, t := range all {
		names[i] = fmt.Sprintf("%s, %s, %d, %s; %d rows", t.Recipe.Scale, t.Recipe.Spec.Map, t.Features, strings.Join(t.Steps, "+"), t.Rows)
		kind := 0
		switch {
		case i == len(all)-1:
			kind = 2
		case t.Steps[0] != train.StepFrozen:
			kind = 1
		}
		for k := range kinds {
			v := 0.
			if k == kind {
				v = t.Score
			}
			kinds[k].bars = append(kinds[k].bars, v)
		}
	}
	for _, k := range kinds {
		chart, err := plotter.NewBarChart(k.bars, vg.Points(14))
		if err != nil {
			return nil, err
		}
		chart.Horizontal, chart.Color = true, k.color
		chart.LineStyle.Width = 0
		p.Add(chart)
		p.Legend.Add(k.name, chart)
	}
	p.Legend.Top = true // where the bars are short
	p.NominalY(names...)
	p.X.Min, p.X.Max = 0, 1.15*all[0].Score
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	img, err := report.FromPlot(p, 1100, 180+44*max(4, len(all)))
	if err != nil {
		return nil, err
	}
	return framed(img), nil
}
