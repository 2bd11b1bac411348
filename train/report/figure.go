package report

import (
	"fmt"
	"image"
	"math"
	"strconv"

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

// newFigure is a white picture with a title and, below it in a smaller font, a line of numbers.
func newFigure(s settings, numbers string) *figure {
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(s.width)*vg.Inch/dpi, vg.Length(s.height)*vg.Inch/dpi), vgimg.UseDPI(dpi))
	f := &figure{canvas, draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)}
	f.heading(s.title, titleSize)
	if numbers != "" {
		f.heading(numbers, tickSize)
	}
	f.body.Max.Y -= 4
	return f
}

func (f *figure) heading(txt string, size vg.Length) {
	style := textStyle(size, ink)
	if size < titleSize {
		style.Color = faint
	}
	f.body.Max.Y -= size * 0.7
	write(f.body, style, vg.Point{X: f.body.Min.X, Y: f.body.Max.Y}, atStart, false, shorten(style, txt, f.body.Size().X))
	f.body.Max.Y -= size * 0.7
}

// image is the finished picture.
func (f *figure) image() image.Image { return f.canvas.Image() }

// entry is a name in a legend, with the line or glyph that it explains.
type entry struct {
	name  string
	line  draw.LineStyle
	glyph draw.GlyphStyle
}

// legend writes the entries in rows above the body, outside of the data.
func (f *figure) legend(entries []entry) {
	const gap, between vg.Length = 5, 18
	style := textStyle(tickSize, ink)
	x := f.body.Min.X
	y := f.body.Max.Y - tickSize*0.7
	for _, e := range entries {
		sample := vg.Length(26)
		if e.line.Width == 0 {
			sample = 8
		}
		name := shorten(style, e.name, f.body.Size().X-sample-gap)
		width := sample + gap + style.Width(name)
		if x > f.body.Min.X && x+width > f.body.Max.X {
			x, y = f.body.Min.X, y-tickSize*1.5
		}
		if e.line.Width > 0 {
			f.body.StrokeLine2(e.line, x, y, x+sample, y)
			f.body.SetLineDash(nil, 0)
		}
		f.body.DrawGlyphNoClip(e.glyph, vg.Point{X: x + sample/2, Y: y})
		write(f.body, style, vg.Point{X: x + sample + gap, Y: y}, atStart, false, name)
		x += width + between
	}
	f.body.Max.Y = y - tickSize*0.7 - 4
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

// barTick is a mark on a colour bar, at a position on the ramp.
type barTick struct {
	at    float64
	label string
}

const barWidth vg.Length = 50 // of a colour bar with its labels

// colourBar draws the ramp, from a position upwards to its end, along the left side of c, with marks; marks that would
// overlap are left out.
func colourBar(c draw.Canvas, from float64, label string, ticks []barTick) {
	const steps, wide vg.Length = 128, 10
	h := c.Size().Y
	for i := range int(steps) {
		// Each step reaches to the top, so that no seam shows between two.
		r := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: c.Min.Y + h*vg.Length(i)/steps}, Max: vg.Point{X: c.Min.X + wide, Y: c.Max.Y}}
		c.SetColor(rampAt(from + (1-from)*(float64(i)+0.5)/float64(steps)))
		c.Fill(r.Path())
	}
	frame := draw.LineStyle{Color: faint, Width: 0.5}
	box := vg.Rectangle{Min: c.Min, Max: vg.Point{X: c.Min.X + wide, Y: c.Max.Y}}
	c.SetLineStyle(frame)
	c.Stroke(box.Path())
	style := textStyle(tickSize-1, ink)
	last := vg.Length(math.Inf(-1))
	for _, t := range ticks {
		y := c.Min.Y + h*vg.Length((t.at-from)/(1-from))
		if y-last < tickSize*1.1 {
			continue
		}
		last = y
		c.StrokeLine2(frame, c.Min.X+wide, y, c.Min.X+wide+3, y)
		write(c, style, vg.Point{X: c.Min.X + wide + 5, Y: y}, atStart, false, t.label)
	}
	write(c, textStyle(tickSize, ink), vg.Point{X: c.Max.X - tickSize/2, Y: c.Center().Y}, atMiddle, true, label)
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
