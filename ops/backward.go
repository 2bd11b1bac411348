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

// tracer runs the backward of an op over handles, which are all nodes or all values, and keeps the first error.
type tracer struct {
	*op
	in        []handle
	out, grad handle
	grads     []handle // the results of the backward, one for each input
	do        func(o *op, in []handle) (handle, error)
	err       error
}

// trace runs the backward.
func (t *tracer) trace() error {
	t.grads = make([]handle, len(t.in))
	t.backward(t)
	return t.err
}

// at is the position of an input.
func (t *tracer) at(name Inputs) int {
	for i, n := range t.op.in {
		if n == name {
			return i
		}
	}
	return len(t.op.in)
}

// wanted reports whether the gradient for an input is wanted.
func (t *tracer) wanted(name Inputs) bool { return t.wants(t.at(name)) }

// apply returns the result of an op, or nil once an error has happened.
func (t *tracer) apply(o *op, in ...handle) handle {
	if t.err != nil {
		return nil
	}
	var out handle
	out, t.err = t.do(o, in)
	return out
}

// gradient makes the result of an op the gradient for an input, if it is wanted.
func (t *tracer) gradient(name Inputs, o *op, in ...handle) {
	if i := t.at(name); t.wants(i) {
		t.grads[i] = t.apply(o, in...)
	}
}

// SymDiff builds the gradient graph.
func (o withBackward) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	if err := refusal(out); err != nil {
		return nil, err
	}
	t := &tracer{op: o.op, in: make([]handle, len(in)), out: out, grad: grad}
	for i, n := range in {
		t.in[i] = n
	}
	t.do = func(o *op, in []handle) (handle, error) {
		nodes := make([]*G.Node, len(in))
		for i, n := range in {
			nodes[i] = n.(*G.Node)
		}
		return apply(o, nodes...)
	}
	if err := t.trace(); err != nil {
		return nil, err
	}
	nodes := make(G.Nodes, len(in))
	for i := range nodes {
		switch {
		case o.wants(i):
			nodes[i] = t.grads[i].(*G.Node)
		case o.refuses(i):
			nodes[i] = grad // any node: what makes the input refuses before it looks at its gradient
		}
	}
	return nodes, nil
}

// DoDiff adds to the gradients of the inputs. The LispMachine calls it for every op, wanted or not.
func (o withBackward) DoDiff(_ G.ExecutionContext, in G.Nodes, out *G.Node) error {
	if !o.wantsAny() {
		return nil
	}
	grad, err := out.Grad()
	if err != nil {
		return fmt.Errorf("ops: %v: the output has no gradient: %w", o, err)
	}
	t := &tracer{op: o.op, in: make([]handle, len(in)), out: out.Value(), grad: grad}
	for i, n := range in {
		t.in[i] = n.Value()
	}
	t.do = func(o *op, in []handle) (handle, error) {
		values := make([]G.Value, len(in))
		for i, v := range in {
			values[i] = v.(G.Value)
		}
		return o.Do(values...)
	}
	if err := t.trace(); err != nil {
		return err
	}
	for i, n := range in {
		if o.wants(i) {
			if err := accumulate(n, t.grads[i]); err != nil {
				return fmt.Errorf("ops: %v: gradient for input %d: %w", o, i, err)
			}
		}
	}
	return nil
}

// wantsAny reports whether the gradient for any input is wanted.
func (o *op) wantsAny() bool {
	for i := range o.Arity() {
		if o.wants(i) {
			return true
		}
	}
	return false
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

// length is the number of entries of a node or a value.
func length(h handle) int { return shapeOf(h).TotalSize() }
