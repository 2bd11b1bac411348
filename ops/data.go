package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Data is for a layer that may take its input x [n, d] for data. It returns x and a as they are where a gradient for x
// can be of use: where the op that makes x is differentiable in something. Otherwise it adds First to a.Frozen.
//
// A leaf is data. It comes back behind a node that passes its value on and is not differentiable: G.Grad for the leaf,
// or for what is made of it alone, is an error that names a.Layer and the remedy, WithInputGrad, where Gorgonia would
// print its pointer. It is an error too where the leaf has another way to the loss, which alone would make a gradient
// that is wrong.
func Data(x *G.Node, a Attr) (*G.Node, Attr, error) {
	if x == nil {
		return nil, a, fmt.Errorf("%s: x is nil: %w", a.who("Data"), ErrShape)
	}
	if !x.IsVar() && x.Op() != nil {
		source := dataBehind(x)
		if source == "" && hasGradient(x) {
			return x, a, nil
		}
		a.Frozen |= First
		a.takes(0, source)
		return x, a, nil
	}
	a.Frozen |= First
	a.takes(0, a.who("Data"))
	guard, err := apply(dataOp{base{kind: "Data", ranks: "22", attr: Attr{Layer: a.Layer, Frozen: First, data: a.data, refused: First}}}, x)
	return guard, a, err
}

// takes notes that an input, which is frozen, is made of data alone, that of the given layer; an empty name: it is not
// known to be.
func (a *Attr) takes(input int, layer string) {
	if layer != "" {
		a.data = layer
		a.refused |= 1 << input
	}
}

// hasGradient says whether the op that makes n is differentiable in any input.
func hasGradient(n *G.Node) bool {
	op, ok := n.Op().(G.SDOp)
	if !ok {
		return false
	}
	for i, d := range op.DiffWRT(op.Arity()) {
		if o, ours := op.(refuser); d && (!ours || o.wants(i)) {
			return true
		}
	}
	return false
}

// refuser is what every op of this package is.
type refuser interface {
	G.Op
	wants(input int) bool
	dataOf() string
}

// dataOf is the layer that takes an input of the op for data, or empty.
func (b base) dataOf() string { return b.attr.data }

// dataBehind is the layer of the data that n is made of, or empty where n is made of something else as well.
func dataBehind(n *G.Node) string {
	o, ok := n.Op().(refuser)
	if !ok {
		return ""
	}
	for i := range o.Arity() {
		if o.wants(i) {
			return ""
		}
	}
	return o.dataOf()
}

// refusal is the error of a gradient for data, or nil where n is not made of data alone.
func refusal(n *G.Node) error {
	layer := dataBehind(n)
	if layer == "" {
		return nil
	}
	return fmt.Errorf("%s: there is no gradient for its input, a leaf of the graph, which it takes for data; build the layer with WithInputGrad: %w", layer, ErrParam)
}

// dataOp is x itself.
type dataOp struct{ base }

var (
	_ G.SDOp = dataOp{}
	_ G.ADOp = dataOp{}
)

func (o dataOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return ss[0].Clone(), nil
}

// Do hands on the value, dense or sparse: only ops of this package read the node, and none overwrites an input. A
// TapeMachine writes the result of another op to its register where that op overwrites it, and nowhere else. It sets its
// engine in what an op returns; x is the user's, and several machines may run on it, so a dense x comes back as a tensor
// of its own on the same cells.
func (o dataOp) Do(in ...G.Value) (G.Value, error) {
	if len(in) != 1 {
		return nil, fmt.Errorf("%s: %d inputs, want 1: %w", o.attr.who(o.kind), len(in), ErrShape)
	}
	if x, ok := in[0].(*tensor.Dense); ok {
		return x.ShallowClone(), nil
	}
	return in[0], nil
}

// SymDiff is called where the gradient for x is asked for, and nowhere else.
func (o dataOp) SymDiff(_ G.Nodes, out, _ *G.Node) (G.Nodes, error) { return nil, refusal(out) }

// DoDiff adds nothing: the LispMachine asks for the gradients of all leaves.
func (o dataOp) DoDiff(G.ExecutionContext, G.Nodes, *G.Node) error { return nil }
