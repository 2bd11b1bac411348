package maptest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// kernel compares the exact kernel with the plain one, and checks that it is one.
func kernel(t *testing.T, c *contract) {
	for _, dt := range dtypes {
		for _, d := range c.several(1, 2, 3, 17) {
			x, limit := c.input(dt, 9, d, uint64(d)), 2e-14
			if c.traits.Bags && dt == tensor.Float32 { // as are the densities
				limit = 1e-6
			}
			at, plain := c.pairs(t, x)
			l := c.build(d, 10, 1)
			signed := layers.SignatureOf(l) != nil
			if m := reflect.ValueOf(l).MethodByName("Kernel"); m.IsValid() {
				if k := m.Call(nil)[0].Interface(); fmt.Sprint(k) != fmt.Sprint(c.kernel) {
					t.Errorf("the kernel of the layer is %v, the spec's %v", k, c.kernel)
				}
			}
			for i := range 9 {
				for j := range 9 {
					v, w := at(i, j), at(j, i)
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("k of rows %d and %d is %v", i, j, v)
					}
					if math.Abs(v-w) > 1e-12*max(math.Abs(v), math.Abs(w)) {
						t.Fatalf("k of rows %d and %d is %v one way and %v the other", i, j, v, w)
					}
					largest := math.Sqrt(at(i, i) * at(j, j))
					if !signed && !(math.Abs(v) <= (1+1e-9)*largest) {
						t.Fatalf("k of rows %d and %d is %v, above √k(x,x) √k(z,z): no positive definite kernel", i,
							j, v)
					}
					// A kernel of two signs, of units or of the sphere is a difference of terms, which round.
					if want, ok := plain(i, j); ok && !(math.Abs(v-want) <= 1e-12*math.Abs(want)+limit) {
						t.Fatalf("k of rows %d and %d in %d dimensions is %v, by the formula %v", i, j, d, v, want)
					}
				}
			}
		}
	}
}

// pairs returns the kernel of two rows of x by the map's own kernel, and by the formula of Map, if there is one.
func (c *contract) pairs(t *testing.T, x ops.Matrix) (at func(i, j int) float64, plain func(i, j int) (float64, bool)) {
	t.Helper()
	if b, ok := x.(*ops.Bags); ok {
		g := must(c.kernel.(layers.BagKernel).GramBags(b))
		set := func(i int) [][]float64 { return slices.Collect(slices.Chunk(floats(b.Bag(i)), b.Axes())) }
		return g.At, func(i, j int) (float64, bool) {
			if c.SetKernel == nil {
				return 0, false
			}
			return c.SetKernel(set(i), set(j)), true
		}
	}
	g := must(spectral.Gram(c.kernel, x.(*tensor.Dense), nil))
	cells, n := floats(x.(*tensor.Dense)), x.Shape()[0]
	at = func(i, j int) float64 { return c.kernel.At(row(cells, n, i), row(cells, n, j)) }
	for i := range n {
		for j := range i {
			if v := at(i, j); v == at(j, i) && v-v == 0 && !(math.Abs(g.At(i, j)-v) <= 1e-12*math.Abs(v)+2e-14) {
				t.Fatalf("the kernel matrix has %v for rows %d and %d, and the kernel is %v", g.At(i, j), i, j, v)
			}
		}
	}
	return at, func(i, j int) (float64, bool) {
		if c.Kernel == nil {
			return 0, false
		}
		return c.Kernel(row(cells, n, i), row(cells, n, j)), true
	}
}

// apart are rows at several distances of the first, along the axes and the diagonal, and a row of zeros.
func (c *contract) apart(d int) ops.Matrix {
	if c.traits.Bags || c.Rows != nil {
		return c.input(tensor.Float64, 6, d, 5)
	}
	var cells []float64
	add := func(r float64, axis int) {
		for j := range d {
			v := .1
			if axis == j {
				v += r
			} else if axis < 0 {
				v += r / math.Sqrt(float64(d))
			}
			cells = append(cells, v)
		}
	}
	add(0, 0)
	for _, r := range []float64{.3, 1, 2.5} {
		add(r, -1)
		add(r, 0)
		add(r, d-1)
	}
	cells = append(cells, make([]float64, d)...)
	return Inside(c.domain, matrix(tensor.Float64, len(cells)/d, d, cells...))
}

