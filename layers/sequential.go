package layers

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Sequential passes the output of each layer to the next. It is a layer itself, with the parameters of its layers,
// named <layer>.<parameter>.
type Sequential struct{ group }

var _ Layer = (*Sequential)(nil)

// NewSequential chains layers. Errors: no layer, a layer that is nil, two used layers with the same random numbers, see
// WithSeed (ErrParam); a layer that takes another number of columns than the one before makes (ErrShape); different
// element types (ErrDtype); two layers of the same name (ErrName).
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

// Dims is the number of input columns of the first layer.
func (s *Sequential) Dims() int { return s.layers[0].Dims() }

// Features is the number of output columns of the last layer.
func (s *Sequential) Features() int { return s.layers[len(s.layers)-1].Features() }

// Fwd adds all layers to the graph of x.
func (s *Sequential) Fwd(x G.Input) G.Result {
	for _, l := range s.layers[:len(s.layers)-1] {
		x = l.Fwd(x)
	}
	return s.layers[len(s.layers)-1].Fwd(x)
}

// Transform runs all layers and writes the output of the last one to dst. It allocates the outputs of the others.
func (s *Sequential) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	return s.transform(dst, x)
}

// KeepsZeros says whether all layers keep zeros.
func (s *Sequential) KeepsZeros() bool { return s.keepZeros() }

// MapCSR runs all layers on sparse rows, which stay sparse. Errors: a layer that makes the rows dense (ErrParam).
func (s *Sequential) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	for _, l := range s.layers {
		var err error
		if x, err = mapCSR(l, x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// TransformCSR is Transform for sparse rows. They stay sparse up to the first layer that does not keep zeros.
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

// group is the common part of the compositions: their layers.
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

// keepZeros says whether all parts keep zeros.
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

// Layers returns the parts, in order.
func (g group) Layers() []Layer { return append([]Layer(nil), g.layers...) }

// Dtype is the element type of all parts.
func (g group) Dtype() tensor.Dtype { return g.layers[0].Dtype() }

// Describe does nothing; golgi's Layer has it. String describes the parts.
func (g group) Describe() {}

// Name returns the names of the parts, joined by "-".
func (g group) Name() string {
	names := make([]string, len(g.layers))
	for i, l := range g.layers {
		names[i] = l.Name()
	}
	return joinNames(names)
}

// joinNames returns the name of a composition of layers of these names.
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

// Params returns the parameters of all parts, named <layer>.<parameter>.
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

// SetParams copies values into the parameters of all parts, by the names that Params gives them. After an error all
// parts are as before.
func (g group) SetParams(values map[string]*tensor.Dense) error {
	own := make([]map[string]*tensor.Dense, len(g.layers))
	for i, l := range g.layers {
		own[i] = under(l.Name()+".", values)
	}
	return setAll(g.layers, own)
}

// under are the values whose names begin with a prefix, by the rest of their names.
func under(prefix string, values map[string]*tensor.Dense) map[string]*tensor.Dense {
	own := map[string]*tensor.Dense{}
	for name, v := range values {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			own[rest] = v
		}
	}
	return own
}

// setAll sets the parameters of each part to its values. After an error the parts before have their earlier values again.
func setAll(parts []Layer, values []map[string]*tensor.Dense) error {
	before := make([]map[string]*tensor.Dense, len(parts))
	for i, l := range parts {
		before[i] = map[string]*tensor.Dense{}
		for _, p := range l.Params() {
			before[i][p.Name] = p.Value.Clone().(*tensor.Dense)
		}
		if err := l.SetParams(values[i]); err != nil {
			for j := range i {
				if undo := parts[j].SetParams(before[j]); undo != nil {
					return undo
				}
			}
			return err
		}
	}
	return nil
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
