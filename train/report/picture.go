package report

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os/exec"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/wholefile"
)

const (
	gridGap   = 24      // pixels between pictures
	maxPixels = 1 << 28 // in a picture: 1 GiB
)

// Grid combines pictures into one, row by row in the given number of columns. Each keeps its size, in the upper left
// corner of its cell. A column is as wide as its widest picture, and a row as high as its highest one, on white.
//
// Errors: ErrParam for no pictures, a nil or empty one, fewer than one column, or more than 2^28 pixels.
func Grid(columns int, pictures ...image.Image) (image.Image, error) {
	const who = "Grid"
	if columns < 1 || len(pictures) == 0 {
		return nil, fmt.Errorf("report: %s: %d pictures in %d columns, both must be at least 1: %w", who, len(pictures), columns, ErrParam)
	}
	columns = min(columns, len(pictures))
	widths, heights := make([]int, columns), make([]int, (len(pictures)+columns-1)/columns)
	for i, p := range pictures {
		if err := checkPicture(fmt.Sprintf("%s: picture %d", who, i), p); err != nil {
			return nil, err
		}
		widths[i%columns] = max(widths[i%columns], p.Bounds().Dx())
		heights[i/columns] = max(heights[i/columns], p.Bounds().Dy())
	}
	width, height := sum(widths)+gridGap*(len(widths)-1), sum(heights)+gridGap*(len(heights)-1)
	if width > maxPixels/height {
		return nil, fmt.Errorf("report: %s: %d×%d pixels are too many, at most %d: %w", who, width, height, maxPixels, ErrParam)
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	for i, p := range pictures {
		column, row := i%columns, i/columns
		at := image.Pt(sum(widths[:column])+gridGap*column, sum(heights[:row])+gridGap*row)
		draw.Draw(out, p.Bounds().Sub(p.Bounds().Min).Add(at), p, p.Bounds().Min, draw.Over)
	}
	return out, nil
}

func sum(values []int) (total int) {
	for _, v := range values {
		total += v
	}
	return total
}

// checkPicture wants a picture that is neither nil, nor a nil pointer, nor empty, nor too large.
func checkPicture(where string, p image.Image) error {
	if domain.IsNil(p) {
		return fmt.Errorf("report: %s is nil: %w", where, ErrParam)
	}
	b := p.Bounds()
	if b.Empty() {
		return fmt.Errorf("report: %s is empty: %w", where, ErrParam)
	}
	if b.Dx() > maxPixels/b.Dy() { // image.Uniform has no end
		return fmt.Errorf("report: %s has %d×%d pixels, too many to hold: at most %d: %w", where, b.Dx(), b.Dy(), maxPixels, ErrParam)
	}
	return nil
}

// SavePNG writes a picture to the file path, which is replaced whole or not at all.
//
// Errors: ErrParam for a picture that is nil, empty or of more than 2^28 pixels; otherwise the error of the file
// system, with the path.
func SavePNG(path string, img image.Image) error {
	if err := checkPicture("SavePNG: the picture", img); err != nil {
		return err
	}
	if err := wholefile.Write(path, func(w io.Writer) error { return png.Encode(w, img) }); err != nil {
		return fmt.Errorf("report: cannot write the picture %s; see that the folder exists and can be written to: %w", path, err)
	}
	return nil
}

// Graphviz draws a graph in the language of Graphviz, such as layers.Dot writes, by the command dot, which must be
// installed (Debian: apt-get install graphviz).
//
// Errors: exec.ErrNotFound without the command dot; ErrParam for a text that it does not accept.
func Graphviz(text string) (image.Image, error) {
	cmd := exec.Command("dot", "-Tpng", "-Gdpi=96")
	cmd.Stdin = strings.NewReader(text)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("report: Graphviz: the command dot is not there; install Graphviz (Debian: apt-get install graphviz): %w", err)
	case err != nil:
		return nil, fmt.Errorf("report: Graphviz: dot says %q: %w", strings.TrimSpace(complaint.String()), ErrParam)
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("report: Graphviz: dot wrote no picture (%d bytes): %w", len(out), ErrParam)
	}
	return img, nil
}

// Must returns the picture, and panics with err unless it is nil. As the last line of a notebook cell it shows the
// picture, or fails.
func Must(img image.Image, err error) image.Image {
	if err != nil {
		panic(err)
	}
	return img
}
