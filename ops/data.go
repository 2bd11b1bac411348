package ops

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"
)

// Data prepares the input x [n, d] of a layer that treats x as data. If the op that makes x has a gradient for any
// input, it returns x and a unchanged. Otherwise it adds X to a.Frozen.
//
// A leaf is data. Data returns a node that passes its value on and has no gradient. G.Grad for the leaf, or for a node
// that depends on it alone, is then an error that names a.Layer and the remedy, WithInputGrad. It is an error also
// where the leaf reaches the loss on another path, because the gradient of that path alone would be wrong. An x that is
// nil is ErrShape.
func Data(x *G.Node, a Attr) (*G.Node, Attr, error) {
	if x == nil {
		return nil, a, fmt.Errorf("%s: x is nil: %w", a.who("Data"), ErrShape)
	}
	var err error
	if x.IsVar() || x.Op() == nil {
		x, err = Op{decl: &passOn, attr: Attr{Layer: a.Layer, Frozen: X}}.apply(x)
	} else if hasGradient(x) {
		return x, a, nil
	}
	a.Frozen |= X
	return x, a, err
}

// hasGradient reports whether the op that makes n has a gradient for any input.
func hasGradient(n *G.Node) bool {
	if o := opOf(n); o != nil {
		return o.wantsAny(0)
	}
	theirs, ok := n.Op().(G.SDOp)
	return ok && slices.Contains(theirs.DiffWRT(theirs.Arity()), true)
}

// dataBehind returns the layer of the data if n depends on data alone, else "".
func dataBehind(n *G.Node) string {
	if o := opOf(n); o != nil && !o.wantsAny(0) {
		return o.layer
	}
	return ""
}

// refusal returns the error of a gradient for n if n depends on data alone, else nil.
func refusal(n *G.Node) error {
	layer := dataBehind(n)
	if layer == "" {
		return nil
	}
	return fmt.Errorf("%s: there is no gradient for the input, because a leaf of the graph is treated as data; "+
		"build the layer with WithInputGrad: %w", layer, ErrParam)
}

// passOn returns x itself, dense or sparse. This is safe: only ops of this package read the node, and none overwrites
// an input. A TapeMachine writes the result of another op to its register only where that op overwrites it. It also
// sets its engine in the result of an op; x belongs to the user and several machines may run on it, so a dense x is
// returned as a new tensor on the same cells.
var passOn = decl{kind: "Data", sig: parse("nd->nd"), names: []string{"x"}, in: []Inputs{X}, data: true, unchecked: true,
	sparse: native, value: func(c *call) (Matrix, error) {
		if c.in[0] == nil {
			return c.x, nil
		}
		return c.in[0].ShallowClone(), nil
	},
	backward: kernel{refusedBackward, refusedBackward}}

// refusedBackward never runs: SymDiff refuses the gradient.
func refusedBackward(*call) error { return nil }
