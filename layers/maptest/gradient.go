package maptest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// gradients compares the gradient of
//
//	cost = Σ C₀∘l(x₀)∘l(x₀) + Σ C₁∘l(x₁)
//
// for rows and for parameters with differences. The layer is used on one node twice and on another. Among the rows are
// zeros, numbers of 1e-12 and 17.
func gradients(t *testing.T, c *contract) {
	c.each(t, 3, 10, dtypes[:1], func(t *testing.T, l layers.Layer, _ layers.Policy) {
		f := c.cost(l)
		leaf := node(G.NewGraph(), "x", samples(f.x[0]))
		z := must(forward(l, leaf, f.x[0]))
		_, sparse := l.(layers.SparseMap)
		for _, lisp := range []bool{false, true} {
			nodes := f.graph(lisp, false)
			if tuned := slices.DeleteFunc(l.Params(), untuned); len(tuned) != len(nodes)-2 {
				t.Errorf("%d parameters are called tuned, and %d have gradients", len(tuned), len(nodes)-2)
			}
			for i, n := range nodes {
				grad := floats(must(n.Grad()).(*tensor.Dense))
				what := fmt.Sprintf("lisp=%v: d cost/d %s", lisp, n.Name())
				f.compare(t, what, n.Value().(*tensor.Dense), grad, i > 1)
			}
			if !sparse || c.traits.Bags || len(nodes) == 2 {
				continue
			}
			for i, n := range f.graph(lisp, true) { // of the parameters, for sparse rows
				dense, got := floats(must(nodes[2+i].Grad()).(*tensor.Dense)), floats(must(n.Grad()).(*tensor.Dense))
				tol := 1e-9 * (1 + furthest(dense, make([]float64, len(dense))))
				same(t, fmt.Sprintf("lisp=%v: d cost/d %s of sparse rows", lisp, n.Name()), got, dense, tol)
			}
		}
		if z == leaf {
			return // a map that hands on its input
		}
		_, err := G.Grad(G.Must(G.Sum(z)), leaf) // which is data
		wantErr(t, ops.Cause(err), layers.ErrParam, "WithInputGrad")
	})
}

func untuned(p layers.Param) bool { return !p.Tuned }

// cost is the cost of gradients. The numbers of rows and parameters are changed in place for the differences.
type cost struct {
	layer  layers.Layer
	x      [2]ops.Matrix
	c      [2]*tensor.Dense
	most   int  // cells of a tensor that are compared
	powers bool // of x, which have steps relative to x, and at 0 the gradient 0 by definition
}

func (c *contract) cost(l layers.Layer) *cost {
	f := &cost{layer: l, most: 30}
	if c.traits.Bags { // whose density estimates take long
		f.most = 8
	}
	for i, n := range []int{5, 2} {
		f.x[i] = c.input(tensor.Float64, n, l.Dims(), uint64(1+i))
	}
	_, signed := c.Spec.Params["negative"]
	f.powers = c.traits.Zeros || signed || !c.domain.Contains(-1e-9)
	if free := !c.traits.Bags && !unitRows(c.domain) && c.Rows == nil && !c.tree; free {
		cells, d := samples(f.x[0]).Float64s(), l.Dims()
		for j := range d {
			cells[d+j], cells[2*d+j] = 1e-12, 17
		}
		cells[0] = 0
	}
	rng := rand.New(rand.NewPCG(3, 0))
	for i, x := range f.x {
		f.c[i] = matrix(tensor.Float64, x.Shape()[0], l.Features(), 0)
		for j := range f.c[i].Float64s() {
			f.c[i].Float64s()[j] = rng.NormFloat64()
		}
	}
	return f
}

// graph runs the graph of the cost on a machine and returns the nodes with gradients: of the rows, unless they are
// sparse, then the learnable ones.
func (f *cost) graph(lisp, sparse bool) (nodes G.Nodes) {
	g := G.NewGraph()
	var z [3]*G.Node
	for i, k := range []int{0, 0, 1} {
		x, name := samples(f.x[k]), fmt.Sprint("x", k)
		var in *G.Node
		if sparse {
			in = G.NewMatrix(g, x.Dtype(), G.WithShape(x.Shape()...), G.WithName(name), G.WithValue(must(ops.CSROf(x))))
		} else { // behind another node, since for a leaf there is a gradient only if it is asked for
			leaf := node(g, name, x)
			zero := node(g, "zero"+name, matrix(tensor.Float64, x.Shape()[0], x.Shape()[1], 0))
			if in = G.Must(G.Add(leaf, zero)); i != 1 {
				nodes = append(nodes, leaf)
			}
		}
		z[i] = must(forward(f.layer, in, f.x[k]))
	}
	first := G.Must(G.HadamardProd(G.Must(G.HadamardProd(z[0], z[1])), node(g, "c0", f.c[0])))
	second := G.Must(G.HadamardProd(z[2], node(g, "c1", f.c[1])))
	nodes = append(nodes, f.layer.ModelIn(g)...)
	return must(nodes, run(G.Must(G.Add(G.Must(G.Sum(first)), G.Must(G.Sum(second)))), lisp, nodes...))
}

