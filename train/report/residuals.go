package report

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Residuals draws predicted against true targets, with the diagonal of a perfect model, and the histogram of the
// residuals, predicted - true. More than 2500 rows are counted in hexagons, coloured by count. It takes WithTitle and
// WithSize.
//
// Errors: ErrShape for no rows or lists of different lengths; ErrDomain for a value that is not finite or beyond 1e300;
// ErrParam for a size out of range.
func Residuals(truth, predicted []float64, opts ...Option) (image.Image, error) {
	const who = "Residuals"
	if err := checkSameLength(who, "truth", len(truth), "predicted", len(predicted)); err != nil {
		return nil, err
	}
	if err := checkDrawn(who, "truth", truth); err != nil {
		return nil, err
	}
	if err := checkDrawn(who, "predicted", predicted); err != nil {
		return nil, err
	}
	s, err := settings{title: "Predicted and true targets", width: 1480, height: 800, least: twoPanels}.apply(who, opts)
	if err != nil {
		return nil, err
	}
	f := newFigure(s, residualNumbers(truth, predicted))
	pts := make(plotter.XYs, len(truth))
	residuals := make([]float64, len(truth))
	for i, v := range truth {
		pts[i] = plotter.XY{X: v, Y: predicted[i]}
		residuals[i] = predicted[i] - v
	}
	f.legend([]entry{{"predicted = true", diagonalLine, draw.GlyphStyle{}}})
	areas := f.panels(2)
	drawAgainst(areas[0], pts, "true target", "predicted target", "rows")
	drawHistogram(areas[1], residuals, "residual: predicted − true")
	return f.image(), nil
}

// checkDrawn wants at least one value, and all values within the range of a linear axis.
func checkDrawn(who, what string, values []float64) error {
	if len(values) == 0 {
		return fmt.Errorf("report: %s: %s has no rows: %w", who, what, ErrShape)
	}
	for i, v := range values {
		if !finite(v) {
			return fmt.Errorf("report: %s: %s[%d] = %v is not a finite number: %w", who, what, i, v, ErrDomain)
		}
		if math.Abs(v) > maxDrawn {
			return fmt.Errorf("report: %s: %s[%d] = %v is beyond ±%v and cannot be drawn; scale the values: %w", who, what, i, v, maxDrawn, ErrDomain)
		}
	}
	return nil
}

// residualNumbers is the line below the title: R², the root mean square and the mean of the residuals.
func residualNumbers(truth, predicted []float64) string {
	n := float64(len(truth))
	top := 0.0
	for i, v := range truth {
		top = max(top, math.Abs(v), math.Abs(predicted[i]))
	}
	f := downscale(top)
	var mean, bias float64
	for i, v := range truth {
		mean += v * f / n
		bias += (predicted[i]*f - v*f) / n
	}
	var squares, around float64
	for i, v := range truth {
		d, c := predicted[i]*f-v*f, v*f-mean
		squares += d * d
		around += c * c
	}
	out := count(len(truth), "row", "rows") + ": "
	if slices.Min(truth) < slices.Max(truth) && around > 0 {
		out += fmt.Sprintf("R² %s, ", minus(fmt.Sprintf("%.4f", 1-squares/around)))
	}
	out += fmt.Sprintf("RMSE %s, mean residual %s", short(math.Sqrt(squares/n)/f), minus(short(bias/f)))
	return out
}

// drawHistogram draws the number of values in each of equal intervals.
func drawHistogram(area draw.Canvas, values []float64, label string) {
	values = slices.Sorted(slices.Values(values))
	lo, hi := values[0], values[len(values)-1]
	bins := histogramBins(values)
	left, right := spread(lo, hi, 0.03)
	if lo == hi { // one narrow bar in a range around the value
		bins, lo, hi = 1, lo-(lo-left)/10, hi+(right-hi)/10
	}
	width := hi/float64(bins) - lo/float64(bins)
	h := &plotter.Histogram{FillColor: rampAt(0.5), LineStyle: draw.LineStyle{Color: rampAt(0.85), Width: 0.5}, Width: width}
	for i := range bins {
		h.Bins = append(h.Bins, plotter.HistogramBin{Min: lo + float64(i)*width, Max: lo + float64(i+1)*width})
	}
	top := 0.0
	for _, v := range values {
		b := &h.Bins[min(max(int((v-lo)/width), 0), bins-1)]
		b.Weight++
		top = max(top, b.Weight)
	}
	panel := newPanel(label, "rows", niceTicks{n: 5}, niceTicks{n: 6, whole: true})
	panel.Add(h)
	panel.Add(&plotter.Line{XYs: plotter.XYs{{X: 0, Y: 0}, {X: 0, Y: top * 1.05}}, LineStyle: diagonalLine})
	left, right = spread(min(left, 0), max(right, 0), 0.01)
	panel.setRange(left, right, 0, top*1.05)
	panel.draw(area)
}

// histogramBins is the number of bins for sorted values by the rule of Freedman and Diaconis (1981), width 2 IQR
// n^(-1/3), between 8 and 60.
func histogramBins(sorted []float64) int {
	n := len(sorted)
	iqr := sorted[n*3/4] - sorted[n/4]
	width := 2 * iqr / math.Cbrt(float64(n))
	bins := (sorted[n-1] - sorted[0]) / width
	if !(bins <= 60) { // NaN and infinity for a width of zero
		return 60
	}
	return max(8, int(math.Ceil(bins)))
}
