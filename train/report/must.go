package report

import (
	"image"

	"gonum.org/v1/gonum/mat"
)

// Must returns the picture, and panics with err unless it is nil. As the last line of a notebook cell it shows the
// picture, or fails.
func Must(img image.Image, err error) image.Image {
	if err != nil {
		panic(err)
	}
	return img
}

// MustGram is Must for the matrices of spectral.Gram, ExactGram and ApproxGram: it panics with err unless that is nil.
func MustGram(k *mat.Dense, err error) *mat.Dense {
	if err != nil {
		panic(err)
	}
	return k
}
