package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A family is an op with inputs of every kind that it takes.
type family struct {
	name   string
	shapes [][]int // distinct primes, so that shapes cannot be mixed up
	low    float64 // the inputs are uniform in [low, low+1)
	build  func(a ops.Attr, in ...*G.Node) (*G.Node, error)
}

var families = []family{
	{"Fourier", [][]int{{5, 3}, {3, 7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Fourier(in[0], in[1], a)
	}},
	{"Phase", [][]int{{5, 3}, {3, 7}, {7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Phase(in[0], in[1], in[2], a)
	}},
	{"Laplace", [][]int{{5, 3}, {3, 7}}, .1, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Laplace(in[0], in[1], a)
	}},
	{"LogShift", [][]int{{5, 3}, {1}}, .1, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.LogShift(in[0], in[1], a)
	}},
	{"LogShift each", [][]int{{5, 3}, {3}}, .1, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.LogShift(in[0], in[1], a)
	}},
	{"SkewedFourier", [][]int{{5, 3}, {1}, {3, 7}}, .1, skewedFourier},
	{"SkewedFourier each", [][]int{{5, 3}, {3}, {3, 7}}, .1, skewedFourier},
	{"SkewedPhase", [][]int{{5, 3}, {1}, {3, 7}, {7}}, .1, skewedPhase},
	{"SkewedPhase each", [][]int{{5, 3}, {3}, {3, 7}, {7}}, .1, skewedPhase},
	{"Bandwidth", [][]int{{5, 3}, {1}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Bandwidth(in[0], in[1], a)
	}},
	{"Bandwidth each", [][]int{{5, 3}, {5}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Bandwidth(in[0], in[1], a)
	}},
	{"Affine", [][]int{{5, 3}, {3, 7}, {7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Affine(in[0], in[1], in[2], a)
	}},
	{"Softmax", [][]int{{5, 7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Softmax(in[0], a)
	}},
	{"LogSoftmax", [][]int{{5, 7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.LogSoftmax(in[0], a)
	}},
	{"LogSoftmax beside Softmax", [][]int{{5, 7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return G.HadamardProd(G.Must(ops.Softmax(in[0], a)), G.Must(ops.LogSoftmax(in[0], a)))
	}},
	{"CrossEntropy", [][]int{{5, 7}, {5, 7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.CrossEntropy(in[0], in[1], a)
	}},
	{"Activate linear", [][]int{{5, 7}}, -.5, activate(ops.Linear)},
	{"Activate relu", [][]int{{5, 7}}, -.5, activate(ops.ReLU)},
	{"Activate tanh", [][]int{{5, 7}}, -.5, activate(ops.Tanh)},
	{"Activate sigmoid", [][]int{{5, 7}}, -.5, activate(ops.Sigmoid)},
	{"Activate softplus", [][]int{{5, 7}}, -.5, activate(ops.Softplus)},
	{"Normalise l1", [][]int{{5, 7}}, -.5, normalise(ops.L1)},
	{"Normalise l2", [][]int{{5, 7}}, -.5, normalise(ops.L2)},
	{"Huber", [][]int{{5, 7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Huber(in[0], .2, a)
	}},
	{"Homogeneous", [][]int{{5, 3}, {1}, {3}}, .1, homogeneous(ops.Series{F: []int{1, 3}, Gamma: 1})},
	{"Homogeneous each", [][]int{{5, 3}, {3}, {1 + 2}}, .1, homogeneous(ops.Series{F: []int{1, 2}, Gamma: 1.7})},
	{"Homogeneous of order 0", [][]int{{5, 3}, {1}, {1}}, .1, homogeneous(ops.Series{Gamma: 1})},
	{"Homogeneous sign", [][]int{{5, 3}, {1}, {2}}, -.5,
		homogeneous(ops.Series{F: []int{1}, Gamma: 2, Negative: domain.SignNegative})},
	{"Homogeneous split", [][]int{{5, 3}, {3}, {2}}, -.5,
		homogeneous(ops.Series{F: []int{1}, Gamma: 2, Negative: domain.SplitNegative})},
	{"Homogeneous stationary", [][]int{{5, 3}, {1}, {3}}, -.5,
		homogeneous(ops.Series{F: []int{1, 2}, Gamma: 1, Stationary: true})},
	{"Phase of many columns", [][]int{{5, 131}, {131, 7}, {7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Phase(in[0], in[1], in[2], a)
	}},
	{"BagMean", [][]int{{5, 3}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.BagMean(in[0], []int{0, 1, 5}, a)
	}},
	{"Coefficients", [][]int{{5, 3}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return coefficients(in[0], 3, a)
	}},
	{"Coefficients of two", [][]int{{5, 6}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return coefficients(in[0], 3, a)
	}},
	{"Columns", [][]int{{5, 7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Columns(in[0], 2, 5, 1.5, a)
	}},
	{"Concat", [][]int{{5, 3}, {5, 7}, {5, 2}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Concat([]float64{.5, 2, -1}, a, in...)
	}},
	{"Fourier twice", [][]int{{5, 3}, {3, 7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		z, err := ops.Fourier(in[0], in[1], a)
		if err != nil {
			return nil, err
		}
		return G.HadamardProd(z, G.Must(G.Add(z, G.Must(ops.Fourier(in[0], in[1], a)))))
	}},
	{"StructuredFourier", [][]int{{5, 3}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		signs, norms := structuredNodes(in[0])
		return ops.StructuredFourier(in[0], signs, norms, nil, a)
	}},
	{"StructuredFourier with bandwidth", [][]int{{5, 3}, {1}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		signs, norms := structuredNodes(in[0])
		return ops.StructuredFourier(in[0], signs, norms, in[1], a)
	}},
	{"StructuredPhase", [][]int{{5, 3}, {1}, {7}}, -.5, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		signs, norms := structuredNodes(in[0])
		return ops.StructuredPhase(in[0], signs, norms, in[1], in[2], a)
	}},
	{"SignedFourier shared", [][]int{{5, 3}, {3, 7}, {14}, {2}}, .1, signedFourier},
	{"SignedFourier", [][]int{{5, 3}, {3, 14}, {14}, {2}}, .1, signedFourier},
	{"SignedFourier of one sign", [][]int{{5, 3}, {3, 7}, {7}, {1}}, .1, signedFourier},
	{"KDE", [][]int{{7, 1}, {1}}, .1, kde([]int{0, 2, 3, 7}, 11)},
	{"KDE of two dimensions", [][]int{{5, 2}, {2}}, .1, kde([]int{0, 5}, 7, 3)},
	{"KDE of three dimensions", [][]int{{5, 3}, {3}}, .1, kde([]int{0, 1, 5}, 5, 2, 7)},
	{"KDE at points", [][]int{{7, 1}, {1}}, .1, kdeAt([]int{0, 2, 3, 7}, scatter(1, 11))},
	{"KDE at points of two dimensions", [][]int{{5, 2}, {2}}, .1, kdeAt([]int{0, 5}, scatter(2, 13))},
	{"KDE at points of three dimensions", [][]int{{5, 3}, {3}}, .1, kdeAt([]int{0, 1, 5}, scatter(3, 17))},
	{"HDD", [][]int{{5, 7}, {3}}, .1, hdd(false, 2)},
	{"HDD of cosines", [][]int{{5, 7}, {1}}, .1, hdd(true, 2)},
	{"Maclaurin", [][]int{{5, 3}}, -.5, maclaurinNode},
	{"TensorSketch", [][]int{{5, 3}}, -.5, sketchNode(3)},
	{"TensorSketch of one sketch", [][]int{{5, 3}}, -.5, sketchNode(1)},
	{"Fourier on Laplace", [][]int{{5, 3}, {3, 7}, {7, 2}}, .1, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Fourier(G.Must(ops.Laplace(in[0], in[1], a)), in[2], a)
	}},
}

func signedFourier(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	return ops.SignedFourier(in[0], in[1], in[2], in[3], a)
}

func skewedFourier(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	return ops.SkewedFourier(in[0], in[1], in[2], a)
}

func skewedPhase(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	return ops.SkewedPhase(in[0], in[1], in[2], in[3], a)
}

func homogeneous(h ops.Series) func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	return func(a ops.Attr, in ...*G.Node) (*G.Node, error) { return ops.Homogeneous(in[0], in[1], in[2], h, a) }
}

// kde keeps its inputs within the cube, and the bandwidth, of which they are halves, wide enough for the grid.
func kde(offsets []int, points ...int) func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	return kdeAt(offsets, must(ops.NewGrid(points...)))
}

// scatter are points that are no grid, corners of the cube among them.
func scatter(axes, n int) ops.Grid {
	rng, x := rand.New(rand.NewPCG(8, uint64(axes))), tensor.New(tensor.WithShape(n, axes), tensor.Of(tensor.Float64))
	for i := range x.Float64s() {
		if x.Float64s()[i] = rng.Float64(); i >= (n-2)*axes {
			x.Float64s()[i] = math.Round(x.Float64s()[i])
		}
	}
	return must(ops.NewPoints(x))
}

func kdeAt(offsets []int, g ops.Grid) func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	return func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		x := G.Must(G.HadamardProd(in[0], in[0]))
		half := G.Must(ops.Columns(x, 0, x.Shape()[1], .5, ops.Attr{}))
		h := G.Must(G.Add(in[1], ops.Constant(.2, in[1].Dtype())))
		return ops.KDE(half, h, offsets, g, a)
	}
}

// hdd has roots and a basis that nobody differentiates for.
func hdd(even bool, columns int) func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	return func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		g, dt, rng := in[0].Graph(), in[0].Dtype(), rand.New(rand.NewPCG(9, 9))
		fixed := func(name string, shape ...int) *G.Node {
			t := tensor.New(tensor.WithShape(shape...), tensor.Of(dt))
			for i := range t.Shape().TotalSize() {
				setAt(t, i, rng.Float64()-.3)
			}
			return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name), G.WithValue(t))
		}
		return ops.HDD(in[0], in[1], fixed("roots", in[1].Shape()[0]), fixed("basis", in[0].Shape()[1], columns), even,
			a)
	}
}

