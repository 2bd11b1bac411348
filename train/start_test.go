package train_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
)

// TestStartScaled: by default a map starts with a scale for each column where that helps on rows held out, and later
// fits to parts of the rows do too. It does not where it does not help, for fewer than 100 rows, and for a Fitter that
// chooses no decay.
func TestStartScaled(t *testing.T) {
	problem := func(n int, f func(x []float64) float64) *data.Set {
		rng := rand.New(rand.NewPCG(1, 2))
		rows, y := make([][]float64, n), make([]float64, n)
		for i := range rows {
			for range 8 {
				rows[i] = append(rows[i], rng.Float64())
			}
			y[i] = f(rows[i]) + .05*rng.NormFloat64()
		}
		return &data.Set{X: must(data.FromSlices(rows)), Y: y}
	}
	wave := func(x []float64) float64 { return math.Sin(16 * x[3]) }
	spec := layers.Spec{Map: "gaussian", Features: 128, Seed: 1}
	set, fresh := problem(1000, wave), problem(1300, wave)
	m, c, err := train.Recipe{Spec: spec, Uncertainty: &train.UncertaintyOptions{}}.Fit(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	rmse := func(m *train.Model) float64 {
		return floats.Distance(must(m.PredictTargets(fresh.X))[1000:], fresh.Y[1000:], 2) / math.Sqrt(300)
	}
	if c.Evidence == nil || c.Epochs.Directions || !slices.Equal(m.Relevance, c.Evidence.Relevance) ||
		floats.MaxIdx(m.Relevance) != 3 || m.Spec.Tune != "all" || !(rmse(m) < .2) {
		t.Errorf("evidence %+v, directions %v, relevance %v, error %v", c.Evidence, c.Epochs.Directions, m.Relevance, rmse(m))
	}
	lower, upper, err := m.PredictIntervals(fresh.X, .9)
	if err != nil {
		t.Fatal(err)
	}
	if width := upper.At(1100, 0) - lower.At(1100, 0); !(width < .7) { // fits from the map as drawn are off by as much as y varies
		t.Errorf("an interval is %v wide", width)
	}
	plain := func(set *data.Set, r train.Recipe) {
		t.Helper()
		r.Spec = spec
		if m, c, err := r.Fit(t.Context(), set); err != nil || c.Evidence != nil || m.Relevance != nil {
			t.Errorf("%v, evidence %+v", err, c.Evidence)
		}
	}
	plain(problem(600, floats.Sum), train.Recipe{})
	plain(problem(90, wave), train.Recipe{})
	plain(set, train.Recipe{Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 5}}})
}
