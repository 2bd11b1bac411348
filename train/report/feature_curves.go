package report

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ErrorCurves draws errors y against numbers of features x, on logarithmic axes. A reference line has the slope of
// 1/√m, with which the error of independent draws falls. Errors of exactly 0 are marked at the lower edge, as the
// legend says. It takes WithTitle, WithSize, and WithMetric for the name of the error.
//
// Errors: ErrShape for no lines, an empty one or lists of different lengths; ErrDomain for an error that is negative,
// not finite, beyond 1e300 or below 1e-300 but not 0, for a negative bar, and for features that are not positive;
// ErrParam for more lines than the legend has room for, and for a size out of range.
func ErrorCurves(lines []Line, opts ...Option) (image.Image, error) {
	const who = "ErrorCurves"
	for _, l := range lines {
		for i, v := range l.Y {
			if v != 0 && v < 1/maxDrawn {
				return nil, fmt.Errorf("report: %s: line %q: the error y[%d] = %v is neither 0 nor at least %v: %w", who,
					l.Name, i, v, 1/maxDrawn, ErrDomain)
			}
		}
	}
	s := settings{title: "Kernel error by number of features", metric: "relative Frobenius error"}
	return byFeatures(who, s, lines, opts, func(p *panel, sorted []Line) {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		least, slope, zeros := leastError(sorted)
		for i, one := range sorted {
			var pts plotter.XYs
			bars := plotter.YErrors{}
			for j, v := range one.Y {
				if v > 0 {
					pts = append(pts, plotter.XY{X: one.X[j], Y: v})
					low := min(one.Bars[j], v-least/1.2, v*(1-1e-15)) // a logarithmic axis has no 0
					bars = append(bars, struct{ Low, High float64 }{low, one.Bars[j]})
				}
			}
			p.series(i, one.Name, pts, bars, true, true)
		}
		if slope > 0 && p.X.Min < p.X.Max {
			p.line("slope of 1/√m", dotted(faint), plotter.XY{X: p.X.Min, Y: slope / math.Sqrt(p.X.Min)},
				plotter.XY{X: p.X.Max, Y: slope / math.Sqrt(p.X.Max)})
		}
		widen(&p.X, .04)
		if p.Y.Min > p.Y.Max { // nothing but zeros: any range will do
			p.Y.Min, p.Y.Max = 1e-3, 1
		}
		widen(&p.Y, .06)
		if zeros {
			p.zeros(sorted)
		}
	})
}

// ScoreCurves draws scores y against numbers of features x, on a logarithmic axis. The score of an exact kernel is a
// dotted line in the colour of its map. Points with the same number of features are drawn side by side, up to a fiftieth
// of the axis off, so that their bars can be told apart. It takes WithTitle, WithSize, and WithMetric for the name of
// the score.
//
// Errors: ErrShape for no lines, an empty one or lists of different lengths; ErrDomain for a score or bar that is not
// finite or is beyond 1e300, a negative bar, and features that are not positive; ErrParam for more lines than the
// legend has room for, and for a size out of range.
func ScoreCurves(lines []Line, opts ...Option) (image.Image, error) {
	s := settings{title: "Score by number of features", metric: "accuracy (share of rows)"}
	return byFeatures("ScoreCurves", s, lines, opts, func(p *panel, sorted []Line) {
		widen(&p.X, .05)
		lo, hi := p.X.Min, p.X.Max
		for i, one := range sorted {
			aside := math.Exp(apart * ((float64(i)+.5)/float64(len(sorted)) - .5) * (math.Log(hi) - math.Log(lo)))
			floats.Scale(aside, one.X)
			p.series(i, one.Name, one.points(), errorBars(one.Bars), true, true)
		}
		exact := false
		for i, one := range sorted {
			if one.Exact != 0 && !math.IsNaN(one.Exact) {
				exact = true
				ends := plotter.XYs{{X: lo, Y: one.Exact}, {X: hi, Y: one.Exact}}
				p.Add(&plotter.Line{XYs: ends, LineStyle: dotted(palette[i%len(palette)])})
			}
		}
		if exact {
			p.legend = append(p.legend, entry{"exact kernel", []plot.Thumbnailer{&plotter.Line{LineStyle: dotted(ink)}}})
		}
		p.X.Min, p.X.Max = lo, hi
		widen(&p.Y, .05)
	})
}

