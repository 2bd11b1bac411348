package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

const (
	gradDims = 3 // or what v.dims makes of it
	gradFreq = 5
)

// TestGradient: for the inputs and every tuned parameter, on both machines, the gradient of
//
//	cost = Σ C₁∘l(x₁)∘l(x₁) + Σ C₂∘l(x₂)
//
// agrees with central differences to 1e-7. The layer is used twice on one input and once on another. Among the rows are zeros,
// numbers of 1e-12 and numbers of 17, for homogeneous maps also of 1e-200 and 1e100.
func TestGradient(t *testing.T) {
	forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
		l := v.build(t, v.dims(gradDims), gradFreq, 11, tuned(p))
		c := newCost(v, l)
		for _, lisp := range []bool{false, true} {
			c.check(t, v, fmt.Sprintf("%s, %v, lisp=%v", v.name, p, lisp), lisp)
		}
	})
}

// TestGradientOfALeaf: WithInputGrad makes a leaf of the graph differentiable, with the gradient that an input behind another
// op has; without it the gradient for a leaf is an error and not a zero.
func TestGradientOfALeaf(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		if v.form == copied || v.sampler == "orthogonal" {
			return
		}
		var opts []layers.Option
		if v.entry.Sampled() {
			opts = append(opts, layers.WithSeed(11))
		}
		if v.entry.HasSampler() {
			sampler, err := spectral.SamplerByName(v.sampler)
			if err != nil {
				t.Fatal(err)
			}
			opts = append(opts, layers.WithSampler(sampler))
		}
		if v.form == phase {
			opts = append(opts, layers.WithPhase())
		}
		features := v.spec(v.dims(gradDims), gradFreq, 11).Features
		c := newCost(v, v.leafLayer(t, features, append(opts, layers.WithInputGrad())...))
		c.leaf = true
		for _, lisp := range []bool{false, true} {
			c.check(t, v, fmt.Sprintf("%s, leaf, lisp=%v", v.name, lisp), lisp)
		}
		data := newCost(v, v.leafLayer(t, features, opts...))
		data.leaf = true
		cost, nodes, err := data.graph()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := G.Grad(cost, nodes...); err == nil {
			t.Error("the gradient for data is no error")
		}
	})
}

