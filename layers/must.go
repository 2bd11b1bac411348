package layers

import "gorgonia.org/tensor"

// Must returns l, and panics with err if it is not nil. It makes a layer in one line, where an error is a bug in the
// program, as in a notebook.
//
//	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 64))
func Must(l Layer, err error) Layer {
	if err != nil {
		panic(err)
	}
	return l
}

// MustHead is Must for a head: it panics with err.
func MustHead(h Head, err error) Head {
	if err != nil {
		panic(err)
	}
	return h
}

// MustDense is Must for the features that Transform returns: it panics with err.
func MustDense(t *tensor.Dense, err error) *tensor.Dense {
	if err != nil {
		panic(err)
	}
	return t
}
