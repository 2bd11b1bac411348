package train

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// TestGrid: every combination once, the last axis first; lambda goes with each.
func TestGrid(t *testing.T) {
	spec := layers.Spec{Map: "matern", Features: 64, Params: layers.Values{"nu": 2.5, "phase": true}, Seed: 3}
	got, err := Grid(spec, Axis{Name: "map.nu", Values: []float64{.5, 1.5}}, Axis{Name: AxisLambda, Values: []float64{1, .1, 2}}, Axis{Name: AxisFeatures, Values: []float64{32, 8, 16}})
	if err != nil || len(got) != 6 {
		t.Fatal(got, err)
	}
	for i, c := range got {
		want := spec
		want.Params = layers.Values{"nu": []float64{.5, 1.5}[i/3], "phase": true}
		want.Features = []int{32, 8, 16}[i%3]
		if !reflect.DeepEqual(c, Candidate{want, []float64{1, .1, 2}}) {
			t.Errorf("%d: %+v, want %+v", i, c, want)
		}
	}
	if spec.Params.Number("nu") != 2.5 {
		t.Error("the spec was changed")
	}
	if all, err := Grid(spec); err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], Candidate{Spec: spec}) {
		t.Error(all, err)
	}
	// A parameter that has the name of an axis, and one of the kernel that another map is of.
	both, err := Grid(layers.Spec{Map: "reciprocal-semigroup", Features: 8}, Axis{Name: "map.lambda", Values: []float64{3}}, Axis{Name: AxisLambda, Values: []float64{7}})
	if err != nil || both[0].Spec.Params.Number("lambda") != 3 || both[0].Lambdas[0] != 7 {
		t.Error(both, err)
	}
	if c, err := Grid(layers.Spec{Map: "nystrom", Features: 8, Params: layers.Values{"kernel": "matern"}}, Axis{Name: "ell", Values: []float64{3}}); err != nil || c[0].Spec.Params.Number("ell") != 3 {
		t.Error(c, err)
	}
}

// TestRandomSearch: draws lie in their ranges with the law that is promised: the mean of n uniform numbers is within 4/√(12 n) of the range's
// half. They are those of the seed, and an axis does not move the others.
func TestRandomSearch(t *testing.T) {
	const n = 2000
	spec := layers.Spec{Map: "sphere-polynomial", Features: 64}
	axes := []Axis{{Name: "a", Lo: .1, Hi: 1000}, {Name: "p", Lo: 2, Hi: 7}, {Name: AxisFeatures, Lo: 10, Hi: 1000}, {Name: AxisLambda, Lo: 0, Hi: 10}, {Name: "eps", Values: []float64{.1, .2, .4}}}
	got, err := RandomSearch(spec, n, 5, axes...)
	if err != nil || len(got) != n {
		t.Fatal(len(got), err)
	}
	sums, seen, eps := make([]float64, 4), map[float64]int{}, map[float64]int{}
	for _, c := range got {
		a, p, f, l := c.Spec.Params.Number("a"), c.Spec.Params.Number("p"), c.Spec.Features, c.Lambdas[0]
		if a < .1 || a > 1000 || p < 2 || p > 7 || p != math.Trunc(p) || f < 10 || f > 1000 || f%4 != 0 || l < 0 || l > 10 {
			t.Fatalf("drawn: %+v", c)
		}
		for i, u := range []float64{math.Log(a/.1) / math.Log(1e4), (p - 1.5) / 6, math.Log(float64(f)/10) / math.Log(100), l / 10} {
			sums[i] += u / n
		}
		seen[p]++
		eps[c.Spec.Params.Number("eps")]++
	}
	for i, mean := range sums {
		rounding := []float64{0, 0, .01, 0}[i] // features near 10 are multiples of 4
		if math.Abs(mean-.5) > 4/math.Sqrt(12*n)+rounding {
			t.Errorf("%s: the mean is %v of the range", axes[i].Name, mean)
		}
	}
	if len(seen) != 6 || len(eps) != 3 {
		t.Errorf("whole numbers %v, listed ones %v", seen, eps)
	}
	fewer, err := RandomSearch(spec, 10, 5, axes[1], axes[0])
	if err != nil {
		t.Fatal(err)
	}
	other, err := RandomSearch(spec, 10, 6, axes...)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range fewer {
		if c.Spec.Params.Number("a") != got[i].Spec.Params.Number("a") || c.Spec.Params.Number("p") != got[i].Spec.Params.Number("p") || c.Spec.Features != 64 || c.Lambdas != nil {
			t.Errorf("%d: %+v, with more axes %+v", i, c, got[i])
		}
		if other[i].Spec.Params.Number("a") == got[i].Spec.Params.Number("a") {
			t.Errorf("%d: another seed draws the same", i)
		}
	}
	// No multiple of 4 lies here.
	if odd, err := RandomSearch(spec, 50, 5, Axis{Name: AxisFeatures, Lo: 5, Hi: 7}); err != nil || !slices.ContainsFunc(odd, func(c Candidate) bool { return c.Spec.Features == 7 }) {
		t.Error(odd, err)
	}
}

