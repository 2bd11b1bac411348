package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// logWavesMap is the Ψ of spectral.ReciprocalSemigroup, for x/λ. It has no parameters.
type logWavesMap struct {
	*base
	waves ops.Waves
}

func newLogWavesMap(kind string, d int, o options) (*logWavesMap, error) {
	b, err := newBase(kind, "", d, 1, o)
	if err != nil {
		return nil, err
	}
	order := 1
	if o.harmonics.order != nil {
		order = *o.harmonics.order
	}
	l := &logWavesMap{base: b}
	if l.waves.Omega, l.waves.Amplitude, err = spectral.LogWaves(order); err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	b.features = d * l.waves.Width()
	return l, nil
}

func (l *logWavesMap) form() string {
	return fmt.Sprintf("waves of ln(1 + 2x/λ), order %d", len(l.waves.Omega))
}

func (l *logWavesMap) fwd(x *G.Node) (*G.Node, error) {
	x, _, a, err := l.begin(x, ops.Attr{Layer: l.who()})
	if err != nil {
		return nil, err
	}
	return ops.LogWaves(x, l.waves, a)
}

// Transform writes Ψ of the rows of x to dst.
func (l *logWavesMap) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	return ops.LogWavesInto(dst, x, l.waves, ops.Attr{Layer: l.who()})
}

// MapCSR maps sparse rows to sparse rows.
func (l *logWavesMap) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	return ops.LogWavesCSR(x, l.waves, ops.Attr{Layer: l.who()})
}
