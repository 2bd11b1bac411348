package maptest

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// outside puts a bad cell into rows, dense and sparse, with a graph and without.
func outside(t *testing.T, c *contract) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		for _, p := range c.policies {
			bad := map[float64]string{math.Inf(1): "fill the value in", math.Inf(-1): "fill the value in", math.NaN(): "fill the value in"}
			for _, u := range c.Outside {
				// The border is outside too, and rounded where it is tuned.
				if !c.contains(u) && (p == layers.Frozen || !c.contains(math.Nextafter(u, 1))) {
					bad[u] = c.Remedy
				}
			}
			if low, _, ok := c.low(); ok && len(c.Outside) == 0 {
				bad[low-1] = ""
			}
			l := c.build(t, c.dims(5), 14, 1, tuned(p), named("map"), of(dt))
			for u, remedy := range bad {
				x := c.input(t, dt, 6, l.Dims(), 1)
				last := samples(x).Shape()[0] - 1
				set(samples(x), (last+1)*l.Dims()-1, u)
				says := []string{remedy, `"map"`, at(last, l.Dims()-1, floats(samples(x))[(last+1)*l.Dims()-1])}
				if c.tree || c.traits.Bags {
					says = says[:1] // which name the part or the set, and the row in it
				}
				_, err := layers.Transform(l, nil, x)
				wantErr(t, err, layers.ErrDomain, says...)
				if d, ok := x.(*tensor.Dense); ok {
					s := csr(t, d)
					_, err = layers.Transform(l, nil, s)
					wantErr(t, err, layers.ErrDomain, says...)
					if says = says[:len(says):len(says)]; len(says) == 3 {
						_, err = layers.Transform(l, nil, s.Slice(2, 6))
						wantErr(t, err, layers.ErrDomain, says[0], says[1], at(last-2, l.Dims()-1, u32(dt, u)))
					}
				}
				for _, lisp := range []bool{false, true} {
					n := node(G.NewGraph(), "x", samples(x))
					z, err := forward(l, n, x)
					if err != nil {
						t.Fatal(err)
					}
					if z == n { // a map that hands its input on
						continue
					}
					if err := run(z, lisp); err == nil {
						t.Errorf("%v, lisp=%v: %v is no error of a running graph", l, lisp, u)
					} else {
						wantSays(t, err, says...)
					}
				}
			}
			if _, err := layers.Transform(l, nil, c.input(t, dt, 6, l.Dims(), 1)); err != nil {
				t.Errorf("after errors, %v", err)
			}
		}
	}
}

// u32 is a number in an element type.
func u32(dt tensor.Dtype, u float64) float64 { return floats(matrix(dt, 1, 1, u))[0] }

// low is the lower end of the domain.
func (c *contract) low() (low float64, open, ok bool) {
	if c.kernel == nil {
		return 0, false, false
	}
	low, open, ok = c.kernel.Domain().Low()
	return low, open, ok && !math.IsInf(low, 0)
}

