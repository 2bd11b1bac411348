package ops_test

import (
	"errors"
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

// A family is an op with inputs. The batteries below hold for every family.
type family struct {
	name   string
	op     func(a ops.Attr) ops.Op
	shapes [][]int // distinct primes where possible, so that shapes cannot be mixed up
	low    float64 // the inputs are uniform in [low, low+1)
	wrt    []ops.Inputs
	inputs
}

type inputs struct {
	given  numbers
	sparse bool   // x may be sparse
	pack   [2]int // the first of the inputs that Pack takes, and how many
}

// numbers are those of inputs that are not random.
type numbers map[int][]float64

// packedAt are inputs of an op with sparse rows that packs n of them from one on.
func packedAt(from, n int) inputs { return inputs{sparse: true, pack: [2]int{from, n}} }

func (in inputs) of(given numbers) inputs {
	in.given = given
	return in
}

var (
	xw, xwb = []ops.Inputs{ops.X, ops.W}, []ops.Inputs{ops.X, ops.W, ops.B}
	xcwb    = []ops.Inputs{ops.X, ops.C, ops.W, ops.B}
	xlr     = []ops.Inputs{ops.X, ops.L, ops.R}
	xurr    = []ops.Inputs{ops.X, ops.U, ops.R, ops.Rho}
	xws     = []ops.Inputs{ops.X, ops.W, ops.S}
	xsz     = []ops.Inputs{ops.X, ops.S, ops.Z}
	onlyX   = []ops.Inputs{ops.X, 0, 0, 0, 0}
	plain   = inputs{}
	sparse  = inputs{sparse: true}
	packed  = packedAt(1, 1)
	xh, wr  = []ops.Inputs{ops.X, ops.H}, []ops.Inputs{ops.W, ops.Rho}
	xl      = []ops.Inputs{ops.X, ops.Lambda, 0, 0}
)

var families = []family{
	{"Fourier", ops.Fourier, [][]int{{5, 3}, {3, 7}}, -.5, xw, packed},
	{"Fourier of phases", ops.Fourier, [][]int{{5, 3}, {3, 7}, {7}}, -.5, xwb, packed},
	{"Fourier of phases of many columns", ops.Fourier, [][]int{{5, 131}, {131, 7}, {7}}, -.5, xwb, packed},
	{"ColumnFourier", with(ops.ColumnFourier, true), [][]int{{5, 3}, {3, 7}}, -.5, xw, packed},
	{"BlockAffine", ops.BlockAffine, [][]int{{5, 21}, {21, 2}, {3, 2}}, -.5, xwb, plain},
	{"Laplace", ops.Laplace, [][]int{{5, 3}, {3, 7}}, .1, xw, packed},
	{"UnitLaplace", ops.UnitLaplace, [][]int{{5, 3}, {3, 7}}, .1, xw, packed},
	{"Positive", ops.Positive, [][]int{{5, 3}, {3, 7}, {1}}, -.5, xws, packed},
	{"Positive each", ops.Positive, [][]int{{5, 3}, {3, 7}, {3}}, -.5, xws, packed},
	{"Units of steps", with(ops.Units, ops.StepUnit), [][]int{{5, 3}, {3, 6}}, -.5, xw, packed},
	{"Units of relu", with(ops.Units, ops.ReLUUnit), [][]int{{5, 3}, {3, 6}}, -.5, xw, packed},
	{"Units of tangents", with(ops.Units, ops.TangentUnit), [][]int{{5, 3}, {3, 6}}, -.5, xw, packed},
	{"Affine", ops.Affine, [][]int{{5, 3}, {3, 7}, {7}}, -.5, xwb, packed},
	{"SkewedFourier", ops.SkewedFourier, [][]int{{5, 3}, {1}, {3, 7}}, .1, xcwb, packedAt(2, 1)},
	{"SkewedFourier each", ops.SkewedFourier, [][]int{{5, 3}, {3}, {3, 7}}, .1, xcwb, packedAt(2, 1)},
	{"SkewedFourier of phases", ops.SkewedFourier, [][]int{{5, 3}, {1}, {3, 7}, {7}}, .1, xcwb, packedAt(2, 1)},
	{"SkewedFourier of phases each", ops.SkewedFourier, [][]int{{5, 3}, {3}, {3, 7}, {7}}, .1, xcwb, packedAt(2, 1)},
	{"StructuredFourier", ops.StructuredFourier, [][]int{{5, 3}, {6, 4}, {7}}, -.5, onlyX, packedAt(1, 2).of(numbers{1: signs})},
	{"StructuredFourier with a bandwidth", ops.StructuredFourier, [][]int{{5, 3}, {6, 4}, {7}, {1}}, -.5,
		[]ops.Inputs{ops.X, 0, 0, ops.Rho}, packedAt(1, 3).of(numbers{1: signs})},
	{"StructuredFourier of phases", ops.StructuredFourier, [][]int{{5, 3}, {6, 4}, {7}, {1}, {7}}, -.5,
		[]ops.Inputs{ops.X, 0, 0, ops.Rho, ops.B}, packedAt(1, 3).of(numbers{1: signs})},
	{"SignedFourier shared", ops.SignedFourier, [][]int{{5, 3}, {3, 7}, {14}, {2}}, .1, xurr, packedAt(1, 3)},
	{"SignedFourier", ops.SignedFourier, [][]int{{5, 3}, {3, 14}, {14}, {2}}, .1, xurr, packedAt(1, 3)},
	{"SignedFourier of one sign", ops.SignedFourier, [][]int{{5, 3}, {3, 7}, {7}, {1}}, .1, xurr, packedAt(1, 3)},
	{"Bandwidth", ops.Bandwidth, [][]int{{5, 3}, {1}}, -.5, wr, plain},
	{"Bandwidth each", ops.Bandwidth, [][]int{{5, 3}, {5}}, -.5, wr, plain},
	{"Bandwidth of a vector", ops.Bandwidth, [][]int{{5}, {5}}, -.5, wr, plain},
	{"ScaleColumns", ops.ScaleColumns, [][]int{{5, 3}, {1}}, .1, []ops.Inputs{ops.X, ops.S}, sparse},
	{"ScaleColumns each", ops.ScaleColumns, [][]int{{5, 3}, {3}}, .1, []ops.Inputs{ops.X, ops.S}, sparse},
	{"Damp of roots", with(ops.Damp, ops.Root), [][]int{{5, 3}, {1}, {5, 7}}, .1, xsz, sparse},
	{"Damp of logarithms", with(ops.Damp, ops.Log1p), [][]int{{5, 3}, {3}, {5, 7}}, .1, xsz, sparse},
	{"LogWaves", func(a ops.Attr) ops.Op { return ops.LogWaves([]float64{.5, 2}, []float64{1, -.3}, a) },
		[][]int{{5, 3}}, .1, onlyX, sparse},
	{"Homogeneous", with(ops.Homogeneous, ops.Series{F: []int{1, 3}, Gamma: 1}), [][]int{{5, 3}, {1}, {3}}, .1,
		xlr, sparse},
	{"Homogeneous each", with(ops.Homogeneous, ops.Series{F: []int{1, 2}, Gamma: 1.7}), [][]int{{5, 3}, {3}, {3}},
		.1, xlr, sparse},
	{"Homogeneous of order 0", with(ops.Homogeneous, ops.Series{Gamma: 1}), [][]int{{5, 3}, {1}, {1}}, .1, xlr, sparse},
	{"Homogeneous sign", with(ops.Homogeneous, ops.Series{F: []int{1}, Gamma: 2, Negative: domain.SignNegative}),
		[][]int{{5, 3}, {1}, {2}}, -.5, xlr, sparse},
	{"Homogeneous split", with(ops.Homogeneous, ops.Series{F: []int{1}, Gamma: 2, Negative: domain.SplitNegative}),
		[][]int{{5, 3}, {3}, {2}}, -.5, xlr, sparse},
	{"Homogeneous stationary", with(ops.Homogeneous, ops.Series{F: []int{1, 2}, Gamma: 1, Stationary: true}),
		[][]int{{5, 3}, {1}, {3}}, -.5, xlr, sparse},
	{"Table", with(ops.Table, ops.Tables{Points: 3, Width: 2, Power: 1}), [][]int{{5, 2}, {2, 3}, {2, 6}}, -.5,
		onlyX, sparse.of(numbers{1: {-.6, 0, .7, -.4, 0, .3}, 2: {1, 2, 0, 0, -3, 5, 7, 1, 0, 0, 2, 4}})},
	{"Table of numbers at 0", with(ops.Table, ops.Tables{Points: 3, Width: 2, Power: 2}), [][]int{{5, 2}, {2, 3},
		{2, 6}}, -.5, onlyX, sparse.of(numbers{1: {-.6, 0, .7, -.4, 0, .3}, 2: {1, 2, 0, .5, -3, 5, 7, 1, 0, 0, 2, 4}})},
	{"Maclaurin", ops.Maclaurin, [][]int{{5, 3}, {3, 21}, {7}, {7}}, -.5, onlyX, packedAt(1, 3).of(maclaurinInputs())},
	{"TensorSketch", sketch, [][]int{{5, 3}, {3, 4}, {3, 4}}, -.5, onlyX, packedAt(1, 2).of(sketchInputs(3))},
	{"TensorSketch of one sketch", sketch, [][]int{{5, 3}, {1, 4}, {1, 4}}, -.5, onlyX, packedAt(1,
		2).of(sketchInputs(1))},
	{"Binning", with(ops.Binning, 4), [][]int{{5, 3}, {2, 3}, {2, 3}, {2, 4}}, -.5, onlyX, packedAt(1, 3).of(numbers{
		1: {.3, 1.7, 5, .01, 2, .4}, 2: {.1, .9, 0, .5, .3, .7}, 3: {5, 1e7, 99, 3e6, 16777215, 12345, 6789, 424242}})},
	{"Nystrom", with[ops.Kernel](ops.Nystrom, cauchy{}), [][]int{{5, 3}, {7, 3}, {7, 2}}, -.5, onlyX, packedAt(1, 2)},
	{"Nystrom of a radial kernel", with[ops.Kernel](ops.Nystrom, radialCauchy{}), [][]int{{5, 3}, {7, 3}, {7, 2}},
		-.5, onlyX, packedAt(1, 2)},
	{"KDE", kde([]int{0, 2, 3, 7}, 11), [][]int{{7, 1}, {1}}, 0, xh, plain.of(numbers{1: {.3}})},
	{"KDE of two dimensions", kde([]int{0, 5}, 7, 3), [][]int{{5, 2}, {2}}, 0, xh, plain.of(numbers{1: {.3, .7}})},
	{"KDE of three dimensions", kde([]int{0, 1, 5}, 5, 2, 7), [][]int{{5, 3}, {3}}, 0, xh, plain.of(numbers{1: {.3,
		.7, .4}})},
	{"KDE at points", kdeAt([]int{0, 2, 3, 7}, scatter(1, 11)), [][]int{{7, 1}, {1}}, 0, xh,
		plain.of(numbers{1: {.3}})},
	{"KDE at points of three dimensions", kdeAt([]int{0, 1, 5}, scatter(3, 17)), [][]int{{5, 3}, {3}}, 0, xh,
		plain.of(numbers{1: {.3, .7, .4}})},
	{"HDD", with(ops.HDD, false), [][]int{{5, 7}, {3}, {3}, {7, 2}}, .1, xl, plain},
	{"HDD of two densities", with(ops.HDD, false), [][]int{{5, 14}, {3}, {3}, {7, 2}}, .1, xl, plain},
	{"HDD of cosines", with(ops.HDD, true), [][]int{{5, 7}, {1}, {1}, {7, 2}}, .1, xl, plain},
	{"Coefficients", ops.Coefficients, [][]int{{5, 3}, {3, 2}}, -.5, onlyX, plain},
	{"Coefficients of two", ops.Coefficients, [][]int{{5, 6}, {3, 2}}, -.5, onlyX, plain},
	{"BagMean", with(ops.BagMean, []int{0, 1, 5}), [][]int{{5, 3}}, -.5, onlyX, plain},
	{"Columns", func(a ops.Attr) ops.Op { return ops.Columns(2, 5, 1.5, a) }, [][]int{{5, 7}}, -.5, onlyX, sparse},
	{"Concat", with(ops.Concat, []float64{.5, 2, -1}), [][]int{{5, 3}, {5, 7}, {5, 2}}, -.5, []ops.Inputs{ops.X,
		ops.X, ops.X}, plain},
	{"Kronecker", with(ops.Kronecker, []float64{.5, 2, -1}), [][]int{{5, 3}, {5, 7}, {5, 2}}, -.5, []ops.Inputs{ops.X,
		ops.X, ops.X}, plain},
	{"Kronecker of one part", with(ops.Kronecker, []float64{-2}), [][]int{{5, 3}}, -.5, onlyX, plain},
	{"Normalise l1", with(ops.Normalise, ops.L1), [][]int{{5, 7}}, -.5, onlyX, sparse},
	{"Normalise l2", with(ops.Normalise, ops.L2), [][]int{{5, 7}}, -.5, onlyX, sparse},
	{"Softmax", ops.Softmax, [][]int{{5, 7}}, -.5, onlyX, plain},
	{"CrossEntropy", ops.CrossEntropy, [][]int{{5, 7}, {5, 7}}, -.5, []ops.Inputs{ops.X, ops.T}, plain},
	{"Huber", with(ops.Huber, .2), [][]int{{5, 7}}, -.5, onlyX, plain},
	{"Pinball", with(ops.Pinball, .9), [][]int{{5, 7}}, -.5, onlyX, plain},
	{"Activate linear", with(ops.Activate, ops.Linear), [][]int{{5, 7}}, -.5, onlyX, plain},
	{"Activate relu", with(ops.Activate, ops.ReLU), [][]int{{5, 7}}, -.5, onlyX, plain},
	{"Activate tanh", with(ops.Activate, ops.Tanh), [][]int{{5, 7}}, -.5, onlyX, plain},
	{"Activate sigmoid", with(ops.Activate, ops.Sigmoid), [][]int{{5, 7}}, -.5, onlyX, plain},
	{"Activate softplus", with(ops.Activate, ops.Softplus), [][]int{{5, 7}}, -.5, onlyX, plain},
}

// signs are those of a structured W in blocks of 4.
var signs = []float64{1, -1, -1, 1, 1, 1, -1, 1, -1, 1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1, -1, 1, -1, 1}

// with is a constructor with its parameter.
func with[P any](f func(P, ops.Attr) ops.Op, p P) func(ops.Attr) ops.Op {
	return func(a ops.Attr) ops.Op { return f(p, a) }
}

func sketch(a ops.Attr) ops.Op { return ops.TensorSketch(7, .5, .3, a) }

func kde(offsets []int, points ...int) func(ops.Attr) ops.Op {
	return kdeAt(offsets, must(ops.NewGrid(points...)))
}

func kdeAt(offsets []int, g ops.Grid) func(ops.Attr) ops.Op {
	return func(a ops.Attr) ops.Op { return ops.KDE(offsets, g, a) }
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

// draw draws the inputs of a family.
func (f family) draw(dt tensor.Dtype, seed uint64) []*tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	ts := make([]*tensor.Dense, len(f.shapes))
	for i, s := range f.shapes {
		ts[i] = tensor.New(tensor.WithShape(s...), tensor.Of(dt))
		for j := range ts[i].Shape().TotalSize() {
			if setAt(ts[i], j, f.low+rng.Float64()); f.given[i] != nil {
				setAt(ts[i], j, f.given[i][j])
			}
		}
	}
	return ts
}

// values are tensors as values of a graph, the first one sparse if asked for.
func values(in []*tensor.Dense, sparse bool) []G.Value {
	out := make([]G.Value, len(in))
	for i, t := range in {
		if out[i] = t; sparse && i == 0 {
			out[i] = must(ops.CSROf(t))
		}
	}
	return out
}

// arguments are the inputs after x as Into takes them.
func arguments(in []*tensor.Dense) (all []ops.Matrix) {
	for _, t := range in[1:] {
		all = append(all, t)
	}
	return all
}

// graph is the op on nodes of the inputs.
func (f family) graph(in []G.Value, a ops.Attr) (nodes G.Nodes, z *G.Node, err error) {
	g := G.NewGraph()
	for i, t := range in {
		nodes = append(nodes, leaf(g, fmt.Sprint("in", i), t))
	}
	z, err = f.op(a).Node(nodes...)
	return nodes, z, err
}

// cost is Σ c∘z for fixed random c, the cost whose gradients the tests look at.
func (f family) cost(t *testing.T, in []G.Value, a ops.Attr) (G.Nodes, *G.Node) {
	t.Helper()
	nodes, z, err := f.graph(in, a)
	if err != nil {
		t.Fatal(err)
	}
	c := tensor.New(tensor.WithShape(z.Shape()...), tensor.Of(z.Dtype()))
	rng := rand.New(rand.NewPCG(7, 7))
	for j := range c.Shape().TotalSize() {
		setAt(c, j, rng.NormFloat64())
	}
	return nodes, G.Must(G.Sum(G.Must(G.HadamardProd(z, leaf(z.Graph(), "c", c)))))
}

// costOf is the number that the cost has.
func (f family) costOf(t *testing.T, in []*tensor.Dense, sparse bool) float64 {
	t.Helper()
	_, cost := f.cost(t, values(in, sparse), ops.Attr{Frozen: frozenX(sparse)})
	run(t, cost.Graph())
	return number(cost.Value())
}

func frozenX(sparse bool) ops.Inputs {
	if sparse {
		return ops.X
	}
	return 0
}

// hasGradient reports whether input i has one, which sparse rows have not.
func (f family) hasGradient(i int, sparse bool) bool { return f.wrt[i]&^frozenX(sparse) != 0 }

// gradients are those for the inputs that have one, nil for the others.
func (f family) gradients(t *testing.T, in []*tensor.Dense, lisp, sparse bool) []*tensor.Dense {
	t.Helper()
	nodes, cost := f.cost(t, values(in, sparse), ops.Attr{Frozen: frozenX(sparse)})
	var wrt G.Nodes
	for i, n := range nodes {
		if f.hasGradient(i, sparse) {
			wrt = append(wrt, n)
		}
	}
	var m G.VM
	if lisp {
		m = G.NewLispMachine(cost.Graph())
	} else {
		if _, err := G.Grad(cost, wrt...); err != nil {
			t.Fatal(err)
		}
		m = G.NewTapeMachine(cost.Graph(), G.BindDualValues(wrt...))
	}
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	out := make([]*tensor.Dense, len(nodes))
	for i, n := range nodes {
		if f.hasGradient(i, sparse) {
			out[i] = must(n.Grad()).(*tensor.Dense)
		}
	}
	return out
}

// TestGradients compares every gradient, on both machines, in both precisions, and but for x of sparse rows, with
// central differences in float64.
func TestGradients(t *testing.T) {
	for _, f := range families {
		for _, sparse := range []bool{false, true} {
			some := slices.ContainsFunc(f.wrt[1:len(f.shapes)], func(n ops.Inputs) bool { return n != 0 })
			if sparse && !(f.sparse && some) {
				continue
			}
			inputs := func(dt tensor.Dtype) []*tensor.Dense {
				in := f.draw(dt, 3)
				if sparse {
					in[0] = holes(dt, f.shapes[0][0], f.shapes[0][1], 1)
				}
				return in
			}
			exact := inputs(tensor.Float64)
			want := make([][]float64, len(exact))
			for i, x := range exact {
				if !f.hasGradient(i, sparse) {
					continue
				}
				for j := range x.Shape().TotalSize() {
					const h = 1e-5
					v := at(x, j)
					setAt(x, j, v+h)
					up := f.costOf(t, exact, sparse)
					setAt(x, j, v-h)
					down := f.costOf(t, exact, sparse)
					setAt(x, j, v)
					want[i] = append(want[i], (up-down)/(2*h))
				}
			}
			for dt, tol := range map[tensor.Dtype]float64{tensor.Float64: 2e-8, tensor.Float32: 3e-5} {
				for _, lisp := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%v/lisp=%v,sparse=%v", f.name, dt, lisp, sparse), func(t *testing.T) {
						for i, g := range f.gradients(t, inputs(dt), lisp, sparse) {
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
}

// TestInto: Into gives the bits of the graph, to memory of the caller's or new, of packed weights, of views, and of
// sparse rows the numbers of dense ones; Sparse gives them too, or refuses.
func TestInto(t *testing.T) {
	for _, f := range families {
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			in := f.draw(dt, 3)
			if f.sparse {
				in[0] = holes(dt, f.shapes[0][0], f.shapes[0][1], 1)
			}
			_, z, err := f.graph(values(in, false), ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			run(t, z.Graph())
			want, o := z.Value().(*tensor.Dense), f.op(ops.Attr{})
			check := func(how string, got *tensor.Dense, err error) {
				t.Helper()
				if err != nil || !got.Shape().Eq(want.Shape()) || !slices.Equal(all(got), all(want)) {
					t.Errorf("%s, %v, %s: %v, want the graph's %v; %v", f.name, dt, how, got, want, err)
				}
			}
			args := arguments(in)
			got, err := o.Into(nil, in[0], args...)
			check("new", got, err)
			dst := tensor.New(tensor.WithShape(want.Shape()...), tensor.Of(dt))
			for i := range dst.Shape().TotalSize() {
				setAt(dst, i, 17)
			}
			got, err = o.Into(dst, in[0], args...)
			if check("to dst", got, err); got != dst {
				t.Errorf("%s: dst is not what is returned", f.name)
			}
			if p := f.pack; p[1] > 0 {
				w, err := o.Pack(f.shapes[0][1], in[p[0]:p[0]+p[1]]...)
				if err != nil {
					t.Fatal(f.name, err)
				}
				packed := append(slices.Concat(args[:p[0]-1], []ops.Matrix{w}), args[min(p[0]-1+p[1], len(args)):]...)
				got, err = o.Into(nil, in[0], packed...)
				check("packed", got, err)
			}
			for _, view := range []func(*tensor.Dense) *tensor.Dense{transposed, columnMajor} {
				viewed := make([]*tensor.Dense, len(in))
				for i, v := range in {
					viewed[i] = view(v)
				}
				got, err = o.Into(nil, viewed[0], arguments(viewed)...)
				check("of views", got, err)
				_, z, err := f.graph(values(viewed, false), ops.Attr{})
				if err != nil {
					t.Fatal(err)
				}
				run(t, z.Graph())
				check("of views in a graph", z.Value().(*tensor.Dense), nil)
			}
			wide := tensor.New(tensor.WithShape(append(want.Shape().Clone(), 2)...), tensor.Of(dt))
			_, err = o.Into(wide, in[0], args...)
			wantErr(t, err, ops.ErrShape, "dst has shape")
			other := tensor.New(tensor.WithShape(want.Shape()...), tensor.Of(otherType(dt)))
			_, err = o.Into(other, in[0], args...)
			wantErr(t, err, ops.ErrDtype, "dst is")
			if f.sparse {
				sameSparse(t, f, in, want)
			} else if !f.ofParts() {
				_, err := o.Into(nil, must(ops.CSROf(uniform(dt, 5, 7, 1))), args...)
				wantErr(t, err, ops.ErrDtype, "want a dense tensor")
			}
		}
	}
}

// sameSparse checks a family on sparse rows, which are a part of more rows, against the features of dense ones. Sparse
// stores no zeros.
func sameSparse(t *testing.T, f family, in []*tensor.Dense, want *tensor.Dense) {
	t.Helper()
	tol := map[tensor.Dtype]float64{tensor.Float64: 1e-14, tensor.Float32: 3e-6}[want.Dtype()]
	check := func(how string, got *tensor.Dense, err error) {
		t.Helper()
		if err != nil || farthest(all(got), all(want)) > tol {
			t.Errorf("%s, sparse, %s: %v, want %v; %v", f.name, how, got, want, err)
		}
	}
	n, d := in[0].Shape()[0], in[0].Shape()[1]
	more := matrix(in[0].Dtype(), n+1, d, append(slices.Repeat([]float64{1}, d), all(in[0])...)...)
	x, o := csr(more).Slice(1, n+1), f.op(ops.Attr{})
	got, err := o.Into(nil, x, arguments(in)...)
	check("into", got, err)
	if s, err := o.Sparse(x, arguments(in)...); err == nil {
		got, err = s.Dense(nil)
		check("Sparse", got, err)
		if nonZero := slices.DeleteFunc(all(got), func(v float64) bool { return v == 0 }); s.Stored() != len(nonZero) {
			t.Errorf("%s: Sparse stores %d features, and %d are not 0", f.name, s.Stored(), len(nonZero))
		}
	} else {
		wantErr(t, err, ops.ErrParam, "make them dense")
	}
	for _, frozen := range []ops.Inputs{ops.X, ^ops.Inputs(0)} {
		_, z, err := f.graph(values(in, true), ops.Attr{Frozen: frozen})
		if err != nil {
			t.Fatal(err)
		}
		err = runAll(z.Graph())
		if s, ok := z.Value().(*ops.CSR); ok {
			got = must(s.Dense(nil))
		} else if err == nil {
			got = z.Value().(*tensor.Dense)
		}
		check("in a graph", got, err)
	}
	_, z, err := f.graph(values(in, true), ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	wantErr(t, ops.Cause(runAll(z.Graph())), ops.ErrParam, "x is sparse", "make x dense")
}

func otherType(dt tensor.Dtype) tensor.Dtype {
	if dt == tensor.Float32 {
		return tensor.Float64
	}
	return tensor.Float32
}

// transposed is t as a transpose in memory; a vector stays.
func transposed(t *tensor.Dense) *tensor.Dense {
	if t.Dims() != 2 {
		return t
	}
	n, d := t.Shape()[0], t.Shape()[1]
	turned := tensor.New(tensor.WithShape(d, n), tensor.Of(t.Dtype()))
	for i := range n * d {
		setAt(turned, i%d*n+i/d, at(t, i))
	}
	if err := turned.T(); err != nil {
		panic(err)
	}
	return turned
}

// columnMajor is t as part of a wider matrix, column after column; a vector stays.
func columnMajor(t *tensor.Dense) *tensor.Dense {
	if t.Dims() != 2 {
		return t
	}
	return tensor.New(tensor.WithShape(t.Shape()...), tensor.AsFortran(t))
}

// TestManyRows: a row has the features and the gradient that it has alone, wherever it stands among more rows than a
// block has, and no rows have no features.
func TestManyRows(t *testing.T) {
	const n = 4099
	for _, f := range families {
		switch strings.Fields(f.name)[0] {
		case "KDE", "BagMean", "Bandwidth", "Damp", "Concat", "Kronecker", "CrossEntropy":
			continue // whose rows are not those of x alone
		}
		few := f.draw(tensor.Float64, 3)
		many := slices.Clone(few)
		many[0] = matrix(tensor.Float64, n, f.shapes[0][1], all(few[0])...)
		want, got := must(f.op(ops.Attr{}).Into(nil, few[0], arguments(few)...)),
			must(f.op(ops.Attr{}).Into(nil, many[0], arguments(many)...))
		none := tensor.New(tensor.WithShape(0, f.shapes[0][1]), tensor.Of(tensor.Float64))
		z := must(f.op(ops.Attr{}).Into(nil, none, arguments(few)...))
		if !z.Shape().Eq(tensor.Shape{0, want.Shape()[1]}) {
			t.Errorf("%s: the features of no rows have the shape %v", f.name, z.Shape())
		}
		gradient := func(in []*tensor.Dense) []float64 {
			_, z, err := f.graph(values(in, false), ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			x := z.Graph().ByName("in0")[0]
			ones := leaf(z.Graph(), "g", matrix(tensor.Float64, z.Shape()[0], z.Shape()[1], 1))
			grads := must(G.Backpropagate(G.Nodes{z}, G.Nodes{ones}, G.Nodes{x}))
			run(t, z.Graph())
			return all(grads[0].Value().(*tensor.Dense))
		}
		for what, pair := range map[string][2][]float64{"features": {all(want), all(got)},
			"gradient": {gradient(few), gradient(many)}} {
			for i, v := range pair[1] {
				if w := pair[0][i%len(pair[0])]; !(math.Abs(v-w) <= 1e-12*(1+math.Abs(w))) {
					t.Fatalf("%s: number %d of the %s is %v, in few rows %v", f.name, i, what, v, w)
				}
			}
		}
	}
}

// TestMisfits: every input of another shape or type, or none, is an error of the right kind that names the layer, with
// and without a graph.
func TestMisfits(t *testing.T) {
	a := ops.Attr{Layer: `layers: probe "here"`}
	for _, f := range families {
		in := f.draw(tensor.Float64, 3)
		try := func(what string, is error, in []*tensor.Dense) {
			t.Helper()
			var x ops.Matrix
			if in[0] != nil {
				x = in[0]
			}
			_, err := f.op(a).Into(nil, x, arguments(in)...)
			if !errors.Is(err, is) || !strings.Contains(fmt.Sprint(err), `"here"`) {
				t.Errorf("%s, %s: %v", f.name, what, err)
			}
			g := G.NewGraph()
			nodes := make([]*G.Node, len(in))
			for i, v := range in {
				if v != nil && (v.Dtype() == tensor.Float64 || v.Dtype() == tensor.Float32) {
					nodes[i] = G.NewTensor(g, v.Dtype(), v.Dims(), G.WithShape(v.Shape()...), G.WithName(fmt.Sprint(i)))
				}
			}
			if _, err := f.op(a).Node(nodes...); err == nil {
				t.Errorf("%s, %s: no error of the graph", f.name, what)
			}
		}
		for i, v := range in {
			changed := func(t *tensor.Dense) []*tensor.Dense {
				c := slices.Clone(in)
				c[i] = t
				return c
			}
			if !strings.Contains(f.name, "Fourier") || i < 2 { // where some may be absent
				try(fmt.Sprintf("input %d is nil", i), ops.ErrShape, changed(nil))
			}
			more := append(v.Shape().Clone(), 1, 1)
			try(fmt.Sprintf("two dimensions more of input %d", i), ops.ErrShape,
				changed(tensor.New(tensor.WithShape(more...), tensor.Of(tensor.Float64))))
			for j := range v.Shape() {
				if len(in) == 1 || f.free(i, j) {
					continue
				}
				longer := v.Shape().Clone()
				longer[j]++
				try(fmt.Sprintf("input %d of shape %v", i, longer), ops.ErrShape,
					changed(tensor.New(tensor.WithShape(longer...), tensor.Of(tensor.Float64))))
			}
			if len(in) > 1 {
				try(fmt.Sprintf("input %d is float32", i), ops.ErrDtype,
					changed(tensor.New(tensor.WithShape(v.Shape()...), tensor.Of(tensor.Float32))))
			}
		}
		_, err := f.op(a).Into(nil, tensor.New(tensor.WithShape(f.shapes[0]...), tensor.Of(tensor.Int)), arguments(in)...)
		wantErr(t, err, ops.ErrDtype, `"here"`, "want float32 or float64, got int")
		_, err = f.op(a).Into(nil, in[0], append(arguments(in), in[0], in[0], in[0], in[0], in[0])...)
		wantErr(t, err, ops.ErrShape, `"here"`)
	}
}

// ofParts says whether the inputs are parts, dense or sparse, of any width.
func (f family) ofParts() bool { return f.name == "Concat" || strings.HasPrefix(f.name, "Kronecker") }

// free says whether dimension j of input i alone has its size, so that any will do.
func (f family) free(i, j int) bool {
	rows := i == 0 && j == 0
	switch name := strings.Fields(f.name)[0]; name {
	case "Damp", "CrossEntropy", "Concat", "Kronecker":
		return name == "Damp" && j == 1 && (i == 2 || i == 0 && f.shapes[1][0] == 1) || f.ofParts() && j == 1
	case "KDE", "BagMean":
		return false
	case "Bandwidth":
		return len(f.shapes[1]) == 1 && f.shapes[1][0] == 1 && i == 0 || len(f.shapes[0]) == 2 && i == 0 && j == 1
	case "ScaleColumns":
		return rows || f.shapes[1][0] == 1 && i == 0
	case "Fourier", "ColumnFourier", "Laplace", "UnitLaplace", "Units", "Affine":
		return rows || len(f.shapes) == 2 && i == 1 && j == 1
	case "Positive":
		return rows || i == 1 && j == 1
	case "SkewedFourier":
		return rows || len(f.shapes) == 3 && i == 2 && j == 1
	case "StructuredFourier":
		return rows || i == 0 || i == 2 && len(f.shapes) < 5
	case "Homogeneous":
		return rows || i == 0 && f.shapes[1][0] == 1
	case "Nystrom":
		return rows || i == 2 && j == 1
	case "HDD", "Coefficients":
		return rows || i == len(f.shapes)-1 && j == 1
	}
	return rows
}

// TestFrozen: a frozen input has no gradient, G.Grad refuses it, nothing is computed for it, and the gradients for the
// others stay.
func TestFrozen(t *testing.T) {
	for _, f := range families {
		if f.ofParts() && len(f.shapes) > 1 {
			continue // which have one name
		}
		want := f.gradients(t, f.draw(tensor.Float64, 3), false, false)
		for i := range f.shapes {
			if f.wrt[i] == 0 {
				continue
			}
			nodes, cost := f.cost(t, values(f.draw(tensor.Float64, 3), false), ops.Attr{Frozen: f.wrt[i]})
			if _, err := G.Grad(cost, nodes[i]); err == nil {
				t.Errorf("%s: G.Grad for the frozen input %d is no error", f.name, i)
			}
			for j := range nodes {
				if j == i || f.wrt[j] == 0 {
					continue
				}
				nodes, cost := f.cost(t, values(f.draw(tensor.Float64, 3), false), ops.Attr{Frozen: f.wrt[i]})
				grads, err := G.Grad(cost, nodes[j])
				if err != nil {
					t.Fatalf("%s: input %d beside the frozen %d: %v", f.name, j, i, err)
				}
				if run(t, cost.Graph()); farthest(all(grads[0].Value().(*tensor.Dense)), all(want[j])) > 1e-12 {
					t.Errorf("%s: the gradient for input %d beside the frozen %d: %v, want %v", f.name, j, i, grads[0].Value(),
						want[j])
				}
				numbers := 0 // that are computed: for the inputs, and for the projections of a phase form
				for _, n := range cost.Graph().AllNodes() {
					if o := n.Op(); o != nil && strings.HasPrefix(o.String(), "gradients of") && o.String() != "gradients of Phase" {
						numbers += n.Shape().TotalSize()
					}
				}
				for k, s := range f.shapes {
					if k != i && f.wrt[k] != 0 {
						numbers -= tensor.Shape(s).TotalSize()
					}
				}
				if numbers != 0 {
					t.Errorf("%s: %d numbers too many with the frozen input %d", f.name, numbers, i)
				}
			}
		}
	}
}

// TestOneBackward: the gradients for x, W and b come out of one op, so that dP is computed once, and never stored.
func TestOneBackward(t *testing.T) {
	for _, f := range families {
		parts := map[string]int{"Fourier": 2, "Fourier of phases": 3, "Fourier of phases of many columns": 3,
			"Laplace": 2}[f.name]
		if parts == 0 {
			continue
		}
		nodes, cost := f.cost(t, values(f.draw(tensor.Float64, 3), false), ops.Attr{})
		if _, err := G.Grad(cost, nodes...); err != nil {
			t.Fatal(err)
		}
		if got := count(cost.Graph(), "gradients of"); got != 1 {
			t.Errorf("%s: %d backwards", f.name, got)
		}
		if got := count(cost.Graph(), "part from"); got != parts {
			t.Errorf("%s: %d parts, want %d", f.name, got, parts)
		}
	}
}

// count is the number of ops in the graph whose names begin so.
func count(g *G.ExprGraph, prefix string) (n int) {
	for _, node := range g.AllNodes() {
		if !node.IsVar() && strings.HasPrefix(fmt.Sprint(node.Op()), prefix) {
			n++
		}
	}
	return n
}

// TestRuns: a later run of a machine, on new data, has the cost and the gradients of a fresh machine, also where its
// graph overwrites the results of the last run. An op that a graph has twice is one node.
func TestRuns(t *testing.T) {
	for _, f := range families {
		for dt, reuse := range map[tensor.Dtype]bool{tensor.Float64: false, tensor.Float32: true} {
			own := f.draw(dt, 3)
			nodes, cost := f.cost(t, values(own, false), ops.Attr{})
			var wrt G.Nodes
			for i, n := range nodes {
				if f.wrt[i] != 0 {
					wrt = append(wrt, n)
				}
			}
			must(G.Grad(cost, wrt...))
			if reuse {
				ops.Reuse(cost.Graph())
			}
			m := G.NewTapeMachine(cost.Graph(), G.BindDualValues(wrt...))
			var z G.Value
			for run, seed := range []uint64{3, 4, 3} {
				in := f.draw(dt, seed)
				for i, n := range nodes {
					err := G.Let(n, in[i])
					if reuse {
						err = errors.Join(G.Let(n, own[i]), ops.Assign(own[i], in[i]))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if err := m.RunAll(); err != nil {
					t.Fatal(err)
				}
				if got, want := number(cost.Value()), f.costOf(t, in, false); got != want {
					t.Errorf("%s, run %d: cost %v, want %v", f.name, run, got, want)
				}
				for i, want := range f.gradients(t, in, false, false) {
					if want == nil {
						continue
					}
					got := must(nodes[i].Grad()).(*tensor.Dense)
					if !slices.Equal(all(got), all(want)) {
						t.Errorf("%s, run %d: another gradient of input %d", f.name, run, i)
					}
					got.Zero()
				}
				made := opNode(cost.Graph(), nodes[0]).Value()
				if reuse && run > 0 && made != z {
					t.Errorf("%s, run %d: the result is not in the memory of the run before", f.name, run)
				}
				z = made
				m.Reset()
			}
			m.Close()
		}
		nodes, z, err := f.graph(values(f.draw(tensor.Float64, 3), false), ops.Attr{})
		if again := must(f.op(ops.Attr{}).Node(nodes...)); err != nil || again != z {
			t.Errorf("%s: the same op on the same inputs is a second node", f.name)
		}
	}
	ops.Reuse(nil)
}

// opNode is the first node of a graph that is made from another one.
func opNode(g *G.ExprGraph, from *G.Node) *G.Node {
	to := g.To(from.ID())
	to.Next()
	return to.Node().(*G.Node)
}

// TestHash: whatever changes a result changes the hash, or Gorgonia would merge two ops into one.
func TestHash(t *testing.T) {
	g, seen := G.NewGraph(), map[*G.Node]string{}
	nodes := map[string]*G.Node{}
	node := func(shape []int) *G.Node {
		name := fmt.Sprint(shape)
		if nodes[name] == nil {
			nodes[name] = G.NewTensor(g, G.Float64, len(shape), G.WithShape(shape...), G.WithName(name))
		}
		return nodes[name]
	}
	add := func(name string, o ops.Op, in ...*G.Node) {
		n := must(o.Node(in...))
		if other, ok := seen[n]; ok {
			t.Errorf("%s and %s are one node", name, other)
		}
		seen[n] = name
	}
	for _, f := range families {
		var in []*G.Node
		for _, s := range f.shapes {
			in = append(in, node(s))
		}
		add(f.name, f.op(ops.Attr{}), in...)
		add(f.name+" frozen", f.op(ops.Attr{Frozen: ops.X}), in...)
		add(f.name+" domain", f.op(ops.Attr{Domain: domain.NonNegative()}), in...)
		add(f.name+" layer", f.op(ops.Attr{Layer: "a"}), in...)
	}
	x, v := node([]int{5, 7}), node([]int{1})
	add("Columns shifted", ops.Columns(2, 4, 1.5, ops.Attr{}), x)
	add("Columns scaled", ops.Columns(2, 5, 2, ops.Attr{}), x)
	add("Huber of 1", ops.Huber(1, ops.Attr{}), x)
	add("Concat scaled", ops.Concat([]float64{2, 1}, ops.Attr{}), x, x)
	add("Kronecker scaled", ops.Kronecker([]float64{2, 1}, ops.Attr{}), x, x)
	add("Concat scaled the other way", ops.Concat([]float64{1, 2}, ops.Attr{}), x, x)
	add("other bags", ops.KDE([]int{0, 3, 7}, must(ops.NewGrid(11)), ops.Attr{}), node([]int{7, 1}), v)
	add("other points", ops.KDE([]int{0, 2, 3, 7}, scatter(1, 12), ops.Attr{}), node([]int{7, 1}), v)
	byFunction := func(c float64) ops.Kernel { return scaled{by: func() float64 { return c }} }
	byField := func(c float64) ops.Kernel { return named{factor: c} }
	for _, of := range []func(c float64) ops.Kernel{byFunction, byField} { // which print alike
		for c := range 2 {
			add(fmt.Sprintf("%T %d", of(1), c), ops.Nystrom(of(float64(c)), ops.Attr{}), node([]int{5, 3}),
				node([]int{7, 3}), node([]int{7, 2}))
		}
	}
}

// scaled is a kernel that only a function tells from others of its type.
type scaled struct {
	cauchy
	by func() float64
}

// named has a text that does not tell it from others of its type.
type named struct {
	cauchy
	factor float64
}

func (named) String() string { return "named" }

// wantErr checks the kind and the text of an error.
func wantErr(t *testing.T, err, is error, says ...string) {
	t.Helper()
	for _, s := range says {
		if !errors.Is(err, is) || !strings.Contains(fmt.Sprint(err), s) {
			t.Errorf("%v, want %v with %q", err, is, s)
		}
	}
}
