package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a plot in the style of this package. It writes the axis labels itself, since plot leaves a gap above a
// logarithmic axis with a long label.
type panel struct {
	*plot.Plot
	xLabel, yLabel string
}

const labelRoom vg.Length = labelSize + 5

// newPanel is an empty panel with a light grid.
func newPanel(xLabel, yLabel string, x, y plot.Ticker) *panel {
	p := plot.New()
	p.TextHandler = handler
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		label := &axis.Tick.Label
		label.Color, label.Font, label.Handler = ink, textStyle(tickSize, ink).Font, handler
		axis.LineStyle = draw.LineStyle{Color: faint, Width: 0.75}
		axis.Label.TextStyle = *label // plot takes the gap beside the tick labels from it
		axis.Tick.LineStyle, axis.Tick.Length = axis.LineStyle, 4
		axis.Padding = 0
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = x, y
	line := draw.LineStyle{Color: rule, Width: 0.5}
	p.Add(&plotter.Grid{Vertical: line, Horizontal: line})
	return &panel{p, xLabel, yLabel}
}

// setRange sets the range of both axes.
func (p *panel) setRange(xMin, xMax, yMin, yMax float64) {
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = xMin, xMax, yMin, yMax
}

// inner is the part of an area inside the labels.
func inner(area draw.Canvas) draw.Canvas { return draw.Crop(area, labelRoom, 0, labelRoom, 0) }

// thin thins out the labels of the marks for an area of a given size.
func (p *panel) thin(size vg.Point) {
	style := textStyle(tickSize, ink)
	switch t := p.X.Tick.Marker.(type) {
	case niceTicks:
		t.n = min(t.n, max(1, int(size.X/40)))
		p.X.Tick.Marker = t
	case givenTicks:
		widest := vg.Length(0)
		for _, v := range t.values {
			widest = max(widest, style.Width(t.label(v)))
		}
		t.gap = float64((widest + 6) / (size.X - 40)) // less the labels of the other axis
		p.X.Tick.Marker = t
	}
	if t, ok := p.Y.Tick.Marker.(niceTicks); ok {
		t.n = min(t.n, max(1, int(size.Y/24)))
		p.Y.Tick.Marker = t
	}
}

// draw draws the panel into an area and returns the part of it that holds the data.
func (p *panel) draw(area draw.Canvas) draw.Canvas {
	p.thin(inner(area).Size())
	p.Draw(inner(area))
	data := p.DataCanvas(inner(area))
	style := textStyle(labelSize, ink)
	write(area, style, vg.Point{X: data.Center().X, Y: area.Min.Y + labelSize/2}, atMiddle, false, shorten(style, p.xLabel, area.Size().X))
	write(area, style, vg.Point{X: area.Min.X + labelSize/2, Y: data.Center().Y}, atMiddle, true, shorten(style, p.yLabel, area.Size().Y))
	return data
}

// square crops an area so that the data lie in a square, at the upper left.
func (p *panel) square(area draw.Canvas) draw.Canvas {
	p.thin(inner(area).Size())
	data := p.DataCanvas(inner(area)).Size()
	if extra := data.X - data.Y; extra > 0 {
		area.Max.X -= extra
	} else {
		area.Min.Y -= extra
	}
	return area
}
