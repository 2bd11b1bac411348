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

// Line is a line through points, in their order.
type Line struct {
	Name   string
	X, Y   []float64
	Points bool // the points alone, not joined
}

// Lines draws y against x on linear axes, a line or a cloud of points each: a kernel over a distance, a density, frequencies. WithEqualAxes
// draws both axes to the same range.
//
// Errors: ErrShape for no lines, an empty one or lists of different lengths; ErrDomain for a number that is not finite or is beyond 1e300;
// ErrParam for more lines than the size has room for in the legend.
func Lines(xLabel, yLabel string, lines []Line, opts ...Option) (image.Image, error) {
	const who = "Lines"
	if len(lines) == 0 {
		return nil, fmt.Errorf("report: %s: there are no lines: %w", who, ErrShape)
	}
	s := settings{title: yLabel + " by " + xLabel, width: 1100, height: 780}
	if slices.ContainsFunc(opts, func(o Option) bool { return o.name == "WithEqualAxes" }) {
		s.width, s.height = 800, 880 // about a square and its legend
	}
	s, err := s.apply(who, opts, "WithEqualAxes")
	if err != nil {
		return nil, err
	}
	panel := newPanel(xLabel, yLabel, niceTicks{n: 7}, niceTicks{n: 7})
	var entries []entry
	xLo, xHi, yLo, yHi := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, l := range lines {
		if err := l.check(who); err != nil {
			return nil, err
		}
		pts := make(plotter.XYs, len(l.X))
		for j, x := range l.X {
			pts[j] = plotter.XY{X: x, Y: l.Y[j]}
			xLo, xHi, yLo, yHi = min(xLo, x), max(xHi, x), min(yLo, l.Y[j]), max(yHi, l.Y[j])
		}
		entries = append(entries, l.add(panel, pts, i))
	}
	if s.equal {
		xLo, yLo = min(xLo, yLo), min(xLo, yLo)
		xHi, yHi = max(xHi, yHi), max(xHi, yHi)
	}
	xLo, xHi = spread(xLo, xHi, .03)
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

func (l Line) check(who string) error {
	where := fmt.Sprintf("%s: line %q", who, l.Name)
	if err := checkSameLength(where, "x", len(l.X), "y", len(l.Y)); err != nil {
		return err
	}
	if err := checkDrawn(where, "x", l.X); err != nil {
		return err
	}
	return checkDrawn(where, "y", l.Y)
}

// add draws line i and returns its entry in the legend. Many points are small.
func (l Line) add(to *panel, pts plotter.XYs, i int) entry {
	if !l.Points && len(pts) > 1 {
		to.Add(&plotter.Line{XYs: pts, LineStyle: seriesLine(i)})
		return entry{name: l.Name, line: seriesLine(i)}
	}
	glyph := seriesGlyph(i)
	if len(pts) > maxMarked {
		glyph.Radius = 2
	}
	to.Add(&plotter.Scatter{XYs: pts, GlyphStyle: glyph})
	return entry{name: l.Name, glyph: glyph}
}

// FromPlot draws a plot of the caller's own, in its own style, on white: what a notebook needs to show it. The size is in pixels at 144 an
// inch, as everywhere here.
//
// Errors: ErrParam for a plot that is nil or a size outside 320 to 8192 pixels a side.
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
