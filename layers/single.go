package layers

import (
	"sync/atomic"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// single is the common part of maps that are one op of x and of all parameters, in their order. The hook op makes it.
// No parameter is tuned.
type single struct {
	*base
	op     func(a ops.Attr) ops.Op
	on     ops.Domain
	packs  bool                        // the op has a packed form of the parameters
	packed atomic.Pointer[ops.Weights] // at first use
}

func newSingle(b *base, on ops.Domain, packs bool, op func(a ops.Attr) ops.Op) *single {
	l := &single{base: b, on: on, packs: packs, op: op}
	b.changed = func() { l.packed.Store(nil) }
	return l
}

func (l *single) attr() ops.Attr { return ops.Attr{Layer: l.who(), Domain: l.on} }

// Fwd adds the map to the graph of x.
func (l *single) Fwd(x G.Input) G.Result { return l.lift(x, l.fwd) }

func (l *single) fwd(x *G.Node) (*G.Node, error) {
	x, p, a, err := l.begin(x, l.attr())
	if err != nil {
		return nil, err
	}
	in := []*G.Node{x}
	for _, param := range l.params {
		in = append(in, p[param.Name])
	}
	return l.op(a).Node(in...)
}

// Transform writes the features of the rows of x to dst.
func (l *single) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) { return l.transform(dst, x) }

func (l *single) transform(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	l.use()
	in, err := l.inputs()
	if err != nil {
		return nil, err
	}
	return l.op(l.attr()).Into(dst, x, in...)
}

// inputs returns the parameters as the op takes them.
func (l *single) inputs() (in []ops.Matrix, err error) {
	if !l.packs {
		for _, p := range l.params {
			in = append(in, p.Value)
		}
		return in, nil
	}
	w := l.packed.Load()
	if w == nil {
		var values []*tensor.Dense
		for _, p := range l.params {
			values = append(values, p.Value)
		}
		if w, err = l.op(l.attr()).Pack(l.dims, values...); err != nil {
			return nil, err
		}
		l.packed.Store(w)
	}
	return []ops.Matrix{w}, nil
}

// sparseSingle is a single whose op takes sparse rows.
type sparseSingle struct{ *single }

// TransformCSR is Transform for sparse rows.
func (l sparseSingle) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return l.transform(dst, x)
}

// zeroSingle is a single whose op maps sparse rows to sparse rows.
type zeroSingle struct{ sparseSingle }

// MapCSR maps sparse rows to sparse rows.
func (l zeroSingle) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	in, err := l.inputs()
	if err != nil {
		return nil, err
	}
	return l.op(l.attr()).Sparse(x, in...)
}

// KeepsZeros is true.
func (l zeroSingle) KeepsZeros() bool { return true }
