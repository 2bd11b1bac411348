package ops

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Data is for a layer that may take its input x [n, d] for data. It returns x and a as they are where a gradient for x
// can be of use: where the op that makes x is differentiable in something. Otherwise it adds X to a.Frozen.
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
		a.takes(X, source)
		return x, a, nil
	}
	a.takes(X, a.who("Data"))
	guard, err := apply(dataOp(Attr{Layer: a.Layer, Frozen: X, data: a.data, refused: X}), x)
	return guard, a, err
}

// hasGradient says whether the op that makes n is differentiable in any input.
func hasGradient(n *G.Node) bool {
	if o := opOf(n); o != nil {
		return o.wantsAny()
	}
	theirs, ok := n.Op().(G.SDOp)
	return ok && slices.Contains(theirs.DiffWRT(theirs.Arity()), true)
}

// dataBehind is the layer of the data that n is made of, or empty where n is made of something else as well.
func dataBehind(n *G.Node) string {
	if o := opOf(n); o != nil && !o.wantsAny() {
		return o.attr.data
	}
	return ""
}

// refusal is the error of a gradient for data, or nil where n is not made of data alone.
func refusal(n *G.Node) error {
	layer := dataBehind(n)
	if layer == "" {
		return nil
	}
	return fmt.Errorf("%s: there is no gradient for its input, a leaf of the graph, which it takes for data; "+
		"build the layer with WithInputGrad: %w", layer, ErrParam)
}

// dataOp is x itself, dense or sparse: only ops of this package read the node, and none overwrites an input. A
// TapeMachine writes the result of another op to its register where that op overwrites it, and nowhere else. It sets
// its engine in what an op returns; x is the user's, and several machines may run on it, so a dense x comes back as a
// tensor of its own on the same cells.
func dataOp(a Attr) *op {
	return &op{kind: "Data", in: []Inputs{X}, ranks: "22", attr: a, sparse: true, shape: likeFirst,
		forward: func(x Matrix, in []*tensor.Dense) (Matrix, error) {
			if in[0] == nil {
				return x, nil
			}
			return in[0].ShallowClone(), nil
		},
		backward: func(*tracer) {}, // its gradient is refused
	}
}
