package ops_test

import (
	"maps"
	"testing"

	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestHash: in one graph the same layer on the same input is one node; maps of another seed, another parameter, another policy
// or another name are each a node of their own, and so are their weights; a name that is taken is an error and not a merger.
func TestHash(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		g := G.NewGraph()
		d := v.dims(3)
		x := v.rows(5, d, 1)
		in := G.NewMatrix(g, tensor.Float64, G.WithShape(5, d), G.WithName("x"), G.WithValue(x))
		fwd := func(l layers.Layer) *G.Node {
			t.Helper()
			r := l.Fwd(in)
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			return r.Node()
		}
		first := v.build(t, v.dims(3), 7, 1)
		node := fwd(first)
		size := len(g.AllNodes())
		if fwd(first) != node || len(g.AllNodes()) != size {
			t.Error("the same layer on the same input is a second node")
		}
		if v.form == copied {
			if node != in {
				t.Error("the map of the linear kernel adds a node")
			}
			return
		}
		seen := map[*G.Node]string{node: "the first layer"}
		ls := v.others(t)
		for name, l := range ls {
			n := fwd(l)
			if other, ok := seen[n]; ok {
				t.Errorf("%s and %s are one node", name, other)
			}
			seen[n] = name
		}
		checkValues(t, g, ls, seen, x)
		taken := v.build(t, v.dims(3), 7, 2, named(first.Name()))
		wantErr(t, taken.Fwd(in).Err(), layers.ErrName, first.Name(), "WithName")
	})
}

// others are layers that must not merge with the first one, nor with each other.
func (v variant) others(t *testing.T) map[string]layers.Layer {
	t.Helper()
	ls := map[string]layers.Layer{
		"another name": v.build(t, v.dims(3), 7, 1),
		"another seed": v.build(t, v.dims(3), 7, 2),
	}
	for _, p := range v.policies()[1:] {
		ls["policy "+p.String()] = v.build(t, v.dims(3), 7, 1, tuned(p))
	}
	for name, value := range v.values {
		if number, ok := value.(float64); ok {
			ls["another "+name] = v.build(t, v.dims(3), 7, 1, func(s *layers.Spec) {
				s.Params = maps.Clone(s.Params)
				s.Params[name] = 1.25 * number
				for _, p := range v.entry.ParamsOf(v.values) {
					if p.Name == name && p.Whole {
						if s.Params[name] = number + 1; number == p.Max {
							s.Params[name] = number - 1
						}
					}
				}
			})
		}
	}
	return ls
}

// checkValues: run together, every layer has the features that it has alone. The nodes of seen that have no layer are left out.
func checkValues(t *testing.T, g *G.ExprGraph, ls map[string]layers.Layer, seen map[*G.Node]string, x *tensor.Dense) {
	t.Helper()
	values := map[string]*G.Value{}
	for n, name := range seen {
		values[name] = new(G.Value)
		G.Read(n, values[name])
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	for name, l := range ls {
		together, alone := floats((*values[name]).(*tensor.Dense)), transform(t, l, x)
		if d := largestDifference(together, alone); d > 1e-13 {
			t.Errorf("%s differs by %v from what it is alone", name, d)
		}
	}
}
