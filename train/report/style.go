package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dpi is the resolution of every picture, in pixels per inch.
const dpi = 144

// Font sizes in points.
const (
	titleSize = 12
	labelSize = 10
	tickSize  = 9
	minSize   = 6 // the smallest readable size
)

var (
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.RGBA{0x66, 0x66, 0x66, 0xff}
	rule  = color.RGBA{0xe4, 0xe4, 0xe4, 0xff}
)

// palette is the one of Okabe and Ito (2008) without its yellow, which is too pale for lines on white.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermillion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x00, 0x00, 0xff},
}

var (
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {4, 4}}
)

// seriesLine and seriesGlyph are the styles of series i: 7 colours and 5 dashes tell 35 series apart.
func seriesLine(i int) draw.LineStyle {
	return draw.LineStyle{Color: palette[i%len(palette)], Width: 1.5, Dashes: dashes[i%len(dashes)]}
}

func seriesGlyph(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[i%len(palette)], Radius: 3, Shape: shapes[(i+i/len(palette))%len(shapes)]}
}

// ramp is ColorBrewer's "Blues"; its lightness decreases throughout.
var ramp = []color.RGBA{
	{0xff, 0xff, 0xff, 0xff}, {0xde, 0xeb, 0xf7, 0xff}, {0xc6, 0xdb, 0xef, 0xff}, {0x9e, 0xca, 0xe1, 0xff},
	{0x6b, 0xae, 0xd6, 0xff}, {0x42, 0x92, 0xc6, 0xff}, {0x21, 0x71, 0xb5, 0xff}, {0x08, 0x51, 0x9c, 0xff}, {0x08, 0x30, 0x6b, 0xff},
}

// rampAt is the colour of t, from 0 (white) to 1.
func rampAt(t float64) color.RGBA {
	t = min(max(t, 0), 1) * float64(len(ramp)-1)
	i := min(int(t), len(ramp)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (t-float64(i))*(float64(b)-float64(a)))) }
	a, b := ramp[i], ramp[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// onRamp is a text colour that stands out from rampAt(t).
func onRamp(t float64) color.Color {
	if t > 0.55 {
		return color.White
	}
	return ink
}

// handler measures and draws plain text in the built-in fonts, whatever the defaults of plot are.
var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// textStyle is sans-serif text, of a size in points.
func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: handler}
}

// The alignment of a text relative to its point.
const (
	atStart  = text.XLeft
	atMiddle = text.XCenter
	atEnd    = text.XRight
)

// write draws one line of text at p, with its digits and capitals centred across the line; up rotates it to read
// upwards.
func write(c draw.Canvas, s text.Style, p vg.Point, align text.XAlignment, up bool, txt string) {
	const capital = 0.69 // height of a capital letter of the font, in sizes
	s.XAlign, s.YAlign = align, text.YBottom
	// The handler puts the baseline this far above the point.
	shift := capital*s.Font.Size/2 + s.Font.Size - s.FontExtents().Ascent
	if up {
		s.Rotation = math.Pi / 2
		p.X += shift
	} else {
		p.Y -= shift
	}
	c.FillText(s, p, txt)
}

// shorten cuts txt to a width and appends an ellipsis.
func shorten(s text.Style, txt string, width vg.Length) string {
	if s.Width(txt) <= width {
		return txt
	}
	r := []rune(txt)
	for len(r) > 0 && s.Width(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
