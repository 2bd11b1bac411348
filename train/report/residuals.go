package report

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Residuals draws predicted against true targets, with the diagonal of a perfect model, and the histogram of the
// residuals, predicted - true. More than 2500 rows are counted in cells, coloured by count. It takes WithTitle and
// WithSize.
//
// Errors: ErrShape for no rows or lists of different lengths; ErrDomain for a value that is not finite or beyond 1e300;
// ErrParam for a size out of range.
func Residuals(truth, predicted []float64, opts ...Option) (image.Image, error) {
	const who = "Residuals"
	if err := checkPoints(who, "truth", truth, "predicted", predicted); err != nil {
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
	drawPoints := f.against("predicted = true", "true target", "predicted target", "rows", pts)
	areas := f.panels(2)
	drawPoints(areas[0])
	drawHistogram(areas[1], residuals, "residual: predicted − true")
	return f.image(), nil
}

// residualNumbers is the line below the title: R², the root mean square and the mean of the residuals.
func residualNumbers(truth, predicted []float64) string {
	n := len(truth)
	f := downscale(max(floats.Norm(truth, math.Inf(1)), floats.Norm(predicted, math.Inf(1))))
	y, p := floats.ScaleTo(make([]float64, n), f, truth), floats.ScaleTo(make([]float64, n), f, predicted)
	out := count(n, "row", "rows") + ": "
	if slices.Min(y) < slices.Max(y) {
		out += fmt.Sprintf("R² %.4f, ", stat.RSquaredFrom(p, y, nil))
	}
	off := floats.SubTo(p, p, y)
	rms := floats.Norm(off, 2) / math.Sqrt(float64(n))
	return out + fmt.Sprintf("RMSE %s, mean residual %s", short(rms/f), short(stat.Mean(off, nil)/f))
}

// drawHistogram draws the number of values in each of equal intervals: √n of them, from 8 to 60.
func drawHistogram(area draw.Canvas, values []float64, label string) {
	lo, hi, bins := slices.Min(values), slices.Max(values), min(max(8, int(math.Sqrt(float64(len(values))))), 60)
	x := plot.Axis{Min: lo, Max: hi}
	widen(&x, 0)
	if lo == hi { // one narrow bar in a range around the value
		bins, lo, hi = 1, lo-(lo-x.Min)/10, hi+(x.Max-hi)/10
	}
	width := hi/float64(bins) - lo/float64(bins)
	h := &plotter.Histogram{FillColor: colourAt(.5), LineStyle: draw.LineStyle{Color: colourAt(.85), Width: 0.5}, Width: width}
	for i := range bins {
		h.Bins = append(h.Bins, plotter.HistogramBin{Min: lo + float64(i)*width, Max: lo + float64(i+1)*width})
	}
	top := 0.0
	for _, v := range values {
		b := &h.Bins[min(max(int((v-lo)/width), 0), bins-1)] // a quotient can round to bins
		b.Weight++
		top = max(top, b.Weight)
	}
	p := newPanel(label, "rows")
	p.Y.Tick.Marker = ticks{whole: true}
	p.Add(h, &plotter.Line{XYs: plotter.XYs{{X: 0, Y: 0}, {X: 0, Y: top * 1.05}}, LineStyle: diagonalLine})
	p.X.Min, p.X.Max, p.Y.Min = min(x.Min, p.X.Min), max(x.Max, p.X.Max), 0
	widen(&p.X, .02)
	p.draw(area)
}
