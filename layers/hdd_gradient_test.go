package layers_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// hddCost is Σ c∘z of bags or densities through a layer, for fixed random c.
type hddCost struct {
	l       *layers.HDDLayer
	x       *tensor.Dense
	offsets []int // nil: x are densities
	c       []float64
}

func newHDDCost(l *layers.HDDLayer, x *tensor.Dense, offsets []int) *hddCost {
	n := x.Shape()[0]
	if offsets != nil {
		n = len(offsets) - 1
	}
	f := &hddCost{l, x, offsets, make([]float64, n*l.Features())}
	rng := rand.New(rand.NewPCG(6, 0))
	for i := range f.c {
		f.c[i] = rng.NormFloat64()
	}
	return f
}

func (f *hddCost) value() (sum float64) {
	var z *tensor.Dense
	if f.offsets == nil {
		z = must(f.l.Transform(nil, f.x))
	} else {
		z = must(f.l.TransformBags(nil, must(ops.NewBags(f.x, f.offsets))))
	}
	for i, v := range floats(z) {
		sum += f.c[i] * v
	}
	return sum
}

// gradients are those for x, behind another op or as a leaf, and for the learnable parameters, on one of the machines.
func (f *hddCost) gradients(t *testing.T, lisp, leaf bool) (nodes G.Nodes, grads [][]float64) {
	t.Helper()
	g := G.NewGraph()
	x := input(g, f.x)
	through := x
	if !leaf {
		through = must(ops.Columns(0, x.Shape()[1], 1, ops.Attr{}).Node(x))
	}
	r := f.l.Fwd
	if f.offsets != nil {
		r = func(x G.Input) G.Result { return f.l.FwdBags(x, f.offsets) }
	}
	z := r(through)
	if z.Err() != nil {
		t.Fatal(z.Err())
	}
	c := rows(f.x.Dtype(), z.Node().Shape()[0], z.Node().Shape()[1], 0)
	for i, v := range f.c {
		if c.Dtype() == tensor.Float32 {
			c.Float32s()[i] = float32(v)
		} else {
			c.Float64s()[i] = v
		}
	}
	weights := G.NewMatrix(g, c.Dtype(), G.WithShape(c.Shape()...), G.WithName("c"), G.WithValue(c))
	cost := G.Must(G.Sum(G.Must(G.HadamardProd(z.Node(), weights))))
	nodes = append(G.Nodes{x}, f.l.ModelIn(g)...)
	var m G.VM
	if lisp {
		m = G.NewLispMachine(g)
	} else {
		if _, err := G.Grad(cost, nodes...); err != nil {
			t.Fatal(err)
		}
		m = G.NewTapeMachine(g, G.BindDualValues(nodes...))
	}
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		grads = append(grads, append([]float64(nil), floats(must(n.Grad()))...))
	}
	return nodes, grads
}

