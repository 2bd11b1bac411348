package report

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ExactVsApprox draws the entries of an approximate kernel matrix against the exact entries, with the diagonal of
// a perfect approximation. If both matrices are symmetric, each pair of rows, and each row with itself, appears once.
// More than 2500 entries are counted in cells, coloured by count. It takes WithTitle and WithSize.
//
// Errors: as for Compare; ErrDomain for a value beyond 1e300; ErrParam for a size out of range.
func ExactVsApprox(exact, approx *mat.Dense, opts ...Option) (image.Image, error) {
	const who = "ExactVsApprox"
	g, err := Compare(exact, approx)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", who, err)
	}
	s, err := settings{title: "Approximate and exact kernel", width: 900, height: 880}.apply(who, opts)
	if err != nil {
		return nil, err
	}
	rows, cols := exact.Dims()
	once := mat.Equal(exact, exact.T()) && mat.Equal(approx, approx.T())
	pts := make(plotter.XYs, 0, rows*cols)
	for i := range rows {
		k, a := exact.RawRowView(i), approx.RawRowView(i)
		from := 0
		if once {
			from = i
		}
		for j := from; j < cols; j++ {
			if max(math.Abs(k[j]), math.Abs(a[j])) > maxDrawn {
				return nil, fmt.Errorf("report: %s: entry [%d,%d], exact %v and approximate %v, is beyond ±%v and cannot be drawn; scale the matrices: %w", who, i, j, k[j], a[j], maxDrawn, ErrDomain)
			}
			pts = append(pts, plotter.XY{X: k[j], Y: a[j]})
		}
	}
	f := newFigure(s, fmt.Sprintf("%s: relative Frobenius error %s, max %s, rms %s", count(len(pts), "entry", "entries"), short(g.RelativeFrobenius), short(g.Max), short(g.RMS)))
	f.against("approximate = exact", "exact kernel", "approximate kernel", "entries", pts)(f.body)
	return f.image(), nil
}

// maxPoints is the largest number of points that a scatter plot shows one by one.
const maxPoints = 2500

var diagonalLine = draw.LineStyle{Color: palette[1], Width: 1.25, Dashes: []vg.Length{5, 3}}

// against returns a function that draws y against x on equal axes with the diagonal, as points, or as a heat map of
// their number if there are many. It draws the legend of the diagonal.
func (f *figure) against(diagonal, xLabel, yLabel, what string, pts plotter.XYs) func(area draw.Canvas) {
	p := newPanel(xLabel, yLabel)
	if len(pts) <= maxPoints {
		seeThrough := color.NRGBA{palette[0].R, palette[0].G, palette[0].B, 0x90}
		p.Add(&plotter.Scatter{XYs: pts, GlyphStyle: draw.GlyphStyle{Color: seeThrough, Radius: 2, Shape: draw.CircleGlyph{}}})
	} else {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = plotter.XYRange(pts)
	}
	p.X.Min, p.X.Max = min(p.X.Min, p.Y.Min), max(p.X.Max, p.Y.Max)
	widen(&p.X, .04)
	p.Y.Min, p.Y.Max = p.X.Min, p.X.Max
	cells := newCounts(pts, p.X.Min, p.X.Max)
	if len(pts) > maxPoints {
		h := plotter.NewHeatMap(cells, blues(0, 1).Palette(256))
		h.Min, h.Max = -.25*cells.top, cells.top // a single point is visible
		p.Add(h)
	}
	p.line(diagonal, diagonalLine, plotter.XY{X: p.X.Min, Y: p.X.Min}, plotter.XY{X: p.X.Max, Y: p.X.Max})
	f.legend(p.legend)
	return func(area draw.Canvas) {
		if len(pts) <= maxPoints {
			p.square(area)
			return
		}
		data := p.square(draw.Crop(area, 0, -barWidth-8, 0, 0))
		f.colourBar(data, -.25*cells.top, cells.top, what+" in a cell", cells.marks())
	}
}

// counts are the logarithms of the numbers of points in square cells.
type counts struct {
	n      [64][64]float64
	lo, hi float64
	top    float64 // the largest logarithm, at least that of 2
}

func newCounts(pts plotter.XYs, lo, hi float64) *counts {
	c := &counts{lo: lo, hi: hi, top: math.Ln2}
	at := func(v float64) int {
		return min(int((v/2-lo/2)/(hi/2-lo/2)*float64(len(c.n))), len(c.n)-1)
	}
	for _, p := range pts {
		c.n[at(p.X)][at(p.Y)]++
	}
	for i := range c.n {
		for j, n := range c.n[i] {
			c.n[i][j] = math.Log(n)
			c.top = max(c.top, c.n[i][j])
		}
	}
	return c
}

// Dims, X, Y and Z implement plotter.GridXYZ.
func (c *counts) Dims() (int, int)   { return len(c.n), len(c.n) }
func (c *counts) Z(i, j int) float64 { return c.n[i][j] } // -Inf, which is not drawn, for no point
func (c *counts) X(i int) float64    { return c.lo + (c.hi-c.lo)*(float64(i)+.5)/float64(len(c.n)) }
func (c *counts) Y(j int) float64    { return c.X(j) }

// marks are those of a colour bar, at powers of ten, or of two if there are few points.
func (c *counts) marks() (out plot.ConstantTicks) {
	base := 10.
	if c.top < math.Log(100) {
		base = 2
	}
	for n := 1.; math.Log(n) <= c.top; n *= base {
		out = append(out, plot.Tick{Value: math.Log(n), Label: strconv.FormatFloat(n, 'f', -1, 64)})
	}
	return out
}
