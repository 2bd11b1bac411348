package data

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// The layout of the binary files of CIFAR-10.
const (
	cifarEdge   = 32
	cifarPixels = cifarEdge * cifarEdge
	cifarRecord = 1 + 3*cifarPixels
)

// ReadImageBags reads images as sets of samples from a file in the binary layout of CIFAR-10, plain, gzip or zstd: for
// each image a byte with its class, then 1024 bytes of red, 1024 of green and 1024 of blue, row by row. A pixel is a
// sample of three coordinates in the unit cube,
//
//	x = (column + ½)/32,   y = (row + ½)/32,   value = (.299 red + .587 green + .114 blue)/255,
//
// and a set has 1024 of them, or with mirror 2048: the pixels of the image and of its left-right mirror image. It reads
// the first limit images (0: all). Set.X is an *ops.Bags of float64, and Set.Labels are the classes as decimal numbers.
// Sutherland et al. (2016), Image classification; the weights of the colours follow ITU-R BT.601. Errors:
// ErrFormat for a file that ends within an image, or has none.
func ReadImageBags(path string, mirror bool, limit int) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	s, err := open(f, path, Options{}, false)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.meter.most /= 8 // since each byte becomes up to 16
	set := &Set{Names: []string{"x", "y", "value"}, LabelNames: []string{"label"}, Source: path}
	var x []float64
	offsets := []int{0}
	record := make([]byte, cifarRecord)
	for limit == 0 || len(set.Labels) < limit {
		n, err := io.ReadFull(s.Reader, record)
		if err == io.EOF {
			break
		}
		if err == io.ErrUnexpectedEOF {
			return nil, s.fail(0, ErrFormat, "image %d has %d bytes of %d; the file is cut off, or no images of 32 x 32 pixels in three colours", len(set.Labels), n, cifarRecord)
		}
		if err != nil {
			return nil, s.wrap(err)
		}
		x = appendPixels(x, record[1:], false)
		if mirror {
			x = appendPixels(x, record[1:], true)
		}
		set.Labels, offsets = append(set.Labels, strconv.Itoa(int(record[0]))), append(offsets, len(x)/3)
	}
	if len(set.Labels) == 0 {
		return nil, s.fail(0, ErrFormat, "has no images")
	}
	set.X, err = ops.NewBags(tensor.New(tensor.WithShape(len(x)/3, 3), tensor.WithBacking(x)), offsets)
	return set, err
}

// appendPixels appends the samples of one image.
func appendPixels(x []float64, colours []byte, mirror bool) []float64 {
	for p := range cifarPixels {
		column, row := p%cifarEdge, p/cifarEdge
		if mirror {
			column = cifarEdge - 1 - column
		}
		grey := .299*float64(colours[p]) + .587*float64(colours[cifarPixels+p]) + .114*float64(colours[2*cifarPixels+p])
		x = append(x, (float64(column)+.5)/cifarEdge, (float64(row)+.5)/cifarEdge, min(1, grey/255))
	}
	return x
}