// TestHDDGradients: gradients for densities, for samples through their density estimates, and for σ, λ and W under
// every policy agree with differences of fourth order in float64, on both machines and in both precisions.
func TestHDDGradients(t *testing.T) {
	sizes := map[layers.Policy]int{layers.Frozen: 1, layers.Bandwidth: 2, layers.BandwidthEach: 2, layers.All: 3}
	for _, d := range hddDistances {
		for axes := 1; axes <= 4; axes++ { // 4 by coordinates
			for policy, learnable := range sizes {
				points := []int{11, 5, 3, 7}[axes-1]
				opts := withLambdas(d.d, 2, spectral.QuantileLambdas, layers.Tune(policy), layers.WithSeed(4),
					layers.WithName("hdd"), layers.WithPoints(points), layers.WithBasis(layers.CosineBasis, 3),
					layers.WithKDEBandwidth(.2))
				if policy == layers.Frozen {
					opts = append(opts, layers.WithInputGrad())
				}
				if d.name == "Hellinger" && policy == layers.All {
					learnable = 2 // its λ is 0
				}
				l := must(layers.NewHDDLayer(d.d, .5, axes, 6, opts...))
				single := must(layers.NewHDDLayer(d.d, .5, axes, 6, append(opts, layers.WithDtype(tensor.Float32))...))
				bags, densities := uniformBags(axes, 3, 3), densitiesFor(l, 3)
				for i := range densities.Float64s() { // next to 0, where √p is steep, ops.HDD is tested alone
					densities.Float64s()[i] += .1
				}
				for _, f := range []*hddCost{newHDDCost(l, bags.Samples(), bags.Offsets()),
					newHDDCost(l, densities, nil)} {
					where := fmt.Sprintf("%s, %d axes, %v, bags %v", d.name, axes, policy, f.offsets)
					var want [][]float64
					for _, lisp := range []bool{false, true} {
						nodes, grads := f.gradients(t, lisp, policy == layers.Frozen)
						if len(nodes) != learnable {
							t.Errorf("%s: %d nodes to differentiate by, want %d", where, len(nodes), learnable)
						}
						if want == nil {
							want = f.differences(nodes)
						}
						for k, n := range nodes {
							for i, got := range grads[k] {
								if want := want[k][i]; !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
									t.Errorf("%s, lisp=%v: d/d %s[%d] is %v, by differences %v", where, lisp, n.Name(),
										i, got, want)
								}
							}
						}
						x32 := rows(tensor.Float32, f.x.Shape()[0], f.x.Shape()[1], 0)
						for i, v := range f.x.Float64s() {
							x32.Float32s()[i] = float32(v)
						}
						_, low := (&hddCost{single, x32, f.offsets, f.c}).gradients(t, lisp, policy == layers.Frozen)
						for k := range low {
							for i, got := range low[k] {
								if want := grads[k][i]; !(math.Abs(got-want) <= 2e-4*(1+math.Abs(want))) {
									t.Errorf("%s, float32, lisp=%v: d/d %s[%d] is %v, in float64 %v", where, lisp,
										nodes[k].Name(), i, got, want)
								}
							}
						}
					}
				}
			}
		}
	}
}

// densitiesFor are n rows of densities that the layer takes.
func densitiesFor(l *layers.HDDLayer, n int) *tensor.Dense {
	x := mixtures(n*l.Dims()/l.Grid().Len(), l.Grid(), 1)
	return tensor.New(tensor.WithShape(n, l.Dims()), tensor.WithBacking(x.Float64s()))
}

// differences are the derivatives of the cost by the values of the nodes, the first of which is x.
func (f *hddCost) differences(nodes G.Nodes) [][]float64 {
	out := make([][]float64, len(nodes))
	for k, n := range nodes {
		value := n.Value().(*tensor.Dense).Float64s()
		for i, old := range value {
			h, sum := 2e-4, 0.0
			if f.offsets == nil && k == 0 { // √p and ln p
				h = 1e-3 * math.Min(old, .2)
			}
			for step, c := range [5]float64{1, -8, 0, 8, -1} {
				value[i] = old + float64(step-2)*h
				sum += c * f.value()
			}
			value[i] = old
			out[k] = append(out[k], sum/(12*h))
		}
	}
	return out
}

