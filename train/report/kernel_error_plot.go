package report

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ErrorCurves draws error against the number of features on logarithmic axes. A reference line has the slope of 1/√m,
// with which the error of independent draws falls. Errors of exactly 0 are marked at the lower edge, as the legend
// says. It takes WithTitle, WithSize, and WithMetric for the name of the error.
//
// Errors: ErrShape for no series, an empty one or lists of different lengths; ErrDomain for an error that is negative,
// not finite, beyond 1e300 or below 1e-300 but not 0, and for features below 1; ErrParam for more series than the
// legend has room for, and for a size out of range.
func ErrorCurves(series []Series, opts ...Option) (image.Image, error) {
	const who = "ErrorCurves"
	if len(series) == 0 {
		return nil, fmt.Errorf("report: %s: there are no series: %w", who, ErrShape)
	}
	sorted := make([]Series, len(series))
	for i, s := range series {
		var err error
		if sorted[i], err = s.sorted(who, anError); err != nil {
			return nil, err
		}
	}
	s, err := settings{title: "Kernel error by number of features", width: 1100, height: 860, metric: "relative Frobenius error"}.
		apply(who, opts, "WithMetric")
	if err != nil {
		return nil, err
	}
	return newErrorPlot(sorted).draw(who, s)
}

var anError = quantity{"error", "standard error", func(m int, v, bar float64) error {
	for _, x := range []float64{v, bar} {
		if x != 0 && !(x >= 1/maxDrawn && x <= maxDrawn) {
			return fmt.Errorf("the error for %d features, %v with standard error %v, is neither 0 nor a number from %v to %v", m, v, bar, 1/maxDrawn, maxDrawn)
		}
	}
	return nil
}}

// errorPlot is the picture of sorted series.
type errorPlot struct {
	series   []Series
	marks    []float64 // the numbers of features in the series
	xLo, xHi float64   // ranges of the axes
	yLo, yHi float64
	slope    float64 // c of the reference line c/√m, 0 for none
	zeros    bool    // an error of zero on a logarithmic axis
}

func newErrorPlot(series []Series) *errorPlot {
	e := &errorPlot{series: series, xLo: math.Inf(1), yLo: math.Inf(1)}
	anchor := math.Inf(1) // the fewest features with an error above zero
	for _, one := range series {
		for i, v := range one.Value {
			m := float64(one.Features[i])
			e.marks = append(e.marks, m)
			e.xLo, e.xHi = min(e.xLo, m), max(e.xHi, m)
			e.yHi = max(e.yHi, v+one.Bar[i])
			if v == 0 {
				e.zeros = true
				continue
			}
			e.yLo = min(e.yLo, v)
			if m < anchor {
				anchor, e.slope = m, 0
			}
			if m == anchor { // a little above the largest error there
				e.slope = max(e.slope, 1.25*v*math.Sqrt(m))
			}
		}
	}
	slices.Sort(e.marks)
	e.marks = slices.Compact(e.marks)
	if len(e.marks) < 2 {
		e.slope = 0 // a slope says nothing about a single point
	}
	if e.slope > 0 {
		e.yHi = max(e.yHi, e.slope/math.Sqrt(anchor))
	}
	e.ranges()
	return e
}

// minPanel is the least readable height of a panel, in points.
const minPanel vg.Length = 80

// ranges widens the ranges of the data to the ranges of the axes.
func (e *errorPlot) ranges() {
	pad := max(math.Pow(e.xHi/e.xLo, 0.04), 1.1)
	e.xLo, e.xHi = e.xLo/pad, e.xHi*pad
	if math.IsInf(e.yLo, 1) { // nothing but zeros: any range will do
		e.yLo, e.yHi = 1e-3, 1
		return
	}
	e.yHi = max(e.yHi, e.yLo)
	pad = min(max(math.Exp(0.06*(math.Log(e.yHi)-math.Log(e.yLo))), 1.2), 10)
	e.yLo, e.yHi = e.yLo/pad, e.yHi*pad
	if e.zeros {
		e.yLo /= pad // the marks of zeros keep clear of the smallest error
	}
}

