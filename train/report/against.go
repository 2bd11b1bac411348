package report

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxPoints is the largest number of points that a scatter plot shows one by one.
const maxPoints = 2500

var diagonalLine = draw.LineStyle{Color: palette[1], Width: 1.25, Dashes: []vg.Length{5, 3}}

// drawAgainst draws y against x on equal axes with the diagonal, as points, or as hexagons if there are many.
func drawAgainst(area draw.Canvas, pts plotter.XYs, xLabel, yLabel, what string) {
	panel := newPanel(xLabel, yLabel, niceTicks{n: 7}, niceTicks{n: 7})
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range pts {
		lo, hi = min(lo, p.X, p.Y), max(hi, p.X, p.Y)
	}
	lo, hi = spread(lo, hi, 0.04)
	diagonal := &plotter.Line{XYs: plotter.XYs{{X: lo, Y: lo}, {X: hi, Y: hi}}, LineStyle: diagonalLine}

	if len(pts) <= maxPoints {
		seeThrough := color.NRGBA{palette[0].R, palette[0].G, palette[0].B, 0x90}
		panel.Add(&plotter.Scatter{XYs: pts, GlyphStyle: draw.GlyphStyle{Color: seeThrough, Radius: 2, Shape: draw.CircleGlyph{}}}, diagonal)
		panel.setRange(lo, hi, lo, hi)
		panel.draw(panel.square(area))
		return
	}
	bins := &hexagons{pts: pts, radius: 4}
	panel.Add(bins, diagonal)
	panel.setRange(lo, hi, lo, hi)
	data := panel.draw(panel.square(draw.Crop(area, 0, -barWidth-10, 0, 0)))
	bar := draw.Canvas{Canvas: area.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: data.Max.X + 10, Y: data.Min.Y}, Max: vg.Point{X: data.Max.X + 10 + barWidth, Y: data.Max.Y}}}
	colourBar(bar, hexLevel(1, bins.most), what+" in a hexagon", countTicks(bins.most))
}

// hexagons is a plotter that counts points in a honeycomb of a given radius and colours each cell by the logarithm of
// its count. It remembers the largest count for the colour bar.
type hexagons struct {
	pts    plotter.XYs
	radius vg.Length
	most   int
}

// Plot implements plot.Plotter.
func (h *hexagons) Plot(c draw.Canvas, p *plot.Plot) {
	// Two interleaved grids of cell centres, (i, j) a grid point of the first for even i+j: the nearest centre of
	// each, then the nearer of the two.
	dx, dy := float64(h.radius)*math.Sqrt(3)/2, float64(h.radius)*1.5
	toX, toY := p.Transforms(&c)
	counts := make(map[[2]int]int)
	for _, pt := range h.pts {
		x, y := float64(toX(pt.X)-c.Min.X)/dx, float64(toY(pt.Y)-c.Min.Y)/dy
		counts[nearestCell(x, y, dx, dy)]++
	}
	h.most = 0
	width, height := int(float64(c.Size().X)/dx)+2, int(float64(c.Size().Y)/dy)+2
	for _, n := range counts {
		h.most = max(h.most, n)
	}
	for j := -1; j <= height; j++ { // in a fixed order, so that the picture is the same each time
		for i := -1; i <= width; i++ {
			if n := counts[[2]int{i, j}]; n > 0 {
				centre := vg.Point{X: c.Min.X + vg.Length(float64(i)*dx), Y: c.Min.Y + vg.Length(float64(j)*dy)}
				h.fill(c, centre, rampAt(hexLevel(n, h.most)))
			}
		}
	}
}

// nearestCell is the cell, a pair of numbers with an even sum, whose centre is nearest to (x dx, y dy).
func nearestCell(x, y, dx, dy float64) (best [2]int) {
	nearest := math.Inf(1)
	for j := int(math.Floor(y)); j <= int(math.Floor(y))+1; j++ {
		i := 2 * int(math.Round(x/2))
		if j&1 != 0 {
			i = 2*int(math.Floor(x/2)) + 1
		}
		if d := math.Hypot((x-float64(i))*dx, (y-float64(j))*dy); d < nearest {
			nearest, best = d, [2]int{i, j}
		}
	}
	return best
}

// hexLevel is the position on the ramp for n points if the largest count is top; a single point is visible.
func hexLevel(n, top int) float64 {
	if top <= 1 {
		return 0.2
	}
	return 0.2 + 0.8*math.Log(float64(n))/math.Log(float64(top))
}

// countTicks are the marks of the colour bar for hexLevel.
func countTicks(top int) (out []barTick) {
	for power := 1; power <= top; power *= 10 {
		for _, m := range []int{1, 2, 5} {
			if n := m * power; n <= top && (m == 1 || top < 100) {
				out = append(out, barTick{hexLevel(n, top), strconv.Itoa(n)})
			}
		}
	}
	if n := len(out); n > 0 && out[n-1].label != strconv.Itoa(top) {
		out = append(out, barTick{1, strconv.Itoa(top)})
	}
	return out
}

// fill draws one hexagon, with an outline of its own colour that closes the seam to its neighbours.
func (h *hexagons) fill(c draw.Canvas, centre vg.Point, col color.Color) {
	var path vg.Path
	for k := range 6 {
		sin, cos := math.Sincos(math.Pi/6 + float64(k)*math.Pi/3)
		v := vg.Point{X: centre.X + h.radius*vg.Length(cos), Y: centre.Y + h.radius*vg.Length(sin)}
		if k == 0 {
			path.Move(v)
		} else {
			path.Line(v)
		}
	}
	path.Close()
	c.SetColor(col)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: col, Width: 0.3})
	c.Stroke(path)
}
