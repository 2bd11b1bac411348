package train_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"gorgonia.org/tensor"
)

// clipped are the maps for which minmax is cube, with these parameters.
var clipped = []layers.Spec{
	{Map: "exp-semigroup"}, {Map: "reciprocal-semigroup"}, {Map: "skewed-chi2"}, {Map: "skewed-intersection", Params: layers.Values{"c": .1}},
	{Map: "hellinger"}, {Map: "chi2"}, {Map: "intersection"}, {Map: "jensen-shannon"},
	{Map: "exp-hellinger"}, {Map: "exp-chi2"}, {Map: "exp-intersection"}, {Map: "exp-jensen-shannon"},
	{Map: "add-kpca"}, {Map: "maji-berg"}, {Map: "nystrom", Params: layers.Values{"kernel": "chi2"}},
	{Map: "hdd-js"}, {Map: "hdd-hellinger"}, {Map: "hdd-tv"}, {Map: "l2-density"}, {Map: "mean-map", Params: layers.Values{"kernel": "chi2"}},
}

// TestScalersFor: minmax is cube for every map with a lower bound, and for no other.
func TestScalersFor(t *testing.T) {
	specs := slices.Clone(clipped)
	for _, e := range layers.Entries() {
		if !slices.ContainsFunc(clipped, func(s layers.Spec) bool { return s.Map == e.Name }) {
			specs = append(specs, layers.Spec{Map: e.Name})
		}
	}
	specs = append(specs, layers.Spec{Map: "chi2", Params: layers.Values{"negative": "sign"}}, layers.Spec{Map: "nystrom"}, layers.Spec{Map: "mean-map"})
	for i, s := range specs {
		want := "minmax,l2"
		if i < len(clipped) {
			want = "cube,l2"
		}
		c, err := train.ScalersFor(s, "minmax,l2")
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
		if got, err := train.ScalersFor(c.spec, "auto"); err != nil || got.Name() != c.want {
			t.Errorf("%v: %v, %v; want %s", c.spec, got, err, c.want)
		}
	}
	if _, err := train.ScalersFor(layers.Spec{Map: "chi2"}, "most"); !errors.Is(err, domain.ErrParam) {
		t.Errorf("no scaler: %v", err)
	}
	if _, err := train.ScalersFor(layers.Spec{Map: "chi"}, "none"); !errors.Is(err, domain.ErrParam) {
		t.Errorf("no map: %v", err)
	}
}

// TestRowsBelowTheTrainingRows: a model by ScalersFor predicts for rows below and above those it was fitted to, and so
// does the file of it; one whose scaler is minmax says what would, and predicts for all rows in range what the other
// does.
func TestRowsBelowTheTrainingRows(t *testing.T) {
	x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{1, 5, 2, 7, 3, 6, 4, 8}))
	later := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{.5, 9, 2, 4}))
	for _, name := range []string{"exp-semigroup", "chi2", "exp-chi2", "skewed-intersection"} {
		build := func(unclipped bool) *train.Model {
			m := &train.Model{Spec: layers.Spec{Map: name, Dims: 2, Seed: 1, Name: "map"}}
			if must(layers.Lookup(name)).HasFeatures() {
				m.Spec.Features = 8
			}
			m.Scaler = must(train.ScalersFor(m.Spec, "minmax"))
			if unclipped {
				m.Scaler = must(train.ScalersFor(layers.Spec{Map: "linear"}, "minmax"))
			}
			if err := m.Scaler.Fit(x); err != nil {
				t.Fatal(err)
			}
			if m.Spec.Params = (layers.Values{}); name == "skewed-intersection" {
				m.Spec.Params["c"] = .1
			}
			if err := m.Spec.FillDefaults(must(m.Scaler.Apply(x))); err != nil {
				t.Fatal(err)
			}
			m.Map = must(m.Spec.Build())
			m.Head = must(layers.NewLinearHead(m.Map.Features(), 1))
			weights := make([]float64, m.Map.Features())
			for i := range weights {
				weights[i] = math.Sin(float64(i))
			}
			if err := m.Head.SetWeights(weights, []float64{.5}); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "model")
			if err := m.Save(path); err != nil {
				t.Fatal(err)
			}
			return must(train.Load(path))
		}
		m, old := build(false), build(true)
		if _, err := m.Scores(later); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(must(m.PredictTargets(x)), must(old.PredictTargets(x))) {
			t.Errorf("%s: cube predicts for the training rows what minmax does not", name)
		}
		if old.Scaler.Name() != "minmax" {
			t.Errorf("%s: the file of minmax has the scaler %s", name, old.Scaler.Name())
		}
		_, err := old.Scores(later)
		if !errors.Is(err, domain.ErrDomain) || strings.Contains(err.Error(), "minmax") || name != "skewed-intersection" && !strings.Contains(err.Error(), "cube") {
			t.Errorf("%s under minmax: %v", name, err)
		}
	}
}