// unbiased compares means of inner products of features with the kernel. What 64 draws show to be off by more than four
// standard errors must be so after 512 draws.
func unbiased(t *testing.T, c *contract) {
	const features = 256
	for _, d := range c.several(1, 2, 9) {
		x := c.apart(d)
		n := x.Shape()[0]
		mean := c.Mean
		if mean == nil {
			at, _ := c.pairs(t, x)
			mean = func(l layers.Layer, x ops.Matrix, i, j int) (float64, float64) {
				cells := x.(*tensor.Dense).Float64s()
				return at(i, j), bias(l, row(cells, n, i), row(cells, n, j))
			}
		}
		sum, squares, draws := make([]float64, n), make([]float64, n), 0
		for _, most := range []int{64, 512} {
			var l layers.Layer
			for ; draws < most; draws++ {
				l = c.build(d, features, 1000*uint64(d)+uint64(draws))
				z := transform(l, x)
				for i := range n {
					v := product(l, row(z, n, 0), row(z, n, i))
					sum[i] += v
					squares[i] += v * v
				}
			}
			off, first := 0, ""
			for i := range n {
				m := sum[i] / float64(draws)
				se := math.Sqrt(max(0, squares[i]/float64(draws)-m*m) / float64(draws-1))
				want, bias := mean(l, x, 0, i)
				if math.Abs(m-want) <= 4*se+bias+1e-9*(math.Abs(want)+math.Abs(m))+1e-12 {
					continue
				}
				if off++; off == 1 {
					first = fmt.Sprintf("rows 0 and %d: the mean z(x)·z(x') of %d draws is %.6g and the kernel %.6g, with "+
						"a standard error of %.2g and a bias of %.2g", i, draws, m, want, se, bias)
				}
			}
			if off == 0 {
				break
			}
			if most == 512 {
				t.Fatalf("%d dimensions, %s, and so are %d of %d pairs: the frequencies are not of the kernel's "+
					"spectral distribution", d, first, off, n)
			}
		}
	}
}

// bias bounds the error that a layer states for the mean inner product of the features of two rows.
func bias(l layers.Layer, x, z []float64) float64 {
	sup := func(h *spectral.Harmonics) (off float64) {
		for j := range x {
			off += math.Pow(max(math.Abs(x[j]), math.Abs(z[j])), h.Of.Degree())
		}
		return off * h.SupError()
	}
	switch l := l.(type) {
	case interface{ Split() *spectral.Split }:
		if split := l.Split(); split != nil {
			return split.Error
		}
	case *layers.HomogeneousLayer:
		return sup(l.Harmonics())
	case *layers.ExponentiatedLayer: // D² is off by four times as much at most
		if h, k := l.Homogeneous(), l.Kernel().(spectral.Exponentiated); h != nil {
			return 2 * sup(h.Harmonics()) / k.Sigma / k.Sigma
		}
	}
	return 0
}

// precision compares the features in float32 with those in float64 of the same parameters. What may be between them is
// what moving x by a rounding moves the features, times the number of terms of a product.
func precision(t *testing.T, c *contract) {
	c.each(t, 17, 134, dtypes[:1], func(t *testing.T, wide layers.Layer, p layers.Policy) {
		l := c.build(wide.Dims(), 134, 1, tuned(p), named("map"), as(tensor.Float32))
		parameters := map[string]*tensor.Dense{}
		for _, q := range l.Params() {
			parameters[q.Name] = in(tensor.Float64, q.Value)
		}
		for _, q := range wide.Params() { // drawn in float64 and rounded once; what is fitted is so on other rows
			far := furthest(floats(parameters[q.Name]), floats(q.Value))
			largest := max(1, furthest(floats(q.Value), make([]float64, q.Value.Shape().TotalSize())))
			if !c.traits.Fitted && !c.traits.Bags && far > 2e-7*largest {
				t.Errorf("parameter %s differs by %v in float32", q.Name, far)
			}
		}
		must(wide, wide.SetParams(parameters))
		x := c.input(tensor.Float32, 13, wide.Dims(), 5)
		got := must(layers.Transform(l, nil, x))
		if got.Dtype() != tensor.Float32 {
			t.Fatalf("features of float32 rows are %v", got)
		}
		want, bound := c.rounding(wide, x)
		for i, v := range floats(got) {
			if !(math.Abs(v-want[i]) <= bound[i]) {
				t.Fatalf("feature [%d,%d] is %v in float32 and %v in float64, bound %.2g", i/l.Features(),
					i%l.Features(), v, want[i], bound[i])
			}
		}
		x64, n := c.input(tensor.Float64, 13, wide.Dims(), 5), 13
		for _, bad := range []struct {
			l   layers.Layer
			x   ops.Matrix
			dst tensor.Dtype
		}{{l, x64, tensor.Float32}, {wide, x, tensor.Float64}, {l, x, tensor.Float64}, {wide, x64, tensor.Float32}} {
			_, err := layers.Transform(bad.l, matrix(bad.dst, n, bad.l.Features(), 0), bad.x)
			wantErr(t, err, layers.ErrDtype, `"map`, "float32", "float64")
			if bad.x.Dtype() != bad.l.Dtype() {
				_, err = forward(bad.l, node(G.NewGraph(), "x", samples(bad.x)), bad.x)
				wantErr(t, err, layers.ErrDtype, `"map`, "WithDtype")
			}
		}
	})
}

