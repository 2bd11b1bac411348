package train_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// TestSaveSpecWantsTheDrawOfTheSpec: weights that the spec does not draw cannot be left out of a file, and are kept by Save.
func TestSaveSpecWantsTheDrawOfTheSpec(t *testing.T) {
	spec := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1}, Dims: 2, Features: 8, Name: "rff"}
	k := spectral.Gaussian{Sigma: 1}
	composed := func() layers.Layer {
		a, b := must(layers.NewFourierLayer(k, 2, 8)), must(spec.Build())
		must(layers.NewConcat(2, []layers.Part{{Layer: a, To: 2, Weight: 1}, {Layer: b, To: 2, Weight: 1}}))
		return b
	}
	for name, m := range map[string]layers.Layer{
		"by name":  must(layers.NewFourierLayer(k, 2, 8, layers.WithName("rff"))),
		"by seed":  must(layers.NewFourierLayer(k, 2, 8, layers.WithSeed(2))),
		"composed": composed(),
		"":         must(spec.Build()),
		"alone":    must(layers.NewFourierLayer(k, 2, 8)),
	} {
		x := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6}))
		model := &train.Model{Spec: spec, Map: m, Head: must(layers.NewLinearHead(8, 1)), Scaler: fitted(t, x)}
		path := filepath.Join(t.TempDir(), "model")
		err := model.SaveSpec(path)
		if drawn := name == "" || name == "alone"; drawn != (err == nil) {
			t.Errorf("%q: SaveSpec: %v", name, err)
		}
		if err != nil && (!errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "use Save")) {
			t.Errorf("%q: SaveSpec: %v", name, err)
		}
		if err := model.Save(path); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestLoadedDrawStays: a composition does not draw the map of a loaded model again.
func TestLoadedDrawStays(t *testing.T) {
	spec := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1}, Dims: 2, Features: 8}
	x := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6}))
	model := &train.Model{Spec: spec, Map: must(spec.Build()), Head: must(layers.NewLinearHead(8, 1)), Scaler: fitted(t, x)}
	path := filepath.Join(t.TempDir(), "model")
	if err := model.SaveSpec(path); err != nil {
		t.Fatal(err)
	}
	m := must(train.Load(path))
	first := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 8))
	must(layers.NewConcat(2, []layers.Part{{Layer: first, To: 2, Weight: 1}, {Layer: m.Map, To: 2, Weight: 1}}))
	if a, b := must(m.Map.Transform(nil, x)), must(must(spec.Build()).Transform(nil, x)); a.Float64s()[0] != b.Float64s()[0] {
		t.Error("the map of a loaded model was drawn again")
	}
}

// fitted is the scaler that changes nothing, fitted on rows.
func fitted(t *testing.T, x *tensor.Dense) *data.Chain {
	t.Helper()
	c := must(data.ParseScalers("none"))
	if err := c.Fit(x); err != nil {
		t.Fatal(err)
	}
	return c
}