func csr(t *testing.T, x *tensor.Dense) *ops.CSR {
	t.Helper()
	s, err := ops.CSROf(x)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// thinned returns rows with two cells in five 0, the first row among them.
func (c *contract) thinned(dt tensor.Dtype, n, d int) *tensor.Dense {
	x := c.rows(n, d, 5)
	for i := range x.Float64s() {
		if i < d || i*i%5 < 2 {
			x.Float64s()[i] = 0
		}
	}
	return as(dt, c.inside(x))
}

// sparse compares sparse rows with the same rows made dense.
func sparse(t *testing.T, c *contract) {
	if c.traits.Bags {
		t.Skip("sets of samples are dense")
	}
	const n = 13
	c.each(t, 17, 134, func(t *testing.T, wide layers.Layer, p layers.Policy) {
		d := wide.Dims()
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			l, x := c.build(t, d, 134, 1, tuned(p), named("map"), of(dt)), c.thinned(dt, n, d)
			want, got := transform(t, l, x), transform(t, l, csr(t, x))
			var bound []float64
			if dt == tensor.Float32 {
				_, bound = c.rounding(t, wide, x)
			}
			for i, v := range got {
				limit := 1e-12
				if bound != nil {
					limit = 2 * bound[i]
				}
				if !(math.Abs(v-want[i]) <= limit) {
					t.Fatalf("%v: feature [%d,%d] of sparse rows is %v, of dense rows %v", l, i/l.Features(), i%l.Features(), v, want[i])
				}
			}
			part := matrix(dt, 4, l.Features(), 99)
			if _, err := layers.Transform(l, part, csr(t, x).Slice(3, 7)); err != nil || furthest(floats(part), got[3*l.Features():7*l.Features()]) != 0 {
				t.Errorf("%v: a part of the rows gives other features, err %v", l, err)
			}
			if none, err := layers.Transform(l, nil, csr(t, x).Slice(2, 2)); err != nil || none.Shape()[0] != 0 {
				t.Errorf("%v: no rows give %v, err %v", l, none, err)
			}
		}
		if x := c.thinned(tensor.Float64, n, d); c.traits.Zeros { // sparse features of sparse rows
			z, err := layers.Apply(wide, nil, csr(t, x))
			s, ok := z.(*ops.CSR)
			if err != nil || !ok {
				t.Fatalf("Apply makes a %T of sparse rows, err %v", z, err)
			}
			if z, err := s.Dense(nil); err != nil || furthest(floats(z), transform(t, wide, x)) > 1e-12 {
				t.Errorf("sparse features are others, err %v", err)
			}
		}
		_, err := layers.Transform(wide, nil, csr(t, c.thinned(tensor.Float64, 3, d+1)))
		wantErr(t, err, layers.ErrShape, "map")
		_, err = layers.Transform(wide, nil, csr(t, c.thinned(tensor.Float32, 3, d)))
		wantErr(t, err, layers.ErrDtype, "map")
		_, err = layers.Transform(wide, matrix(tensor.Float64, 2, wide.Features(), 0), csr(t, c.thinned(tensor.Float64, 3, d)))
		wantErr(t, err, layers.ErrShape, "dst")
		if _, ok := wide.(layers.SparseMap); ok {
			c.sparseGraph(t, c.build(t, c.dims(5), 22, 5, tuned(p)))
		}
	})
}

// sparseGraph: a node that holds sparse rows gives the cost and the gradients of dense rows, on both machines.
func (c *contract) sparseGraph(t *testing.T, l layers.Layer) {
	t.Helper()
	x := c.thinned(tensor.Float64, 7, l.Dims())
	head, err := layers.NewLinearHead(l.Features(), 1, layers.WithName("head"))
	if err == nil {
		err = head.SetWeights(matrix(tensor.Float64, l.Features(), 1, .7, -.3, 1.1, -1.9, .2).Float64s(), []float64{.5})
	}
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		cost  float64
		grads map[string][]float64
	}
	of := func(value G.Value, lisp bool) (r result) {
		g := G.NewGraph()
		in := G.NewMatrix(g, tensor.Float64, G.WithShape(x.Shape()...), G.WithName("x"), G.WithValue(value))
		z, err := forward(l, in, x)
		if err != nil {
			t.Fatal(err)
		}
		y := head.Fwd(z)
		if y.Err() != nil {
			t.Fatal(y.Err())
		}
		cost := G.Must(G.Sum(G.Must(G.Square(y.Node()))))
		nodes := append(l.ModelIn(g), head.ModelIn(g)...)
		if err := run(cost, lisp, nodes...); err != nil {
			t.Fatal(err)
		}
		r.cost, r.grads = float64(*cost.Value().(*G.F64)), map[string][]float64{}
		for _, n := range nodes {
			grad, err := n.Grad()
			if err != nil {
				t.Fatal(err)
			}
			r.grads[n.Name()] = append([]float64(nil), floats(grad.(*tensor.Dense))...)
		}
		return r
	}
	want := of(x, false)
	for _, lisp := range []bool{false, true} {
		got := of(csr(t, x), lisp)
		if !(math.Abs(got.cost-want.cost) <= 1e-9*(1+math.Abs(want.cost))) {
			t.Errorf("%v, lisp=%v: the cost of sparse rows is %v, of dense ones %v", l, lisp, got.cost, want.cost)
		}
		for name, g := range want.grads {
			largest := furthest(g, make([]float64, len(g)))
			if far := furthest(got.grads[name], g); !(far <= 1e-9*(1+largest)) {
				t.Errorf("%v, lisp=%v: the gradient for %s of sparse rows is off by %v", l, lisp, name, far)
			}
		}
	}
}

