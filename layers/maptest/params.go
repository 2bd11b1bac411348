package maptest

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// outside puts a bad cell into rows, dense and sparse, with a graph and without.
func outside(t *testing.T, c *contract) {
	c.each(t, 5, 14, dtypes, func(t *testing.T, l layers.Layer, p layers.Policy) {
		dt := l.Dtype()
		bad := map[float64]string{}
		for _, u := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
			bad[u] = "fill the value in"
		}
		for _, u := range c.Outside {
			// The border is outside too, and rounded where it is tuned.
			if !c.domain.Contains(u) && (p == layers.Frozen || !c.domain.Contains(math.Nextafter(u, 1))) {
				bad[u] = c.Remedy
			}
		}
		if c.kernel != nil && len(c.Outside) == 0 {
			if low, _, ok := c.domain.Low(); ok && !math.IsInf(low, 0) {
				bad[low-1] = ""
			}
		}
		for u, remedy := range bad {
			x := c.input(dt, 6, l.Dims(), 1)
			last := samples(x).Shape()[0] - 1
			set(samples(x), (last+1)*l.Dims()-1, u)
			u = floats(samples(x))[(last+1)*l.Dims()-1]
			says := []string{remedy, `"map"`, at(last, l.Dims()-1, u)}
			if c.tree || c.traits.Bags {
				says = says[:1] // which name the part or the set, and the row in it
			}
			_, err := layers.Transform(l, nil, x)
			wantErr(t, err, layers.ErrDomain, says...)
			if d, ok := x.(*tensor.Dense); ok && !c.tree {
				s := must(ops.CSROf(d))
				_, err = layers.Transform(l, nil, s)
				wantErr(t, err, layers.ErrDomain, says...)
				_, err = layers.Transform(l, nil, s.Slice(2, 6))
				wantErr(t, err, layers.ErrDomain, remedy, `"map"`, at(last-2, l.Dims()-1, u))
			}
			for _, lisp := range []bool{false, true} {
				n := node(G.NewGraph(), "x", samples(x))
				z := must(forward(l, n, x))
				if z == n { // a map that hands on its input
					continue
				}
				if err := run(z, lisp); err == nil {
					t.Errorf("lisp=%v: %v is no error of a running graph", lisp, u)
				} else {
					wantSays(t, err, says...)
				}
			}
		}
		transform(l, c.input(dt, 6, l.Dims(), 1)) // which errors do not spoil
	})
}

// thinned returns rows with two cells in five 0, the first row among them.
func (c *contract) thinned(dt tensor.Dtype, n, d int) *tensor.Dense {
	x := c.rows(n, d, 5)
	for i := range x.Float64s() {
		if i < d || i*i%5 < 2 {
			x.Float64s()[i] = 0
		}
	}
	return in(dt, Inside(c.domain, x))
}

// sparse compares sparse rows with the same rows made dense. gradients has the gradients.
func sparse(t *testing.T, c *contract) {
	const n = 13
	c.each(t, 17, 134, dtypes, func(t *testing.T, l layers.Layer, p layers.Policy) {
		x, bound := c.thinned(l.Dtype(), n, l.Dims()), []float64(nil)
		s := must(ops.CSROf(x))
		want, got := transform(l, x), transform(l, s)
		if l.Dtype() == tensor.Float32 {
			_, bound = c.rounding(c.build(l.Dims(), 134, 1, tuned(p)), x)
		}
		for i, v := range got {
			limit := 1e-12
			if bound != nil {
				limit = 2 * bound[i]
			}
			if !(math.Abs(v-want[i]) <= limit) {
				t.Fatalf("feature [%d,%d] of sparse rows is %v, of dense rows %v", i/l.Features(), i%l.Features(), v,
					want[i])
			}
		}
		same(t, "a part of the rows", transform(l, s.Slice(3, 7)), got[3*l.Features():7*l.Features()], 0)
		same(t, "no rows", transform(l, s.Slice(2, 2)), nil, 0)
		if c.traits.Zeros { // sparse features of sparse rows
			z := must(layers.Apply(l, nil, s)).(*ops.CSR)
			same(t, "sparse features", floats(must(z.Dense(nil))), want, near[l.Dtype()])
		}
		if _, ok := l.(layers.SparseMap); ok { // takes a node that holds them, and a head what comes of it
			head := must(layers.NewLinearHead(l.Features(), 1, layers.WithDtype(l.Dtype())))
			weights := matrix(tensor.Float64, l.Features(), 1, .7, -.3, 1.1, -1.9, .2).Float64s()
			must(head, head.SetWeights(weights, []float64{.5}))
			in := G.NewMatrix(G.NewGraph(), l.Dtype(), G.WithShape(x.Shape()...), G.WithName("x"), G.WithValue(s))
			r := head.Fwd(must(forward(l, in, x)))
			scores := transform(head, matrix(l.Dtype(), n, l.Features(), got...))
			same(t, "scores of sparse rows in a graph", result(must(r.Node(), r.Err())), scores, 100*near[l.Dtype()])
		}
		_, err := layers.Transform(l, nil, must(ops.CSROf(c.thinned(l.Dtype(), 3, l.Dims()+1))))
		wantErr(t, err, layers.ErrShape, "map")
		_, err = layers.Transform(l, nil, must(ops.CSROf(c.thinned(other[l.Dtype()], 3, l.Dims()))))
		wantErr(t, err, layers.ErrDtype, "map")
		_, err = layers.Transform(l, matrix(l.Dtype(), 2, l.Features(), 0), s)
		wantErr(t, err, layers.ErrShape, "dst")
	})
}

