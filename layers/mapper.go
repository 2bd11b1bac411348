package layers

import (
	"sync"
	"sync/atomic"

	"github.com/bochner-go/bochner/ops"
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
		return ops.InBlocks(l.who(), dst, x, l.rows, l.features, func(dst *tensor.Dense, x ops.Matrix) error {
			f.err, f.next = nil, 0
			l.forward(f, dst, value{rows: x})
			return f.err
		})
	}
	f.err, f.next = nil, 0
	z := l.forward(f, denseFor(dst, x), value{rows: x})
	return z.dense(), f.err
}

// allocated stands for a dst that the last op allocates, where nil would let sparse rows stay sparse.
var allocated = new(tensor.Dense)

// denseFor returns dst, or allocated if it is nil and x is sparse, so that the result is dense.
func denseFor(dst *tensor.Dense, x ops.Matrix) *tensor.Dense {
	if _, sparse := x.(*ops.CSR); sparse && dst == nil {
		return allocated
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

// csrMapper is a mapper that maps sparse rows to sparse rows.
type csrMapper struct{ sparseMapper }

// MapCSR maps sparse rows to sparse rows.
func (l csrMapper) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	l.use()
	var f flow
	z, _ := l.forward(&f, nil, value{rows: x}).rows.(*ops.CSR)
	return z, f.err
}

// StaysSparse is true.
func (l csrMapper) StaysSparse() bool { return true }

// flow is one run of the forward of a layer: in a graph, where it adds nodes, or without one, where it computes. A
// forward is written once for both. After an error its methods do nothing.
type flow struct {
	graph *G.ExprGraph // nil: there is none
	err   error
	rest  []ops.Matrix // memory for the inputs of an op

	// Without a graph, what is kept from one block of rows to the next:
	keeps   bool
	buffers []*tensor.Dense // the memory of results in between, in order
	next    int
	made    map[*tensor.Dense]*tensor.Dense // what was computed from parameters
}

// value is what a forward computes with: a node in a graph, and a matrix without one. The zero value is an input that
// is absent.
type value struct {
	node *G.Node
	rows ops.Matrix
}

// dense returns the tensor of a value to write the next result to, or nil.
func (v value) dense() *tensor.Dense {
	t, _ := v.rows.(*tensor.Dense)
	return t
}

// begin prepares the input x of an op. Unless the user asked for the gradient of the input, it returns a with X frozen
// if nobody can use a gradient for x.
func (f *flow) begin(b *base, x value, a ops.Attr) (value, ops.Attr) {
	if f.graph != nil && f.err == nil && !b.inputGrad {
		x.node, a, f.err = ops.Data(x.node, a)
	}
	return x, a
}

// param returns a parameter of a layer.
func (f *flow) param(b *base, name string) (v value) {
	for _, p := range b.params {
		if p.Name == name {
			v = f.constant(b, p)
		}
	}
	return v
}

// constant returns a parameter of a layer, or what is named as one.
func (f *flow) constant(b *base, p Param) (v value) {
	switch {
	case f.err != nil:
	case f.graph == nil:
		v.rows = p.Value
	default:
		v.node, f.err = b.node(f.graph, p)
	}
	return v
}

// positive returns a parameter that may be tuned by its logarithm, "log_"+name, or inverse softplus, "raw_"+name, and
// says whether it is.
func (f *flow) positive(b *base, name string) (v value, tuned bool) {
	if b.param(name) != nil {
		return f.param(b, name), false
	}
	for _, by := range tunedAs {
		switch v = f.param(b, by.prefix+name); {
		case f.err != nil:
			return v, true
		case v.node != nil:
			v.node, f.err = by.node(v.node)
			return v, true
		case v.rows != nil:
			return f.once(v.dense(), func(p *tensor.Dense) (*tensor.Dense, error) {
				return mapTensor(p, by.number), nil
			}), true
		}
	}
	return v, false
}

// scaled returns w·exp(-log_bandwidth), or w if the layer has no such parameter.
func (f *flow) scaled(b *base, w value) value {
	rho, a := b.param("log_bandwidth"), ops.Attr{Layer: b.who(), Frozen: ops.W}
	switch {
	case rho == nil || f.err != nil:
		return w
	case f.graph != nil:
		return f.do(ops.Bandwidth(a), nil, w, f.param(b, "log_bandwidth"))
	}
	return f.once(w.dense(), func(w *tensor.Dense) (*tensor.Dense, error) { return ops.Bandwidth(a).Into(nil, w, rho) })
}

// once computes something from a parameter, without a graph, and keeps it for the next block of rows.
func (f *flow) once(p *tensor.Dense, compute func(p *tensor.Dense) (*tensor.Dense, error)) value {
	t := f.made[p]
	if t == nil {
		if t, f.err = compute(p); f.err != nil {
			return value{}
		}
		if f.keeps {
			if f.made == nil {
				f.made = map[*tensor.Dense]*tensor.Dense{}
			}
			f.made[p] = t
		}
	}
	return value{rows: t}
}

// do applies an op. Without a graph it writes the result to dst, allocated if nil; but sparse rows stay sparse if dst
// is nil.
func (f *flow) do(op ops.Op, dst *tensor.Dense, x value, in ...value) (z value) {
	switch {
	case f.err != nil:
		return z
	case f.graph != nil:
		nodes := []*G.Node{x.node}
		for _, v := range in {
			nodes = append(nodes, v.node)
		}
		z.node, f.err = op.Node(nodes...)
		return z
	}
	f.rest = f.rest[:0]
	for _, v := range in {
		f.rest = append(f.rest, v.rows)
	}
	return f.compute(dst, x, func(dst *tensor.Dense, staysSparse bool) (ops.Matrix, error) {
		if s, sparse := x.rows.(*ops.CSR); sparse && staysSparse {
			return op.Sparse(s, f.rest...)
		}
		return op.Into(dst, x.rows, f.rest...)
	})
}

// layer runs another layer, as do does an op.
func (f *flow) layer(l Layer, dst *tensor.Dense, x value) (z value) {
	switch {
	case f.err != nil:
		return z
	case f.graph != nil:
		r := l.Fwd(x.node)
		z.node, f.err = r.Node(), r.Err()
		return z
	}
	return f.compute(dst, x, func(dst *tensor.Dense, staysSparse bool) (ops.Matrix, error) {
		if staysSparse {
			return Apply(l, dst, x.rows)
		}
		return Transform(l, dst, x.rows)
	})
}

// compute has a result of x written to dst. If that is nil, the result stays sparse where x is, or is written to memory
// that is kept for the next block of rows.
func (f *flow) compute(dst *tensor.Dense, x value,
	write func(dst *tensor.Dense, staysSparse bool) (ops.Matrix, error)) value {
	staysSparse := dst == nil
	if dst == allocated {
		dst = nil
	}
	between := staysSparse && f.keeps
	if between {
		if f.next == len(f.buffers) {
			f.buffers = append(f.buffers, nil)
		}
		if dst = f.buffers[f.next]; dst != nil && dst.Shape()[0] != x.rows.Shape()[0] {
			dst = nil // a block of another height
		}
	}
	z := value{}
	if z.rows, f.err = write(dst, staysSparse); f.err != nil {
		return value{}
	}
	if between {
		f.buffers[f.next] = z.dense()
		f.next++
	}
	return z
}