// defaults: parameters that come from data are in their ranges, and the same for sparse rows and views.
func defaults(t *testing.T, c *contract) {
	if c.traits.Bags || c.tree {
		t.Skip("of rows only")
	}
	of := func(x ops.Matrix) (layers.Spec, error) {
		s := layers.Spec{Map: c.Spec.Map}
		if n, ok := c.Spec.Params["negative"]; ok {
			s.Params = layers.Values{"negative": n}
		}
		return s, s.FillDefaults(x)
	}
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		x := c.thinned(dt, 23, 7)
		want, err := of(x)
		if err != nil {
			t.Fatal(err)
		}
		e, err := layers.Lookup(c.Spec.Map)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Check(want.Params); err != nil {
			t.Errorf("the defaults are %v: %v", want.Params, err)
		}
		got, err := of(csr(t, x))
		for name, v := range want.Params {
			if v, ok := v.(float64); err != nil || ok && !(math.Abs(got.Params.Number(name)-v) <= 1e-12*v) {
				t.Errorf("%s is %v for dense rows and %v for sparse ones, err %v", name, v, got.Params[name], err)
			}
		}
		for layout, view := range layouts(t, x) {
			if got, err := of(view); err != nil || got.Params.String() != want.Params.String() {
				t.Errorf("the defaults are %v for rows and %v for %s, err %v", want.Params, got.Params, layout, err)
			}
		}
	}
	for _, x := range []*tensor.Dense{matrix(tensor.Float64, 0, 7), matrix(tensor.Float64, 3, 7, 0)} {
		_, want := of(x)
		if _, err := of(csr(t, x)); (err == nil) != (want == nil) {
			t.Errorf("%v rows of zeros give the error %v, sparse ones %v", x.Shape()[0], want, err)
		}
	}
}

