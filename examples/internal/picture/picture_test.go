package picture

import (
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"
)

// TestFewColours: a picture of more than 256 colours keeps the most frequent ones and comes near the others.
func TestFewColours(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 300, 4))
	for x := range 300 {
		for y := range 4 {
			img.Set(x, y, color.White)
		}
		img.Set(x, 0, color.Gray16{uint16(x * 218)})
		img.Set(x, 1, color.RGBA{uint8(x), 0, uint8(x / 2), 255})
	}
	few := inFewColours(img)
	if len(few.Palette) > 256 || few.Bounds() != img.Bounds() {
		t.Fatalf("%d colours, bounds %v", len(few.Palette), few.Bounds())
	}
	if !slices.Contains(few.Palette, color.Color(color.RGBA{255, 255, 255, 255})) {
		t.Error("white is lost")
	}
	if share := different(img, few); share > 0 {
		t.Errorf("%v of the pixels look different", share)
	}
}

// TestDifference: a pixel in a hundred may look different, and a faint difference is none.
func TestDifference(t *testing.T) {
	grey := func(width int, at map[int]uint8) image.Image {
		img := image.NewGray(image.Rect(0, 0, width, 4))
		for i := range img.Pix {
			img.Pix[i] = 100
		}
		for i, v := range at {
			img.Pix[i] = v
		}
		return img
	}
	for name, c := range map[string]struct {
		other image.Image
		want  string
	}{
		"the same":   {grey(50, nil), ""},
		"faint":      {grey(50, map[int]uint8{1: 150, 2: 150, 3: 150}), ""},
		"two of 200": {grey(50, map[int]uint8{1: 255, 2: 255}), ""},
		"three":      {grey(50, map[int]uint8{1: 255, 2: 255, 3: 255}), "1.5 %"},
		"wider":      {grey(51, nil), "(50,4), drawn (51,4)"},
	} {
		got := Difference(grey(50, nil), c.other)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
