package main

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
	"gorgonia.org/tensor"
)

// errorByTime is the picture of the errors of the methods against the seconds of their features and fit, with the
// standard errors; numbers of training sets are joined by a line. Linear methods, which are far above, are left out
// where there are others.
func errorByTime(results []result, title, what string) image.Image {
	var lines []report.Line
	for _, r := range results {
		if r.linear && slices.ContainsFunc(results, func(r result) bool { return !r.linear }) {
			continue
		}
		i := slices.IndexFunc(lines, func(l report.Line) bool { return l.Name == r.method })
		if i < 0 {
			i = len(lines)
			lines = append(lines, report.Line{Name: r.method})
		}
		lines[i].Add(max(.01, (r.features+r.fit).Seconds()), r.err, r.stdErr)
	}
	return try.Get(report.Lines("seconds for features and fit", what, lines, report.WithTitle(title), report.WithLogX()))
}

// densityPicture is the estimate of the density of a set in the unit square, and its samples.
func densityPicture(set *ops.Bags, h []float64, title string) image.Image {
	const points = 96
	g := try.Get(ops.NewGrid(points, points))
	single := frame.Each(h, func(v float64) float32 { return float32(v) })
	width := tensor.New(tensor.WithShape(len(h)), tensor.WithBacking(single))
	d := try.Get(ops.KDE(set.Offsets(), g, ops.Attr{Layer: "picture"}).Into(nil, set.Samples(), width))
	p := plot.New()
	p.Title.Text = title
	ticks := plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: .5, Label: "0.5"}, {Value: 1, Label: "1"}}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, ticks
	img := image.NewRGBA(image.Rect(0, 0, points, points))
	top := slices.Max(d.Float32s())
	for i := range points {
		for j := range points {
			img.Set(i, points-1-j, shade(math.Sqrt(float64(d.Float32s()[i*points+j]/top))))
		}
	}
	dots := make(plotter.XYs, min(set.Size(0), 400))
	for s := range dots {
		dots[s] = plotter.XY{X: float64(set.Samples().Float32s()[2*s]), Y: float64(set.Samples().Float32s()[2*s+1])}
	}
	marks := try.Get(plotter.NewScatter(dots))
	marks.GlyphStyle = draw.GlyphStyle{Color: color.Gray{0x22}, Radius: .7, Shape: draw.CircleGlyph{}}
	p.Add(plotter.NewImage(img, 0, 0, 1, 1), marks)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	return try.Get(report.FromPlot(p, 640, 640))
}

// shade goes from white to ColorBrewer's darkest blue.
func shade(t float64) color.RGBA {
	mix := func(dark uint8) uint8 { return uint8(255 + t*(float64(dark)-255)) }
	return color.RGBA{mix(0x21), mix(0x71), mix(0xb5), 0xff}
}

// densityPictures are four sets of a problem, two by two.
func densityPictures(p *problem) image.Image {
	var all []image.Image
	for i := range min(4, p.test.Len()) {
		title := fmt.Sprintf("%d samples of a mixture of %.0f", p.test.Size(i), p.test.y[i])
		all = append(all, densityPicture(p.test.Slice(i, i+1), p.widths(.5), title))
	}
	return try.Get(report.Grid(2, all...))
}

// symmetric is the matrix of the values of pairs, with ones on the diagonal.
func symmetric(pairs []float64, n int) *mat.Dense {
	out := mat.NewSymDense(n, nil)
	for j := range n {
		out.SetSym(j, j, 1)
		for i := range j {
			out.SetSym(i, j, pairs[j*(j-1)/2+i])
		}
	}
	return mat.DenseCopyOf(out)
}
