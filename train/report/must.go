package report

import (
	"image"

	"gonum.org/v1/gonum/mat"
)

// Must returns a picture, and panics with err where it is not nil. As the last line of a notebook's cell it shows the
// picture, or fails.
func Must(img image.Image, err error) image.Image {
	if err != nil {
		panic(err)
	}
	return img
}

// MustGram is Must, which panics, for the matrices of spectral.Gram, ExactGram and ApproxGram.
func MustGram(k *mat.Dense, err error) *mat.Dense {
	if err != nil {
		panic(err)
	}
	return k
}
