// Package picture compares the pictures that the repository holds with the pictures that its programs draw.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
)

// Difference says how two pictures differ, or nothing: their size must be the same, and at most one pixel in a hundred
// may look different, as rounding may move a line by one.
func Difference(a, b image.Image) string {
	if a.Bounds() != b.Bounds() {
		return fmt.Sprintf("a picture of %v, drawn %v", a.Bounds().Size(), b.Bounds().Size())
	}
	if share := different(a, b); share > .01 {
		return fmt.Sprintf("%.1f %% of a picture look different", 100*share)
	}
	return ""
}

// Small is a PNG of img in at most 256 of its colours, a third of the size.
func Small(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, inFewColours(img))
	return b.Bytes(), err
}

// pixels are the colours of a picture, row by row.
func pixels(img image.Image) []color.RGBA {
	r := img.Bounds()
	all := make([]color.RGBA, 0, r.Dx()*r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			all = append(all, color.RGBAModel.Convert(img.At(x, y)).(color.RGBA))
		}
	}
	return all
}

// different is the share of pixels in which two pictures of one size differ by a quarter of the range of a colour or
// more.
func different(a, b image.Image) float64 {
	p, q, n := pixels(a), pixels(b), 0
	for i := range p {
		if distance(p[i], q[i]) >= 64 {
			n++
		}
	}
	return float64(n) / float64(len(p))
}

// distance is the largest difference of two colours, of 255.
func distance(p, q color.RGBA) int {
	return max(apart(p.R, q.R), apart(p.G, q.G), apart(p.B, q.B), apart(p.A, q.A))
}

func apart(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }

// inFewColours is a picture in at most 256 of its colours: lines and their blurred edges need no more.
func inFewColours(img image.Image) *image.Paletted {
	all, counts, nearest := pixels(img), map[color.RGBA]int{}, map[color.RGBA]uint8{}
	for _, c := range all {
		counts[c]++
	}
	out := image.NewPaletted(img.Bounds(), paletteOf(counts))
	for c := range counts {
		nearest[c] = uint8(out.Palette.Index(c))
	}
	for i, c := range all {
		out.Pix[i] = nearest[c]
	}
	return out
}

// paletteOf chooses at most 256 colours such that each is close to one of them, as close as can be: the most frequent
// first, of equals the darker, but none that is close to one chosen before.
func paletteOf(counts map[color.RGBA]int) color.Palette {
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return int(a.R)<<16 + int(a.G)<<8 + int(a.B) - int(b.R)<<16 - int(b.G)<<8 - int(b.B)
	})
	for close := 0; ; close = 2*close + 1 {
		var chosen color.Palette
		for _, c := range all {
			if !slices.ContainsFunc(chosen, func(p color.Color) bool { return distance(p.(color.RGBA), c) <= close }) {
				if chosen = append(chosen, c); len(chosen) > 256 {
					break
				}
			}
		}
		if len(chosen) <= 256 {
			return chosen
		}
	}
}