// rounding returns the features of float32 rows in float64 by a layer, and how far they may be off in float32.
func (c *contract) rounding(wide layers.Layer, x ops.Matrix) (want, bound []float64) {
	const u = 1. / (1 << 24)
	rng := rand.New(rand.NewPCG(2, 0))
	moved := func(by float64) []float64 {
		cells := slices.Clone(floats(samples(x)))
		for i, v := range cells {
			if c.domain.Contains(-1e-3) && !c.traits.Zeros {
				v = math.Abs(v) + 1 // as a shift of x is rounded too
			}
			cells[i] += by * v * (1 + 2*rng.Float64()) * float64(1-2*rng.IntN(2))
		}
		y := matrix(tensor.Float64, len(cells)/wide.Dims(), wide.Dims(), cells...)
		if b, ok := x.(*ops.Bags); ok {
			return transform(wide, must(b.With(y)))
		}
		return transform(wide, y)
	}
	want = moved(0)
	bound = make([]float64, len(want))
	largest := 0.
	for i, v := range want {
		bound[i], largest = 2*u*math.Abs(v), max(largest, math.Abs(v))
	}
	for range 6 {
		for i, v := range moved(u) {
			bound[i] = max(bound[i], math.Abs(v-want[i]))
		}
	}
	terms := float64(8 + wide.Dims())
	if c.traits.Bags { // and of the columns that a set becomes
		terms = 64
	}
	for i := range bound {
		bound[i] = terms*bound[i] + 16*u*largest
	}
	return want, bound
}

// extremes looks at shapes and sizes at their ends.
func extremes(t *testing.T, c *contract) {
	for _, shape := range [][3]int{{0, 3, 10}, {1, 3, 10}, {7, 1, 10}, {7, 3, 2}, {1, 1, 2}} {
		n, d := shape[0], c.dims(shape[1])
		if n == 0 && c.traits.Bags {
			continue // there are no empty sets
		}
		c.each(t, shape[1], shape[2], dtypes[:1], func(t *testing.T, l layers.Layer, p layers.Policy) {
			s := c.spec(d, shape[2], 1, tuned(p))
			x := c.input(tensor.Float64, n, d, 1)
			z := must(layers.Transform(l, nil, x))
			if cols := must(s.Columns()); !z.Shape().Eq(tensor.Shape{n, cols}) || l.Features() != cols {
				t.Fatalf("features of %v are %v, with %d columns stated", x.Shape(), z, cols)
			}
			if n > 0 {
				same(t, "the graph", result(fwd(l, x)), floats(z), 1e-12)
			}
		})
	}
	zeros := c.build(c.dims(3), 10, 1)
	if z := transform(zeros, Inside(c.domain, matrix(tensor.Float64, 1, zeros.Dims(), 0))); c.traits.Zeros {
		same(t, "the features of zeros, which its traits promise", z, make([]float64, len(z)), 0)
		if !layers.StaysSparse(zeros, new(ops.CSR)) {
			t.Error("StaysSparse denies what the traits promise")
		}
	}
	if unitRows(c.domain) || c.traits.Bags {
		return // where no number is huge
	}
	c.each(t, 3, 10, dtypes, func(t *testing.T, l layers.Layer, _ layers.Policy) { c.sizes(t, l) })
}

