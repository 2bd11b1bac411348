package ops

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// backwarder is an op with a backward, which apply makes differentiable. The backward is written once and runs twice: over
// nodes, where it builds the gradient graph of the TapeMachine, and over values, where it computes the gradients of the
// LispMachine.
type backwarder interface {
	refuser
	DiffWRT(inputs int) []bool
	refuses(input int) bool
	// backward returns the gradient for every input; what it returns for a frozen one is not looked at.
	backward(t *tracer, in []any, out, grad any) []any
}

// withBackward is a backwarder as both of Gorgonia's machines know it.
type withBackward struct{ backwarder }

var (
	_ G.SDOp = withBackward{}
	_ G.ADOp = withBackward{}
)

// SymDiff builds the gradient graph.
func (o withBackward) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return symDiff(o, in, out, grad)
}

// DoDiff adds the gradients to those that the inputs have.
func (o withBackward) DoDiff(_ G.ExecutionContext, in G.Nodes, out *G.Node) error {
	return doDiff(o, in, out)
}

// tracer applies ops to handles, which are all *G.Node or all G.Value, and keeps the first error.
type tracer struct {
	do  func(op G.Op, in []any) (any, error)
	err error
}

// apply returns the result of op, or nil once an error has happened.
func (t *tracer) apply(op G.Op, in ...any) any {
	if t.err != nil {
		return nil
	}
	var out any
	out, t.err = t.do(op, in)
	return out
}

// symDiff is SymDiff for every backwarder.
func symDiff(o backwarder, in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	if err := refusal(out); err != nil {
		return nil, err
	}
	t := &tracer{do: func(op G.Op, in []any) (any, error) {
		nodes := make([]*G.Node, len(in))
		for i, n := range in {
			nodes[i] = n.(*G.Node)
		}
		return apply(op, nodes...)
	}}
	handles := make([]any, len(in))
	for i, n := range in {
		handles[i] = n
	}
	grads := o.backward(t, handles, out, grad)
	if t.err != nil {
		return nil, t.err
	}
	nodes := make(G.Nodes, len(in))
	for i := range nodes {
		switch {
		case o.wants(i):
			nodes[i] = grads[i].(*G.Node)
		case o.refuses(i):
			nodes[i] = grad // any node: what makes the input refuses before it looks at its gradient
		}
	}
	return nodes, nil
}

// doDiff is DoDiff for every backwarder: it adds the gradients to those that the inputs have.
func doDiff(o backwarder, in G.Nodes, out *G.Node) error {
	grad, err := out.Grad()
	if err != nil {
		return fmt.Errorf("ops: %v: the output has no gradient: %w", o, err)
	}
	t := &tracer{do: func(op G.Op, in []any) (any, error) {
		values := make([]G.Value, len(in))
		for i, v := range in {
			values[i] = v.(G.Value)
		}
		return op.Do(values...)
	}}
	handles := make([]any, len(in))
	for i, n := range in {
		handles[i] = n.Value()
	}
	grads := o.backward(t, handles, out.Value(), grad)
	if t.err != nil {
		return t.err
	}
	for i, n := range in {
		if o.wants(i) {
			if err := accumulate(n, grads[i]); err != nil {
				return fmt.Errorf("ops: %v: gradient for input %d: %w", o, i, err)
			}
		}
	}
	return nil
}

// accumulate adds g to the gradient of n in place, which is the only way that Gorgonia leaves to other packages.
func accumulate(n *G.Node, g any) error {
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
