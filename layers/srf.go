package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
)

// SRFLayer is the map of spherical random features of the polynomial kernel of the sphere: Fourier features, in the
// pair form or WithPhase, whose frequencies have a positive density that was fitted to the kernel. No positive density
// is exact for the kernel, so the map is biased: z(x)·z(x') is unbiased for Split().At, whose error is at most
// Split().Error, and more features do not help. A GORFLayer of spectral.SpherePolynomial has a density of two signs and
// lets you choose the error. Input [n, d], rows of unit length; output [n, features]. Samplers, policies and parameters
// as of NewFourierLayer. Pennington, Yu and Kumar (2015), algorithm 1.
type SRFLayer struct {
	*RandomLayer
	split *spectral.Split
}

// NewSRFLayer fits the density in ℝ^d and draws the map for the given number of output columns. Errors as for
// NewFourierLayer, and a < √2 (ErrParam).
func NewSRFLayer(k spectral.SRF, d, features int, opts ...Option) (*SRFLayer, error) {
	const kind = "SRFLayer"
	b, o, err := begin(kind, d, features, opts, fourierOptions)
	if err != nil {
		return nil, err
	}
	fitted := d
	if _, ok := o.sampler.(spectral.Structured); ok { // whose frequencies have as many coordinates as a Hadamard matrix
		fitted = spectral.PaddedDims(d)
	}
	split, err := k.Split(fitted, 1, spectral.Independent)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	o.name = b.name
	l, err := newRandomLayer(kind, split.Parts[0].Of, d, features, o)
	if err != nil {
		return nil, err
	}
	l.on, l.base.of = k.Domain(), srfForm{k, o.phase}
	return &SRFLayer{l, split}, nil
}

// Kernel returns the kernel that the features approximate.
func (l *SRFLayer) Kernel() spectral.Kernel { return l.split.Of }

// Split returns the fitted density: At is the kernel that the features are unbiased for, Error its largest error.
func (l *SRFLayer) Split() *spectral.Split { return l.split }

// srfForm is the form of Fourier features whose positive density is fitted to a kernel that has none.
type srfForm struct {
	Kernel spectral.SRF `param:",inline"`
	Phase  bool         `param:"phase"`
}

func (f srfForm) plan(s Spec) (plan, error) {
	return plan{kernel: f.Kernel, size: s.fourier(s.Dims, f.Phase), build: func(o options) (Layer, error) {
		return NewSRFLayer(f.Kernel, s.Dims, s.Features, withAll(o))
	}}, nil
}
