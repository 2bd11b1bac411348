package layers

import (
	"fmt"
	"regexp"
	"strings"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/gorgonia/encoding/dot"
)

// dotAddress matches the address that the encoder writes besides the name of a node.
var dotAddress = regexp.MustCompile(`\n\s*id="0x[0-9a-f]+"`)

// Dot returns a graph in the language of Graphviz, written by Gorgonia's encoder: all nodes of a model with their
// shapes. Graphviz (Debian: apt-get install graphviz) draws it,
//
//	dot -Tsvg model.dot > model.svg
//
// and train/report.Graphviz returns it as an image for a notebook. Data flow downwards, from inputs and parameters
// (yellow) and constants (pink) to the loss. Call Dot before G.Grad, which adds the backward pass to the graph.
//
// The same graph gives the same text: Dot replaces the encoder's names of nodes, which are addresses in memory, by
// numbers. Errors: a graph that is nil or empty (ErrShape).
func Dot(g *G.ExprGraph) (string, error) {
	if g == nil || len(g.AllNodes()) == 0 {
		return "", fmt.Errorf("layers: Dot: the graph is nil or has no nodes; add a layer to it by Fwd: %w", ErrShape)
	}
	b, err := dot.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("layers: Dot: %w", err)
	}
	pairs := []string{
		// Gorgonia's edges go from a result to what it is made of.
		"\t\trankdir=TB\n\t];", "\t\trankdir=BT\n\t];\n\tedge [dir=back];",
		"{Op|%!s(&lt;nil&gt;)}|", "", // an input has none
		"=lightgray", `="#e9edf2"`, "=yellow", `="#ffefb0"`, "=pink", `="#f6dfe3"`, // the encoder's colours are loud
	}
	for _, n := range g.AllNodes() {
		pairs = append(pairs, fmt.Sprintf("Node_%p", n), fmt.Sprintf("n%d", n.ID()))
	}
	return strings.NewReplacer(pairs...).Replace(dotAddress.ReplaceAllString(string(b), "")), nil
}
