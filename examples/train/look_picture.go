package main

import (
	"fmt"
	"image"
	"image/color"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// lookPanels is how many columns a picture has.
const lookPanels = 23

// drawLook draws a panel for the label and one for each column, with the number of rows by value or range.
func drawLook(path string, l *data.Look, targets []*data.ColumnLook) error {
	var panels []image.Image
	add := func(c *data.ColumnLook, what string) error {
		img, err := panel(c, what, l.Rows)
		panels = append(panels, img)
		return err
	}
	if l.Classes != nil {
		label := &data.ColumnLook{Levels: l.Classes[:min(10, len(l.Classes))]}
		if len(l.Labels) > 0 {
			label.Name = l.Labels[0]
		}
		if err := add(label, "label"); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := add(t, "target"); err != nil {
			return err
		}
	}
	for _, c := range l.Columns {
		if len(panels) > lookPanels {
			break
		}
		what := string(c.Kind)
		if what == "" {
			what = "left out"
		}
		if err := add(c, what); err != nil {
			return err
		}
	}
	return cli.SavePicture(path, min(4, len(panels)), panels...)
}

// panel draws the rows of a column by value or range.
func panel(c *data.ColumnLook, what string, rows int) (image.Image, error) {
	p := plot.New()
	p.Title.Text = short(c.Name, 22) + ", " + what
	if c.Missing > 0 {
		p.Title.Text += fmt.Sprintf(", %.0f %% missing", 100*float64(c.Missing)/float64(rows))
	}
	p.Title.TextStyle.Font.Size = vg.Points(8)
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = vg.Points(7), vg.Points(7)
	p.Y.Min = 0
	var counts plotter.Values
	for _, l := range c.Levels {
		counts = append(counts, float64(l.Rows))
	}
	for _, n := range c.Bins {
		counts = append(counts, float64(n))
	}
	if counts == nil {
		counts = plotter.Values{0}
	}
	bars, err := plotter.NewBarChart(counts, vg.Points(110/float64(len(counts))))
	if err != nil {
		return nil, err
	}
	bars.LineStyle.Width = 0
	bars.Color = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	p.Add(bars)
	p.X.Min, p.X.Max, p.Y.Max = -.6, float64(len(counts))-.4, 1.05*max(1, p.Y.Max)
	p.Title.Padding = vg.Points(4)
	var ticks []plot.Tick
	switch {
	case c.Levels != nil:
		most := 7
		if len(c.Levels) > 5 {
			most = 3
		}
		for k, l := range c.Levels {
			ticks = append(ticks, plot.Tick{Value: float64(k), Label: short(l.Level, most)})
		}
	case c.Distinct > 0:
		ticks = []plot.Tick{{Value: -.5, Label: cell(c, c.Least)}, {Value: 19.5, Label: cell(c, c.Most)}}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	return report.FromPlot(p, 320, 320)
}
