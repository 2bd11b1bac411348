package main

import (
	"fmt"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// timedMap adds up the time that a map takes.
type timedMap struct {
	layers.Layer
	spent time.Duration
}

// Unwrap is the map itself.
func (t *timedMap) Unwrap() layers.Layer { return t.Layer }

// Transform is the map's.
func (t *timedMap) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) { return t.transform(dst, x) }

// TransformCSR is Transform for sparse rows.
func (t *timedMap) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return t.transform(dst, x)
}

// StaysSparse says whether sparse rows have sparse features.
func (t *timedMap) StaysSparse() bool { return layers.StaysSparse(t.Layer, new(ops.CSR)) }

// MapCSR is the map's.
func (t *timedMap) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	defer t.since(time.Now())
	z, err := layers.Apply(t.Layer, nil, x)
	s, sparse := z.(*ops.CSR)
	if err == nil && !sparse {
		err = fmt.Errorf("%q has dense features: %w", t.Name(), domain.ErrParam)
	}
	return s, err
}

// TransformBags is Transform for sets of samples.
func (t *timedMap) TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	return t.transform(dst, b)
}

func (t *timedMap) transform(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	defer t.since(time.Now())
	return layers.Transform(t.Layer, dst, x)
}

func (t *timedMap) since(start time.Time) { t.spent += time.Since(start) }