// inputs draws the inputs of a family.
func (f family) inputs(dt tensor.Dtype, seed uint64) []*tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	ts := make([]*tensor.Dense, len(f.shapes))
	for i, s := range f.shapes {
		ts[i] = tensor.New(tensor.WithShape(s...), tensor.Of(dt))
		for j := range ts[i].Shape().TotalSize() {
			setAt(ts[i], j, f.low+rng.Float64())
		}
	}
	return ts
}

// graph is Σ c∘f(inputs) for fixed random c, the cost whose gradients the tests look at.
func (f family) graph(in []*tensor.Dense, a ops.Attr) (nodes G.Nodes, cost *G.Node, err error) {
	values := make([]G.Value, len(in))
	for i, t := range in {
		values[i] = t
	}
	return f.graphOf(values, a)
}

// graphOf is graph for values of any kind.
func (f family) graphOf(in []G.Value, a ops.Attr) (nodes G.Nodes, cost *G.Node, err error) {
	g := G.NewGraph()
	for i, t := range in {
		nodes = append(nodes, G.NewTensor(g, t.Dtype(), t.Shape().Dims(), G.WithShape(t.Shape()...),
			G.WithName(fmt.Sprint("in", i)), G.WithValue(t)))
	}
	z, err := f.build(a, nodes...)
	if err != nil {
		return nil, nil, err
	}
	c := tensor.New(tensor.WithShape(z.Shape()...), tensor.Of(z.Dtype()))
	rng := rand.New(rand.NewPCG(7, 7))
	for j := range c.Shape().TotalSize() {
		setAt(c, j, rng.NormFloat64())
	}
	weights := G.NewTensor(g, z.Dtype(), z.Dims(), G.WithShape(z.Shape()...), G.WithName("c"), G.WithValue(c))
	return nodes, G.Must(G.Sum(G.Must(G.HadamardProd(z, weights)))), nil
}