var other = map[tensor.Dtype]tensor.Dtype{tensor.Float32: tensor.Float64, tensor.Float64: tensor.Float32}

// defaults: parameters that come from data are in their ranges, and the same for sparse rows and views.
func defaults(t *testing.T, c *contract) {
	of := func(x ops.Matrix) (layers.Spec, error) {
		s := layers.Spec{Map: c.Spec.Map}
		if n, ok := c.Spec.Params["negative"]; ok {
			s.Params = layers.Values{"negative": n}
		}
		return s, s.FillDefaults(x)
	}
	for _, dt := range dtypes {
		x := c.thinned(dt, 23, 7)
		want := must(of(x))
		must(want, must(layers.Lookup(c.Spec.Map)).Check(want.Params))
		got, err := of(must(ops.CSROf(x)))
		for name, v := range want.Params {
			if v, ok := v.(float64); err != nil || ok && !(math.Abs(got.Params.Number(name)-v) <= 1e-12*v) {
				t.Errorf("%s is %v for dense rows and %v for sparse ones, err %v", name, v, got.Params[name], err)
			}
		}
		for layout, view := range layouts(x) {
			if got, err := of(view); err != nil || got.Params.String() != want.Params.String() {
				t.Errorf("the defaults are %v for rows and %v for %s, err %v", want.Params, got.Params, layout, err)
			}
		}
	}
	for _, x := range []*tensor.Dense{matrix(tensor.Float64, 0, 7), matrix(tensor.Float64, 3, 7, 0)} {
		_, want := of(x)
		if _, err := of(must(ops.CSROf(x))); (err == nil) != (want == nil) {
			t.Errorf("%v rows of zeros give the error %v, sparse ones %v", x.Shape()[0], want, err)
		}
	}
}

// params: a spec and parameters that go out and come in again build the same map, to the bit, and what does not fit is
// an error that leaves the layer as it was. Every policy starts from the function of the frozen map.
func params(t *testing.T, c *contract) {
	c.each(t, 5, 22, dtypes, func(t *testing.T, changed layers.Layer, p layers.Policy) {
		d, dt := changed.Dims(), changed.Dtype()
		x := c.input(dt, 7, d, 1)
		s := c.spec(d, 22, math.MaxUint64, tuned(p), named("map"), as(dt))
		want := transform(must(c.fit(s)), x)
		same(t, "the frozen map", transform(c.build(d, 22, math.MaxUint64, as(dt)), x), want, near[dt])
		s = throughJSON(s) // where a choice becomes what was chosen
		read := throughJSON(s)
		if !reflect.DeepEqual(read, s) {
			t.Errorf("read as %+v, was %+v", read, s)
		}
		first, again := must(c.fit(s)), must(c.fit(read))
		if again.String() != first.String() {
			t.Errorf("the spec from JSON builds %v, not %v", again, first)
		}
		of, ok := changed.(interface{ Policy() layers.Policy })
		if p != layers.Frozen && !c.tree && (!ok || of.Policy() != p) {
			t.Errorf("%v does not have the policy %v", changed, p)
		}
		old := fwd(changed, x) // a graph from before SetParams
		before := transform(changed, x)
		summary(t, changed)
		c.badParams(t, changed, first, read)
		same(t, "after a SetParams that fails", transform(changed, x), before, 0)
		turned := values(first)
		for name, v := range turned {
			if v.Dims() == 2 {
				turned[name] = layouts(v)["transpose"]
			}
		}
		must(changed, changed.SetParams(turned))
		spec := must(layers.SpecOf(first))
		all := map[string]layers.Layer{"the spec from JSON": again, "SetParams": changed,
			"Restore": must(read.Restore(values(first))), "Restore of SpecOf": must(spec.Restore(values(first)))}
		if !c.traits.Fitted {
			all["Build of SpecOf"] = must(spec.Build())
		}
		for what, l := range all {
			z := old
			if l != changed {
				z = fwd(l, x)
			}
			same(t, what, transform(l, x), want, 0)
			same(t, what+", in a graph", result(z), want, near[dt])
		}
		written(t, c.build(d, 22, 2, tuned(p), named("map"), as(dt)), first, x)
		held := 0.
		for _, q := range first.Params() {
			held += float64(q.Value.Shape().TotalSize())
		}
		if size := must(read.Size()); !(size <= held && held <= 4*size+float64(10*(d+first.Features())+100)) {
			t.Errorf("the Size is stated as %v, and the Params hold %v numbers", size, held)
		}
	})
}

