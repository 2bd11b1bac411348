package report

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot/plotter"
)

// DistanceSeries is a number by the distance of two rows, such as a variance.
type DistanceSeries struct {
	Name     string
	Distance []float64 // rising
	Value    []float64 // one for each distance
}

// DistanceCurves draws numbers against the distance of two rows, on linear axes. WithMetric names the number.
//
// Errors: ErrShape for no series, an empty one or lists of different lengths; ErrDomain for a number that is not finite or is beyond 1e300,
// and for distances that do not rise; ErrParam for more series than the size has room for in the legend.
func DistanceCurves(series []DistanceSeries, opts ...Option) (image.Image, error) {
	const who = "DistanceCurves"
	if len(series) == 0 {
		return nil, fmt.Errorf("report: %s: there are no series: %w", who, ErrShape)
	}
	s, err := settings{title: "Variance by distance", width: 1100, height: 860, metric: "variance"}.apply(who, opts, "WithMetric")
	if err != nil {
		return nil, err
	}
	panel := newPanel("distance ‖x - z‖", s.metric, niceTicks{n: 8}, niceTicks{n: 8})
	xLo, xHi, yLo, yHi := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	var entries []entry
	for i, one := range series {
		if err := one.check(who); err != nil {
			return nil, err
		}
		pts := make(plotter.XYs, len(one.Distance))
		for j, r := range one.Distance {
			pts[j] = plotter.XY{X: r, Y: one.Value[j]}
			xLo, xHi, yLo, yHi = min(xLo, r), max(xHi, r), min(yLo, one.Value[j]), max(yHi, one.Value[j])
		}
		addSeries(panel, pts, i, false)
		shown := entry{name: one.Name, line: seriesLine(i)}
		if len(pts) == 1 {
			shown = entry{name: one.Name, glyph: seriesGlyph(i)}
		}
		entries = append(entries, shown)
	}
	xLo, xHi = spread(xLo, xHi, .02)
	yLo, yHi = spread(yLo, yHi, .05)
	panel.setRange(xLo, xHi, yLo, yHi)
	f := newFigure(s, "")
	f.legend(entries)
	if f.body.Size().Y < minPanel {
		return nil, fmt.Errorf("report: %s: the legend of %d series leaves no room in %d×%d pixels; raise WithSize or draw fewer: %w", who, len(series), s.width, s.height, ErrParam)
	}
	panel.draw(f.body)
	return f.image(), nil
}

func (s DistanceSeries) check(who string) error {
	where := fmt.Sprintf("%s: series %q", who, s.Name)
	if len(s.Distance) == 0 {
		return fmt.Errorf("report: %s is empty: %w", where, ErrShape)
	}
	if err := checkSameLength(where, "distances", len(s.Distance), "values", len(s.Value)); err != nil {
		return err
	}
	for j, r := range s.Distance {
		if !(math.Abs(r) <= maxDrawn && math.Abs(s.Value[j]) <= maxDrawn) {
			return fmt.Errorf("report: %s: %v at the distance %v, not numbers up to %v: %w", where, s.Value[j], r, maxDrawn, ErrDomain)
		}
		if j > 0 && r <= s.Distance[j-1] {
			return fmt.Errorf("report: %s: the distance %v comes after %v; sort them: %w", where, r, s.Distance[j-1], ErrDomain)
		}
	}
	return nil
}