func (e *errorPlot) draw(who string, s settings) (image.Image, error) {
	panel := newPanel("number of features", s.metric, givenTicks{values: e.marks, scale: plot.LogScale{}}, logTicks{})
	panel.X.Scale, panel.Y.Scale = plot.LogScale{}, plot.LogScale{}
	var entries []entry
	for i, one := range e.series {
		e.add(panel, i)
		entries = append(entries, entry{one.Name, seriesLine(i), seriesGlyph(i)})
	}
	if e.slope > 0 {
		reference := e.reference()
		panel.Add(reference)
		entries = append(entries, entry{name: "slope of 1/√m", line: reference.LineStyle})
	}
	if e.zeros {
		entries = append(entries, entry{name: "error 0, below the axis", glyph: zeroGlyph(ink, 0.8)})
	}
	panel.setRange(e.xLo, e.xHi, e.yLo, e.yHi)
	f := newFigure(s, "")
	f.legend(entries)
	if f.body.Size().Y < minPanel {
		return nil, fmt.Errorf("report: %s: the legend of %d series leaves no room in %d×%d pixels; raise WithSize or draw fewer: %w", who, len(e.series), s.width, s.height, ErrParam)
	}
	panel.draw(f.body)
	return f.image(), nil
}

// reference is the line slope/√m.
func (e *errorPlot) reference() *plotter.Line {
	const steps = 100
	line := &plotter.Line{LineStyle: draw.LineStyle{Color: faint, Width: 1, Dashes: []vg.Length{1.5, 2.5}}}
	lo := max(e.xLo, e.marks[0]/2)
	for i := range steps + 1 {
		m := lo * math.Pow(e.xHi/lo, float64(i)/steps)
		if v := e.slope / math.Sqrt(m); v > 0 {
			line.XYs = append(line.XYs, plotter.XY{X: m, Y: v})
		}
	}
	return line
}

// add draws series i: bars of one standard error, the line with its marks, and zeros at the lower edge.
func (e *errorPlot) add(p *panel, i int) {
	one := e.series[i]
	var pts, zeros plotter.XYs
	for j, v := range one.Value {
		m := float64(one.Features[j])
		if v == 0 && e.zeros {
			zeros = append(zeros, plotter.XY{X: m, Y: e.yLo})
			continue
		}
		pts = append(pts, plotter.XY{X: m, Y: v})
		if d := one.Bar[j]; d > 0 {
			bar := plotter.XYs{{X: m, Y: max(v-d, e.yLo)}, {X: m, Y: v + d}}
			p.Add(&plotter.Line{XYs: bar, LineStyle: draw.LineStyle{Color: palette[i%len(palette)], Width: 0.75}})
		}
	}
	if len(pts) > 0 {
		addSeries(p, pts, i, true)
	}
	if len(zeros) > 0 {
		p.Add(&plotter.Scatter{XYs: zeros, GlyphStyle: zeroGlyph(palette[i%len(palette)], 0)})
	}
}

// zeroGlyph is a triangle that points below the axis. Its tip is at its point, or, in the legend, a number of radii
// below.
func zeroGlyph(c color.Color, below float64) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: 4, Shape: downGlyph{vg.Length(below)}}
}

type downGlyph struct{ below vg.Length }

// DrawGlyph implements draw.GlyphDrawer.
func (g downGlyph) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := sty.Radius
	pt.Y -= g.below * r
	var p vg.Path
	p.Move(pt)
	p.Line(vg.Point{X: pt.X - 0.8*r, Y: pt.Y + 1.6*r})
	p.Line(vg.Point{X: pt.X + 0.8*r, Y: pt.Y + 1.6*r})
	p.Close()
	c.Fill(p)
}
