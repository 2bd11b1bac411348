package report

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a plot in the style of this package, with the legend of its series.
type panel struct {
	*plot.Plot
	legend []entry
}

// entry is a name in a legend, with what is drawn for it.
type entry struct {
	name   string
	thumbs []plot.Thumbnailer
}

const minPanel vg.Length = 80 // the least readable height of a panel

const (
	maxMarked = 15    // the largest number of points that a curve marks one by one
	maxDrawn  = 1e300 // the largest magnitude on a linear axis that cannot overflow
)

// newPanel is an empty panel with linear axes and a light grid.
func newPanel(xLabel, yLabel string) *panel {
	p := plot.New()
	p.TextHandler = handler
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = xLabel, yLabel
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		label := &axis.Label.TextStyle
		label.Color, label.Font, label.Handler = ink, textStyle(labelSize, ink).Font, handler
		axis.Tick.Label.Color, axis.Tick.Label.Font, axis.Tick.Label.Handler = ink, textStyle(tickSize, ink).Font, handler
		axis.LineStyle = draw.LineStyle{Color: faint, Width: 0.75}
		axis.Tick.LineStyle, axis.Tick.Length = axis.LineStyle, 4
		axis.Tick.Marker, axis.Padding = ticks{}, 0
	}
	line := draw.LineStyle{Color: rule, Width: 0.5}
	p.Add(&plotter.Grid{Vertical: line, Horizontal: line})
	return &panel{Plot: p}
}

// line adds a line with its entry in the legend.
func (p *panel) line(name string, style draw.LineStyle, pts ...plotter.XY) {
	l := &plotter.Line{XYs: pts, LineStyle: style}
	p.Add(l)
	p.legend = append(p.legend, entry{name, []plot.Thumbnailer{l}})
}

// series adds points in the style of series i: joined by a line, marked, or both, with error bars unless bars is nil.
// A single point is marked. Many points that are not joined are drawn small.
func (p *panel) series(i int, name string, pts plotter.XYs, bars plotter.YErrors, joined, marked bool) {
	e := entry{name: name}
	if bars != nil {
		style := draw.LineStyle{Color: palette[i%len(palette)], Width: .75}
		p.Add(&plotter.YErrorBars{XYs: pts, YErrors: bars, LineStyle: style})
	}
	if joined && len(pts) > 1 {
		l := &plotter.Line{XYs: pts, LineStyle: seriesLine(i)}
		p.Add(l)
		e.thumbs = append(e.thumbs, l)
	}
	if marked || !joined || len(pts) == 1 {
		s := &plotter.Scatter{XYs: pts, GlyphStyle: seriesGlyph(i)}
		if !joined && len(pts) > maxMarked {
			s.Radius = 2
		}
		p.Add(s)
		e.thumbs = append(e.thumbs, s)
	}
	p.legend = append(p.legend, e)
}

// band shades the area of half the width on both sides of points, in the colour of series i.
func (p *panel) band(i int, pts plotter.XYs, half []float64) {
	n := len(pts)
	outline := make(plotter.XYs, 2*n)
	for j, at := range pts {
		outline[j], outline[2*n-1-j] = plotter.XY{X: at.X, Y: at.Y + half[j]}, plotter.XY{X: at.X, Y: at.Y - half[j]}
	}
	of := palette[i%len(palette)]
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{outline}, Color: color.NRGBA{of.R, of.G, of.B, 0x38}})
}

// picture draws the panel alone, under its title and legend.
func (p *panel) picture(who string, s settings) (image.Image, error) {
	f := newFigure(s, "")
	f.legend(p.legend)
	if f.body.Size().Y < minPanel {
		return nil, fmt.Errorf("report: %s: the legend of %d series leaves no room in %d×%d pixels; "+
			"raise WithSize or draw fewer: %w", who, len(p.legend), s.width, s.height, ErrParam)
	}
	if s.equal {
		p.square(f.body)
	} else {
		p.draw(f.body)
	}
	return f.image(), nil
}

// draw draws the panel into an area, with axis labels that fit, and returns the part that holds the data.
func (p *panel) draw(area draw.Canvas) draw.Canvas {
	p.X.Label.Text = shorten(p.X.Label.TextStyle, p.X.Label.Text, area.Size().X)
	p.Y.Label.Text = shorten(p.Y.Label.TextStyle, p.Y.Label.Text, area.Size().Y)
	p.Draw(area)
	return p.DataCanvas(area)
}

// square is draw with the data in a square, at the upper left.
func (p *panel) square(area draw.Canvas) draw.Canvas {
	data := p.DataCanvas(area).Size()
	if extra := data.X - data.Y; extra > 0 {
		area.Max.X -= extra
	} else {
		area.Min.Y -= extra
	}
	return p.draw(area)
}

// widen gives an axis room at both ends, a share of its range. A single value gets a range around it.
func widen(a *plot.Axis, margin float64) {
	if _, log := a.Scale.(plot.LogScale); log {
		by := max(math.Exp(margin*(math.Log(a.Max)-math.Log(a.Min))), 1.1)
		a.Min, a.Max = max(a.Min/by, 1e-305), min(a.Max*by, 1e305)
		return
	}
	size := max(math.Abs(a.Min), math.Abs(a.Max))
	by := a.Max*margin - a.Min*margin
	switch {
	case size < 1/maxDrawn:
		by = 1
	case a.Max/2-a.Min/2 < size*1e-9: // too narrow for numbers beside its marks
		by = size * .1
	}
	a.Min, a.Max = a.Min-by, a.Max+by
}

// ticks marks a linear axis at multiples of 1, 2 or 5 times a power of ten: about five, where plot.DefaultTicks has
// three, some at odd multiples and with too few digits to tell them apart.
type ticks struct {
	whole bool // no fractions: counts
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(lo, hi float64) (out []plot.Tick) {
	raw := (hi/2 - lo/2) / 2.5
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{5, 2} {
		if raw > m*step/math.Sqrt2 {
			step *= m
			break
		}
	}
	if t.whole {
		step = max(1, step)
	}
	digits := int(math.Log10(max(math.Abs(lo), math.Abs(hi)))-math.Log10(step)) + 2
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(i*step, 'g', digits, 64), 64)
		out = append(out, plot.Tick{Value: i * step, Label: strconv.FormatFloat(v+0, 'g', -1, 64)}) // + 0: no -0
	}
	return out
}

// logTicks marks a logarithmic axis where plot.LogTicks does, at most ten powers of ten with a number. An axis with less
// than two of these is marked as if it were linear.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) (out []plot.Tick) {
	first, last := math.Ceil(math.Log10(lo)), math.Floor(math.Log10(hi))
	if last-first < 1 {
		return ticks{}.Ticks(lo, hi)
	}
	every := math.Ceil((last - first + 1) / 10)
	for _, m := range (plot.LogTicks{Prec: 3}).Ticks(lo, hi) {
		if power := math.Round(math.Log10(m.Value)); m.Label != "" && math.Mod(power, every) != 0 {
			m.Label = ""
		}
		if m.Value >= lo && m.Value <= hi && (m.Label != "" || every == 1) {
			out = append(out, m)
		}
	}
	return out
}
