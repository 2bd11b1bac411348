package main

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/bochner-go/bochner/train/cmd/picture"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
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
		if err := add(c, string(cmp.Or(c.Kind, "left out"))); err != nil {
			return err
		}
	}
	return picture.Save(path, min(4, len(panels)), panels...)
}

// margin is what a panel leaves free on each side.
const margin = vg.Length(6)

// panel draws the rows of a column by value or range.
func panel(c *data.ColumnLook, what string, rows int) (image.Image, error) {
	if c.Missing > 0 {
		what += fmt.Sprintf(", %.0f %% missing", 100*float64(c.Missing)/float64(rows))
	}
	if n := len(c.Levels); n > 0 && n < c.Distinct {
		what += fmt.Sprintf(", %d of %d", n, c.Distinct)
	}
	p := plot.New()
	p.Title.Text = short(c.Name, max(10, 36-len(what))) + ", " + what
	p.Title.TextStyle.Font.Size, p.Title.Padding = vg.Points(8), vg.Points(4)
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = vg.Points(7), vg.Points(7)
	counts, ticks := bars(c)
	chart, err := plotter.NewBarChart(counts, vg.Points(110/float64(len(counts))))
	if err != nil {
		return nil, err
	}
	chart.LineStyle.Width = 0
	chart.Color = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	p.Add(chart)
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max = -.6, float64(len(counts))-.4
	most := slices.Max(counts)
	p.Y.Min, p.Y.Max = 0, max(1, most)
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: most, Label: fmt.Sprint(most)}}
	if len(ticks) > 4 {
		label := &p.X.Tick.Label
		label.Rotation, label.XAlign, label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
		p.X.Tick.Length = 0
	}
	side := vg.Points(172)
	canvas := vgimg.NewWith(vgimg.UseWH(side, side), vgimg.UseDPI(144))
	p.Draw(draw.Crop(draw.New(canvas), margin, -margin, margin, -margin))
	return canvas.Image(), nil
}

// bars are the rows of a column by value, where these are few, or by range.
func bars(c *data.ColumnLook) (counts plotter.Values, ticks []plot.Tick) {
	letters := 9
	if n := len(c.Levels); n < 5 {
		letters = 28 / max(n, 1)
	}
	for k, l := range c.Levels {
		counts = append(counts, float64(l.Rows))
		ticks = append(ticks, plot.Tick{Value: float64(k), Label: short(l.Level, letters)})
	}
	eachValue := c.Kind != data.Time && c.Distinct <= len(c.Bins) && c.Most-c.Least == float64(c.Distinct-1) // 3, 4, 5
	for _, n := range c.Bins {
		if n > 0 || !eachValue {
			counts = append(counts, float64(n))
		}
	}
	switch last := len(counts) - 1; {
	case counts == nil:
		return plotter.Values{0}, nil
	case eachValue && last <= 3:
		for k := range counts {
			ticks = append(ticks, plot.Tick{Value: float64(k), Label: fmt.Sprint(c.Least + float64(k))})
		}
	case eachValue:
		ticks = []plot.Tick{{Value: 0, Label: cell(c, c.Least)}, {Value: float64(last), Label: cell(c, c.Most)}}
	case c.Levels == nil:
		ticks = []plot.Tick{{Value: -.5, Label: cell(c, c.Least)}, {Value: float64(last) + .5, Label: cell(c, c.Most)}}
	}
	return counts, ticks
}
