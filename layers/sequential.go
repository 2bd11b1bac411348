package layers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Sequential passes the output of each layer to the next. It is a layer itself, with the parameters of its layers,
// named <layer>.<parameter>.
type Sequential struct{ group }

// NewSequential chains layers. Errors: no layer, a layer that is nil, two used layers with the same random numbers, see
// WithSeed (ErrParam); a layer that takes another number of columns than the one before makes (ErrShape); different
// element types (ErrDtype); two layers of the same name (ErrName).
func NewSequential(ls ...Layer) (*Sequential, error) {
	g, err := newGroup("Sequential", ls)
	if err != nil {
		return nil, err
	}
	widest := 0
	for i, l := range ls {
		if widest = max(widest, l.Features()); i == 0 {
			continue
		}
		if before := ls[i-1]; before.Features() != l.Dims() {
			return nil, fmt.Errorf("layers: Sequential: %q makes %d columns and %q takes %d: %w", before.Name(),
				before.Features(), l.Name(), l.Dims(), ErrShape)
		}
	}
	if err := drawApart("Sequential", ls); err != nil {
		return nil, err
	}
	ls = g.layers
	g.dims, g.features, g.rows = ls[0].Dims(), ls[len(ls)-1].Features(), groupRows(widest)
	g.forward = func(f *flow, dst *tensor.Dense, x value) value {
		for _, l := range ls[:len(ls)-1] {
			x = f.layer(l, nil, x)
		}
		return f.layer(ls[len(ls)-1], dst, x)
	}
	return &Sequential{g}, nil
}

// group is the common part of the compositions: their layers, and the mapper of the whole, which has no parameters of
// its own.
type group struct {
	sparseMapper
	members
}

// groupRows returns the number of rows of a block of a composition. It is more than a layer takes at a time, because
// every part looks in each block whether somebody wrote to its parameters.
func groupRows(cols int) int { return 4 * blockRows(cols) }

func newGroup(kind string, ls []Layer) (group, error) {
	if len(ls) == 0 {
		return group{}, fmt.Errorf("layers: %s: no layers: %w", kind, ErrParam)
	}
	names, prefixes := make([]string, len(ls)), make([]string, len(ls))
	for i, l := range ls {
		if domain.IsNil(l) {
			return group{}, fmt.Errorf("layers: %s: a layer is nil: %w", kind, ErrParam)
		}
		if l.Dtype() != ls[0].Dtype() {
			return group{}, fmt.Errorf("layers: %s: %q is %v and %q is %v: %w", kind, ls[0].Name(), ls[0].Dtype(),
				l.Name(), l.Dtype(), ErrDtype)
		}
		if slices.Contains(names, l.Name()) {
			return group{}, fmt.Errorf("layers: %s: two layers are called %q; name one of them by WithName: %w", kind,
				l.Name(), ErrName)
		}
		names[i], prefixes[i] = l.Name(), l.Name()+"."
	}
	b := &base{kind: kind, name: joinNames(names), options: options{dt: ls[0].Dtype()}}
	b.prefix = fmt.Sprintf("layers: %s %q", kind, b.name)
	return group{newSparseMapper(b, ops.Domain{}), members{slices.Clone(ls), prefixes}}, nil
}

// seeded keeps the seed of the Spec that made the composition, which draws the rows that its parts are fitted on.
func (g group) seeded(seed uint64) { g.seed = seed }

// StaysSparse says whether sparse rows have sparse features in all parts.
func (g group) StaysSparse() bool { return g.dense() == nil }

// dense returns the first part with dense features of sparse rows, or nil.
func (g group) dense() Layer {
	for _, l := range g.layers {
		if sparseMapOf(l) == nil {
			return l
		}
	}
	return nil
}

// MapCSR maps sparse rows to sparse rows. Errors: a part that makes the rows dense (ErrParam).
func (g group) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	if l := g.dense(); l != nil {
		return nil, fmt.Errorf("layers: MapCSR: %q makes sparse rows dense; use Transform: %w",
			l.Name(), ErrParam)
	}
	return csrMapper{g.sparseMapper}.MapCSR(x)
}

// Layers returns the parts, in order.
func (g group) Layers() []Layer { return append([]Layer(nil), g.layers...) }

// joinNames returns the name of a composition of layers of these names.
func joinNames(names []string) string { return strings.Join(names, "-") }

func (g group) String() string {
	return g.kind + " of\n  " + strings.ReplaceAll(strings.Join(mapped(g.layers, Layer.String), "\n"), "\n", "\n  ")
}

// Collect returns the learnable nodes of the latest Fwd of several layers, as G.Grad and a solver take them.
func Collect(ls ...Layer) G.Nodes {
	var ns G.Nodes
	for _, l := range ls {
		if !domain.IsNil(l) {
			ns = append(ns, l.Model()...)
		}
	}
	return ns
}
