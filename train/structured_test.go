package train_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/sgd"
	"gorgonia.org/tensor"
)

// structuredModel is a model of 17 input columns whose map has structured frequencies, fitted for an epoch.
func structuredModel(t *testing.T, params layers.Values, dtype, tune string) (*train.Model, *tensor.Dense) {
	t.Helper()
	x, labels, _ := counts(100, 17, 1)
	m := &train.Model{
		Scaler:  must(data.ParseScalers("none")),
		Spec:    layers.Spec{Map: "gaussian", Params: params, Dims: 17, Features: 62, Sampler: "structured", Dtype: dtype, Seed: 5, Tune: tune, Name: "map"},
		Classes: data.NewClasses(labels),
	}
	if err := m.Scaler.Fit(x); err != nil {
		t.Fatal(err)
	}
	dt := tensor.Float64
	if dtype == "float32" {
		dt = tensor.Float32
	}
	m.Map = must(m.Spec.Build())
	m.Head = must(layers.NewSoftmaxHead(62, len(m.Classes), layers.WithDtype(dt)))
	rows := trial.Classes(as(x, dt), must(m.Classes.Index(labels)), len(m.Classes))
	if _, err := sgd.Fit(context.Background(), m.Map, m.Head, rows, sgd.FitOptions{Epochs: 1, Batch: 32, LearnRate: .05}); err != nil {
		t.Fatal(err)
	}
	return m, x
}

// TestStructuredModels: models with structured frequencies, in both forms and element types, frozen and with a tuned bandwidth,
// predict the same bits when they have been saved and loaded; of a frozen one, spec and seed are enough.
func TestStructuredModels(t *testing.T) {
	for _, params := range []layers.Values{{"sigma": 3.}, {"sigma": 3., "phase": true}} {
		for _, dtype := range []string{"float64", "float32"} {
			for _, tune := range []string{"", "bandwidth"} {
				m, x := structuredModel(t, params, dtype, tune)
				want := must(m.Scores(x)).RawMatrix().Data
				path := filepath.Join(t.TempDir(), "m")
				if err := m.Save(path); err != nil {
					t.Fatal(err)
				}
				same := func(path string) {
					t.Helper()
					for i, v := range must(must(train.Load(path)).Scores(x)).RawMatrix().Data {
						if v != want[i] {
							t.Fatalf("%v %s %q: score %d is %v, was %v", params, dtype, tune, i, v, want[i])
						}
					}
				}
				same(path)
				switch err := m.SaveSpec(path); {
				case tune == "" && err != nil:
					t.Error(err)
				case tune == "":
					same(path)
				case err == nil:
					t.Error("a tuned map is saved without its bandwidth")
				}
				if tune == "" {
					continue
				}
				if rho := m.Map.Params()[2]; rho.Name != "log_bandwidth" || cellOf(rho.Value) == 0 {
					t.Errorf("%s is %v after tuning", rho.Name, rho.Value)
				}
			}
		}
	}
}

func cellOf(t *tensor.Dense) float64 {
	if t.Dtype() == tensor.Float32 {
		return float64(t.Float32s()[0])
	}
	return t.Float64s()[0]
}

// TestForgedStructuredCards: sizes that the signs of a file are not for are errors, and nothing of the stated size is allocated.
func TestForgedStructuredCards(t *testing.T) {
	m, _ := structuredModel(t, layers.Values{"sigma": 3.}, "float64", "")
	path := filepath.Join(t.TempDir(), "m")
	empty := tensor.New(tensor.WithShape(0, 1<<30), tensor.WithBacking([]float64{}))
	for what, c := range map[string]struct {
		is error
		f  func(ts map[string]*tensor.Dense)
	}{
		`"dims":1000000000`: {modelfile.ErrFormat, func(map[string]*tensor.Dense) {}},
		`"dims":1073741824`: {modelfile.ErrFormat, func(ts map[string]*tensor.Dense) { ts["map.signs"] = empty }},
		`"dims":33`:         {modelfile.ErrFormat, func(map[string]*tensor.Dense) {}},
		`"dims":16`:         {layers.ErrShape, func(map[string]*tensor.Dense) {}},
		`"dims":15`:         {spectral.ErrSampler, func(map[string]*tensor.Dense) {}},
		`"dims":17`:         {layers.ErrParam, func(ts map[string]*tensor.Dense) { delete(ts, "map.norms") }},
	} {
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		meta, ts, err := modelfile.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		delete(ts, "scaler.cols")
		c.f(ts)
		meta["bochner"] = strings.Replace(meta["bochner"], `"dims":17`, what, 1)
		if err := modelfile.Write(path, meta, ts); err != nil {
			t.Fatal(err)
		}
		bytes := allocated(func() { _, err = train.Load(path) })
		if !errors.Is(err, c.is) || bytes > 1<<20 {
			t.Errorf("%s: %v, want %v; %d bytes allocated", what, err, c.is, bytes)
		}
	}
}