// TestHDDEdges: no bags and no densities, one bag of one sample, a sample on a face, a constant coordinate, zeros of a
// histogram, and an empty density, whose embedding is 0.
func TestHDDEdges(t *testing.T) {
	for _, d := range hddDistances {
		l := must(layers.NewHDDLayer(d.d, .5, 2, 6, withLambdas(d.d, 5, spectral.GaussLambdas, layers.WithPoints(8),
			layers.WithBasis(layers.CosineBasis, 8), layers.WithKDEBandwidth(.1, .2))...))
		for _, x := range [][]float64{nil, {.5, .5}, {0, 1}, {.1, 0, .6, 0, .9, 0}} {
			b := tensor.New(tensor.WithShape(len(x)/2, 2), tensor.Of(tensor.Float64))
			offsets := []int{0}
			if x != nil {
				b, offsets = tensor.New(tensor.WithShape(len(x)/2, 2), tensor.WithBacking(x)), []int{0, len(x) / 2}
			}
			bags := must(ops.NewBags(b, offsets))
			z := must(l.TransformBags(nil, bags))
			if !z.Shape().Eq(tensor.Shape{bags.Len(), 6}) {
				t.Errorf("%s: %v makes features %v", d.name, x, z.Shape())
			}
			if x == nil {
				continue
			}
			sum := 0.0 // cos² + sin² of each frequency
			for _, v := range z.Float64s() {
				sum += v * v
			}
			a := must(l.Embed(nil, must(ops.KDE(offsets, l.Grid(), ops.Attr{}).Into(nil, b, tensor.New(tensor.WithShape(b.Shape()[1]),
				tensor.WithBacking(repeat(.1, b.Shape()[1])))))))
			// By Bessel's inequality the norm is below Z times the mass.
			norm := squaredDistance(a.Float64s(), make([]float64, len(a.Float64s())))
			if !(math.Abs(sum-1) < 1e-12) || !(norm > 0 && norm <= d.d.Mass()*(1+1e-12)) {
				t.Errorf("%s: %v has features of squared norm %v, and its histogram's embedding %v", d.name, x, sum,
					norm)
			}
		}
		for _, v := range must(l.Embed(nil, tensor.New(tensor.WithShape(1, 64),
			tensor.Of(tensor.Float64)))).Float64s() {
			if v != 0 {
				t.Errorf("%s: the embedding of 0 has %v", d.name, v)
			}
		}
	}
}

// TestHDDSetParams: the parameters of another layer make its features, the bandwidth of bags included.
func TestHDDSetParams(t *testing.T) {
	bags := uniformBags(1, 5, 4)
	for _, policy := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.BandwidthEach, layers.All} {
		build := func(seed uint64, h float64) *layers.HDDLayer {
			return must(layers.NewHDDLayer(spectral.TotalVariation(), .5, 1, 6, layers.Tune(policy),
				layers.WithSeed(seed),
				layers.WithLambdas(4, spectral.DrawnLambdas), layers.WithKDEBandwidth(h)))
		}
		l, other := build(1, .1), build(2, .2)
		must(l.TransformBags(nil, bags))
		params := map[string]*tensor.Dense{}
		for _, p := range other.Params() {
			params[p.Name] = p.Value
		}
		if err := l.SetParams(params); err != nil {
			t.Fatal(err)
		}
		if d := maxDiff(floats(must(l.TransformBags(nil, bags))),
			floats(must(other.TransformBags(nil, bags)))); d != 0 {
			t.Errorf("%v: features differ by %v", policy, d)
		}
	}
}

