package ops

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// withBackward is an op with a backward, as both of Gorgonia's machines need it. The backward is written once and runs
// on nodes, where it builds the gradient graph of the TapeMachine, or on values, where it computes the gradients for
// the LispMachine.
type withBackward struct{ *op }

var (
	_ G.SDOp = withBackward{}
	_ G.ADOp = withBackward{}
)

// opOf returns the op of this package that makes n, or nil.
func opOf(n *G.Node) *op {
	switch o := n.Op().(type) {
	case withBackward:
		return o.op
	case *op:
		return o
	}
	return nil
}

// handle is a *G.Node or a G.Value.
type handle any

// tracer runs the backward of an op over handles, which are all nodes or all values, and keeps the first error. Inputs
// that are absent are nil.
type tracer struct {
	*op
	in        []handle
	out, grad handle
	grads     []handle // the results of the backward, one for each input
	do        func(o Op, in []handle) (handle, error)
	err       error
}

// trace runs the backward. in are the inputs that are not absent.
func (t *tracer) trace(in []handle) error {
	t.in, t.grads = make([]handle, len(t.sig.in)), make([]handle, len(t.sig.in))
	for k, h := range in {
		t.in[t.op.at[k]] = h
	}
	t.backward(t)
	return t.err
}

// position is the position of an input.
func (t *tracer) position(name Inputs) int {
	for i, n := range t.decl.in {
		if n == name {
			return i
		}
	}
	return len(t.in)
}

// wanted reports whether the gradient for an input is wanted.
func (t *tracer) wanted(name Inputs) bool {
	i := t.position(name)
	return i < len(t.in) && t.in[i] != nil && t.wants(i)
}

// run returns the result of an op, or nil once an error has happened.
func (t *tracer) run(o Op, in ...handle) handle {
	if t.err != nil {
		return nil
	}
	var out handle
	out, t.err = t.do(o, in)
	return out
}

// gradient makes the result of an op the gradient for an input, if it is wanted.
func (t *tracer) gradient(name Inputs, o Op, in ...handle) {
	if t.wanted(name) {
		t.grads[t.position(name)] = t.run(o, in...)
	}
}

// of is the op of a declaration without parameters.
func of(d *decl) Op { return Op{decl: d} }

// with is the op of a declaration with parameters.
func with(d *decl, params any) Op { return Op{decl: d, params: params} }

// SymDiff builds the gradient graph.
func (o withBackward) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	if err := refusal(out); err != nil {
		return nil, err
	}
	t := &tracer{op: o.op, out: out, grad: grad}
	t.do = func(o Op, in []handle) (handle, error) {
		nodes := make([]*G.Node, len(in))
		for i, n := range in {
			nodes[i], _ = n.(*G.Node)
		}
		return o.apply(nodes...)
	}
	handles := make([]handle, len(in))
	for k, n := range in {
		handles[k] = n
	}
	if err := t.trace(handles); err != nil {
		return nil, err
	}
	nodes := make(G.Nodes, len(in))
	for k, i := range o.at {
		switch {
		case o.wants(i):
			nodes[k] = t.grads[i].(*G.Node)
		case o.refuses(i):
			nodes[k] = grad // any node: what makes the input refuses before it looks at its gradient
		}
	}
	return nodes, nil
}

// DoDiff adds to the gradients of the inputs. The LispMachine calls it for every op, wanted or not.
func (o withBackward) DoDiff(_ G.ExecutionContext, in G.Nodes, out *G.Node) error {
	if !o.wantsAny(0) {
		return nil
	}
	grad, err := out.Grad()
	if err != nil {
		return fmt.Errorf("ops: %v: the output has no gradient: %w", o, err)
	}
	t := &tracer{op: o.op, out: out.Value(), grad: grad}
	t.do = func(o Op, in []handle) (handle, error) {
		m := &op{Op: o}
		var values []G.Value
		for i, v := range in {
			if v != nil {
				m.at, values = append(m.at, i), append(values, v.(G.Value))
			}
		}
		return m.Do(values...)
	}
	handles := make([]handle, len(in))
	for k, n := range in {
		handles[k] = n.Value()
	}
	if err := t.trace(handles); err != nil {
		return err
	}
	for k, n := range in {
		if i := o.at[k]; o.wants(i) {
			if err := accumulate(n, t.grads[i]); err != nil {
				return fmt.Errorf("ops: %v: gradient for %s: %w", o, o.name(i), err)
			}
		}
	}
	return nil
}

// accumulate adds g to the gradient of n in place; Gorgonia offers other packages no other way.
func accumulate(n *G.Node, g handle) error {
	have, err := n.Grad()
	if err != nil {
		return err
	}
	sum, ok := have.(tensor.Tensor)
	if !ok {
		return errors.New("it is not a tensor")
	}
	_, err = tensor.Add(sum, g.(tensor.Tensor), tensor.UseUnsafe())
	return err
}

// shapeOf is the shape of a node or a value.
func shapeOf(h handle) tensor.Shape { return h.(interface{ Shape() tensor.Shape }).Shape() }
