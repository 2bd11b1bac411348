package ops_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/floats"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// optionValues are the options of package layers, each with a value that is not the default.
var optionValues = map[string]layers.Option{
	"Tune":              layers.Tune(layers.All),
	"WithCoupling":      layers.WithCoupling(spectral.Joint),
	"WithDelta":         layers.WithDelta(2),
	"WithDtype":         layers.WithDtype(tensor.Float32),
	"WithInputGrad":     layers.WithInputGrad(),
	"WithName":          layers.WithName("another"),
	"WithNormalisation": layers.WithNormalisation(),
	"WithOptimalPeriod": layers.WithOptimalPeriod(),
	"WithOrder":         layers.WithOrder(2),
	"WithPeriod":        layers.WithPeriod(9),
	"WithPhase":         layers.WithPhase(),
	"WithSampler":       layers.WithSampler(spectral.Halton{}),
	"WithSeed":          layers.WithSeed(5),
	"WithStationary":    layers.WithStationary(),
	"WithWindow":        layers.WithWindow(spectral.Uniform),
}

// constructor calls a constructor of package layers by arguments before its options.
type constructor func(opts ...layers.Option) (layers.Layer, error)

func callOf(f any, args ...any) constructor {
	return func(opts ...layers.Option) (layers.Layer, error) {
		in := make([]reflect.Value, 0, len(args)+len(opts))
		for _, a := range args {
			in = append(in, reflect.ValueOf(a))
		}
		for _, o := range opts {
			in = append(in, reflect.ValueOf(&o).Elem()) // which may be nil
		}
		out := reflect.ValueOf(f).Call(in)
		if err, failed := out[1].Interface().(error); failed {
			return nil, err
		}
		return out[0].Interface().(layers.Layer), nil
	}
}

// layersWith are the constructors of package layers that take options.
var layersWith = map[string]constructor{
	"NewDense":                   callOf(layers.NewDense, 3, 4, ops.Tanh),
	"NewPeriodicLayer":           callOf(layers.NewPeriodicLayer, 3, 4, 2),
	"NewNormalise":               callOf(layers.NewNormalise, 3, ops.L2),
	"NewHuberHead":               callOf(layers.NewHuberHead, 3, 2),
	"NewIdentity":                callOf(layers.NewIdentity, 3),
	"NewLinearHead":              callOf(layers.NewLinearHead, 3, 2),
	"NewSoftmaxHead":             callOf(layers.NewSoftmaxHead, 3, 2),
	"NewFourierLayer":            callOf(layers.NewFourierLayer, spectral.Gaussian{Sigma: 1}, 3, 8),
	"NewAdditiveLayer":           callOf(layers.NewAdditiveLayer, spectral.AdditiveGaussian{Sigma: 1}, 3, 12),
	"NewPositiveLayer":           callOf(layers.NewPositiveLayer, spectral.Softmax{Sigma: 1}, 3, 8),
	"NewRandomLaplaceLayer":      callOf(layers.NewRandomLaplaceLayer, spectral.ExpSemigroup{Beta: 1}, 3, 8),
	"NewRandomReLULayer":         callOf(layers.NewRandomReLULayer, spectral.ArcCosine{Order: 1}, 3, 8),
	"NewLevyLayer":               callOf(layers.NewLevyLayer, spectral.ExpSemigroup{Beta: 1}, 3, 8),
	"NewSkewedLayer":             callOf(layers.NewSkewedLayer, spectral.SkewedChi2{C: 1}, 3, 8),
	"NewSkewedChi2Layer":         callOf(layers.NewSkewedChi2Layer, 1., 3, 8),
	"NewSkewedIntersectionLayer": callOf(layers.NewSkewedIntersectionLayer, 1., 3, 8),
	"NewSRFLayer":                callOf(layers.NewSRFLayer, spectral.SRF{A: 2, P: 3}, 3, 8),
	"NewGORFLayer": callOf(layers.NewGORFLayer,
		spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}, 3, 8),
	"NewHomogeneousLayer": callOf(layers.NewHomogeneousLayer, spectral.Chi2{}, 3),
	"NewExponentiatedLayer": callOf(layers.NewExponentiatedLayer,
		spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: 1}, 3, 8),
	"NewHDDLayer": callOf(layers.NewHDDLayer,
		layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: 1}, 2, 8),
	"NewMeanMapLayer": func(opts ...layers.Option) (layers.Layer, error) {
		l, err := layers.NewMeanMapLayer(must(layers.NewIdentity(3)), 1, 8, opts...)
		if errors.Is(err, layers.ErrDtype) {
			return layers.NewMeanMapLayer(must(layers.NewIdentity(3, layers.WithDtype(tensor.Float32))), 1, 8, opts...)
		}
		return l, err
	},
	"NewRandomMaclaurinLayer": callOf(layers.NewRandomMaclaurinLayer, spectral.SpherePolynomial{A: 2, P: 3}, 3, 8),
	"NewBinningLayer": func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewBinningLayer(spectral.Laplacian{Sigma: 1}, 3, 8, 4, opts...)
	},
	"NewTensorSketchLayer": callOf(layers.NewTensorSketchLayer, spectral.SpherePolynomial{A: 2, P: 3}, 3, 8),
	"NewNystromLayer": callOf(layers.NewNystromLayer,
		layers.Nystrom{Kernel: spectral.Gaussian{Sigma: 1}}, optionSample(), 4),
	"NewAddKPCALayer":  callOf(layers.NewAddKPCALayer, layers.AddKPCA{Kernel: spectral.Chi2{}}, optionSample()),
	"NewMajiBergLayer": callOf(layers.NewMajiBergLayer, layers.MajiBerg{}, optionSample()),
	"NewConcat": func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewConcat(3, optionParts(), opts...)
	},
	"NewProduct": func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewProduct(3, optionParts(), opts...)
	},
}

