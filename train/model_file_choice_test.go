package train_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestFilesKeepEps: a model whose eps was chosen or given has the number in its file; with the parameters of the map in
// the file and without them it predicts as before.
func TestFilesKeepEps(t *testing.T) {
	x := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 0, .6, -.8, 0, 1}))
	for name, v := range map[string]layers.Values{"chosen": {"a": 3., "p": 1., "eps": "auto"},
		"given": {"a": 3., "p": 1., "eps": .1, "flat": 0.}} {
		m := &train.Model{Scaler: must(data.ParseScalers("l2")), Head: must(layers.NewLinearHead(16, 1)),
			Spec: layers.Spec{Map: "sphere-polynomial", Params: v, Dims: 2, Features: 16, Seed: 3, Name: "map"}}
		m.Map = must(m.Spec.Build())
		weights := make([]float64, 16)
		for i := range weights {
			weights[i] = float64(i + 1)
		}
		if err := errors.Join(m.Scaler.Fit(x), m.Head.SetWeights(weights, []float64{.5})); err != nil {
			t.Fatal(err)
		}
		want := must(m.Scores(x))
		for how, save := range map[string]func(string) error{"whole": m.Save, "spec": m.SaveSpec} {
			path := filepath.Join(t.TempDir(), "m")
			if err := save(path); err != nil {
				t.Fatal(err)
			}
			read, err := train.Load(path)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, how, err)
			}
			if got := must(read.Scores(x)); !mat.Equal(got, want) {
				t.Errorf("%s, %s: scores %v, before %v", name, how, got, want)
			}
			if read.Spec.Params.Number("eps") != m.Map.(*layers.GORFLayer).Split().Eps {
				t.Errorf("%s, %s: read back %v", name, how, read.Spec.Params)
			}
		}
	}
}
