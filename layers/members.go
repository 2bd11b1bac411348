package layers

import (
	"strings"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// members are the layers that another layer is made of, and whose parameters it has. In its names of them the prefix of
// the member stands before the member's own name.
type members struct {
	layers   []Layer
	prefixes []string
}

// Model returns the learnable nodes of all members.
func (m members) Model() G.Nodes { return Collect(m.layers...) }

// ModelIn returns the learnable nodes of all members in a given graph.
func (m members) ModelIn(g *G.ExprGraph) G.Nodes {
	var ns G.Nodes
	for _, l := range m.layers {
		ns = append(ns, l.ModelIn(g)...)
	}
	return ns
}

// Params returns the parameters of all members: in a composition named <layer>.<parameter>, and in a BagLayer as the
// map of rows has them, or with "inner." before the names of the map of samples.
func (m members) Params() []Param { return m.paramsBy(Layer.Params) }

func (m members) peek() []Param { return m.paramsBy(paramsOf) }

// paramsBy returns the parameters of all members. The function of lists the parameters of one.
func (m members) paramsBy(of func(Layer) []Param) []Param {
	var ps []Param
	for i, l := range m.layers {
		for _, p := range of(l) {
			p.Name = m.prefixes[i] + p.Name
			ps = append(ps, p)
		}
	}
	return ps
}

// SetParams copies values into the parameters of all members, by the names that Params gives them. After an error all
// members are as before.
func (m members) SetParams(values map[string]*tensor.Dense) error {
	before := make([]map[string]*tensor.Dense, len(m.layers))
	for i, l := range m.layers {
		own := map[string]*tensor.Dense{}
		for name, v := range values {
			if rest, ok := strings.CutPrefix(name, m.prefixes[i]); ok {
				own[rest] = v
			}
		}
		before[i] = map[string]*tensor.Dense{}
		for _, p := range paramsOf(l) {
			before[i][p.Name] = p.Value.Clone().(*tensor.Dense)
		}
		if err := l.SetParams(own); err != nil {
			for j := range i {
				if undo := m.layers[j].SetParams(before[j]); undo != nil {
					return undo
				}
			}
			return err
		}
	}
	return nil
}

// draws returns the draws behind all members.
func (m members) draws() []*draw { return drawsOf(m.layers...) }
