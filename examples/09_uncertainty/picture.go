package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/bochner-go/bochner/examples/internal/must"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// drawBand draws the points, the means, the bands of 95 % of features and of the exact process, and three functions
// from the posterior.
func drawBand(p *linear.Posterior, exact *process, features int, x, y []float64) image.Image {
	const z95 = 1.959963984540054 // of the normal distribution
	grid := floats.Span(make([]float64, 381), -4, 15)
	z := must.Get(gaussian(1, 1, features, 1).Transform(nil, rows(grid, 1)))
	mean, std := at(p.Fit, z), stds(p, z)
	exactMean, exactStd := exact.at(grid)
	limit := func(mean, std []float64, sign float64) []float64 {
		return floats.AddScaledTo(make([]float64, len(mean)), mean, sign*z95, std)
	}

	c := newCurves("What ridge regression on features knows", "x, in bandwidths", "f(x)")
	c.band(fmt.Sprintf("95 %% by %d features", features), grid, limit(mean, std, 1), limit(mean, std, -1))
	c.line("and their mean", grid, mean, vgdraw.LineStyle{Color: blue, Width: 1.5})
	grey := color.Gray{0x90}
	for seed := range uint64(3) {
		name := "three functions drawn"
		if seed > 0 {
			name = ""
		}
		c.line(name, grid, at(must.Get(p.Draw(seed)), z), vgdraw.LineStyle{Color: grey, Width: .75})
	}
	dashed := vgdraw.LineStyle{Color: vermillion, Width: 1.25, Dashes: []vg.Length{5, 3}}
	c.line("the exact process: mean and 95 %", grid, exactMean, dashed)
	for _, sign := range []float64{1, -1} {
		c.line("", grid, limit(exactMean, exactStd, sign), dashed)
	}
	c.points("points", x, y)
	c.plot.Y.Max += 2 // room for the legend
	return framed(must.Get(report.FromPlot(c.plot, 1776, 736)), 12)
}

var (
	blue       = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	vermillion = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	pale       = color.RGBA{0xc6, 0xdb, 0xef, 0xff}
)

// curves is a panel in the looks of report.Lines, with bands.
type curves struct{ plot *plot.Plot }

func newCurves(title, x, y string) *curves {
	p := plot.New()
	sans := func(of *text.Style, size font.Length) { of.Font.Variant, of.Font.Size = "Sans", size }
	sans(&p.Title.TextStyle, 12)
	sans(&p.Legend.TextStyle, 9)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		sans(&axis.Label.TextStyle, 10)
		sans(&axis.Tick.Label, 9)
	}
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.Legend.Top, p.Legend.Left, p.Legend.Padding = 6, true, true, 2
	p.X.Tick.Marker, p.Y.Tick.Marker = every(5), every(1)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xe4}, color.Gray{0xe4}
	p.Add(grid)
	return &curves{p}
}

// every has a tick at each multiple of a whole number.
type every int

// Ticks implements plot.Ticker.
func (e every) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for v := int(e) * int(math.Ceil(lo/float64(e))); float64(v) <= hi; v += int(e) {
		ticks = append(ticks, plot.Tick{Value: float64(v), Label: fmt.Sprint(v)})
	}
	return ticks
}

// framed is a picture with a white margin.
func framed(img image.Image, margin int) image.Image {
	size := img.Bounds().Size()
	out := image.NewRGBA(image.Rect(0, 0, size.X+2*margin, size.Y+2*margin))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(out, image.Rectangle{image.Pt(margin, margin), size.Add(image.Pt(margin, margin))}, img, img.Bounds().Min, draw.Src)
	return out
}

// band fills what is between two curves.
func (c *curves) band(name string, x, upper, lower []float64) {
	var at plotter.XYs
	for i := range x {
		at = append(at, plotter.XY{X: x[i], Y: upper[i]})
	}
	for i := len(x) - 1; i >= 0; i-- {
		at = append(at, plotter.XY{X: x[i], Y: lower[i]})
	}
	fill := must.Get(plotter.NewPolygon(at))
	fill.Color, fill.LineStyle.Width = pale, 0
	c.plot.Add(fill)
	c.plot.Legend.Add(name, fill)
}

// line draws a curve, in the legend unless it has no name.
func (c *curves) line(name string, x, y []float64, style vgdraw.LineStyle) {
	l := &plotter.Line{XYs: xys(x, y), LineStyle: style}
	c.plot.Add(l)
	if name != "" {
		c.plot.Legend.Add(name, l)
	}
}

func (c *curves) points(name string, x, y []float64) {
	s := &plotter.Scatter{XYs: xys(x, y), GlyphStyle: vgdraw.GlyphStyle{Color: color.Black, Radius: 2.5, Shape: vgdraw.CircleGlyph{}}}
	c.plot.Add(s)
	c.plot.Legend.Add(name, s)
}

func xys(x, y []float64) plotter.XYs {
	out := make(plotter.XYs, len(x))
	for i := range x {
		out[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return out
}
