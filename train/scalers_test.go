package train_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// clipped are the maps for which minmax is cube, with these parameters.
var clipped = []layers.Spec{
	{Map: "exp-semigroup"}, {Map: "reciprocal-semigroup"}, {Map: "skewed-chi2"},
	{Map: "skewed-intersection", Params: layers.Values{"c": .1}},
	{Map: "hellinger"}, {Map: "chi2"}, {Map: "intersection"}, {Map: "jensen-shannon"},
	{Map: "homogeneous-gaussian"},
	{Map: "exp-hellinger"}, {Map: "exp-chi2"}, {Map: "exp-intersection"}, {Map: "exp-jensen-shannon"},
	{Map: "add-kpca"}, {Map: "maji-berg"}, {Map: "nystrom", Params: layers.Values{"kernel": "chi2"}},
	{Map: "hdd-js"}, {Map: "hdd-hellinger"}, {Map: "hdd-tv"}, {Map: "l2-density"},
	{Map: "mean-map", Params: layers.Values{"kernel": "chi2"}},
}

// TestNewScaler: minmax is cube for every map with a lower bound, and for no other.
func TestNewScaler(t *testing.T) {
	specs := slices.Clone(clipped)
	for _, e := range layers.Entries() {
		if !slices.ContainsFunc(clipped, func(s layers.Spec) bool { return s.Map == e.Name }) {
			specs = append(specs, layers.Spec{Map: e.Name})
		}
	}
	specs = append(specs, layers.Spec{Map: "chi2", Params: layers.Values{"negative": "sign"}},
		layers.Spec{Map: "nystrom"},
		layers.Spec{Map: "mean-map"})
	for i, s := range specs {
		want := "minmax,l2"
		if i < len(clipped) {
			want = "cube,l2"
		}
		c, err := train.Recipe{Scale: "minmax,l2", Spec: s}.NewScaler()
		if err != nil || c.Name() != want {
			t.Errorf("%s(%v): %v, %v; want %s", s.Map, s.Params, c, err, want)
		}
	}
	angles, smooth := layers.Spec{Map: "sphere-polynomial", Features: 8}, layers.Spec{Map: "gaussian", Features: 8}
	for _, c := range []struct {
		spec layers.Spec
		want string
	}{
		{smooth, "auto"}, {angles, "auto,l2"},
		{layers.Spec{Map: "concat", Parts: []layers.Spec{smooth, angles}}, "auto,l2"},
		{layers.Spec{Map: "sequential", Parts: []layers.Spec{angles, smooth}}, "auto,l2"},
		{layers.Spec{Map: "sequential", Parts: []layers.Spec{smooth, {Map: "l2"}, angles}}, "auto"},
	} {
		if got, err := (train.Recipe{Scale: "auto", Spec: c.spec}).NewScaler(); err != nil || got.Name() != c.want {
			t.Errorf("%v: %v, %v; want %s", c.spec, got, err, c.want)
		}
	}
	wants(t, "no scaler", second(train.Recipe{Scale: "most", Spec: layers.Spec{Map: "chi2"}}.NewScaler()), domain.ErrParam, "most")
	wants(t, "no map", second(train.Recipe{Spec: layers.Spec{Map: "chi"}}.NewScaler()), domain.ErrParam, "chi")
}

// TestRowsBelowTheTrainingRows: a model by NewScaler predicts for rows below and above those it was fitted to, and so
// does the file of it; one whose scaler is minmax says what would, and predicts for all rows in range what the other
// does.
func TestRowsBelowTheTrainingRows(t *testing.T) {
	x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{1, 5, 2, 7, 3, 6, 4, 8}))
	later := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{.5, 9, 2, 4}))
	for _, name := range []string{"exp-semigroup", "chi2", "exp-chi2", "skewed-intersection"} {
		r := train.Recipe{Scale: "minmax", Spec: layers.Spec{Map: name, Seed: 1}, Fitter: linear.RidgeOptions{}}
		if must(layers.Lookup(name)).HasFeatures() {
			r.Spec.Features = 8
		}
		if name == "skewed-intersection" {
			r.Spec.Params = layers.Values{"c": .1}
		}
		m, _, err := r.Fit(t.Context(), &data.Set{X: x, Y: []float64{1, 3, 2, 5}})
		if err != nil {
			t.Fatal(err)
		}
		unclipped := *m
		unclipped.Scaler = must(data.ParseScalers("minmax"))
		if err := unclipped.Scaler.Fit(x); err != nil {
			t.Fatal(err)
		}
		m, old := reloaded(t, m.Save), reloaded(t, unclipped.Save)
		if _, err := m.Scores(later); err != nil || m.Scaler.Name() != "cube" || old.Scaler.Name() != "minmax" {
			t.Errorf("%s: scalers %s and %s: %v", name, m.Scaler.Name(), old.Scaler.Name(), err)
		}
		if !slices.Equal(must(m.PredictTargets(x)), must(old.PredictTargets(x))) {
			t.Errorf("%s: cube predicts for the training rows what minmax does not", name)
		}
		_, err = old.Scores(later)
		if !errors.Is(err, domain.ErrDomain) || strings.Contains(err.Error(), "minmax") ||
			name != "skewed-intersection" && !strings.Contains(err.Error(), "cube") {
			t.Errorf("%s under minmax: %v", name, err)
		}
	}
}
