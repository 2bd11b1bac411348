package ops_test

import (
	"errors"
	"fmt"
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

// constructor calls a constructor of package layers with good arguments before its options.
type constructor func(opts ...layers.Option) (layers.Layer, error)

// withOptions are the constructors of package layers that take options, and the options, each with a value that is not
// the default.
func (v *arguments) withOptions() (constructors map[string]constructor, options map[string]layers.Option) {
	constructors, options = map[string]constructor{}, map[string]layers.Option{}
	for name := range hostileFuncs {
		f := v.function(name)
		n, short := f.typ.NumIn(), strings.TrimPrefix(name, "layers.")
		switch {
		case f.typ.NumOut() == 0:
		case f.typ.Out(0) == reflect.TypeFor[layers.Option]():
			options[short] = call(f.make(), v.goodOf(f))[0].Interface().(layers.Option)
		case f.typ.IsVariadic() && f.typ.In(n-1) == reflect.TypeFor[[]layers.Option]() &&
			f.typ.Out(0).Kind() == reflect.Pointer: // NewHead hands its options to the constructor of the kind
			constructors[short] = func(opts ...layers.Option) (layers.Layer, error) {
				out := call(f.make(), append(v.goodOf(f)[:n-1], reflect.ValueOf(opts)))
				if err := failure(out); err != nil {
					return nil, err
				}
				return out[0].Interface().(layers.Layer), nil
			}
		}
	}
	return constructors, options
}

// testOptions: an option changes the layer of a constructor, or is an error that names both and says what to do.
func testOptions(t *testing.T, constructors map[string]constructor, options map[string]layers.Option) {
	applies := map[string]int{}
	for c, build := range constructors {
		before := fingerprint(t, must(build()))
		for name, option := range options {
			l, err := build(option)
			if errors.Is(err, layers.ErrParam) {
				wantErr(t, err, layers.ErrParam, c, ": "+name+" does not apply: ")
				continue
			}
			applies[name]++
			if c == "NewMeanMapLayer" && errors.Is(err, layers.ErrDtype) {
				continue // as its map of samples has another
			}
			if err != nil {
				t.Errorf("%s with %s: %v", c, name, err)
				continue
			}
			always := c == "NewIdentity" && name == "WithInputGrad" // what it asks for is so in any case
			if after := fingerprint(t, l); after == before && !always {
				t.Errorf("%s with %s is the layer without: %s", c, name, after)
			}
		}
		if _, err := build(nil); err == nil || !strings.Contains(err.Error(), c+": option 0 is nil") {
			t.Errorf("%s with a nil option: %v", c, err)
		}
	}
	want := map[string]int{"Tune": 15, "WithCoupling": 1, "WithDelta": 1, "WithDtype": 26, "WithInputGrad": 27,
		"WithName": 26, "WithNormalisation": 1, "WithOptimalPeriod": 3, "WithOrder": 3, "WithPeriod": 3, "WithPhase": 6,
		"WithSampler": 11, "WithSeed": 18, "WithStationary": 1, "WithWindow": 3}
	if !maps.Equal(applies, want) {
		t.Errorf("the options apply to so many constructors: %v, want %v", applies, want)
	}
}

// testInputGrad: the gradient for a leaf, which WithInputGrad allows, is that for a node behind another op, on both
// machines.
func testInputGrad(t *testing.T, constructors map[string]constructor) {
	for name, build := range constructors {
		l, err := build(layers.WithInputGrad())
		if errors.Is(err, layers.ErrParam) {
			continue // testOptions says which
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

// TestOptionValues: values that no constructor takes are errors that name the option. So are, for a kernel whose
// spectrum is one frequency, 0, the options that choose frequencies, whatever their values.
func TestOptionValues(t *testing.T) {
	fourier := func(o layers.Option) (layers.Layer, error) {
		return layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, o)
	}
	chi2 := func(o layers.Option) (layers.Layer, error) {
		return layers.NewHomogeneousLayer(spectral.Chi2{}, 3, o)
	}
	homogeneous := func(o layers.Option) (layers.Layer, error) {
		return layers.NewHomogeneousLayer(spectral.Hellinger{}, 3, o)
	}
	exponentiated := func(o layers.Option) (layers.Layer, error) {
		return layers.NewExponentiatedLayer(spectral.Exponentiated{Of: spectral.Hellinger{}, Sigma: 1}, 3, 8, o)
	}
	signed := func(o layers.Option) (layers.Layer, error) {
		k := spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}
		return layers.NewGORFLayer(k, 3, 8, o)
	}
	const one = " does not apply: |the one frequency 0|leave it out"
	for _, tc := range []struct {
		build func(o layers.Option) (layers.Layer, error)
		opt   layers.Option
		says  string
	}{
		{fourier, layers.WithSampler(nil), "WithSampler(nil)"},
		{fourier, layers.WithSampler((*pointerSampler)(nil)), "WithSampler(nil)"},
		{fourier, layers.Tune(9), "Tune(Policy(9))"},
		{chi2, layers.Tune(-1), "Tune(Policy(-1))"},
		{chi2, layers.WithWindow(7), "Window(7)"},
		{signed, layers.WithCoupling(77), "Coupling(77)"},
		{homogeneous, layers.WithWindow(spectral.Uniform), "HomogeneousLayer|WithWindow" + one},
		{homogeneous, layers.WithPeriod(9), "HomogeneousLayer|WithPeriod" + one},
		{homogeneous, layers.WithOptimalPeriod(), "HomogeneousLayer|WithOptimalPeriod" + one},
		{exponentiated, layers.WithWindow(spectral.Uniform), "ExponentiatedLayer|WithWindow" + one},
		{exponentiated, layers.WithPeriod(9), "ExponentiatedLayer|WithPeriod" + one},
		{exponentiated, layers.WithOptimalPeriod(), "ExponentiatedLayer|WithOptimalPeriod" + one},
	} {
		_, err := tc.build(tc.opt)
		wantErr(t, err, layers.ErrParam, strings.Split(tc.says, "|")...)
	}
}

type pointerSampler struct{ spectral.IID }

// fingerprint is what an option can change: the name that was given, the shape, the parameters, the description, and
// whether there is a gradient for a leaf.
func fingerprint(t *testing.T, l layers.Layer) string {
	t.Helper()
	var b strings.Builder
	name := l.Name()
	if name != "name" {
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
