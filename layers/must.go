package layers

import "gorgonia.org/tensor"

// Must returns l, and panics with err if it is not nil. It makes a layer in one line, where an error is a bug in the
// program, as in a notebook.
//
//	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 64))
func Must(l Layer, err error) Layer { return must(l, err) }

// MustHead is Must for a head: it panics with err.
func MustHead(h Head, err error) Head { return must(h, err) }

// MustDense is Must for the features that Transform returns: it panics with err.
func MustDense(t *tensor.Dense, err error) *tensor.Dense { return must(t, err) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