func TestSearchErrors(t *testing.T) {
	gaussian, linear := layers.Spec{Map: "gaussian", Features: 8}, layers.Spec{Map: "linear"}
	for _, c := range []struct {
		spec layers.Spec
		n    int // of RandomSearch; 0: Grid
		axes []Axis
		text string
	}{
		{gaussian, 0, []Axis{{Name: "ell", Values: []float64{1}}}, `no parameter "ell"; it has sigma, phase`},
		{gaussian, 0, []Axis{{Name: "phase", Values: []float64{1}}}, "phase = 1, want true or false"},
		{gaussian, 0, []Axis{{Name: "sigma", Values: []float64{1, -1}}}, "sigma = -1, want a finite number above 0"},
		{gaussian, 0, []Axis{{Name: "sigma", Values: []float64{1, 2, 1}}}, "sigma = 1 is given twice"},
		{gaussian, 0, []Axis{{Name: "sigma", Values: []float64{}}}, "sigma has 0 values"},
		{gaussian, 0, []Axis{{Name: "sigma", Values: []float64{1}}, {Name: "map.sigma", Values: []float64{2}}}, "map.sigma is given twice"},
		{gaussian, 0, []Axis{{Name: "sigma", Lo: 1, Hi: 2}}, "draw by RandomSearch"},
		{gaussian, 0, []Axis{{Name: "sigma", Values: []float64{1}, Hi: 2}}, "give one of the two"},
		{gaussian, 0, []Axis{{Name: AxisFeatures, Values: []float64{8.5}}}, "features = 8.5, want a whole number above 0"},
		{gaussian, 0, []Axis{{Name: AxisFeatures, Values: []float64{0}}}, "features = 0"},
		{gaussian, 0, []Axis{{Name: AxisFeatures, Values: []float64{math.NaN()}}}, "features = NaN"},
		{gaussian, 0, []Axis{{Name: AxisLambda, Values: []float64{-1}}}, "lambda = -1"},
		{linear, 0, []Axis{{Name: AxisFeatures, Values: []float64{8}}}, "map linear has no number of features to choose"},
		{layers.Spec{Map: "sphere-polynomial"}, 0, []Axis{{Name: "p", Values: []float64{1.5}}}, "p = 1.5, want a whole number"},
		{layers.Spec{Map: "rbf"}, 0, nil, `no map "rbf"`},
		{gaussian, 3, []Axis{{Name: "sigma", Lo: 2, Hi: 1}}, "the range 2 to 1 is none"},
		{gaussian, 3, []Axis{{Name: "sigma", Lo: 0, Hi: 1}}, "sigma = 0, want a finite number above 0"},
		{gaussian, 3, []Axis{{Name: "sigma", Lo: math.NaN(), Hi: 1}}, "the range NaN to 1 is none"},
		{gaussian, 3, nil, "3 draws along 0 axes"},
		{gaussian, -3, []Axis{{Name: "sigma", Lo: 1, Hi: 2}}, "-3 draws along 1 axes"},
	} {
		_, err := Grid(c.spec, c.axes...)
		if c.n != 0 {
			_, err = RandomSearch(c.spec, c.n, 1, c.axes...)
		}
		if !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%+v: %v, want %q", c, err, c.text)
		}
	}
}