// sizes: from the smallest to the largest numbers the features are numbers, or the row is an error that says so, which
// no number below 1e30 is. Where rows have features of the length √k(x, x), or a multiple, these have it too.
func (c *contract) sizes(t *testing.T, l layers.Layer) {
	t.Helper()
	d := l.Dims()
	ratio := func(u float64) (q float64, err error) {
		x := matrix(l.Dtype(), 2, d, u)
		for j := 1; j < d; j++ {
			set(x, d+j, 0)
		}
		z, err := layers.Transform(l, nil, x)
		if err != nil {
			return 0, err
		}
		sum := 0.
		for _, v := range row(floats(z), 2, 1) {
			sum += v * v
		}
		for i, v := range floats(z) {
			if v-v != 0 {
				t.Fatalf("%v of %v: feature %d is %v", l, u, i, v)
			}
		}
		if c.kernel == nil {
			return 0, nil
		}
		cells := row(floats(x), 2, 1)
		return sum / c.kernel.At(cells, cells), nil
	}
	usual, err := ratio(.5)
	other, again := ratio(.7)
	if err := errors.Join(err, again); err != nil {
		t.Fatal(err)
	}
	exact := math.Abs(usual-other) <= 2e-6*usual
	for _, u := range []float64{0, 5e-324, 1e-300, 1e-40, 1e-12, 1e12, 1e30, 3e38, 1e300, math.MaxFloat64} {
		if l.Dtype() == tensor.Float32 && u > math.MaxFloat32 {
			continue
		}
		q, err := ratio(u)
		if err != nil && (!errors.Is(err, layers.ErrDomain) || u < 1e30) {
			t.Fatalf("%v of %v: %v", l, u, err)
		}
		// in float32 the squares of what is below 1e-19 or above 1e19 are no numbers
		most := map[tensor.Dtype]float64{tensor.Float64: 1e140, tensor.Float32: 1e13}[l.Dtype()]
		squares := u == 0 || u < most && u > 1/most
		if err == nil && exact && squares && !math.IsNaN(q) && !(math.Abs(q-usual) <= 3e-5*usual) {
			t.Fatalf("%v of %v: |z|²/k(x, x) is %v, and %v of .5", l, u, q, usual)
		}
	}
}

// views compares what layouts of x give with what its copy gives.
func views(t *testing.T, c *contract) {
	if c.traits.Bags {
		c.sets(t)
		return
	}
	c.each(t, 5, 22, dtypes, func(t *testing.T, l layers.Layer, _ layers.Policy) {
		x := in(l.Dtype(), c.rows(7, l.Dims(), 1))
		want := transform(l, x)
		for layout, view := range layouts(x) {
			same(t, layout+" by Transform", transform(l, view), want, 0)
			n := node(G.NewGraph(), "x", in(l.Dtype(), x))
			z := must(forward(l, n, x))
			must(n, G.Let(n, view))
			if z == n { // a map that hands on its input
				continue
			}
			same(t, layout+" in a graph", result(z), want, near[l.Dtype()])
		}
	})
}

// near is the largest difference of features in a graph and of Transform.
var near = map[tensor.Dtype]float64{tensor.Float64: 1e-12, tensor.Float32: 1e-4}