// params: a spec and parameters that go out and come in again build the same map, to the bit, and what does not fit is an
// error that leaves the layer as it was. Every policy starts from the function of the frozen map.
func params(t *testing.T, c *contract) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		frozen := transform(t, c.build(t, c.dims(5), 22, math.MaxUint64, of(dt)), c.input(t, dt, 7, c.dims(5), 1))
		c.each(t, 5, 22, func(t *testing.T, _ layers.Layer, p layers.Policy) {
			d := c.dims(5)
			x := c.input(t, dt, 7, d, 1)
			s := c.spec(d, 22, math.MaxUint64, tuned(p), named("map"), of(dt))
			want := transform(t, c.build(t, d, 22, math.MaxUint64, tuned(p), named("map"), of(dt)), x)
			if off := furthest(want, frozen); off > map[tensor.Dtype]float64{tensor.Float64: 1e-12, tensor.Float32: 1e-4}[dt] {
				t.Errorf("it starts %v away from the frozen map", off)
			}
			s = throughJSON(t, s) // where a choice becomes what was chosen
			read := throughJSON(t, s)
			if !reflect.DeepEqual(read, s) {
				t.Errorf("read as %+v, was %+v", read, s)
			}
			first, err := c.fit(t, s)
			if err != nil {
				t.Fatal(err)
			}
			again, err := c.fit(t, read)
			if err != nil {
				t.Fatal(err)
			}
			other := c.build(t, d, 22, 1, tuned(p), named("map"), of(dt))
			before := transform(t, other, x) // what a layer keeps of its old parameters must go
			old := node(G.NewGraph(), "x", samples(x))
			oldZ, err := forward(other, old, x)
			if err != nil {
				t.Fatal(err)
			}
			c.badParams(t, other, read)
			if far := furthest(transform(t, other, x), before); far != 0 {
				t.Errorf("a failed SetParams changes features by %v", far)
			}
			turned := values(first)
			for name, v := range turned {
				if v.Dims() == 2 {
					turned[name] = layouts(t, v)["transpose"]
				}
			}
			if err := other.SetParams(turned); err != nil {
				t.Fatal(err)
			}
			restored, err := read.Restore(values(first))
			if err != nil {
				t.Fatal(err)
			}
			for what, l := range map[string]layers.Layer{"the spec from JSON": again, "SetParams": other, "Restore": restored} {
				if far := furthest(transform(t, l, x), want); far != 0 || l != other && l.String() != first.String() {
					t.Errorf("%s gives %v and not %v, features differ by %v", what, l, first, far)
				}
				z := oldZ // a graph from before SetParams
				if l != other {
					if z, err = forward(l, node(G.NewGraph(), "x", samples(x)), x); err != nil {
						t.Fatal(err)
					}
				}
				if far := furthest(result(t, z), want); !(far <= map[tensor.Dtype]float64{tensor.Float64: 1e-12, tensor.Float32: 1e-4}[dt]) {
					t.Errorf("%s: in a graph features differ by %v", what, far)
				}
			}
			written(t, c.build(t, d, 22, 2, tuned(p), named("map"), of(dt)), first, x)
		})
	}
}

// badParams checks that parameters that do not fit are errors of SetParams and of Restore, and that those that are no
// numbers are so of these or of Transform, at the latest.
func (c *contract) badParams(t *testing.T, l layers.Layer, s layers.Spec) {
	t.Helper()
	other := map[tensor.Dtype]tensor.Dtype{tensor.Float32: tensor.Float64, tensor.Float64: tensor.Float32}[l.Dtype()]
	for _, q := range l.Params() {
		for _, bad := range []struct {
			value *tensor.Dense
			is    error
		}{{nil, layers.ErrParam}, {matrix(l.Dtype(), 2, 2, 0), layers.ErrShape},
			{tensor.New(tensor.WithShape(q.Value.Shape()...), tensor.Of(other)), layers.ErrDtype}} {
			all := values(l)
			if all[q.Name] = bad.value; bad.value == nil {
				delete(all, q.Name)
			}
			_, err := s.Restore(all)
			for _, err := range []error{l.SetParams(all), err} {
				wantErr(t, err, bad.is, "map", q.Name[strings.LastIndex(q.Name, ".")+1:])
			}
		}
		bad := []float64{math.NaN(), math.Inf(1)}
		if _, ok := l.(*layers.RandomLaplaceLayer); ok && q.Name == "W" {
			bad = append(bad, -1) // whose feature grows without bound
		}
		for _, u := range bad {
			if q.Tuned && u == math.Inf(1) || c.tree {
				continue // an infinite bandwidth is one; NaN comes out of dense weights as it goes in
			}
			all := values(l)
			set(all[q.Name], min(5, q.Value.Shape().TotalSize()-1), u)
			bad, err := s.Restore(all)
			if err != nil {
				continue
			}
			x := c.input(t, l.Dtype(), 2, l.Dims(), 1)
			if !c.traits.Bags && c.Rows == nil { // no zeros, which would hide it
				x = as(l.Dtype(), c.inside(matrix(tensor.Float64, 2, l.Dims(), .5)))
			}
			if z, err := layers.Transform(bad, nil, x); err == nil {
				t.Errorf("%v in parameter %s gives the features %v and no error", u, q.Name, floats(z))
			}
		}
	}
}

