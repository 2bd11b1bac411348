package train_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
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
		layers.Spec{Map: "nystrom"}, layers.Spec{Map: "mean-map"})
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

// TestChosenScale: a recipe that names no scaler takes the one with the least loss on held-out rows where mini-batches
// tune a map of real numbers, and learns what a recipe that names it learns.
func TestChosenScale(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector")
	}
	const n, d = 500, 3
	rng := rand.New(rand.NewPCG(1, 2))
	sizes, bits, y := make([]float64, n*d), make([]float64, n*d), make([]float64, n)
	for i := range sizes {
		g := rng.NormFloat64()
		sizes[i], bits[i] = math.Exp(3*g), float64(rng.IntN(2))
		y[i/d] += math.Sin(g)
	}
	set := func(v []float64) *data.Set {
		return &data.Set{X: tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v)), Y: y}
	}
	rows := set(sizes)
	sparse := &data.Set{X: must(ops.CSROf(rows.X.(*tensor.Dense))), Y: y}
	counts, words := make([]float64, n*70), make([]string, n) // of texts of any length
	for i := range words {
		words[i] = []string{"a", "b"}[i%2]
		for range 1 + rng.IntN(1000) {
			counts[i*70+rng.IntN(60)+5*(i%2)]++
		}
	}
	texts := &data.Set{X: tensor.New(tensor.WithShape(n, 70), tensor.WithBacking(counts)), Labels: words}
	stored := &data.Set{X: must(ops.CSROf(texts.X.(*tensor.Dense))), Labels: words}
	named := written(t, "a,b,c,y\n"+string(must(os.ReadFile(csvOf(t, rows)))))
	table := must(data.ReadFrame(t.Context(), data.Options{Task: data.Regression}, named))
	recipe := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 32, Seed: 1}}
	for _, c := range []struct {
		name   string
		change func(r *train.Recipe)
		rows   data.Source
		want   string
	}{
		{"columns of many sizes", func(*train.Recipe) {}, rows, "quantile"},
		{"a table", func(*train.Recipe) {}, table, "quantile"},
		{"0 and 1", func(*train.Recipe) {}, set(bits), "none"},
		{"sparse rows", func(*train.Recipe) {}, sparse, "none"},
		{"counts", func(*train.Recipe) {}, texts, "l2"},
		{"sparse counts", func(*train.Recipe) {}, stored, "l2"},
		{"parameters that are given", func(r *train.Recipe) { r.Spec.Params = layers.Values{"sigma": 1.} }, rows, "none"},
		{"a map of x >= 0", func(r *train.Recipe) { r.Spec.Map, r.Spec.Tune = "exp-semigroup", "all" }, rows, "none"},
		{"a frozen map", func(r *train.Recipe) { r.Spec.Tune = "none" }, rows, "none"},
		{"a frozen map of a table", func(r *train.Recipe) { r.Spec.Tune = "none" }, table, "auto"},
		{"one decay", func(r *train.Recipe) { r.Spec.Tune, r.Fitter = "all", sgd.MiniBatch{} }, rows, "none"},
		{"steps that tune", func(r *train.Recipe) { r.Tuner = &train.Tuner{Steps: []string{train.StepFrozen, train.StepAll}} },
			rows, "quantile"},
		{"a step that does not", func(r *train.Recipe) { r.Tuner = &train.Tuner{Steps: []string{train.StepEvidence}} }, rows,
			"none"},
	} {
		r, got, enough := recipe, "", errors.New("enough")
		c.change(&r)
		r.Ready = func(s *train.Start) error { got = s.Model.Scaler.Name(); return enough }
		if err := third(r.Fit(t.Context(), c.rows)); !errors.Is(err, enough) || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	m, _ := must2(recipe.Fit(t.Context(), rows))
	recipe.Scale = "quantile"
	if named, _ := must2(recipe.Fit(t.Context(), rows)); !mat.Equal(must(named.Scores(rows.X)), must(m.Scores(rows.X))) {
		t.Error("a recipe that names the scaler learns something else")
	}
}

// TestScalersSideBySide: the map has the columns of each list, and an error names the column of the rows.
func TestScalersSideBySide(t *testing.T) {
	set, _ := ringSets(120)
	r := train.Recipe{Scale: "cube|none", Spec: layers.Spec{Map: "gaussian", Features: 32, Seed: 1}}
	m, _ := must2(r.Fit(t.Context(), set))
	if m.Dims() != 3 || m.Map.Dims() != 6 || m.Scaler.Name() != r.Scale {
		t.Errorf("%d columns, of the map %d, by %s", m.Dims(), m.Map.Dims(), m.Scaler.Name())
	}
	positive := &data.Set{X: must(data.FromSlices([][]float64{{1, 2}, {3, 1}, {0, 4}, {2, 2}})),
		Labels: []string{"a", "b", "a", "b"}}
	negative := must(data.FromSlices([][]float64{{1, 2}, {1, -2}}))
	r.Spec = layers.Spec{Map: "chi2"}
	m, _ = must2(r.Fit(t.Context(), positive))
	wants(t, "scores", second(m.Scores(negative)), domain.ErrDomain, "x[1,1] = -2")
	wants(t, "features", second(m.Features(negative)), domain.ErrDomain, "x[1,1] = -2")
	wants(t, "fit", third(r.Fit(t.Context(), &data.Set{X: negative, Labels: []string{"a", "b"}})), domain.ErrDomain,
		"x[1,1] = -2")
}