func optionParts() []layers.Part {
	k := spectral.Gaussian{Sigma: 1}
	part := must(layers.NewFourierLayer(k, 3, 8, layers.WithName("part"), layers.WithInputGrad()))
	return []layers.Part{{Layer: part, From: 0, To: 3, Weight: 1}}
}

func optionSample() *tensor.Dense {
	cells := make([]float64, 3*29)
	for i := range cells {
		cells[i] = float64(i*i%37) / 37
	}
	return matrix(tensor.Float64, 29, 3, cells...)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestOptions: an option changes the layer of a constructor, or is an error that names both and says what to do.
func TestOptions(t *testing.T) {
	options, constructors := optionsOf(t, publicPackages(t)[module+"/layers"])
	if want := slices.Sorted(maps.Keys(optionValues)); !slices.Equal(options, want) {
		t.Fatalf("package layers has the options\n%v\nand this battery has values of\n%v", options, want)
	}
	if want := slices.Sorted(maps.Keys(layersWith)); !slices.Equal(constructors, want) {
		t.Fatalf("package layers has the constructors\n%v\nand this battery has\n%v", constructors, want)
	}
	applies := map[string]int{}
	for _, c := range constructors {
		before := fingerprint(t, must(layersWith[c]()))
		for _, name := range options {
			l, err := layersWith[c](optionValues[name])
			if errors.Is(err, layers.ErrParam) {
				wantErr(t, err, layers.ErrParam, c, ": "+name+" does not apply: ")
				continue
			}
			if err != nil {
				t.Errorf("%s with %s: %v", c, name, err)
				continue
			}
			applies[name]++
			always := c == "NewIdentity" && name == "WithInputGrad" // what it asks for is so in any case
			if after := fingerprint(t, l); after == before && !always {
				t.Errorf("%s with %s is the layer without: %s", c, name, after)
			}
		}
		if _, err := layersWith[c](nil); err == nil || !strings.Contains(err.Error(), c+": option 0 is nil") {
			t.Errorf("%s with a nil option: %v", c, err)
		}
	}
	want := map[string]int{"Tune": 17, "WithCoupling": 1, "WithDelta": 1, "WithDtype": 28, "WithInputGrad": 29,
		"WithName": 28, "WithNormalisation": 1, "WithOptimalPeriod": 3, "WithOrder": 3, "WithPeriod": 3, "WithPhase": 8,
		"WithSampler": 13, "WithSeed": 20, "WithStationary": 1, "WithWindow": 3}
	if !maps.Equal(applies, want) {
		t.Errorf("the options apply to so many constructors: %v, want %v", applies, want)
	}
}

// TestInputGrad: the gradient for a leaf, which WithInputGrad allows, is that for a node behind another op, on both
// machines.
func TestInputGrad(t *testing.T) {
	for name, build := range layersWith {
		l, err := build(layers.WithInputGrad())
		if errors.Is(err, layers.ErrParam) {
			continue // TestOptions says which
		}
		x := matrix(tensor.Float64, 2, must(l, err).Dims(), .1, .7, .4, .2, .6)
		for i := range 2 {
			cells := row(x.Float64s(), 2, i)
			floats.Scale(1/floats.Norm(cells, 2), cells) // as some kernels want
		}
		gradient := func(leaf, lisp bool) []float64 {
			g := G.NewGraph()
			in := node(g, "x", x)
			through := in
			if !leaf {
				through = G.Must(G.Add(in, node(g, "zero", matrix(tensor.Float64, 2, l.Dims(), 0))))
			}
			z := l.Fwd(through)
			cost := G.Must(G.Sum(G.Must(G.Cube(must(z.Node(), z.Err())))))
			var m G.VM = G.NewLispMachine(g)
			if !lisp {
				must(G.Grad(cost, in))
				m = G.NewTapeMachine(g, G.BindDualValues(in))
			}
			defer m.Close()
			if err := m.RunAll(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return slices.Clone(ops.Float64s(must(in.Grad()).(*tensor.Dense)))
		}
		want := gradient(false, false)
		for _, lisp := range []bool{false, true} {
			if _, head := l.(layers.Head); head && lisp {
				continue // whose delta is a node that this machine takes for a cost
			}
			for i, got := range gradient(true, lisp) {
				if !(math.Abs(got-want[i]) <= 1e-10*(1+math.Abs(want[i]))) {
					t.Errorf("%s, lisp=%v: the gradient for a leaf is %v, behind an op %v", name, lisp, got, want[i])
				}
			}
		}
	}
}

// TestOptionValues: values that no constructor takes are errors that name the option.
func TestOptionValues(t *testing.T) {
	for _, tc := range []struct {
		constructor, says string
		opt               layers.Option
	}{
		{"NewFourierLayer", "WithSampler(nil)", layers.WithSampler(nil)},
		{"NewFourierLayer", "WithSampler(nil)", layers.WithSampler((*pointerSampler)(nil))},
		{"NewFourierLayer", "Tune(Policy(9))", layers.Tune(9)},
		{"NewHomogeneousLayer", "Tune(Policy(-1))", layers.Tune(-1)},
		{"NewGORFLayer", "Coupling(77)", layers.WithCoupling(77)},
		{"NewHomogeneousLayer", "Window(7)", layers.WithWindow(7)},
	} {
		_, err := layersWith[tc.constructor](tc.opt)
		wantErr(t, err, layers.ErrParam, tc.says)
	}
}

// TestPointMassOptions: of a kernel whose spectrum is one frequency, 0, the options that choose frequencies change
// nothing and are errors, whatever their values. A spec of it, which has no such parameters, builds.
func TestPointMassOptions(t *testing.T) {
	for layer, build := range map[string]constructor{
		"HomogeneousLayer": callOf(layers.NewHomogeneousLayer, spectral.Hellinger{}, 3),
		"ExponentiatedLayer": callOf(layers.NewExponentiatedLayer,
			spectral.Exponentiated{Of: spectral.Hellinger{}, Sigma: 1}, 3, 8),
	} {
		for _, name := range []string{"WithWindow", "WithPeriod", "WithOptimalPeriod"} {
			_, err := build(optionValues[name])
			wantErr(t, err, layers.ErrParam, layer, name+" does not apply: ", "the one frequency 0", "leave it out")
		}
		must(build())
	}
	for _, s := range []layers.Spec{
		{Map: "hellinger", Params: layers.Values{}, Dims: 3},
		{Map: "exp-hellinger", Params: layers.Values{"sigma": 1.}, Dims: 3, Features: 8},
		{Map: "hdd-hellinger", Params: layers.Values{"sigma": 1., "bandwidth": "0.2"}, Dims: 2, Features: 8},
	} {
		must(s.Build())
	}
}

type pointerSampler struct{ spectral.IID }

// optionsOf are the options and the constructors of a package, sorted.
func optionsOf(t *testing.T, p *doc.Package) (options, constructors []string) {
	t.Helper()
	look := func(funcs []*doc.Func) {
		for _, f := range funcs {
			params := f.Decl.Type.Params.List
			if len(params) == 0 {
				continue
			}
			e, variadic := params[len(params)-1].Type.(*ast.Ellipsis)
			if !variadic || fmt.Sprint(e.Elt) != "Option" {
				continue
			}
			// NewHead returns an interface: it hands its options to the constructor of the kind.
			if _, concrete := f.Decl.Type.Results.List[0].Type.(*ast.StarExpr); concrete {
				constructors = append(constructors, f.Name)
			}
		}
	}
	look(p.Funcs)
	for _, typ := range p.Types {
		look(typ.Funcs)
		if typ.Name != "Option" {
			continue
		}
		for _, f := range typ.Funcs {
			options = append(options, f.Name)
		}
	}
	slices.Sort(options)
	slices.Sort(constructors)
	return options, constructors
}

// fingerprint is what an option can change: the name that was given, the shape, the parameters, the description, and
// whether there is a gradient for a leaf.
func fingerprint(t *testing.T, l layers.Layer) string {
	t.Helper()
	var b strings.Builder
	name := l.Name()
	if name != "another" {
		name = "made up"
	}
	fmt.Fprintln(&b, name, l.Dims(), l.Features(), l.Dtype(), strings.ReplaceAll(l.String(), l.Name(), name))
	for _, p := range l.Params() {
		fmt.Fprintln(&b, p.Name, p.Tuned, p.Value.Shape(), ops.Float64s(p.Value))
	}
	g := G.NewGraph()
	x := G.NewMatrix(g, l.Dtype(), G.WithShape(2, l.Dims()), G.WithName("leaf"))
	z := l.Fwd(x)
	if z.Err() != nil {
		t.Fatalf("%v: %v", l, z.Err())
	}
	_, err := G.Grad(G.Must(G.Sum(z.Node())), x)
	fmt.Fprintln(&b, "gradient:", err == nil)
	return b.String()
}