func (f family) cost(t *testing.T, in []*tensor.Dense) float64 {
	t.Helper()
	_, cost, err := f.graph(in, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	m := G.NewTapeMachine(cost.Graph())
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	return number(cost.Value())
}

func (f family) gradients(t *testing.T, in []*tensor.Dense, lisp bool) []*tensor.Dense {
	t.Helper()
	nodes, cost, err := f.graph(in, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	var m G.VM
	if lisp {
		m = G.NewLispMachine(cost.Graph())
	} else {
		if _, err := G.Grad(cost, nodes...); err != nil {
			t.Fatal(err)
		}
		m = G.NewTapeMachine(cost.Graph(), G.BindDualValues(nodes...))
	}
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	var out []*tensor.Dense
	for _, n := range nodes {
		g, err := n.Grad()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, g.(*tensor.Dense))
	}
	return out
}

// TestGradients compares every gradient, on both machines and in both precisions, with central differences in float64.
func TestGradients(t *testing.T) {
	for _, f := range families {
		exact := f.inputs(tensor.Float64, 3)
		var want [][]float64
		for _, x := range exact {
			w := make([]float64, x.Shape().TotalSize())
			for j := range w {
				const h = 1e-5
				v := at(x, j)
				setAt(x, j, v+h)
				up := f.cost(t, exact)
				setAt(x, j, v-h)
				down := f.cost(t, exact)
				setAt(x, j, v)
				w[j] = (up - down) / (2 * h)
			}
			want = append(want, w)
		}
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			tol := 1e-8
			if dt == tensor.Float32 {
				tol = 2e-5
			}
			for _, lisp := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%v/lisp=%v", f.name, dt, lisp), func(t *testing.T) {
					for i, g := range f.gradients(t, f.inputs(dt, 3), lisp) {
						for j, w := range want[i] {
							if d := math.Abs(at(g, j) - w); !(d <= tol*(1+math.Abs(w))) {
								t.Errorf("input %d, entry %d: %v, central difference %v", i, j, at(g, j), w)
							}
						}
					}
				})
			}
		}
	}
}

