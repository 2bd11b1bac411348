package main

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gorgonia.org/tensor"
)

// colours are of the palette of Okabe and Ito (2008), and shapes tell apart what has one colour.
var (
	colours = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x22, 0x22, 0x22, 0xff}}
	shapes  = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}}
	ink     = color.RGBA{0x22, 0x22, 0x22, 0xff}
)

// errorByTime is the picture of the errors of the methods against the seconds of their features and fit, with the standard errors; numbers of
// training sets are joined by a line. Linear methods, which are far above, are left out where there are others.
func errorByTime(results []result, title, what string) (image.Image, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "seconds for features and fit", what
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	p.Add(plotter.NewGrid())
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding = true, true, 3
	points := map[string]errorBars{}
	var names []string
	for _, r := range results {
		if r.linear && slices.ContainsFunc(results, func(r result) bool { return !r.linear }) {
			continue
		}
		if !slices.Contains(names, r.method) {
			names = append(names, r.method)
		}
		b := points[r.method]
		b.XYs = append(b.XYs, plotter.XY{X: math.Max(.01, (r.features + r.fit).Seconds()), Y: r.err})
		b.YErrors = append(b.YErrors, struct{ Low, High float64 }{r.stdErr, r.stdErr})
		points[r.method] = b
	}
	for i, name := range names {
		b := points[name]
		marks, err := plotter.NewScatter(b.XYs)
		if err != nil {
			return nil, err
		}
		bars, err := plotter.NewYErrorBars(b)
		if err != nil {
			return nil, err
		}
		line, err := plotter.NewLine(b.XYs)
		if err != nil {
			return nil, err
		}
		c := colours[i%len(colours)]
		marks.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 4, Shape: shapes[i/len(colours)%len(shapes)]}
		bars.Color, bars.Width, line.Color = c, 1, c
		p.Add(line, bars, marks)
		legend.Add(name, marks)
	}
	sans(&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &legend.TextStyle)
	lo, hi := p.X.Min, p.X.Max
	p.X.Min, p.X.Max = lo/1.3, hi*1.3
	const width, beside, height = 400, 130, 320 // points
	canvas := vgimg.NewWith(vgimg.UseWH(width+beside, height), vgimg.UseDPI(144))
	area := draw.Crop(draw.New(canvas), 8, -12, 8, -8)
	p.Draw(draw.Crop(area, 0, -beside, 0, 0))
	legend.Draw(draw.Crop(area, width-10, 0, 0, -24))
	return canvas.Image(), nil
}

type errorBars struct {
	plotter.XYs
	plotter.YErrors
}

// decades are the powers of ten and twice and five times these, with the nearest outside, so that there are always some.
func decades(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, e); v >= lo && v <= hi {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
			}
		}
	}
	return ticks
}

func sans(styles ...*text.Style) {
	for _, s := range styles {
		s.Font.Variant = "Sans"
	}
}

// densityPicture is the estimate of the density of a set in the unit square, and its samples.
func densityPicture(set *ops.Bags, h []float64, title string) (image.Image, error) {
	const points = 96
	g, err := ops.NewGrid(points, points)
	if err != nil {
		return nil, err
	}
	width := make([]float32, len(h))
	for j, v := range h {
		width[j] = float32(v)
	}
	d, err := ops.KDEInto(nil, set, tensor.New(tensor.WithShape(len(h)), tensor.WithBacking(width)), g, ops.Attr{Layer: "picture"})
	if err != nil {
		return nil, err
	}
	p := plot.New()
	p.Title.Text = title
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(unitTicks), plot.ConstantTicks(unitTicks)
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
	marks, err := plotter.NewScatter(dots)
	if err != nil {
		return nil, err
	}
	marks.GlyphStyle = draw.GlyphStyle{Color: ink, Radius: .7, Shape: draw.CircleGlyph{}}
	p.Add(plotter.NewImage(img, 0, 0, 1, 1), marks)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	sans(&p.Title.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label)
	const edge = 320 // points
	canvas := vgimg.NewWith(vgimg.UseWH(edge, edge), vgimg.UseDPI(144))
	p.Draw(draw.Crop(draw.New(canvas), 6, -8, 6, -6))
	return canvas.Image(), nil
}

var unitTicks = []plot.Tick{{Value: 0, Label: "0"}, {Value: .5, Label: "0.5"}, {Value: 1, Label: "1"}}

// shade goes from white to ColorBrewer's darkest blue.
func shade(t float64) color.RGBA {
	mix := func(dark uint8) uint8 { return uint8(255 + t*(float64(dark)-255)) }
	return color.RGBA{mix(0x21), mix(0x71), mix(0xb5), 0xff}
}

// densityPictures are four sets of a problem, two by two.
func densityPictures(p *problem) (image.Image, error) {
	var all []image.Image
	for i := range min(4, p.test.Len()) {
		img, err := densityPicture(p.test.Slice(i, i+1), p.widths(.5), fmt.Sprintf("%d samples of a mixture of %.0f", p.test.Size(i), p.truth[i]))
		if err != nil {
			return nil, err
		}
		all = append(all, img)
	}
	return report.Grid(2, all...)
}

// gramPictures are the estimates of kernel values against the true ones.
func gramPictures(estimates []gramEstimate, n int) ([]image.Image, error) {
	var all []image.Image
	for _, e := range estimates {
		img, err := report.ExactVsApprox(symmetric(e.exact, n), symmetric(e.kernel, n), report.WithTitle(fmt.Sprintf("Kernel of Jensen-Shannon by %s", e.name)))
		if err != nil {
			return nil, err
		}
		all = append(all, img)
	}
	return all, nil
}

// symmetric is the matrix of the values of pairs, with ones on the diagonal.
func symmetric(pairs []float64, n int) *mat.Dense {
	out := mat.NewDense(n, n, nil)
	for j := range n {
		out.Set(j, j, 1)
		for i := range j {
			v := pairs[j*(j-1)/2+i]
			out.Set(i, j, v)
			out.Set(j, i, v)
		}
	}
	return out
}