// terms are the summands of the cost. Differences are taken of these, so that the rounding of the sum does not count.
func (f *cost) terms() (out []float64, err error) {
	for i, x := range f.x {
		features, err := layers.Transform(f.layer, nil, x)
		if err != nil {
			return nil, err
		}
		for j, z := range floats(features) {
			if i == 0 {
				z *= z
			}
			out = append(out, f.c[i].Float64s()[j]*z)
		}
	}
	return out, nil
}

// compare compares a gradient with differences, for some cells. Where the differences do not converge, as
// those of a root at 0 do not, the gradient must be a number.
func (f *cost) compare(t *testing.T, what string, at *tensor.Dense, got []float64, parameter bool) {
	t.Helper()
	cells, compared := at.Float64s(), 0
	for i := 0; i < len(cells); i += 1 + len(cells)/f.most {
		if got[i]-got[i] != 0 {
			t.Fatalf("%s[%d] is %v", what, i, got[i])
		}
		if f.powers && !parameter && cells[i] == 0 && got[i] == 0 {
			continue
		}
		want, off, err := f.slope(&cells[i], f.powers && !parameter)
		if err != nil {
			if !errors.Is(err, layers.ErrDomain) || parameter {
				t.Fatal(err)
			}
			continue // a step leaves the domain both ways
		}
		if off > 1e-4*(1+math.Abs(want)) {
			continue
		}
		compared++
		if !(math.Abs(got[i]-want) <= 4*off+1e-7*(1+math.Abs(want))) {
			t.Fatalf("%s[%d] is %v at %v, and by differences %v ± %.1g", what, i, got[i], cells[i], want, off)
		}
	}
	if parameter && 2*compared < min(len(cells), f.most/2) {
		t.Errorf("%s: differences converge for %d cells of %d only", what, compared, len(cells))
	}
}

// slope returns the derivative of the cost by a cell and an estimate of its error: of central differences or, where one
// side is outside the domain, of one-sided ones, extrapolated from steps that fall by four (Ridders).
func (f *cost) slope(cell *float64, relative bool) (best, off float64, err error) {
	v := *cell
	defer func() { *cell = v }()
	middle, err := f.terms()
	if err != nil {
		return 0, 0, err
	}
	side := func(h float64) (out []float64, err error) {
		*cell = v + h
		return f.terms()
	}
	difference := func(h float64) (sum, size float64, err error) {
		up, err := side(h)
		down, other := side(-h)
		a, b, c := 1., 0., -1.
		if other != nil {
			if a, b, c = 4, -3, -1; err == nil {
				down, err = side(2 * h)
			}
		} else if err != nil {
			a, b, c = 1, 3, -4
			up, err = side(-2 * h)
		}
		if err != nil {
			return 0, 0, err
		}
		for i := range middle {
			sum += (a*(up[i]-middle[i]) + (a+b+c)*middle[i] + c*(down[i]-middle[i])) / (2 * h)
			size += math.Abs(middle[i]) / h
		}
		return sum, size, nil
	}
	var before, last float64
	off = math.Inf(1)
	h := 1e-2 * max(math.Abs(v), 1e-2)
	if relative && v != 0 {
		h = 1e-2 * math.Abs(v)
	}
	for k := range 7 {
		slope, size, err := difference(h)
		if err != nil {
			if errors.Is(err, layers.ErrDomain) && k < 6 {
				before, last = math.NaN(), math.NaN()
				h /= 4
				continue
			}
			if off < math.Inf(1) {
				break
			}
			return 0, 0, err
		}
		extrapolated := slope + (slope-before)/15
		if e := math.Abs(extrapolated-last) + 1e-16*size; k > 1 && e < off {
			best, off = extrapolated, e
		}
		before, last = slope, extrapolated
		h /= 4
	}
	return best, off, nil
}
