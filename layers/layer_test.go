package layers_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/golgi"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// What the layers of the package are. golgi takes every layer as its own.
var (
	_ golgi.Layer = layers.Layer(nil)
	_             = []layers.Layer{(*layers.NystromLayer)(nil), (*layers.Normalise)(nil), (*layers.BagLayer)(nil)}
	_             = []layers.BagMap{(*layers.BagLayer)(nil)}
	_             = []layers.Head{(*layers.LinearHead)(nil), (*layers.SoftmaxHead)(nil), (*layers.HuberHead)(nil)}
	_             = []sparseLayer{(*layers.RandomLayer)(nil), (*layers.LevyLayer)(nil),
		(*layers.GORFLayer)(nil), (*layers.RandomMaclaurinLayer)(nil),
		(*layers.TensorSketchLayer)(nil), (*layers.BinningLayer)(nil), (*layers.ExponentiatedLayer)(nil), (*layers.HDDLayer)(nil),
		(*layers.PeriodicLayer)(nil), (*layers.Dense)(nil), (*layers.LinearHead)(nil), (*layers.SoftmaxHead)(nil)}
	_ = []zeroLayer{(*layers.HomogeneousLayer)(nil), (*layers.AddKPCALayer)(nil), (*layers.MajiBergLayer)(nil),
		(*layers.Identity)(nil), (*layers.Sequential)(nil), (*layers.Concat)(nil), (*layers.Product)(nil)}
)

type sparseLayer interface {
	layers.Layer
	layers.SparseMap
}

type zeroLayer interface {
	sparseLayer
	layers.CSRMap
}

// TestFrozenComputesNothing: under a head, a frozen map on data adds no product to the backward; WithInputGrad brings
// the gradient of the input back.
func TestFrozenComputesNothing(t *testing.T) {
	for _, c := range []struct {
		input    bool
		products int
		opts     []layers.Option
	}{
		{false, 3, nil}, // the head's backward, its dW and db
		// The head's backward, its dZ, dW and db, and the map's backward, which is its dW.
		{false, 5, []layers.Option{layers.Tune(layers.All)}},
		{true, 5, []layers.Option{layers.WithInputGrad()}}, // the same, with its dX
		{true, -1, nil}, // no gradient for data
	} {
		g := G.NewGraph()
		x := input(g, rows(tensor.Float64, 7, 3, 1))
		l, head := fourier(3, 10, c.opts...), must(layers.NewLinearHead(10, 2))
		cost := must(head.Loss(l.Fwd(x).Node(), node(g, "y", rows(tensor.Float64, 7, 2, 2))))
		wrt := layers.Collect(l, head)
		if c.input {
			wrt = append(wrt, x)
		}
		_, err := G.Grad(cost, wrt...)
		products := 0
		for _, n := range g.AllNodes() {
			s := fmt.Sprint(n.Op())
			if strings.HasPrefix(s, "gradients of") || strings.HasPrefix(s, "part from") {
				products++
			}
		}
		if (err == nil) != (c.products >= 0) || err == nil && products != c.products {
			t.Errorf("%+v: %d gradient ops, %v", c, products, err)
		}
	}
}

// TestAutoNames: the number in a name that a layer makes up stands apart from the name of the map.
func TestAutoNames(t *testing.T) {
	name := must(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: 1}, 3, 8)).Name()
	if number, found := strings.CutPrefix(name, "laplace_"); !found || strings.Trim(number, "0123456789") != "" {
		t.Errorf("a layer without a name is called %q", name)
	}
}

// TestTunedShiftStartsWhereItIs: the c of a tuned map is the given one, tiny or huge, in a graph and without one.
func TestTunedShiftStartsWhereItIs(t *testing.T) {
	x := rows(tensor.Float64, 7, 3, 1)
	for _, c := range []float64{1e-12, .03, 1, 30, 1e4, 1e12} {
		tuned := must(layers.NewSkewedLayer(spectral.SkewedChi2{C: c}, 3, 10, layers.Tune(layers.Bandwidth)))
		want := features(must(layers.NewSkewedLayer(spectral.SkewedChi2{C: c}, 3, 10)), x)
		near(t, fmt.Sprint("Transform, c = ", c), features(tuned, x), want, 1e-10)
		// Gorgonia's softplus leaves out e^-x from x = 16 on, 1.1e-7 of it.
		near(t, fmt.Sprint("graph, c = ", c), inGraph(t, tuned, x), want, 1e-7)
	}
}

// TestParam: what a parameter is follows from its name within its layer. The size of frequencies is a root mean square
// over the row or, where tails are heavy, by the median; numbers of 0 have the size 1.
func TestParam(t *testing.T) {
	for name, c := range map[string]struct {
		value, scales []float64
		logarithmic   bool
	}{
		"inner.W": {[]float64{3, -3, 3, 1, -1, 99, 0, 0, 0}, []float64{3, 3, 3, 1.4826, 1.4826, 1.4826, 1, 1, 1},
			false},
		"b":                 {[]float64{7, 8, 9}, []float64{1, 1, 1}, false},
		"net.log_bandwidth": {[]float64{7, 8, 9}, []float64{1, 1, 1}, true},
		"raw_c":             {[]float64{0, 0, 0}, slices.Repeat([]float64{2 * math.Ln2}, 3), true},
	} {
		p := layers.Param{Name: name, Value: dense(3, c.value...)}
		near(t, name, p.Scales(), c.scales, 1e-15)
		if p.Logarithmic() != c.logarithmic {
			t.Errorf("%s: Logarithmic is %v", name, p.Logarithmic())
		}
	}
}
