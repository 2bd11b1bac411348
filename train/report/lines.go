package report

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Line is a list of points, joined in their order or not.
type Line struct {
	Name   string
	X, Y   []float64
	Points bool      // whether the points are not joined
	Bars   []float64 // half lengths of the error bars of the points, which are then marked; nil: none
}

// Lines draws y against x, as lines or clouds of points: a kernel over a distance, a density, frequencies, scores. The
// axes are linear. It takes WithTitle, WithSize, WithLogX for a logarithmic x axis, and WithEqualAxes for the same
// range on both axes.
//
// Errors: ErrShape for no lines, an empty one or lists of different lengths; ErrDomain for a number that is not finite
// or is beyond 1e300, a negative bar, and an x that is not positive on a logarithmic axis; ErrParam for WithLogX
// together with WithEqualAxes, for more lines than the legend has room for, and for a size out of range.
func Lines(xLabel, yLabel string, lines []Line, opts ...Option) (image.Image, error) {
	const who = "Lines"
	if len(lines) == 0 {
		return nil, fmt.Errorf("report: %s: there are no lines: %w", who, ErrShape)
	}
	s := settings{title: yLabel + " by " + xLabel, width: 1100, height: 780}
	if slices.ContainsFunc(opts, func(o Option) bool { return o.name == "WithEqualAxes" }) {
		s.width, s.height = 800, 880 // about a square and its legend
	}
	s, err := s.apply(who, opts, "WithEqualAxes", "WithLogX")
	if err != nil {
		return nil, err
	}
	var x plot.Normalizer = plot.LinearScale{}
	var ticks plot.Ticker = niceTicks{n: 7}
	if s.logX {
		if s.equal {
			return nil, fmt.Errorf("report: %s: WithLogX and WithEqualAxes: give one of the two: %w", who, ErrParam)
		}
		x, ticks = plot.LogScale{}, logTicks{plain: true}
	}
	panel := newPanel(xLabel, yLabel, ticks, niceTicks{n: 7})
	panel.X.Scale = x
	var entries []entry
	xLo, xHi, yLo, yHi := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, l := range lines {
		if err := l.check(who, s.logX); err != nil {
			return nil, err
		}
		pts := make(plotter.XYs, len(l.X))
		for j, x := range l.X {
			pts[j] = plotter.XY{X: x, Y: l.Y[j]}
			xLo, xHi, yLo, yHi = min(xLo, x), max(xHi, x), min(yLo, l.Y[j]-l.bar(j)), max(yHi, l.Y[j]+l.bar(j))
		}
		entries = append(entries, l.add(panel, pts, i))
	}
	if s.equal {
		xLo, yLo = min(xLo, yLo), min(xLo, yLo)
		xHi, yHi = max(xHi, yHi), max(xHi, yHi)
	}
	if s.logX {
		xLo, xHi = spread(math.Log(xLo), math.Log(xHi), .03)
		xLo, xHi = max(math.Exp(xLo), 1/maxDrawn), min(math.Exp(xHi), maxDrawn)
	} else {
		xLo, xHi = spread(xLo, xHi, .03)
	}
	yLo, yHi = spread(yLo, yHi, .05)
	if s.equal {
		yLo, yHi = xLo, xHi
	}
	panel.setRange(xLo, xHi, yLo, yHi)
	f := newFigure(s, "")
	f.legend(entries)
	if f.body.Size().Y < minPanel {
		return nil, fmt.Errorf("report: %s: the legend of %d lines leaves no room in %d×%d pixels; raise WithSize or draw fewer: %w", who, len(lines), s.width, s.height, ErrParam)
	}
	area := f.body
	if s.equal {
		area = panel.square(area)
	}
	panel.draw(area)
	return f.image(), nil
}

// bar is the half length of the error bar of point i.
func (l Line) bar(i int) float64 {
	if l.Bars == nil {
		return 0
	}
	return l.Bars[i]
}

func (l Line) check(who string, logX bool) error {
	where := fmt.Sprintf("%s: line %q", who, l.Name)
	if err := checkSameLength(where, "x", len(l.X), "y", len(l.Y)); err != nil {
		return err
	}
	if err := checkDrawn(where, "x", l.X); err != nil {
		return err
	}
	if err := checkDrawn(where, "y", l.Y); err != nil {
		return err
	}
	for i, x := range l.X {
		if logX && x <= 0 {
			return fmt.Errorf("report: %s: x[%d] = %v is not above 0, as a logarithmic axis wants it: %w", where, i, x, ErrDomain)
		}
	}
	if l.Bars == nil {
		return nil
	}
	if err := checkSameLength(where, "y", len(l.Y), "bars", len(l.Bars)); err != nil {
		return err
	}
	for i, b := range l.Bars {
		if b < 0 {
			return fmt.Errorf("report: %s: bars[%d] = %v is negative: %w", where, i, b, ErrDomain)
		}
	}
	return checkDrawn(where, "bars", l.Bars)
}

// add draws line i and returns its legend entry. Many points are drawn small.
func (l Line) add(to *panel, pts plotter.XYs, i int) entry {
	for j, p := range pts {
		if d := l.bar(j); d > 0 {
			style := draw.LineStyle{Color: palette[i%len(palette)], Width: .75}
			to.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X, Y: p.Y - d}, {X: p.X, Y: p.Y + d}}, LineStyle: style})
		}
	}
	if !l.Points && len(pts) > 1 {
		addSeries(to, pts, i, l.Bars != nil)
		e := entry{name: l.Name, line: seriesLine(i)}
		if l.Bars != nil {
			e.glyph = seriesGlyph(i)
		}
		return e
	}
	glyph := seriesGlyph(i)
	if len(pts) > maxMarked {
		glyph.Radius = 2
	}
	to.Add(&plotter.Scatter{XYs: pts, GlyphStyle: glyph})
	return entry{name: l.Name, glyph: glyph}
}

// FromPlot draws a gonum plot, in its own style, on white. Width and height are in pixels, at 144 per inch.
//
// Errors: ErrParam for a nil plot or a size outside 320 to 8192 pixels a side.
func FromPlot(p *plot.Plot, width, height int) (image.Image, error) {
	const who = "FromPlot"
	if p == nil {
		return nil, fmt.Errorf("report: %s: the plot is nil: %w", who, ErrParam)
	}
	s, err := settings{}.apply(who, []Option{WithSize(width, height)})
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(s.width)*vg.Inch/dpi, vg.Length(s.height)*vg.Inch/dpi), vgimg.UseDPI(dpi))
	p.Draw(draw.New(canvas))
	return canvas.Image(), nil
}
