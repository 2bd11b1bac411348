package layers

import (
	"sync"
	"sync/atomic"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// mapper is the common part of layers whose Fwd and Transform follow from one forward.
type mapper struct {
	*base
	// forward adds the layer to a graph, or computes it and writes the result to dst, see flow.do.
	forward func(f *flow, dst *tensor.Dense, x value) value
	on      ops.Domain
	rows    int // that Transform takes at a time, because results in between are to stay in cache; 0: all

	flows sync.Pool // *flow, with the memory of results in between

	// Weights that no solver changes, packed at first use; checked once others have them, as graphs, which cannot watch
	// them, then pack them themselves.
	packed, checked atomic.Pointer[ops.Weights]
}

func newMapper(b *base, on ops.Domain) *mapper {
	l := &mapper{base: b, on: on}
	b.changed = func() {
		l.packed.Store(nil)
		l.checked.Store(nil)
	}
	return l
}

// newSingle returns a mapper whose forward is one op of x and of all parameters, in their order. packs says whether the
// op has a packed form of the parameters. Nothing is tuned.
func newSingle(b *base, on ops.Domain, packs bool, op func(a ops.Attr) ops.Op) *mapper {
	l := newMapper(b, on)
	l.forward = func(f *flow, dst *tensor.Dense, x value) value {
		x, a := f.begin(b, x, l.attr())
		params := func(f *flow) (in []value) {
			for _, p := range b.params {
				in = append(in, f.param(b, p.Name))
			}
			return in
		}
		if packs && f.graph == nil {
			return f.do(op(a), dst, x, l.weights(f, op, true, params))
		}
		return f.do(op(a), dst, x, params(f)...)
	}
	return l
}

func (l *mapper) attr() ops.Attr { return ops.Attr{Layer: l.who(), Domain: l.on} }

// weights returns inputs of an op in packed form, kept if no solver changes them.
func (l *mapper) weights(f *flow, op func(a ops.Attr) ops.Op, keep bool, of func(f *flow) []value) value {
	if f.err != nil {
		return value{}
	}
	kept := &l.packed
	if l.watch.out.Load() {
		kept = &l.checked
	}
	if w := kept.Load(); w != nil {
		return value{rows: w}
	}
	var alone flow
	var in []*tensor.Dense
	for _, v := range of(&alone) {
		in = append(in, v.dense())
	}
	w, err := (*ops.Weights)(nil), alone.err
	if err == nil {
		w, err = op(l.attr()).Pack(l.dims, in...)
	}
	if err != nil {
		f.err = err
		return value{}
	}
	if keep {
		if kept.Store(w); kept == &l.packed && l.watch.out.Load() {
			kept.Store(nil)
		}
	}
	return value{rows: w}
}

// Fwd adds the layer to the graph of x.
func (l *mapper) Fwd(x G.Input) G.Result { return l.lift(x, l.fwd) }

func (l *mapper) fwd(x *G.Node) (*G.Node, error) {
	f := flow{graph: x.Graph()}
	z := l.forward(&f, nil, value{node: x})
	return z.node, f.err
}

// run is forward as a step of the forward of another layer.
func (l *mapper) run(f *flow, dst *tensor.Dense, x value) value { return l.forward(f, dst, x) }

// Transform writes the output for the rows of x to dst.
func (l *mapper) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) { return l.transform(dst, x) }

func (l *mapper) transform(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	l.use()
	f, _ := l.flows.Get().(*flow)
	if f == nil {
		f = new(flow)
	}
	defer l.flows.Put(f)
	_, sparse := x.(*ops.CSR)
	f.keeps = l.rows > 0 && !sparse
	clear(f.made)
	if f.keeps {
		return ops.InBlocks(l.who(), dst, x, l.rows, l.features, func(dst, x *tensor.Dense) error {
			f.err, f.next = nil, 0
			l.forward(f, dst, value{rows: x})
			return f.err
		})
	}
	f.err, f.next = nil, 0
	z := l.forward(f, l.denseFor(dst, x), value{rows: x})
	return z.dense(), f.err
}

// denseFor returns dst, allocated if it is nil and x is sparse, so that the result is dense.
func (b *base) denseFor(dst *tensor.Dense, x ops.Matrix) *tensor.Dense {
	if _, sparse := x.(*ops.CSR); sparse && dst == nil && !domain.IsNil(x) {
		return tensor.New(tensor.WithShape(x.Shape()[0], b.features), tensor.Of(b.dt))
	}
	return dst
}

// sparseMapper is a mapper that takes sparse rows.
type sparseMapper struct{ *mapper }

func newSparseMapper(b *base, on ops.Domain) sparseMapper { return sparseMapper{newMapper(b, on)} }

// TransformCSR is Transform for sparse rows.
func (l sparseMapper) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return l.transform(dst, x)
}

// zeroMapper is a mapper that maps sparse rows to sparse rows.
type zeroMapper struct{ sparseMapper }

// MapCSR maps sparse rows to sparse rows.
func (l zeroMapper) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	l.use()
	var f flow
	z, _ := l.forward(&f, nil, value{rows: x}).rows.(*ops.CSR)
	return z, f.err
}

// KeepsZeros is true.
func (l zeroMapper) KeepsZeros() bool { return true }
