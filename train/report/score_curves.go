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

// ScoreCurves draws scores against the number of features, on a logarithmic axis. The score of an exact kernel is a
// dotted line at the right edge, with the colour and mark of its map. Series with the same number of features are drawn
// side by side, up to a fiftieth of the axis off, so that their bars can be told apart. It takes WithTitle, WithSize,
// and WithMetric for the name of the score.
//
// Errors: ErrShape for no series, an empty one or lists of different lengths; ErrDomain for a score or bar that is not
// finite or is beyond 1e300, a negative bar, and features below 1; ErrParam for more series than the legend has room
// for, and for a size out of range.
func ScoreCurves(series []Series, opts ...Option) (image.Image, error) {
	const who = "ScoreCurves"
	if len(series) == 0 {
		return nil, fmt.Errorf("report: %s: there are no series: %w", who, ErrShape)
	}
	s, err := settings{title: "Score by number of features", width: 1100, height: 860, metric: "accuracy (share of rows)"}.
		apply(who, opts, "WithMetric")
	if err != nil {
		return nil, err
	}
	p := &scorePlot{yLo: math.Inf(1), yHi: math.Inf(-1)}
	for _, one := range series {
		if math.Abs(one.Exact) > maxDrawn {
			return nil, fmt.Errorf("report: %s: series %q: the score of the exact kernel is %v, not a number up to %v: %w", who, one.Name, one.Exact, maxDrawn, ErrDomain)
		}
		sorted, err := one.sorted(who, aScore)
		if err != nil {
			return nil, err
		}
		p.take(sorted)
	}
	return p.draw(who, s)
}

var aScore = quantity{"score", "standard deviation", func(m int, v, bar float64) error {
	if !(math.Abs(v) <= maxDrawn && bar >= 0 && bar <= maxDrawn) {
		return fmt.Errorf("the score for %d features is %v with standard deviation %v, not numbers up to %v, the second not negative", m, v, bar, maxDrawn)
	}
	return nil
}}

// scorePlot is the picture of sorted series.
type scorePlot struct {
	series   []Series
	marks    []float64 // the numbers of features in the series
	lo, hi   float64   // the least and the greatest of them
	yLo, yHi float64
	exact    bool // whether a series has an exact kernel
}

// take adds a series.
func (p *scorePlot) take(s Series) {
	p.series = append(p.series, s)
	for i, v := range s.Value {
		p.marks = append(p.marks, float64(s.Features[i]))
		p.yLo, p.yHi = min(p.yLo, v-s.Bar[i]), max(p.yHi, v+s.Bar[i])
	}
	if s.hasExact() {
		p.exact = true
		p.yLo, p.yHi = min(p.yLo, s.Exact), max(p.yHi, s.Exact)
	}
}

func (p *scorePlot) draw(who string, s settings) (image.Image, error) {
	slices.Sort(p.marks)
	p.marks = slices.Compact(p.marks)
	p.place()
	panel := newPanel("number of features", s.metric, givenTicks{values: p.marks, scale: plot.LogScale{}}, niceTicks{n: 8})
	panel.X.Scale = plot.LogScale{}
	var entries []entry
	for i, one := range p.series {
		shown := entry{name: one.Name, glyph: seriesGlyph(i)}
		if len(one.Features) > 1 {
			shown.line = seriesLine(i)
		}
		entries = append(entries, shown)
		p.add(panel, i)
	}
	if p.exact {
		entries = append(entries, entry{name: "exact kernel", line: exactLine(ink)})
	}
	yLo, yHi := spread(p.yLo, p.yHi, .05)
	panel.setRange(p.at(-left), p.at(1+p.right()), yLo, yHi)
	f := newFigure(s, "")
	f.legend(entries)
	if f.body.Size().Y < minPanel {
		return nil, fmt.Errorf("report: %s: the legend of %d series leaves no room in %d×%d pixels; raise WithSize or draw fewer: %w", who, len(p.series), s.width, s.height, ErrParam)
	}
	panel.draw(f.body)
	return f.image(), nil
}

// Margins of the x axis, as shares of its length between the least and the greatest number of features: on the left,
// and on the right without and with exact kernels; and the largest distance between series with the same features.
const left, right, rightOfExact, apart = .05, .05, .14, .04

func (p *scorePlot) right() float64 {
	if p.exact {
		return rightOfExact
	}
	return right
}

// place finds the ends of the axis.
func (p *scorePlot) place() {
	p.lo, p.hi = p.marks[0], p.marks[len(p.marks)-1]
	if p.lo == p.hi {
		p.lo, p.hi = p.lo/2, p.hi*2
	}
}

// at is a position on the axis: 0 is the least number of features, 1 the greatest.
func (p *scorePlot) at(t float64) float64 {
	return p.lo * math.Pow(p.hi/p.lo, t)
}

// add draws series i: bars of one standard deviation, the line with its marks, and the exact kernel.
func (p *scorePlot) add(to *panel, i int) {
	s, ink := p.series[i], palette[i%len(palette)]
	if s.hasExact() {
		end := p.at(1 + p.right())
		to.Add(&plotter.Line{XYs: plotter.XYs{{X: p.at(1 + p.right()/3), Y: s.Exact}, {X: end, Y: s.Exact}}, LineStyle: exactLine(ink)},
			&plotter.Scatter{XYs: plotter.XYs{{X: p.at(1 + p.right()*2/3), Y: s.Exact}}, GlyphStyle: seriesGlyph(i)})
	}
	aside := apart * ((float64(i)+.5)/float64(len(p.series)) - .5)
	pts := make(plotter.XYs, len(s.Features))
	for j, m := range s.Features {
		x, v, d := p.at(plot.LogScale{}.Normalize(p.lo, p.hi, float64(m))+aside), s.Value[j], s.Bar[j]
		pts[j] = plotter.XY{X: x, Y: v}
		if d > 0 {
			to.Add(&plotter.Line{XYs: plotter.XYs{{X: x, Y: v - d}, {X: x, Y: v + d}}, LineStyle: draw.LineStyle{Color: ink, Width: .75}})
		}
	}
	addSeries(to, pts, i, true)
}

func exactLine(c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: 1, Dashes: []vg.Length{1.5, 2.5}}
}