func TestHDDErrors(t *testing.T) {
	js := spectral.JensenShannonDivergence()
	build := func(d spectral.DensityDistance, sigma float64, axes, features int, opts ...layers.Option) error {
		_, err := layers.NewHDDLayer(d, sigma, axes, features, append(opts, layers.WithName("sets"))...)
		return err
	}
	l := must(layers.NewHDDLayer(js, .5, 1, 6, layers.WithName("sets"), layers.WithKDEBandwidth(.1)))
	none := must(layers.NewHDDLayer(js, .5, 1, 6, layers.WithName("sets")))
	narrow := must(layers.NewHDDLayer(js, .5, 1, 6, layers.WithName("sets"), layers.WithKDEBandwidth(.001)))
	bags := func(v ...float64) *ops.Bags {
		return must(ops.NewBags(tensor.New(tensor.WithShape(len(v), 1), tensor.WithBacking(v)), []int{0, len(v)}))
	}
	transform := func(l *layers.HDDLayer, b *ops.Bags) error { _, err := l.TransformBags(nil, b); return err }
	density := rows(tensor.Float64, 2, 128, 1)
	density.Float64s()[131] = -1
	node := func(n, d int, dt tensor.Dtype) *G.Node { return input(G.NewGraph(), rows(dt, n, d, 1)) }
	_, negative := l.Transform(nil, density)
	_, shape := l.Transform(nil, rows(tensor.Float64, 2, 127, 1))
	_, embed := l.Embed(nil, rows(tensor.Float64, 2, 127, 1))
	_, dst := l.TransformBags(rows(tensor.Float64, 2, 6, 1), bags(.5))
	for i, c := range []struct {
		err, is error
		says    string
	}{
		{build(js, .5, 4, 6, layers.WithPoints(8, 8)), layers.ErrParam, "points on 2 axes for 1"},
		{build(js, .5, 0, 6), layers.ErrParam, "0 dimensions"},
		{build(js, .5, 2, 6, layers.WithPoints(8, 8, 8)), layers.ErrParam, "points on 3 axes for 2"},
		{build(js, .5, 1, 6, layers.WithPoints(8)), layers.ErrParam,
			"10 functions of the cosine basis on axis 0, want 1 to 8"},
		{build(js, .5, 1, 6, layers.WithBasis(layers.FourierBasis, 128)), layers.ErrParam, "want 1 to 127"},
		{build(js, .5, 1, 6, layers.WithBasis(7, 3)), layers.ErrParam, "Basis(7)"},
		{build(js, .5, 3, 6, layers.WithPoints(100), layers.WithBasis(layers.CosineBasis, 40)), layers.ErrParam,
			"ask for fewer points"},
		{build(js, .5, 1, 6, layers.WithLambdas(0, 0)), layers.ErrParam, "0 frequencies"},
		{build(js, .5, 1, 6, layers.WithKDEBandwidth(1, 2)), layers.ErrParam, "2 bandwidths for 1 axes"},
		{build(js, .5, 1, 6, layers.WithKDEBandwidth(-1)), layers.ErrParam, "WithKDEBandwidth: -1 is no bandwidth"},
		{build(js, 0, 1, 6), layers.ErrParam, "Sigma = 0"},
		{build(js, .5, 1, 5), layers.ErrParam, "5 features is odd"},
		{build(spectral.DensityDistance{}, .5, 1, 6), layers.ErrParam, "no kernel"},
		{transform(none, bags(.5)), layers.ErrParam, "ops.ScottBandwidth"},
		{none.FwdBags(node(2, 1, tensor.Float64), []int{0, 2}).Err(), layers.ErrParam, "WithKDEBandwidth"},
		{transform(narrow, bags(.5)), layers.ErrParam, "the bandwidth of axis 0 is 0.001"},
		{transform(l, bags(.5, 1.5)), layers.ErrDomain, "x[1,0] = 1.5 is outside the unit cube"},
		{transform(l, uniformBags(2, 1, 1)), layers.ErrShape, "the samples have 2 coordinates, want 1"},
		{transform(l, must(ops.NewBags(rows(tensor.Float32, 2, 1, 1), []int{0, 2}))), layers.ErrDtype, "float32"},
		{l.FwdBags(node(2, 1, tensor.Float64), []int{0, 1, 1, 2}).Err(), layers.ErrShape, "bag 1 is empty"},
		{l.FwdBags(node(2, 2, tensor.Float64), []int{0, 2}).Err(), layers.ErrShape, "want [n, 1]"},
		{l.Fwd(node(2, 128, tensor.Float32)).Err(), layers.ErrDtype, "Float32"},
		{l.Fwd(node(2, 127, tensor.Float64)).Err(), layers.ErrShape, "want [n, 128]"},
		{negative, layers.ErrDomain, "x[1,3] = -1 is negative"},
		{shape, layers.ErrShape, "densities at [128] points"},
		{embed, layers.ErrShape, "densities at [128] points"},
		{dst, layers.ErrShape, "want a contiguous float64 (1, 6)"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) ||
			!strings.Contains(c.err.Error(), `HDDLayer "sets"`) {
			t.Errorf("%d: %v, want %q", i, c.err, c.says)
		}
	}
	for b := layers.CosineBasis; b <= layers.FourierBasis; b++ {
		if back, err := layers.ParseBasis(b.String()); err != nil || back != b {
			t.Errorf("%v: %v, %v", b, back, err)
		}
	}
	if _, err := layers.ParseBasis("legendre"); !errors.Is(err, layers.ErrParam) {
		t.Error(err)
	}
	if s := l.String(); !strings.Contains(s, `HDDLayer "sets": 128 -> 100 -> 6, σ 0.5`) ||
		l.Policy() != layers.Frozen || l.Distance() != js || l.Kernel() != js.Kernel(.5, 128) {
		t.Error(s)
	}
}
