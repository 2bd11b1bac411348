package data

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
)

// record is an image whose pixels are all of one colour, but for one that is white.
func record(class byte, colour [3]byte, white int) []byte {
	out := []byte{class}
	for _, c := range colour {
		plane := bytes.Repeat([]byte{c}, cifarPixels)
		plane[white] = 255
		out = append(out, plane...)
	}
	return out
}

// TestReadImageBags: the samples are where the pixels are, grey, and again in the mirror; plain and gzip files are the same.
func TestReadImageBags(t *testing.T) {
	two := append(record(3, [3]byte{255, 0, 0}, 5*cifarEdge+2), record(5, [3]byte{0, 0, 51}, 0)...)
	for _, file := range []string{string(two), zip(string(two))} {
		path := fileOf(t, "images.bin", file)
		set := must(ReadImageBags(path, true, 0))
		b := set.X.(*ops.Bags)
		if b.Len() != 2 || b.Axes() != 3 || b.Size(0) != 2*cifarPixels || strings.Join(set.Labels, " ") != "3 5" {
			t.Fatalf("%v, labels %v", b, set.Labels)
		}
		x := b.Bag(0).Float64s()
		for _, c := range []struct {
			sample int
			want   [3]float64
		}{
			{0, [3]float64{.5 / 32, .5 / 32, .299}},
			{5*cifarEdge + 2, [3]float64{2.5 / 32, 5.5 / 32, 1}},
			{cifarPixels + 5*cifarEdge + 2, [3]float64{29.5 / 32, 5.5 / 32, 1}},
			{2*cifarPixels - 1, [3]float64{.5 / 32, 31.5 / 32, .299}},
		} {
			for j, want := range c.want {
				if got := x[3*c.sample+j]; math.Abs(got-want) > 1e-15 {
					t.Errorf("sample %d, coordinate %d is %v, want %v", c.sample, j, got, want)
				}
			}
		}
		if v := b.Bag(1).Float64s()[5]; math.Abs(v-.114/5) > 1e-15 {
			t.Errorf("the second image has the value %v", v)
		}
		if one, err := ReadImageBags(path, false, 1); err != nil || one.Rows() != 1 || one.X.(*ops.Bags).Size(0) != cifarPixels {
			t.Errorf("one image: %v, %v", one, err)
		}
	}
	for text, want := range map[string]string{"": "is empty", string(two[:4000]): "image 1 has 927 bytes of 3073", "\x1f\x8b\x08": "truncated"} {
		fails(t, failed(ReadImageBags(fileOf(t, "bad.bin", text), false, 0)), ErrFormat, want)
	}
}
