package report

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

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
