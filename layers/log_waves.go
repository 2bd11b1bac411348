package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// logWavesMap is the Ψ of spectral.ReciprocalSemigroup, for x/λ. It has no parameters.
type logWavesMap struct {
	zeroMapper
	omega, amplitude []float64
}

func newLogWavesMap(kind string, d int, o options) (metricMap, error) {
	why := "it is for the map of spectral.ExpSemigroup, and the other kernel's has an order alone"
	if err := o.unused(fmt.Sprintf("layers: %s %q", kind, o.name), why, seriesOptions...); err != nil {
		return nil, err
	}
	b, err := newBase(kind, "", d, 1, o)
	if err != nil {
		return nil, err
	}
	order := 1
	if o.harmonics.order != nil {
		order = *o.harmonics.order
	}
	l := &logWavesMap{}
	l.mapper = newSingle(b, ops.Domain{}, false, func(a ops.Attr) ops.Op {
		return ops.LogWaves(l.omega, l.amplitude, a)
	})
	if l.omega, l.amplitude, err = spectral.LogWaves(order); err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	b.features = d * 2 * len(l.omega)
	return l, nil
}

func (l *logWavesMap) form() string {
	return fmt.Sprintf("waves of ln(1 + 2x/λ), order %d", len(l.omega))
}
