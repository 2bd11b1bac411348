package cli

import (
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TimedMap adds up the time that a map takes.
type TimedMap struct {
	layers.Layer
	Spent time.Duration
}

// Unwrap is the map itself.
func (t *TimedMap) Unwrap() layers.Layer { return t.Layer }

// Transform is the map's.
func (t *TimedMap) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) { return t.transform(dst, x) }

// TransformCSR is Transform for sparse rows.
func (t *TimedMap) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return t.transform(dst, x)
}

// TransformBags is Transform for sets of samples.
func (t *TimedMap) TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	return t.transform(dst, b)
}

func (t *TimedMap) transform(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	start := time.Now()
	defer func() { t.Spent += time.Since(start) }()
	return layers.Transform(t.Layer, dst, x)
}
