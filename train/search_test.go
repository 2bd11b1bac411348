package train_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
)

const features, lambda = train.AxisFeatures, train.AxisLambda

// list and span are axes of values and of a range.
func list(name string, values ...float64) train.Axis {
	return train.Axis{Name: name, Values: append([]float64{}, values...)}
}
func span(name string, lo, hi float64) train.Axis { return train.Axis{Name: name, Lo: lo, Hi: hi} }

// TestGrid: every combination once, the last axis first; lambda goes with each.
func TestGrid(t *testing.T) {
	spec := layers.Spec{Map: "matern", Features: 64, Params: layers.Values{"nu": 2.5, "phase": true}, Seed: 3}
	got, err := train.Grid(spec, list("map.nu", .5, 1.5), list(lambda, 1, .1, 2), list(features, 32, 8, 16))
	if err != nil || len(got) != 6 {
		t.Fatal(got, err)
	}
	for i, c := range got {
		want := train.Candidate{Spec: spec, Lambdas: []float64{1, .1, 2}}
		want.Spec.Params = layers.Values{"nu": []float64{.5, 1.5}[i/3], "phase": true}
		want.Spec.Features = []int{32, 8, 16}[i%3]
		if !reflect.DeepEqual(c, want) {
			t.Errorf("%d: %+v, want %+v", i, c, want)
		}
	}
	if spec.Params.Number("nu") != 2.5 {
		t.Error("the spec was changed")
	}
	if all := must(train.Grid(spec)); !reflect.DeepEqual(all, []train.Candidate{{Spec: spec}}) {
		t.Error(all)
	}
	// A parameter that has the name of an axis, and one of the kernel that another map is of.
	reciprocal := layers.Spec{Map: "reciprocal-semigroup", Features: 8}
	both := must(train.Grid(reciprocal, list("map.lambda", 3), list(lambda, 7)))
	if both[0].Spec.Params.Number("lambda") != 3 || both[0].Lambdas[0] != 7 {
		t.Error(both)
	}
	nystrom := layers.Spec{Map: "nystrom", Features: 8, Params: layers.Values{"kernel": "matern"}}
	if c := must(train.Grid(nystrom, list("ell", 3))); c[0].Spec.Params.Number("ell") != 3 {
		t.Error(c)
	}
}

// TestRandomSearch: draws lie in their ranges with the law that is promised: the mean of n uniform numbers is within
// 4/√(12 n) of the range's half. The seed decides them, and an axis does not move the others.
func TestRandomSearch(t *testing.T) {
	const n = 2000
	spec := layers.Spec{Map: "sphere-polynomial", Features: 64}
	axes := []train.Axis{span("a", .1, 1000), span("p", 2, 7), span(features, 10, 1000), span(lambda, 0, 10),
		list("eps", .1, .2, .4)}
	got := must(train.RandomSearch(spec, n, 5, axes...))
	sums, seen, eps := make([]float64, 4), map[float64]int{}, map[float64]int{}
	number := func(c train.Candidate, name string) float64 { return c.Spec.Params.Number(name) }
	for _, c := range got {
		a, p, f, l := number(c, "a"), number(c, "p"), float64(c.Spec.Features), c.Lambdas[0]
		in := a >= .1 && a <= 1000 && p >= 2 && p <= 7 && f >= 10 && f <= 1000 && l >= 0 && l <= 10
		if !in || p != math.Trunc(p) || math.Mod(f, 4) != 0 {
			t.Fatalf("drawn: %+v", c)
		}
		for i, u := range []float64{math.Log(a/.1) / math.Log(1e4), (p - 1.5) / 6, math.Log(f/10) / math.Log(100), l / 10} {
			sums[i] += u / n
		}
		seen[p]++
		eps[number(c, "eps")]++
	}
	for i, mean := range sums {
		rounding := []float64{0, 0, .01, 0}[i] // features near 10 are multiples of 4
		if math.Abs(mean-.5) > 4/math.Sqrt(12*n)+rounding {
			t.Errorf("%s: the mean is %v of the range", axes[i].Name, mean)
		}
	}
	if len(got) != n || len(seen) != 6 || len(eps) != 3 {
		t.Errorf("%d draws: whole numbers %v, listed ones %v", len(got), seen, eps)
	}
	other := must(train.RandomSearch(spec, 10, 6, axes...))
	for i, c := range must(train.RandomSearch(spec, 10, 5, axes[1], axes[0])) {
		if number(c, "a") != number(got[i], "a") || number(c, "p") != number(got[i], "p") || c.Spec.Features != 64 ||
			c.Lambdas != nil || number(other[i], "a") == number(c, "a") {
			t.Errorf("%d: %+v, with more axes %+v, by another seed %+v", i, c, got[i], other[i])
		}
	}
	odd := must(train.RandomSearch(spec, 50, 5, span(features, 5, 7))) // where no multiple of 4 lies
	if !slices.ContainsFunc(odd, func(c train.Candidate) bool { return c.Spec.Features == 7 }) {
		t.Error(odd)
	}
}

func TestSearchErrors(t *testing.T) {
	gaussian, linear := layers.Spec{Map: "gaussian", Features: 8}, layers.Spec{Map: "linear"}
	both := list("sigma", 1)
	both.Hi = 2
	grid := func(s layers.Spec, axes ...train.Axis) error { return second(train.Grid(s, axes...)) }
	random := func(n int, axes ...train.Axis) error { return second(train.RandomSearch(gaussian, n, 1, axes...)) }
	bad := domain.ErrParam
	wantsAll(t, []mistake{
		{grid(gaussian, list("ell", 1)), bad, `no parameter "ell"; it has sigma, phase`},
		{grid(gaussian, list("phase", 1)), bad, "phase = 1, want true or false"},
		{grid(gaussian, list("sigma", 1, -1)), bad, "sigma = -1, want a finite number above 0"},
		{grid(gaussian, list("sigma", 1, 2, 1)), bad, "sigma = 1 is given twice"},
		{grid(gaussian, list("sigma")), bad, "sigma has 0 values"},
		{grid(gaussian, list("sigma", 1), list("map.sigma", 2)), bad, "map.sigma is given twice"},
		{grid(gaussian, span("sigma", 1, 2)), bad, "draw by RandomSearch"},
		{grid(gaussian, both), bad, "give one of the two"},
		{grid(gaussian, list(features, 8.5)), bad, "features = 8.5, want a whole number above 0"},
		{grid(gaussian, list(features, 0)), bad, "features = 0"},
		{grid(gaussian, list(features, math.NaN())), bad, "features = NaN"},
		{grid(gaussian, list(lambda, -1)), bad, "lambda = -1"},
		{grid(linear, list(features, 8)), bad, "map linear has no number of features to choose"},
		{grid(layers.Spec{Map: "sphere-polynomial"}, list("p", 1.5)), bad, "p = 1.5, want a whole number"},
		{grid(layers.Spec{Map: "rbf"}), bad, `no map "rbf"`},
		{random(3, span("sigma", 2, 1)), bad, "the range 2 to 1 is none"},
		{random(3, span("sigma", 0, 1)), bad, "sigma = 0, want a finite number above 0"},
		{random(3, span("sigma", math.NaN(), 1)), bad, "the range NaN to 1 is none"},
		{random(3), bad, "3 draws along 0 axes"},
		{random(-3, span("sigma", 1, 2)), bad, "-3 draws along 1 axes"},
	})
}