// leafLayer is the layer by its constructor, which has options that a spec has not.
func (v variant) leafLayer(t *testing.T, features int, opts ...layers.Option) layers.Layer {
	t.Helper()
	var l layers.Layer
	var err error
	k, _ := v.kernel.(spectral.Random)
	e, exp := v.kernel.(spectral.Exponentiated)
	if v.way() == "levy" {
		l, err = layers.NewLevyLayer(v.kernel.(spectral.Semigroup), v.dims(gradDims), features, append(opts, layers.WithOrder(int(v.values.Number("order"))))...)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if v.way() == "normalised" {
		opts = append(opts, layers.WithNormalisation())
	}
	switch {
	case exp:
		if order, given := v.values["order"].(float64); given {
			opts = append(opts, layers.WithOrder(int(order)))
		}
		l, err = layers.NewExponentiatedLayer(e, v.dims(gradDims), features, opts...)
	case v.entry.Name == "random-maclaurin":
		l, err = layers.NewRandomMaclaurinLayer(v.kernel.(spectral.Polynomial), gradDims, features, opts...)
	case v.entry.Name == "tensor-sketch":
		l, err = layers.NewTensorSketchLayer(v.kernel.(spectral.SpherePolynomial), gradDims, features, opts...)
	case v.entry.Name == "srf":
		l, err = layers.NewSRFLayer(v.kernel.(spectral.SRF), v.dims(gradDims), features, opts...)
	case v.form == signed:
		c, err := spectral.ParseCoupling(v.values.Word("coupling"))
		if err != nil {
			c = spectral.SharedCoupled
		}
		l, err = layers.NewGORFLayer(v.kernel.(spectral.SignedLaw), gradDims, features, append(opts, layers.WithCoupling(c))...)
		if err != nil {
			t.Fatal(err)
		}
		return l
	case v.entry.Name == "add-kpca":
		l, err = layers.NewAddKPCALayer(v.kernel.(spectral.Homogeneous), v.sample(gradDims, 0), opts...)
	case v.entry.Name == "maji-berg":
		l, err = layers.NewMajiBergLayer(v.sample(gradDims, 0), opts...)
	case v.form == fitted:
		l, err = layers.NewNystromLayer(v.kernel, v.sample(gradDims, features), features, append(opts, layers.WithSeed(11))...)
	case v.form == series:
		l, err = layers.NewHomogeneousLayer(v.kernel.(spectral.Homogeneous), v.dims(gradDims), opts...)
	case k.Law().Transform == spectral.Fourier:
		l, err = layers.NewFourierLayer(k, v.dims(gradDims), features, opts...)
	case v.form == unit, v.form == tangent:
		l, err = layers.NewRandomReLULayer(k, v.dims(gradDims), features, opts...)
	case k.Law().Transform == spectral.Laplace:
		l, err = layers.NewRandomLaplaceLayer(k, gradDims, features, opts...)
	default:
		l, err = layers.NewSkewedLayer(k, gradDims, features, opts...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// cost is the function whose gradients are checked.
type cost struct {
	layer layers.Layer
	x, c  [2]*tensor.Dense
	leaf  bool // the layer works on the leaves themselves, not behind another op
}

func newCost(v variant, l layers.Layer) *cost {
	d := l.Dims()
	f := &cost{layer: l, x: [2]*tensor.Dense{v.rows(5, d, 1), v.rows(2, d, 2)}}
	cells := f.x[0].Float64s()
	for j := range d {
		if v.onSphere() || v.form == unit || v.form == tangent { // a row of 0 is where units bend
			break
		}
		cells[j], cells[d+j], cells[2*d+j] = 0, 1e-12, 17
	}
	if v.form == series {
		cells[d+1], cells[2*d+1] = 1e-200, -cells[2*d+1]
		if !v.kernel.Domain().Contains(-1) {
			cells[2*d+1] = 1e100
		}
	}
	rng := rand.New(rand.NewPCG(3, 0))
	for i, x := range f.x {
		f.c[i] = tensor.New(tensor.WithShape(x.Shape()[0], l.Features()), tensor.Of(tensor.Float64))
		for j := range f.c[i].Float64s() {
			f.c[i].Float64s()[j] = rng.NormFloat64()
		}
	}
	return f
}

// cells are the summands of the cost. Differences are taken of these, so that the rounding of the sum does not count.
func (f *cost) cells(t *testing.T) []float64 {
	t.Helper()
	var out []float64
	for i, x := range f.x {
		c := f.c[i].Float64s()
		for j, z := range transform(t, f.layer, x) {
			if i == 0 {
				z *= z
			}
			out = append(out, c[j]*z)
		}
	}
	return out
}

// graph is the cost with the nodes that it is to be differentiated by: the inputs, then the learnable nodes.
func (f *cost) graph() (sum *G.Node, nodes G.Nodes, err error) {
	g := G.NewGraph()
	matrixNode := func(name string, x *tensor.Dense) *G.Node {
		return G.NewMatrix(g, tensor.Float64, G.WithShape(x.Shape()...), G.WithName(name), G.WithValue(x))
	}
	fwd := func(x *G.Node) (*G.Node, error) {
		if !f.leaf {
			var err error
			if x, err = ops.Columns(0, f.layer.Dims(), 1, ops.Attr{}).Node(x); err != nil {
				return nil, err
			}
		}
		r := f.layer.Fwd(x)
		return r.Node(), r.Err()
	}
	nodes = G.Nodes{matrixNode("x0", f.x[0]), matrixNode("x1", f.x[1])}
	var z [3]*G.Node
	for i, x := range []*G.Node{nodes[0], nodes[0], nodes[1]} {
		if z[i], err = fwd(x); err != nil {
			return nil, nil, err
		}
	}
	square := G.Must(G.HadamardProd(z[0], z[1]))
	first := G.Must(G.Sum(G.Must(G.HadamardProd(square, matrixNode("c0", f.c[0])))))
	second := G.Must(G.Sum(G.Must(G.HadamardProd(z[2], matrixNode("c1", f.c[1])))))
	return G.Must(G.Add(first, second)), append(nodes, f.layer.ModelIn(g)...), nil
}

func (f *cost) check(t *testing.T, v variant, where string, lisp bool) {
	t.Helper()
	sum, nodes, err := f.graph()
	if err != nil {
		t.Fatal(err)
	}
	var m G.VM
	if lisp {
		m = G.NewLispMachine(sum.Graph())
	} else {
		if _, err := G.Grad(sum, nodes...); err != nil {
			t.Fatal(err)
		}
		m = G.NewTapeMachine(sum.Graph(), G.BindDualValues(nodes...))
	}
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	h := f.step()
	for _, n := range nodes {
		grad, err := n.Grad()
		if err != nil {
			t.Fatal(err)
		}
		value, got := n.Value().(*tensor.Dense).Float64s(), floats(grad.(*tensor.Dense))
		if v.onSphere() && (n == nodes[0] || n == nodes[1]) {
			continue // a step leaves the sphere; delta-gaussian has the same op
		}
		for i := range value {
			if (v.powers() || v.tabled()) && (n == nodes[0] || n == nodes[1]) {
				f.checkPowers(t, v, where, n, value, i, got[i])
				continue
			}
			oneSided := (n == nodes[0] || n == nodes[1]) && !v.kernel.Domain().Contains(value[i]-2*h)
			if want := f.difference(t, value, i, h, oneSided); !(math.Abs(got[i]-want) <= 1e-7*(1+math.Abs(want))) {
				t.Errorf("%s: d cost/d %s[%d] = %v, central difference %v", where, n.Name(), i, got[i], want)
			}
		}
	}
}

// checkPowers: of a homogeneous map the derivative for an input is that of x^{γ/2} and of ln x, so the step is a share of x, and at 0 it
// is 0 by definition. Under an exponential the features change little with a small x, and their rounding counts.
func (f *cost) checkPowers(t *testing.T, v variant, where string, n *G.Node, value []float64, i int, got float64) {
	t.Helper()
	want, rounding, share := 0.0, 0.0, 1e-3
	if v.tabled() { // linear pieces, in or in the root of x, that a difference must not leave
		share = 1e-5
	}
	if value[i] == 0 && v.way() == "normalised" {
		return // the derivative of the direction alone
	}
	if value[i] != 0 {
		h := share * math.Abs(value[i])
		if v.way() != "" {
			h = math.Min(h, f.step())
		}
		want = f.difference(t, value, i, h, false)
		if _, plain := f.layer.(*layers.HomogeneousLayer); !plain && !v.tabled() {
			rounding = 1e-14 / h // of a few dozen features of about one
		}
	} else if v.entry.Name == "maji-berg" { // linear from 0 on
		want = f.difference(t, value, i, share, true)
	}
	if !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))+rounding) {
		t.Errorf("%s: d cost/d %s[%d] = %v at %v, by differences %v", where, n.Name(), i, got, value[i], want)
	}
}

// tabled says whether the map interpolates in tables.
func (v variant) tabled() bool { return v.form == fitted && !v.entry.HasFeatures() }

// step is the step of the differences: s = 0.01 of the length on which a phase xW changes by one, in any input or parameter.
// The error of a fourth-order difference is then about s⁴/30, 3e-10 of the derivative, and for the one-sided one s⁴/5.
func (f *cost) step() float64 {
	if _, ok := f.layer.(*layers.HomogeneousLayer); ok { // whose inputs of 1e-200 have the logarithm 460, by which ln L is multiplied
		return 2e-5
	}
	largest := map[string]float64{"x": 17, "c": 1}
	for _, p := range f.layer.Params() {
		for _, u := range p.Value.Float64s() {
			switch p.Name {
			case "norms": // of columns of W, of 32 entries where they have signs
				if f.layer.Params()[0].Name == "signs" {
					u /= 4
				}
				largest["W"] = math.Max(largest["W"], u)
			case "log_W":
				largest["W"] = math.Max(largest["W"], math.Exp(u))
			case "raw_c":
				largest["c"] = math.Min(largest["c"], math.Log1p(math.Exp(u)))
			case "c":
				largest["c"] = math.Min(largest["c"], u)
			default:
				largest[p.Name] = math.Max(largest[p.Name], math.Abs(u))
			}
		}
	}
	return .01 / float64(f.layer.Dims()) * math.Min(1, largest["c"]) / (1 + largest["W"]) / (1 + largest["x"])
}

// stencil is a fourth-order difference for the first derivative: coefficients, in units of 1/12, from a first offset on.
type stencil struct {
	first int
	c     [5]float64
}

var (
	central = stencil{-2, [5]float64{1, -8, 0, 8, -1}}
	forward = stencil{0, [5]float64{-25, 48, -36, 16, -3}}
)

// difference is the derivative of the cost by value[i], one-sided where the other side is outside the domain.
func (f *cost) difference(t *testing.T, value []float64, i int, h float64, oneSided bool) float64 {
	t.Helper()
	s := central
	if oneSided {
		s = forward
	}
	old, at := value[i], f.cells(t)
	sum := make([]float64, len(at))
	for k, c := range s.c {
		value[i] = old + float64(s.first+k)*h
		for j, z := range f.cells(t) {
			sum[j] += c * (z - at[j]) / (12 * h)
		}
	}
	value[i] = old
	total := 0.0
	for _, u := range sum {
		total += u
	}
	return total
}
