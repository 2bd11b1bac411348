package report

import (
	"image/color"
	"math"
	"slices"
	"testing"
)

// TestBars: the bars are as long as their values, from 0, the first on top, each in the colour of its kind.
func TestBars(t *testing.T) {
	img := must(Bars("value", []Bar{{"whole", 1, "a"}, {"a name that is far too long to be written in full beside such a bar, which is why it is cut and ends with dots", .5, "b"}, {"none", 0, "a"}}))
	size := img.Bounds().Size()
	if size.X != 1100 || size.Y != 200+3*barHeight {
		t.Errorf("size %v", size)
	}
	longest, where := [2]int{}, [2]int{}
	for y := 90; y < size.Y; y++ { // below the legend
		for k := range 2 {
			n := 0
			for x := range size.X {
				if img.At(x, y) == color.Color(palette[k]) {
					n++
				}
			}
			if n > longest[k] {
				longest[k], where[k] = n, y
			}
		}
	}
	if longest[0] < 300 || math.Abs(float64(longest[0])/2-float64(longest[1])) > 3 || where[0] >= where[1] {
		t.Errorf("bars of %d pixels at heights %d", longest, where)
	}
	if _, err := Bars("value", slices.Repeat([]Bar{{"zero", 0, ""}}, 180)); err != nil {
		t.Errorf("180 bars of 0: %v", err)
	}
	if _, err := Bars("value", []Bar{{"large", 1e300, ""}, {"small", 1e-300, ""}}); err != nil {
		t.Error(err)
	}
}
