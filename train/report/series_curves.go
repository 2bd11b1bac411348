package report

import (
	"fmt"
	"image"
	"image/color"
	"math"

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
	s := settings{title: "Kernel error by number of features", metric: "relative Frobenius error"}
	return drawSeries("ErrorCurves", s, anError, series, opts, func(p *panel, sorted []Series) {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		least, slope, zeros := leastError(sorted)
		for i, one := range sorted {
			var pts plotter.XYs
			bars := plotter.YErrors{}
			for j, v := range one.Value {
				if v > 0 {
					pts = append(pts, plotter.XY{X: float64(one.Features[j]), Y: v})
					low := min(one.Bar[j], v-least/1.2, v*(1-1e-15)) // a logarithmic axis has no 0
					bars = append(bars, struct{ Low, High float64 }{low, one.Bar[j]})
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

var anError = quantity{"error", "standard error", func(m int, v, bar float64) error {
	for _, x := range []float64{v, bar} {
		if x != 0 && !(x >= 1/maxDrawn && x <= maxDrawn) {
			return fmt.Errorf("the error for %d features, %v with standard error %v, is neither 0 nor a number from %v to %v", m, v, bar, 1/maxDrawn, maxDrawn)
		}
	}
	return nil
}}

// ScoreCurves draws scores against the number of features, on a logarithmic axis. The score of an exact kernel is a
// dotted line in the colour of its map. Series with the same number of features are drawn
// side by side, up to a fiftieth of the axis off, so that their bars can be told apart. It takes WithTitle, WithSize,
// and WithMetric for the name of the score.
//
// Errors: ErrShape for no series, an empty one or lists of different lengths; ErrDomain for a score or bar that is not
// finite or is beyond 1e300, a negative bar, and features below 1; ErrParam for more series than the legend has room
// for, and for a size out of range.
func ScoreCurves(series []Series, opts ...Option) (image.Image, error) {
	s := settings{title: "Score by number of features", metric: "accuracy (share of rows)"}
	return drawSeries("ScoreCurves", s, aScore, series, opts, func(p *panel, sorted []Series) {
		widen(&p.X, .05)
		lo, hi := p.X.Min, p.X.Max
		for i, one := range sorted {
			aside := math.Exp(apart * ((float64(i)+.5)/float64(len(sorted)) - .5) * (math.Log(hi) - math.Log(lo)))
			pts := make(plotter.XYs, len(one.Features))
			for j, m := range one.Features {
				pts[j] = plotter.XY{X: float64(m) * aside, Y: one.Value[j]}
			}
			p.series(i, one.Name, pts, errorBars(one.Bar), true, true)
		}
		exact := false
		for i, one := range sorted {
			if one.hasExact() {
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

// apart is the largest distance between series with the same features, as a share of the axis.
const apart = .04

var aScore = quantity{"score", "standard deviation", func(m int, v, bar float64) error {
	if !(math.Abs(v) <= maxDrawn && bar >= 0 && bar <= maxDrawn) {
		return fmt.Errorf("the score for %d features is %v with standard deviation %v, not numbers up to %v, the second not negative", m, v, bar, maxDrawn)
	}
	return nil
}}

// leastError is the least error above 0, c of the reference line c/√m, a little above the errors of the fewest features,
// and whether an error is 0.
func leastError(series []Series) (least, slope float64, zeros bool) {
	least, fewest := math.Inf(1), math.MaxInt
	for _, one := range series {
		for i, v := range one.Value {
			if v == 0 {
				zeros = true
				continue
			}
			least = min(least, v)
			m := one.Features[i]
			if m < fewest {
				fewest, slope = m, 0
			}
			if m == fewest {
				slope = max(slope, 1.25*v*math.Sqrt(float64(m)))
			}
		}
	}
	return least, slope, zeros
}

// zeros marks errors of 0 at the lower edge of a logarithmic axis.
func (p *panel) zeros(series []Series) {
	glyph := draw.GlyphStyle{Radius: 4, Shape: draw.TriangleGlyph{}}
	for i, one := range series {
		zeros := &plotter.Scatter{GlyphStyle: glyph}
		zeros.Color = palette[i%len(palette)]
		for j, v := range one.Value {
			if v == 0 {
				zeros.XYs = append(zeros.XYs, plotter.XY{X: float64(one.Features[j]), Y: p.Y.Min})
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