// written writes the parameters of another layer into those of a layer, as a solver does: graphs from before and after and
// Transform follow.
func written(t *testing.T, l, from layers.Layer, x ops.Matrix) {
	t.Helper()
	graph := func() *G.Node {
		z, err := forward(l, node(G.NewGraph(), "x", samples(x)), x)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	before := graph()
	transform(t, l, x)
	result(t, before)
	others := from.Params()
	for i, p := range l.Params() {
		if i == 1 {
			transform(t, l, x) // between two tensors
		}
		for j, v := range floats(others[i].Value) {
			set(p.Value, j, v)
		}
	}
	want := transform(t, from, x)
	limit := map[tensor.Dtype]float64{tensor.Float64: 1e-12, tensor.Float32: 1e-4}[l.Dtype()]
	for what, got := range map[string][]float64{"Transform": transform(t, l, x), "a graph from before": result(t, before),
		"a graph from after": result(t, graph())} {
		if far := furthest(got, want); !(far <= limit) {
			t.Errorf("%s: features differ by %v from those of the parameters that were written", what, far)
		}
	}
}

// values are copies of the parameters of a layer, as a model file has them.
func values(l layers.Layer) map[string]*tensor.Dense {
	out := map[string]*tensor.Dense{}
	for _, p := range l.Params() {
		out[p.Name] = p.Value.Clone().(*tensor.Dense)
	}
	return out
}

func throughJSON(t *testing.T, s layers.Spec) (read layers.Spec) {
	t.Helper()
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// nodes: in one graph the same layer on the same input is one node; maps of another seed, parameter, policy or name have
// nodes and weights of their own, and together the features that they have alone. A name that is taken is an error.
func nodes(t *testing.T, c *contract) {
	d := c.dims(3)
	x := c.input(t, tensor.Float64, 5, d, 1)
	in := node(G.NewGraph(), "x", samples(x))
	fwd := func(l layers.Layer) *G.Node {
		t.Helper()
		z, err := forward(l, in, x)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	made := c.Spec.Name == "" && !c.tree // a tree may name its parts
	first := c.build(t, d, 14, 1)
	z := fwd(first)
	if z == in {
		return // a map that hands its input on
	}
	size := len(in.Graph().AllNodes())
	if fwd(first) != z || len(in.Graph().AllNodes()) != size {
		t.Error("the same layer on the same input is a second node")
	}
	if !made {
		return
	}
	all := map[string]layers.Layer{"another name": c.build(t, d, 14, 1), "another seed": c.build(t, d, 14, 2)}
	if c.traits.Sampled() && furthest(transform(t, all["another seed"], x), transform(t, first, x)) == 0 {
		t.Error("another seed has the same features")
	}
	for _, p := range c.policies[1:] {
		all["policy "+p.String()] = c.build(t, d, 14, 1, tuned(p))
	}
	for name, v := range c.Spec.Params {
		v, ok := v.(float64)
		if !ok {
			continue
		}
		for _, to := range []float64{1.25 * v, v + 1, v - 1} {
			s := c.spec(d, 14, 1)
			s.Params = maps.Clone(s.Params)
			s.Params[name] = to
			if l, err := c.fit(t, s); err == nil {
				all["another "+name] = l
				break
			}
		}
	}
	outs := map[string]*G.Value{}
	seen := map[*G.Node]string{z: "the first layer"}
	for name, l := range all {
		n := fwd(l)
		if other, ok := seen[n]; ok {
			t.Errorf("%s and %s are one node", name, other)
		}
		seen[n], outs[name] = name, new(G.Value)
		G.Read(n, outs[name])
	}
	if err := run(z, false); err != nil {
		t.Fatal(err)
	}
	for name, l := range all {
		if far := furthest(floats((*outs[name]).(*tensor.Dense)), transform(t, l, x)); far > 1e-12 {
			t.Errorf("%s: features differ by %v from what they are alone", name, far)
		}
	}
	_, err := forward(c.build(t, d, 14, 2, named(first.Name())), in, x)
	wantErr(t, err, layers.ErrName, first.Name(), "WithName")
}
