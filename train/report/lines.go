package report

import (
	"fmt"
	"image"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Line is a list of points, joined in their order or not.
type Line struct {
	Name   string
	X, Y   []float64
	Points bool      // for Lines: whether the points are not joined
	Bars   []float64 // half lengths of the error bars of the points, which are then marked; nil: none
	Band   bool      // for Lines: whether Bars are a shaded band about the line in place of error bars
	Exact  float64   // for ScoreCurves: the score of the exact kernel; 0 or NaN: none
}

// Add appends a point with its bar, 0 for none.
func (l *Line) Add(x, y, bar float64) {
	l.X, l.Y, l.Bars = append(l.X, x), append(l.Y, y), append(l.Bars, bar)
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
	s := settings{title: yLabel + " by " + xLabel, width: 1100, height: 780}
	if slices.ContainsFunc(opts, func(o Option) bool { return o.name == "WithEqualAxes" }) {
		s.width, s.height = 800, 880 // about a square and its legend
	}
	s, err := s.apply(who, opts, "WithEqualAxes", "WithLogX")
	if err != nil {
		return nil, err
	}
	p := newPanel(xLabel, yLabel)
	if s.logX {
		if s.equal {
			return nil, fmt.Errorf("report: %s: WithLogX and WithEqualAxes: give one of the two: %w", who, ErrParam)
		}
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	if err := checkLines(who, lines, s.logX); err != nil {
		return nil, err
	}
	for i, l := range lines {
		if l.Band && l.Bars != nil { // below all lines
			p.band(i, l.points(), l.Bars)
		}
	}
	for i, l := range lines {
		if l.Band {
			l.Bars = nil
		}
		p.series(i, l.Name, l.points(), errorBars(l.Bars), !l.Points, l.Bars != nil)
	}
	if s.equal {
		p.X.Min = min(p.X.Min, p.Y.Min)
		p.X.Max = max(p.X.Max, p.Y.Max)
	}
	widen(&p.X, .03)
	if s.equal {
		p.Y.Min, p.Y.Max = p.X.Min, p.X.Max
	} else {
		widen(&p.Y, .05)
	}
	return p.picture(who, s)
}

// points are the points of a line.
func (l Line) points() plotter.XYs {
	out := make(plotter.XYs, len(l.X))
	for i, x := range l.X {
		out[i] = plotter.XY{X: x, Y: l.Y[i]}
	}
	return out
}

// errorBars are bars of the same length to both sides.
func errorBars(half []float64) plotter.YErrors {
	if half == nil {
		return nil
	}
	out := make(plotter.YErrors, len(half))
	for i, d := range half {
		out[i].Low, out[i].High = d, d
	}
	return out
}

// checkLines wants lines that can be drawn, on a logarithmic x axis or a linear one.
func checkLines(who string, lines []Line, logX bool) error {
	if len(lines) == 0 {
		return fmt.Errorf("report: %s: there are no lines: %w", who, ErrShape)
	}
	for _, l := range lines {
		where := fmt.Sprintf("%s: line %q", who, l.Name)
		if err := checkPoints(where, "x", l.X, "y", l.Y); err != nil {
			return err
		}
		for i, x := range l.X {
			if logX && x <= 0 {
				return fmt.Errorf("report: %s: x[%d] = %v is not above 0, as a logarithmic axis wants it: %w", where, i, x, ErrDomain)
			}
		}
		if l.Bars == nil {
			continue
		}
		if err := checkPoints(where, "y", l.Y, "bars", l.Bars); err != nil {
			return err
		}
		for i, b := range l.Bars {
			if b < 0 {
				return fmt.Errorf("report: %s: bars[%d] = %v is negative: %w", where, i, b, ErrDomain)
			}
		}
	}
	return nil
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
	canvas := newCanvas(s)
	p.Draw(draw.New(canvas))
	return canvas.Image(), nil
}
