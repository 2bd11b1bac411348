package ops_test

import (
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// all and between are the arguments of slice.
var all tensor.Slice

func between(from, to int) tensor.Slice { return G.S(from, to) }

func slice(t *testing.T, x *tensor.Dense, s ...tensor.Slice) *tensor.Dense {
	t.Helper()
	v, err := x.Slice(s...)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*tensor.Dense)
}

// views are the matrix x in other layouts.
func views(t *testing.T, x *tensor.Dense) map[string]*tensor.Dense {
	t.Helper()
	n, d, dt := x.Shape()[0], x.Shape()[1], x.Dtype()
	cells := floats(x)
	tall, wide := matrix(dt, n+3, d, 99), matrix(dt, n, d+3, 99)
	turned := matrix(dt, d, n, 0)
	for i := range n {
		for j := range d {
			setCell(tall, i+2, j, cells[i*d+j])
			setCell(wide, i, j+2, cells[i*d+j])
			setCell(turned, j, i, cells[i*d+j])
		}
	}
	if err := turned.T(); err != nil {
		t.Fatal(err)
	}
	return map[string]*tensor.Dense{
		"rows of a taller matrix":   slice(t, tall, between(2, n+2)),
		"columns of a wider matrix": slice(t, wide, all, between(2, d+2)),
		"transpose":                 turned,
		"column-major":              tensor.New(tensor.WithShape(n, d), tensor.AsFortran(x)),
	}
}

// TestViews: every layout of x gives the bits of its copy, to Transform, in a graph, and where parameters come from data.
func TestViews(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
			d := v.dims(5)
			x := matrix(dt, 7, d, floats(v.rows(7, d, 1))...)
			l := v.build(t, d, 11, 1, tuned(p), dtype(dt))
			want := transform(t, l, x)
			for name, view := range views(t, x) {
				if z := transform(t, l, view); !slices.Equal(z, want) {
					t.Errorf("%v, %s: Transform differs from the copy's by %v", l, name, largestDifference(z, want))
				}
				g := G.NewGraph()
				in := G.NewMatrix(g, dt, G.WithShape(7, d), G.WithName("x"))
				r := l.Fwd(in)
				if r.Err() != nil {
					t.Fatal(r.Err())
				}
				if err := G.Let(in, view); err != nil {
					t.Fatal(err)
				}
				if v.form == copied { // the node is the input itself
					continue
				}
				m := G.NewTapeMachine(g)
				if err := m.RunAll(); err != nil {
					t.Fatal(err)
				}
				if z := floats(r.Node().Value().(*tensor.Dense)); largestDifference(z, want) > map[tensor.Dtype]float64{tensor.Float64: 1e-13, tensor.Float32: 1e-6}[dt] {
					t.Errorf("%v, %s: the graph differs from the copy by %v", l, name, largestDifference(z, want))
				}
				m.Close()
			}
		})
	}
}

// TestViewsOfParams: SetParams and the defaults from data read a view as they read its copy.
func TestViewsOfParams(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		d := v.dims(5)
		x := v.rows(7, d, 1)
		l, other := v.build(t, d, 11, 1), v.build(t, d, 11, 2)
		want := transform(t, other, x)
		for _, layout := range []string{"rows of a taller matrix", "columns of a wider matrix", "transpose", "column-major"} {
			params := values(other)
			for name, p := range params {
				if p.Dims() == 2 {
					params[name] = views(t, p)[layout]
				}
			}
			if err := l.SetParams(params); err != nil {
				t.Fatal(err)
			}
			if z := transform(t, l, x); !slices.Equal(z, want) {
				t.Errorf("%s: SetParams from %s differs from the copy's", v.name, layout)
			}
			if v.sampler == "orthogonal" || v.sampler == "structured" || v.form == phase {
				continue
			}
			plain, view := layers.Spec{Map: v.entry.Name}, layers.Spec{Map: v.entry.Name}
			if n, ok := v.values["negative"]; ok {
				plain.Params, view.Params = layers.Values{"negative": n}, layers.Values{"negative": n}
			}
			if err := plain.FillDefaults(x); err != nil {
				t.Fatal(err)
			}
			if err := view.FillDefaults(views(t, x)[layout]); err != nil || view.Params.String() != plain.Params.String() {
				t.Errorf("%s: the defaults are %v for the rows and %v for %s, err %v", v.name, plain.Params, view.Params, layout, err)
			}
		}
	})
}
