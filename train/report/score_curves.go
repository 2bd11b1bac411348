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

// ScoreSeries is the score of one map, such as its accuracy, by number of features.
type ScoreSeries struct {
	Name     string
	Features []int     // positive
	Score    []float64 // one for each entry of Features
	StdDev   []float64 // drawn as a bar to both sides; nil for none
	Exact    float64   // the score of the exact kernel, which the map tends to; NaN for none
}

// ScoreCurves draws scores against the number of features, on a logarithmic axis unless WithLinearX says otherwise. The score of an exact
// kernel is a dotted line at the right edge, in the colour of its map and with the map's mark. Series with the same number of features
// stand side by side, up to a fiftieth of the axis off, so that their bars can be told apart. WithMetric names the score.
//
// Errors: ErrShape for no series, an empty one or lists of different lengths; ErrDomain for a score or bar that is not finite or is
// beyond 1e300, a negative bar, or features that are not positive; ErrParam for more series than the size has room for in the legend.
func ScoreCurves(series []ScoreSeries, opts ...Option) (image.Image, error) {
	const who = "ScoreCurves"
	if len(series) == 0 {
		return nil, fmt.Errorf("report: %s: there are no series: %w", who, ErrShape)
	}
	s, err := settings{title: "Score by number of features", width: 1100, height: 860, metric: "accuracy (share of rows)"}.
		apply(who, opts, "WithMetric", "WithLinearX")
	if err != nil {
		return nil, err
	}
	p := &scorePlot{yLo: math.Inf(1), yHi: math.Inf(-1), x: plot.LogScale{}}
	if s.linearX {
		p.x = plot.LinearScale{}
	}
	for _, one := range series {
		sorted, err := one.sorted(who)
		if err != nil {
			return nil, err
		}
		p.take(sorted)
	}
	return p.draw(who, s)
}

// sorted is a checked copy of s in the order of features.
func (s ScoreSeries) sorted(who string) (ScoreSeries, error) {
	where := fmt.Sprintf("%s: series %q", who, s.Name)
	if len(s.Features) == 0 {
		return s, fmt.Errorf("report: %s is empty: %w", where, ErrShape)
	}
	if err := checkSameLength(where, "features", len(s.Features), "score", len(s.Score)); err != nil {
		return s, err
	}
	if s.StdDev != nil {
		if err := checkSameLength(where, "features", len(s.Features), "standard deviation", len(s.StdDev)); err != nil {
			return s, err
		}
	}
	if math.Abs(s.Exact) > maxDrawn {
		return s, fmt.Errorf("report: %s: the score of the exact kernel is %v, not a number up to %v, nor the NaN that stands for none: %w", where, s.Exact, maxDrawn, ErrDomain)
	}
	order := make([]int, len(s.Features))
	for i, m := range s.Features {
		order[i] = i
		if m < 1 {
			return s, fmt.Errorf("report: %s: %d features are not a positive number: %w", where, m, ErrDomain)
		}
		if v, d := s.Score[i], s.stdDev(i); !(math.Abs(v) <= maxDrawn && d >= 0 && d <= maxDrawn) {
			return s, fmt.Errorf("report: %s: the score for %d features is %v with standard deviation %v, not numbers up to %v, the second not negative: %w",
				where, m, v, d, maxDrawn, ErrDomain)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.Features[a] - s.Features[b] })
	out := ScoreSeries{Name: s.Name, Exact: s.Exact}
	for _, i := range order {
		out.Features = append(out.Features, s.Features[i])
		out.Score = append(out.Score, s.Score[i])
		out.StdDev = append(out.StdDev, s.stdDev(i))
	}
	return out, nil
}

func (s ScoreSeries) stdDev(i int) float64 {
	if s.StdDev == nil {
		return 0
	}
	return s.StdDev[i]
}

// scorePlot is the picture of sorted series.
type scorePlot struct {
	series   []ScoreSeries
	x        plot.Normalizer
	marks    []float64 // the numbers of features that occur
	lo, hi   float64   // the least and the greatest of them
	yLo, yHi float64
	exact    bool // whether there is an exact kernel
}

// take adds a series.
func (p *scorePlot) take(s ScoreSeries) {
	p.series = append(p.series, s)
	for i, v := range s.Score {
		p.marks = append(p.marks, float64(s.Features[i]))
		p.yLo, p.yHi = min(p.yLo, v-s.StdDev[i]), max(p.yHi, v+s.StdDev[i])
	}
	if !math.IsNaN(s.Exact) {
		p.exact = true
		p.yLo, p.yHi = min(p.yLo, s.Exact), max(p.yHi, s.Exact)
	}
}

func (p *scorePlot) draw(who string, s settings) (image.Image, error) {
	slices.Sort(p.marks)
	p.marks = slices.Compact(p.marks)
	p.place()
	var ticks plot.Ticker = niceTicks{n: 6}
	if !s.linearX {
		ticks = givenTicks{values: p.marks, scale: p.x}
	}
	panel := newPanel("number of features", s.metric, ticks, niceTicks{n: 8})
	panel.X.Scale = p.x
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

// Parts of the axis between the least and the greatest number of features that the picture adds on the left, and on the right without
// and with exact kernels; and how far apart series may be drawn.
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

// at is a place on the axis: 0 is the least number of features, 1 the greatest.
func (p *scorePlot) at(t float64) float64 {
	if p.x == (plot.LinearScale{}) {
		return p.lo + t*(p.hi-p.lo)
	}
	return p.lo * math.Pow(p.hi/p.lo, t)
}

// add draws series i: bars of one standard deviation, the line with its marks, and the exact kernel.
func (p *scorePlot) add(to *panel, i int) {
	s, ink := p.series[i], palette[i%len(palette)]
	if !math.IsNaN(s.Exact) {
		end := p.at(1 + p.right())
		to.Add(&plotter.Line{XYs: plotter.XYs{{X: p.at(1 + p.right()/3), Y: s.Exact}, {X: end, Y: s.Exact}}, LineStyle: exactLine(ink)},
			&plotter.Scatter{XYs: plotter.XYs{{X: p.at(1 + p.right()*2/3), Y: s.Exact}}, GlyphStyle: seriesGlyph(i)})
	}
	aside := apart * ((float64(i)+.5)/float64(len(p.series)) - .5)
	pts := make(plotter.XYs, len(s.Features))
	for j, m := range s.Features {
		x, v, d := p.at(p.x.Normalize(p.lo, p.hi, float64(m))+aside), s.Score[j], s.StdDev[j]
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