// badParams checks that SetParams and Restore refuse the parameters of another layer if one does not fit, and that NaN
// and infinities are errors of these or, at the latest, of Transform.
func (c *contract) badParams(t *testing.T, l, from layers.Layer, s layers.Spec) {
	t.Helper()
	for _, q := range l.Params() {
		for _, bad := range []struct {
			value *tensor.Dense
			is    error
		}{{nil, layers.ErrParam}, {matrix(l.Dtype(), 2, 2, 0), layers.ErrShape},
			{tensor.New(tensor.WithShape(q.Value.Shape()...), tensor.Of(other[l.Dtype()])), layers.ErrDtype}} {
			all := values(from)
			if all[q.Name] = bad.value; bad.value == nil {
				delete(all, q.Name)
			}
			_, err := s.Restore(all)
			for _, err := range []error{l.SetParams(all), err} {
				wantErr(t, err, bad.is, "map", q.Name[strings.LastIndex(q.Name, ".")+1:])
			}
		}
		bad := []float64{math.NaN(), math.Inf(1)}
		if r, ok := l.(*layers.RandomLayer); ok && r.Kernel().Law().Transform == spectral.Laplace && q.Name == "W" {
			bad = append(bad, -1) // whose feature grows without bound
		}
		for _, u := range bad {
			if q.Tuned && u == math.Inf(1) || c.tree {
				continue // an infinite bandwidth is one; NaN comes out of dense weights as it goes in
			}
			all := values(from)
			set(all[q.Name], min(5, q.Value.Shape().TotalSize()-1), u)
			bad, err := s.Restore(all)
			if err != nil {
				continue
			}
			x := c.input(l.Dtype(), 2, l.Dims(), 1)
			if !c.traits.Bags && c.Rows == nil { // no zeros, which would hide it
				x = in(l.Dtype(), Inside(c.domain, matrix(tensor.Float64, 2, l.Dims(), .5)))
			}
			if z, err := layers.Transform(bad, nil, x); err == nil {
				t.Fatalf("%v in parameter %s gives the features %v and no error", u, q.Name, floats(z))
			}
		}
	}
}

// written writes the parameters of another layer into those of a layer, as a solver does: graphs from before and after
// and Transform follow.
func written(t *testing.T, l, from layers.Layer, x ops.Matrix) {
	t.Helper()
	before := fwd(l, x)
	transform(l, x)
	result(before)
	others := from.Params()
	for i, p := range l.Params() {
		if i == 1 {
			transform(l, x) // between two tensors
		}
		for j, v := range floats(others[i].Value) {
			set(p.Value, j, v)
		}
	}
	want := transform(from, x)
	same(t, "parameters that were written, by Transform", transform(l, x), want, near[l.Dtype()])
	same(t, "in a graph from before", result(before), want, near[l.Dtype()])
	same(t, "in a graph from after", result(fwd(l, x)), want, near[l.Dtype()])
}

// summary checks that layers.Summary names the parameters and counts their numbers.
func summary(t *testing.T, l layers.Layer) {
	t.Helper()
	sum, all, tuned := layers.Summary(l), 0, 0
	for _, p := range l.Params() {
		n := p.Value.Shape().TotalSize()
		if all += n; p.Tuned {
			tuned += n
		}
		name := p.Name[strings.LastIndex(p.Name, ".")+1:]
		if !strings.Contains(sum.String(), name) || !strings.Contains(sum.HTML(), name) {
			t.Errorf("no %s in the summary\n%v", name, sum)
		}
	}
	if a, b := sum.Count(); a != all || b != tuned {
		t.Errorf("a summary of %d numbers, %d tuned; the parameters have %d and %d", a, b, all, tuned)
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

func throughJSON(s layers.Spec) (read layers.Spec) {
	must(s, json.Unmarshal(must(json.Marshal(s)), &read))
	return read
}

// nodes: in one graph the same layer on the same input is one node; maps of another seed, parameter, policy or name
// have nodes and weights of their own, and together the features that they have alone. A name that is taken is an
// error.
func nodes(t *testing.T, c *contract) {
	d := c.dims(3)
	x := c.input(tensor.Float64, 5, d, 1)
	in := node(G.NewGraph(), "x", samples(x))
	fwd := func(l layers.Layer) *G.Node { return must(forward(l, in, x)) }
	made := c.Spec.Name == "" && !c.tree // a tree may name its parts
	first := c.build(d, 14, 1)
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
	all := map[string]layers.Layer{"another name": c.build(d, 14, 1), "another seed": c.build(d, 14, 2)}
	if c.traits.Sampled && furthest(transform(all["another seed"], x), transform(first, x)) == 0 {
		t.Error("another seed has the same features")
	}
	for _, p := range c.policies[1:] {
		all["policy "+p.String()] = c.build(d, 14, 1, tuned(p))
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
			if l, err := c.fit(s); err == nil {
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
	must(z, run(z, false))
	for name, l := range all {
		same(t, name+", and alone", floats((*outs[name]).(*tensor.Dense)), transform(l, x), 1e-12)
	}
	_, err := forward(c.build(d, 14, 2, named(first.Name())), in, x)
	wantErr(t, err, layers.ErrName, first.Name(), "WithName")
}
