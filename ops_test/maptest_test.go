package ops_test

import (
	"math"
	"reflect"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/blas"
	"gorgonia.org/tensor"
)

// TestMaps runs the contract of package maptest over every map of rows, in each of its forms, with each sampler that
// fits.
func TestMaps(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) { maptest.Run(t, v.contract()) })
}

// contract is what package maptest has to be told of the variant.
func (v variant) contract() maptest.Map {
	m := maptest.Map{
		Spec:    layers.Spec{Map: v.entry.Name, Params: v.values, Sampler: v.sampler},
		Kernel:  func(x, z []float64) float64 { return v.naive(v.all, x, z) },
		Outside: v.cells, Remedy: v.remedy,
	}
	if !v.entry.HasSampler {
		return m
	}
	m.Mean = func(l layers.Layer, x ops.Matrix, i, j int) (mean, bias float64) {
		rows := x.(*tensor.Dense)
		n, cells := rows.Shape()[0], rows.Float64s()
		a, b := row(cells, n, i), row(cells, n, j)
		if v.way() == "normalised" {
			_, bias, err := spectral.NormalisedVariance(v.kernel.(spectral.Semigroup), a, b, l.Features())
			if err != nil {
				return math.NaN(), 0
			}
			return v.naive(v.all, a, b), 1.5 * math.Abs(bias) // half of which the next order may be besides
		}
		on := v.lift(l, rows).Float64s()
		x0, x1 := row(on, n, i), row(on, n, j)
		if v.sampler == "structured" { // along an axis by a table, and a quarter more elsewhere
			bias = 1.25 * map[int]float64{16: .0048, 32: .0008, 64: .0002}[spectral.PaddedDims(len(x0))]
		}
		if k := v.random(len(x0)); k != nil && !reflect.DeepEqual(k, v.kernel) {
			return k.At(x0, x1) * v.length(a) * v.length(b), bias
		}
		return v.naive(v.all, a, b), bias
	}
	return m
}

// lift returns the columns that a layer makes of x without chance, on which its frequencies work: x itself for most.
func (v variant) lift(l layers.Layer, x *tensor.Dense) *tensor.Dense {
	var m layers.Map
	switch l := l.(type) {
	case *layers.ExponentiatedLayer:
		if l.Homogeneous() == nil {
			return x
		}
		m = l.Homogeneous()
	case *layers.LevyLayer:
		m = l.Metric()
		scaled := x.Clone().(*tensor.Dense)
		for i := range scaled.Float64s() {
			scaled.Float64s()[i] *= v.unit()
		}
		x = scaled
	default:
		return x
	}
	return must(m.Transform(nil, x))
}

// TestFloat32Frequencies: frequencies beyond float32 are errors, and no infinities that are kept in silence.
func TestFloat32Frequencies(t *testing.T) {
	for _, s := range []layers.Spec{
		{Map: "exp-semigroup", Params: layers.Values{"beta": 1e30}, Dims: 3},
		{Map: "reciprocal-semigroup", Params: layers.Values{"lambda": 1e-45}, Dims: 3},
		{Map: "gaussian", Params: layers.Values{"sigma": 1e-45}, Dims: 3},
		{Map: "gaussian", Params: layers.Values{"sigma": 1e-45}, Dims: 16, Sampler: "structured"},
	} {
		s.Features, s.Dtype = 4, "float32"
		_, err := s.Build()
		wantErr(t, err, layers.ErrParam, "float32")
	}
}

// TestHeap: with the caller's dst, Transform of a frozen random map allocates nothing. The homogeneous maps and what is
// made of them, the maps of random signs and bins, the maps whose rows are brought to a length or have a factor of it,
// and the BLAS of the generic path allocate some objects.
func TestHeap(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		d := v.dims(5)
		if !v.entry.HasSampler || v.lifted() || v.way() != "" ||
			v.random(d).Law().Transform == spectral.Positive {
			return
		}
		l, x := v.build(t, d, 7, 1), v.rows(1000, d, 1)
		dst := matrix(tensor.Float64, 1000, l.Features(), 0)
		if n := testing.AllocsPerRun(10, func() { must(l.Transform(dst, x)) }); n > 0 && blas.ISA() != "generic" {
			t.Errorf("%v: %v allocations", l, n)
		}
	})
}

// TestTrees: a tree of every kind of layer keeps the contract as a map does.
func TestTrees(t *testing.T) {
	maptest.Run(t, maptest.Map{Spec: layers.Spec{Map: "sequential", Dims: 4, Name: "map", Parts: []layers.Spec{
		{Map: "dense", Features: 5, Params: layers.Values{"activation": "tanh"}, Tune: "all", Seed: 1},
		{Map: "concat", Params: layers.Values{"from": "0:2", "to": "3:5", "weights": "1:0.25"}, Parts: []layers.Spec{
			{Map: "sequential", Parts: []layers.Spec{
				{Map: "normalise"},
				{Map: "sphere-polynomial", Features: 16, Params: layers.Values{"p": 3}, Tune: "all"},
			}},
			{Map: "gaussian", Features: 8, Params: layers.Values{"sigma": 1.2}, Tune: "bandwidth"},
		}},
		{Map: "dense", Features: 3, Params: layers.Values{"activation": "softplus"}},
	}}})
}

// TestProductTree: so does a product of maps, one of them a sum, and its kernel is the product of theirs.
func TestProductTree(t *testing.T) {
	gaussian, skewed := layers.Values{"sigma": 1.2}, layers.Values{"c": .2}
	s := layers.Spec{Map: "product", Dims: 4, Name: "map", Params: layers.Values{"from": "0:1", "to": "3:4",
		"weights": "2:0.5"}, Parts: []layers.Spec{
		{Map: "gaussian", Features: 6, Params: gaussian, Tune: "bandwidth"},
		{Map: "concat", Params: layers.Values{"from": "0:1", "to": "2:3"}, Parts: []layers.Spec{
			{Map: "skewed-chi2", Features: 6, Params: skewed, Tune: "all"}, {Map: "chi2"}}},
	}}
	maptest.Run(t, maptest.Map{Spec: s})
	s.Parts[1] = s.Parts[1].Parts[0] // a χ² map has a bias
	maptest.Run(t, maptest.Map{Spec: s, Kernel: func(x, z []float64) float64 {
		return naiveGaussian(gaussian, x[:3], z[:3]) * naiveSkewedChi2(skewed, x[1:], z[1:])
	}})
}

// TestPeriodicTree: so does a network whose first layer takes the rows and their columns' periodic functions.
func TestPeriodicTree(t *testing.T) {
	for _, tune := range []string{"all", "none"} {
		maptest.Run(t, maptest.Map{Spec: layers.Spec{Map: "sequential", Dims: 4, Name: "map", Parts: []layers.Spec{
			{Map: "periodic", Params: layers.Values{"frequencies": 5, "width": 3, "activation": "tanh"}, Tune: tune},
			{Map: "dense", Features: 7, Params: layers.Values{"activation": "tanh"}, Tune: tune, Seed: 2},
		}}})
	}
}