// names are what Attr.Frozen calls the inputs.
func (f family) names() []ops.Inputs {
	for prefix, names := range map[string][]ops.Inputs{
		"CrossEntropy": {ops.X, ops.T},
		"LogShift":     {ops.X, ops.C},
		"Skewed":       {ops.X, ops.C, ops.W, ops.B},
		"Bandwidth":    {ops.W, ops.Rho},
		"Spectral":     {ops.W},
		"Homo":         {ops.X, ops.L, ops.R},
		"Structured":   {ops.X, ops.Rho, ops.B},
	} {
		if strings.HasPrefix(f.name, prefix) {
			return names
		}
	}
	return []ops.Inputs{ops.X, ops.W, ops.B}
}

// TestFrozen: a frozen input has no gradient, G.Grad refuses it, and no product is made for it.
func TestFrozen(t *testing.T) {
	for _, f := range families[:22] {
		for i := range f.shapes {
			nodes, cost, err := f.graph(f.inputs(tensor.Float64, 3), ops.Attr{Frozen: f.names()[i]})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := G.Grad(cost, nodes[i]); err == nil {
				t.Errorf("%s: G.Grad for the frozen input %d is no error", f.name, i)
			}
			if len(nodes) == 1 {
				continue
			}
			nodes, cost, _ = f.graph(f.inputs(tensor.Float64, 3), ops.Attr{Frozen: f.names()[i]})
			if _, err := G.Grad(cost, nodes[(i+1)%len(nodes)]); err != nil {
				t.Errorf("%s: input %d beside the frozen %d: %v", f.name, (i+1)%len(nodes), i, err)
			}
			if products := count(cost.Graph(), "gradX"); products != 0 && i == 0 {
				t.Errorf("%s: %d products for the frozen x", f.name, products)
			}
			if products := count(cost.Graph(), "gradW"); products != 0 && f.shapes[i][0] == f.shapes[0][1] &&
				len(f.shapes[i]) == 2 {
				t.Errorf("%s: %d products for the frozen input %d", f.name, products, i)
			}
			wanted := fmt.Sprintf("for %03b", (1<<len(nodes)-1)&^(1<<i)) // the names of x, W and b are the first
			if all := count(cost.Graph(), "gradients of"); !strings.HasPrefix(f.name, "Skewed") &&
				all != count(cost.Graph(), "gradients of", wanted) {
				t.Errorf("%s: the backward is not one %s", f.name, wanted)
			}
		}
	}
}

// TestOneBackward: the gradients for x, W and b come out of one op, so that dP is computed once, and never stored.
func TestOneBackward(t *testing.T) {
	for name, parts := range map[string]int{"Fourier": 2, "Phase": 3, "Phase of many columns": 3, "Laplace": 2} {
		i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
		nodes, cost, err := families[i].graph(families[i].inputs(tensor.Float64, 3), ops.Attr{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := G.Grad(cost, nodes...); err != nil {
			t.Fatal(err)
		}
		if got := count(cost.Graph(), "gradients of"); got != 1 {
			t.Errorf("%s: %d backwards", name, got)
		}
		if got := count(cost.Graph(), "part from"); got != parts {
			t.Errorf("%s: %d parts, want %d", name, got, parts)
		}
	}
}

// count is the number of ops in the graph whose names have all the parts.
func count(g *G.ExprGraph, parts ...string) (n int) {
	for _, node := range g.AllNodes() {
		name := fmt.Sprint(node.Op())
		if !node.IsVar() && !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(name, p) }) {
			n++
		}
	}
	return n
}

// TestRepeatedRuns: a second run of one machine on new data gives the results of a fresh one.
func TestRepeatedRuns(t *testing.T) {
	for _, f := range families {
		first, second := f.inputs(tensor.Float64, 3), f.inputs(tensor.Float64, 4)
		nodes, cost, err := f.graph(first, ops.Attr{})
		if err != nil {
			t.Fatal(err)
		}
		m := G.NewTapeMachine(cost.Graph())
		for _, in := range [][]*tensor.Dense{second, first, second} {
			for i, n := range nodes {
				if err := G.Let(n, in[i]); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.RunAll(); err != nil {
				t.Fatal(err)
			}
			if got, want := number(cost.Value()), f.cost(t, in); got != want {
				t.Errorf("%s: cost %v on a used machine, %v on a fresh one", f.name, got, want)
			}
			m.Reset()
		}
		m.Close()
	}
}

func at(t *tensor.Dense, i int) float64 {
	if t.Dtype() == tensor.Float32 {
		return float64(t.Float32s()[i])
	}
	return t.Float64s()[i]
}

// number is the value of a scalar node.
func number(v G.Value) float64 {
	if v, ok := v.(*G.F32); ok {
		return float64(*v)
	}
	return float64(*v.(*G.F64))
}

func setAt(t *tensor.Dense, i int, v float64) {
	if t.Dtype() == tensor.Float32 {
		t.Float32s()[i] = float32(v)
	} else {
		t.Float64s()[i] = v
	}
}
