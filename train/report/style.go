package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	colours "gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/palette/moreland"
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
	minSize   = 5 // the smallest readable size
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

// blues is ColorBrewer's "Blues" from lo to hi > lo; its lightness decreases throughout.
func blues(lo, hi float64) colours.ColorMap {
	p, err := brewer.GetPalette(brewer.TypeSequential, "Blues", 9)
	if err != nil {
		panic(err)
	}
	c := slices.Clone(p.Colors())
	slices.Reverse(c) // Luminance wants dark colours first
	m, err := moreland.NewLuminance(c)
	if err != nil {
		panic(err)
	}
	m.SetMax(hi)
	m.SetMin(lo)
	return colours.Reverse(m)
}

// colourAt is the colour of t, from 0 to 1.
func colourAt(t float64) color.Color {
	c, err := blues(0, 1).At(t)
	if err != nil {
		panic(err)
	}
	return c
}

// handler measures and draws plain text in the built-in fonts, whatever the defaults of plot are.
var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// textStyle is sans-serif text, of a size in points.
func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: handler}
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
