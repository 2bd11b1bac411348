package layers

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Sequential feeds each layer's output to the next. It is a layer itself. It has the parameters of its layers, called
// <layer>.<parameter>.
type Sequential struct{ group }

var _ Layer = (*Sequential)(nil)

// NewSequential chains layers. Errors: none given, widths or element types that do not meet (ErrShape, ErrDtype), two
// layers of one name (ErrName).
func NewSequential(ls ...Layer) (*Sequential, error) {
	g, err := newGroup("Sequential", ls)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(ls); i++ {
		if a, b := ls[i-1], ls[i]; a.Features() != b.Dims() {
			return nil, fmt.Errorf("layers: Sequential: %q makes %d columns and %q takes %d: %w", a.Name(),
				a.Features(), b.Name(), b.Dims(), ErrShape)
		}
	}
	if err := drawApart("Sequential", ls); err != nil {
		return nil, err
	}
	return &Sequential{g}, nil
}

// Dims returns the input columns of the first layer.
func (s *Sequential) Dims() int { return s.layers[0].Dims() }

// Features returns the output columns of the last layer.
func (s *Sequential) Features() int { return s.layers[len(s.layers)-1].Features() }

// Fwd adds all layers to the graph of x.
func (s *Sequential) Fwd(x G.Input) G.Result {
	for _, l := range s.layers[:len(s.layers)-1] {
		x = l.Fwd(x)
	}
	return s.layers[len(s.layers)-1].Fwd(x)
}

// Transform runs all layers; what lies between two of them is allocated.
func (s *Sequential) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	return s.transform(dst, x)
}

// KeepsZeros says whether all layers do.
func (s *Sequential) KeepsZeros() bool { return s.keepZeros() }

// MapCSR runs all layers on sparse rows that stay sparse. Errors: ErrParam where a layer makes them dense.
func (s *Sequential) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	for _, l := range s.layers {
		var err error
		if x, err = mapCSR(l, x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// TransformCSR is Transform for sparse rows, which stay sparse through the layers at the start that keep zeros.
func (s *Sequential) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return s.transform(dst, x)
}

func (s *Sequential) transform(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	var err error
	last := len(s.layers) - 1
	for _, l := range s.layers[:last] {
		if x, err = Apply(l, nil, x); err != nil {
			return nil, err
		}
	}
	return Transform(s.layers[last], dst, x)
}

// group is what the compositions share: their layers, as one.
type group struct {
	kind   string
	layers []Layer
}

func newGroup(kind string, ls []Layer) (group, error) {
	if len(ls) == 0 {
		return group{}, fmt.Errorf("layers: %s: no layers: %w", kind, ErrParam)
	}
	seen := map[string]bool{}
	for _, l := range ls {
		if domain.IsNil(l) {
			return group{}, fmt.Errorf("layers: %s: a layer is nil: %w", kind, ErrParam)
		}
		if l.Dtype() != ls[0].Dtype() {
			return group{}, fmt.Errorf("layers: %s: %q is %v and %q is %v: %w", kind, ls[0].Name(), ls[0].Dtype(),
				l.Name(), l.Dtype(), ErrDtype)
		}
		if seen[l.Name()] {
			return group{}, fmt.Errorf("layers: %s: two layers are called %q; name one of them by WithName: %w", kind,
				l.Name(), ErrName)
		}
		seen[l.Name()] = true
	}
	return group{kind, append([]Layer(nil), ls...)}, nil
}

// keepZeros says whether all parts do.
func (g group) keepZeros() bool {
	for _, l := range g.layers {
		if !KeepsZeros(l) {
			return false
		}
	}
	return true
}

// mapCSR maps sparse rows to sparse rows.
func mapCSR(l Layer, x *ops.CSR) (*ops.CSR, error) {
	z, err := Apply(l, nil, x)
	if err != nil {
		return nil, err
	}
	s, ok := z.(*ops.CSR)
	if !ok {
		return nil, fmt.Errorf("layers: MapCSR: %q does not keep zeros and makes sparse rows dense; use Transform: %w", l.Name(), ErrParam)
	}
	return s, nil
}

// Layers are the parts, in order.
func (g group) Layers() []Layer { return append([]Layer(nil), g.layers...) }

// Dtype returns the element type, which all parts share.
func (g group) Dtype() tensor.Dtype { return g.layers[0].Dtype() }

// Describe does nothing; golgi's Layer has it. String describes the parts.
func (g group) Describe() {}

// Name is made of the names of the parts.
func (g group) Name() string {
	names := make([]string, len(g.layers))
	for i, l := range g.layers {
		names[i] = l.Name()
	}
	return joinNames(names)
}

// joinNames is the name of a composition of layers of these names.
func joinNames(names []string) string { return strings.Join(names, "-") }

func (g group) String() string {
	parts := make([]string, len(g.layers))
	for i, l := range g.layers {
		parts[i] = l.String()
	}
	return g.kind + " of\n  " + strings.ReplaceAll(strings.Join(parts, "\n"), "\n", "\n  ")
}

// Model returns the learnable nodes of all parts.
func (g group) Model() G.Nodes { return Collect(g.layers...) }

// ModelIn returns the learnable nodes of all parts in a graph.
func (g group) ModelIn(gr *G.ExprGraph) G.Nodes {
	var ns G.Nodes
	for _, l := range g.layers {
		ns = append(ns, l.ModelIn(gr)...)
	}
	return ns
}

// Params returns the parameters of all parts.
func (g group) Params() []Param { return g.paramsBy(Layer.Params) }

func (g group) peek() []Param { return g.paramsBy(paramsOf) }

// paramsBy returns the parameters of all parts. The function of lists the parameters of one part.
func (g group) paramsBy(of func(Layer) []Param) []Param {
	var ps []Param
	for _, l := range g.layers {
		for _, p := range of(l) {
			p.Name = l.Name() + "." + p.Name
			ps = append(ps, p)
		}
	}
	return ps
}

// SetParams hands each part its own.
func (g group) SetParams(values map[string]*tensor.Dense) error {
	for _, l := range g.layers {
		own := map[string]*tensor.Dense{}
		for name, v := range values {
			if rest, ok := strings.CutPrefix(name, l.Name()+"."); ok {
				own[rest] = v
			}
		}
		if err := l.SetParams(own); err != nil {
			return err
		}
	}
	return nil
}

// Collect returns the learnable nodes of several layers, of their latest Fwd: the argument of G.Grad and of a solver.
func Collect(ls ...Layer) G.Nodes {
	var ns G.Nodes
	for _, l := range ls {
		if !domain.IsNil(l) {
			ns = append(ns, l.Model()...)
		}
	}
	return ns
}
