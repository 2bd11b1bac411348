package report

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// figure is a picture under construction; body is the area below its title and legend.
type figure struct {
	canvas *vgimg.Canvas
	body   draw.Canvas
}

const margin vg.Length = 8

// newCanvas is a white canvas.
func newCanvas(s settings) *vgimg.Canvas {
	return vgimg.NewWith(vgimg.UseWH(vg.Length(s.width)*vg.Inch/dpi, vg.Length(s.height)*vg.Inch/dpi), vgimg.UseDPI(dpi))
}

// newFigure is a white picture with a title and, below it in a smaller font, a line of numbers.
func newFigure(s settings, numbers string) *figure {
	canvas := newCanvas(s)
	f := &figure{canvas, draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)}
	f.heading(s.title, textStyle(titleSize, ink))
	if numbers != "" {
		f.heading(numbers, textStyle(tickSize, faint))
	}
	f.body.Max.Y -= 4
	return f
}

func (f *figure) heading(txt string, style text.Style) {
	f.body.Max.Y -= style.Font.Size * 1.4
	f.body.FillText(style, vg.Point{X: f.body.Min.X, Y: f.body.Max.Y}, shorten(style, txt, f.body.Size().X))
}

// image is the finished picture.
func (f *figure) image() image.Image { return f.canvas.Image() }

// legend writes the entries in rows above the body, outside of the data.
func (f *figure) legend(entries []entry) {
	const thumb, between vg.Length = 24, 14
	x := f.body.Min.X
	row := vg.Length(tickSize * 1.5)
	for _, e := range entries {
		one := plot.NewLegend()
		one.TextStyle, one.ThumbnailWidth = textStyle(tickSize, ink), thumb
		one.Top, one.Left = true, true
		one.Add(shorten(one.TextStyle, e.name, f.body.Size().X-thumb-between), e.thumbs...)
		width := one.Rectangle(f.body).Size().X
		if x > f.body.Min.X && x+width > f.body.Max.X {
			x, f.body.Max.Y = f.body.Min.X, f.body.Max.Y-row
		}
		one.Draw(draw.Crop(f.body, x-f.body.Min.X, 0, 0, 0))
		x += width + between
	}
	f.body.Max.Y -= row + 4
}

// panels divides the body into n equal parts, side by side, or one above another in a picture that is higher than wide.
func (f *figure) panels(n int) []draw.Canvas {
	tiles := draw.Tiles{Cols: n, Rows: 1, PadX: 24}
	if width, height := f.canvas.Size(); height > width {
		tiles = draw.Tiles{Cols: 1, Rows: n, PadY: 24}
	}
	out := make([]draw.Canvas, n)
	for i := range out {
		out[i] = tiles.At(f.body, i%tiles.Cols, i/tiles.Cols)
	}
	return out
}

const barWidth vg.Length = 56 // of a colour bar with its labels

// colourBar draws the colours from lo to hi along the right side of data, with marks.
func (f *figure) colourBar(data draw.Canvas, lo, hi float64, label string, marks plot.ConstantTicks) {
	p := newPanel("", label)
	p.HideX()
	p.Y.Tick.Marker = marks
	p.Add(&plotter.ColorBar{ColorMap: blues(lo, hi), Vertical: true})
	area := data
	area.Min.X = data.Max.X + 8
	area.Max.X = area.Min.X + barWidth
	p.draw(area)
}

// count is a number with the singular or plural of its unit.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// checkSameLength wants two lists of the same length.
func checkSameLength(who, a string, n int, b string, m int) error {
	if n == m {
		return nil
	}
	return fmt.Errorf("report: %s: the length of %s is %d, that of %s is %d: %w", who, a, n, b, m, ErrShape)
}

// checkPoints wants the coordinates of at least one point, all within the range of a linear axis.
func checkPoints(who, a string, x []float64, b string, y []float64) error {
	if err := checkSameLength(who, a, len(x), b, len(y)); err != nil {
		return err
	}
	return cmp.Or(checkDrawn(who, a, x), checkDrawn(who, b, y))
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
