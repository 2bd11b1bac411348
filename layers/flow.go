package layers

import (
	"math"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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

// begin prepares the input x of an op. It returns a with X frozen if nobody can use a gradient for x.
func (f *flow) begin(b *base, x value, a ops.Attr) (value, ops.Attr) {
	if f.graph != nil && f.err == nil {
		x.node, a, f.err = data(x.node, b.grad, a)
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
	for _, by := range []struct {
		prefix string
		node   func(*G.Node) (*G.Node, error)
		number func(float64) float64
	}{{"log_", G.Exp, math.Exp}, {"raw_", G.Softplus, softplus}} {
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
	return f.compute(dst, x, func(dst *tensor.Dense) (ops.Matrix, error) {
		if s, sparse := x.rows.(*ops.CSR); sparse && dst == nil {
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
		z.node, f.err = nodeOf(l.Fwd(x.node))
		return z
	}
	return f.compute(dst, x, func(dst *tensor.Dense) (ops.Matrix, error) {
		if dst == nil {
			return Apply(l, nil, x.rows)
		}
		return Transform(l, dst, x.rows)
	})
}

func nodeOf(r G.Result) (*G.Node, error) { return r.Node(), r.Err() }

// compute has a result of x written to dst. If that is nil, it is memory that is kept for the next block of rows.
func (f *flow) compute(dst *tensor.Dense, x value, write func(dst *tensor.Dense) (ops.Matrix, error)) value {
	between := dst == nil && f.keeps
	if between {
		if f.next == len(f.buffers) {
			f.buffers = append(f.buffers, nil)
		}
		if dst = f.buffers[f.next]; dst != nil && dst.Shape()[0] != x.rows.Shape()[0] {
			dst = nil // a block of another height
		}
	}
	z := value{}
	if z.rows, f.err = write(dst); f.err != nil {
		return value{}
	}
	if between {
		f.buffers[f.next] = z.dense()
		f.next++
	}
	return z
}
