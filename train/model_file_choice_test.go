package train_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestFilesKeepEps: a model whose eps was chosen has the number in its file, and one of the first version, whose file
// says auto, has what auto chose then; with the parameters of the map in the file and without them they predict as
// before.
func TestFilesKeepEps(t *testing.T) {
	x := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 0, .6, -.8, 0, 1}))
	for name, v := range map[string]layers.Values{"chosen now": {"eps": "auto"}, "chosen first": {"eps": .1, "flat": 0.}} {
		m := &train.Model{Scaler: must(data.ParseScalers("l2")), Head: must(layers.NewLinearHead(16, 1)),
			Spec: layers.Spec{Map: "ntk", Params: v, Dims: 2, Features: 16, Seed: 3, Name: "map"}}
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
			if name == "chosen first" {
				meta, ts, err := modelfile.Read(path)
				if err != nil {
					t.Fatal(err)
				}
				was := strings.Replace(meta["bochner"], `"eps":0.1,"flat":0`, `"eps":"auto"`, 1)
				if was == meta["bochner"] {
					t.Fatalf("no eps in %s", was)
				}
				meta["bochner"] = was
				if err := modelfile.Write(path, meta, ts); err != nil {
					t.Fatal(err)
				}
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