// apart is the largest distance between points with the same features, as a share of the axis.
const apart = .04

// leastError is the least error above 0, c of the reference line c/√m, a little above the errors of the fewest features,
// and whether an error is 0.
func leastError(lines []Line) (least, slope float64, zeros bool) {
	least, fewest := math.Inf(1), math.Inf(1)
	for _, one := range lines {
		for i, v := range one.Y {
			if v == 0 {
				zeros = true
				continue
			}
			least = min(least, v)
			m := one.X[i]
			if m < fewest {
				fewest, slope = m, 0
			}
			if m == fewest {
				slope = max(slope, 1.25*v*math.Sqrt(m))
			}
		}
	}
	return least, slope, zeros
}

// zeros marks errors of 0 at the lower edge of a logarithmic axis.
func (p *panel) zeros(lines []Line) {
	glyph := draw.GlyphStyle{Radius: 4, Shape: draw.TriangleGlyph{}}
	for i, one := range lines {
		zeros := &plotter.Scatter{GlyphStyle: glyph}
		zeros.Color = palette[i%len(palette)]
		for j, v := range one.Y {
			if v == 0 {
				zeros.XYs = append(zeros.XYs, plotter.XY{X: one.X[j], Y: p.Y.Min})
			}
		}
		if zeros.XYs != nil {
			p.Add(zeros)
		}
	}
	glyph.Color = ink
	p.legend = append(p.legend, entry{"error 0, below the axis", []plot.Thumbnailer{&plotter.Scatter{GlyphStyle: glyph}}})
}

// dotted is the style of reference lines.
func dotted(c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: 1, Dashes: []vg.Length{1.5, 2.5}}
}

// sorted is a copy of a line, sorted by x, with bars.
func (l Line) sorted() Line {
	out := Line{Name: l.Name, Exact: l.Exact}
	order := make([]int, len(l.X))
	floats.ArgsortStable(slices.Clone(l.X), order)
	for _, i := range order {
		bar := 0.
		if l.Bars != nil {
			bar = l.Bars[i]
		}
		out.Add(l.X[i], l.Y[i], bar)
	}
	return out
}

// byFeatures draws lines by the number of features, on a logarithmic axis from the fewest to the most. add adds them,
// checked and sorted, to the panel.
func byFeatures(who string, s settings, lines []Line, opts []Option,
	add func(p *panel, sorted []Line)) (image.Image, error) {
	s.width, s.height = 1100, 860
	s, err := s.apply(who, opts, "WithMetric")
	if err != nil {
		return nil, err
	}
	if err := checkLines(who, lines, true); err != nil {
		return nil, err
	}
	sorted := make([]Line, len(lines))
	var features []float64
	for i, l := range lines {
		if math.Abs(l.Exact) > maxDrawn {
			return nil, fmt.Errorf("report: %s: line %q: the score of the exact kernel is %v, not a number up to %v: %w", who,
				l.Name, l.Exact, maxDrawn, ErrDomain)
		}
		sorted[i] = l.sorted()
		features = append(features, l.X...)
	}
	slices.Sort(features)
	features = slices.Compact(features)
	p := newPanel("number of features", s.metric)
	p.X.Scale, p.X.Min, p.X.Max = plot.LogScale{}, features[0], features[len(features)-1]
	add(p, sorted)
	p.X.Tick.Marker = s.featureTicks(features, p.X)
	return p.picture(who, s)
}

// featureTicks marks an axis at numbers of features, with labels that do not overlap.
func (s settings) featureTicks(features []float64, x plot.Axis) plot.ConstantTicks {
	label, room := textStyle(tickSize, ink), vg.Length(s.width)*vg.Inch/dpi-60
	out := make(plot.ConstantTicks, len(features))
	last := math.Inf(-1)
	for i, v := range features {
		txt := strconv.FormatFloat(v, 'f', -1, 64)
		out[i].Value = v
		if at := x.Norm(v); i == 0 || at-last >= float64((label.Width(txt)+6)/room) {
			out[i].Label, last = txt, at
		}
	}
	return out
}