// sets: the order of samples means nothing, a part of the sets has its part of the features, a row is a set of one
// sample, and an error names the set.
func (c *contract) sets(t *testing.T) {
	t.Helper()
	const n = 5
	l := c.build(c.Spec.Dims, 10, 1)
	b := c.input(tensor.Float64, n, c.Spec.Dims, 1).(*ops.Bags)
	z := transform(l, b)
	same(t, "a part of the sets", transform(l, b.Slice(1, 3)), z[l.Features():3*l.Features()], 0)
	turned := in(tensor.Float64, b.Samples())
	for i := range n {
		rows := turned.Float64s()[b.Offsets()[i]*l.Dims() : b.Offsets()[i+1]*l.Dims()]
		copy(rows, slices.Concat(rows[l.Dims():], rows[:l.Dims()])) // the first sample last
	}
	other := must(b.With(turned))
	same(t, "another order of samples", transform(l, other), z, 1e-9)
	x := b.Samples()
	want := transform(l, must(ops.BagsOfRows(x)))
	r := l.Fwd(node(G.NewGraph(), "x", x))
	same(t, "rows as sets of one sample", transform(l, x), want, 0)
	same(t, "rows as sets of one sample, in a graph", result(must(r.Node(), r.Err())), want, 1e-12)
	other.Samples().Float64s()[other.Offsets()[2]*l.Dims()] = math.Inf(1)
	_, err := layers.Transform(l, nil, other)
	wantErr(t, err, layers.ErrDomain, "bag 2: "+at(0, 0, math.Inf(1)))
}

// layouts returns the matrix x in other layouts.
func layouts(x *tensor.Dense) map[string]*tensor.Dense {
	n, d, dt := x.Shape()[0], x.Shape()[1], x.Dtype()
	tall, wide, turned := matrix(dt, n+3, d, 99), matrix(dt, n, d+3, 99), matrix(dt, d, n, 0)
	for i, v := range floats(x) {
		set(tall, 2*d+i, v)
		set(wide, i/d*(d+3)+2+i%d, v)
		set(turned, i%d*n+i/d, v)
	}
	must(turned, turned.T())
	return map[string]*tensor.Dense{
		"rows of a taller matrix":   must(tall.Slice(G.S(2, n+2))).(*tensor.Dense),
		"columns of a wider matrix": must(wide.Slice(nil, G.S(2, d+2))).(*tensor.Dense),
		"transpose":                 turned,
		"column-major":              tensor.New(tensor.WithShape(n, d), tensor.AsFortran(in(dt, x))),
	}
}

// memory looks at what Transform writes to and allocates, and at its features in many goroutines.
func memory(t *testing.T, c *contract) {
	c.each(t, 5, 14, dtypes[:1], func(t *testing.T, l layers.Layer, p layers.Policy) {
		// The least of some runs, because a pool may drop what it holds, as it does at random under the race detector.
		count := func(n int, most float64) float64 {
			x, dst := c.input(tensor.Float64, n, l.Dims(), 1), matrix(tensor.Float64, n, l.Features(), 0)
			least := math.Inf(1)
			for try := 0; try < 20 && least > most; try++ {
				least = min(least, testing.AllocsPerRun(1, func() {
					if z, err := layers.Transform(l, dst, x); err != nil || z != dst {
						t.Fatalf("dst is not what is returned, err %v", err)
					}
				}))
			}
			return least
		}
		if c.traits.Bags || c.tree { // which allocate for each set or part
			count(8, math.Inf(1))
		} else {
			few := count(8, 96)
			if many := count(1000, few+5); few > 96 || many > few+5 {
				t.Errorf("%v allocations for 8 rows, %v for 1000", few, many)
			}
		}
		x := c.input(tensor.Float64, 24, l.Dims(), 1)
		want := transform(l, x)
		var wait sync.WaitGroup
		var graphs [8]*G.Node // which Gorgonia builds one at a time and runs side by side
		var machines [8]G.VM
		for i := range graphs {
			graphs[i] = must(forward(l, node(G.NewGraph(), "x", samples(x).Clone().(*tensor.Dense)), x))
			machines[i] = G.NewTapeMachine(graphs[i].Graph())
			defer machines[i].Close()
		}
		for i, z := range graphs {
			wait.Go(func() {
				catch(t, func() {
					same(t, "in a goroutine", transform(l, x), want, 0)
					must(z, machines[i].RunAll())
					same(t, "in a graph of a goroutine", floats(z.Value().(*tensor.Dense)), want, 1e-12)
				})
			})
		}
		wait.Wait()
		wide := matrix(tensor.Float64, 24, l.Features()+2, 0)
		part := must(wide.Slice(nil, G.S(1, 1+l.Features()))).(*tensor.Dense)
		for _, dst := range []*tensor.Dense{wide, matrix(tensor.Float64, 2, l.Features(), 0), part} {
			_, err := layers.Transform(l, dst, x)
			wantErr(t, err, layers.ErrShape, `"map`, "dst")
		}
	})
}
