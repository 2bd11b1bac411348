package train_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// A whole model, scaler and classes included, in one file. It predicts the same there and back, and rows that do not
// fit are an error that says why.
func ExampleModel() {
	x, names := trial.TwoCircles(400, 1)
	m, _, err := train.Recipe{Scale: "standard", Fitter: linear.RidgeOptions{}, Spec: layers.Spec{Map: "gaussian",
		Features: 64, Sampler: "orthogonal", Seed: 1}}.Fit(context.Background(), &data.Set{X: x, Labels: names})
	if err != nil {
		panic(err)
	}
	dir := must(os.MkdirTemp("", "model"))
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "circles.safetensors")
	if err := m.Save(path); err != nil {
		panic(err)
	}
	back, err := train.Load(path)
	if err != nil {
		panic(err)
	}
	rows, _ := data.FromSlices([][]float64{{.7, .7}, {-2, .1}, {0, 1.1}}) // as they come, not scaled
	guess, err := back.PredictClasses(rows)
	fmt.Println(guess, err)

	_, err = back.PredictClasses(tensor.New(tensor.WithShape(1, 3), tensor.Of(tensor.Float64)))
	fmt.Println(err)
	fmt.Println(errors.Is(err, domain.ErrShape))
	// Output:
	// [in out in] <nil>
	// train: Model: x has shape (1, 3) and the model was fitted on 2 columns: shape does not fit
	// true
}

// A file of the head alone: the map is drawn again from the spec and its seed.
func ExampleModel_SaveSpec() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 4096))
	m, err := train.NewModel(rff, layers.MustHead(layers.NewLinearHead(4096, 1)))
	if err != nil {
		panic(err)
	}
	dir := must(os.MkdirTemp("", "model"))
	defer os.RemoveAll(dir)
	for name, save := range map[string]func(string) error{"whole": m.Save, "spec": m.SaveSpec} {
		if err := save(filepath.Join(dir, name)); err != nil {
			panic(err)
		}
	}
	whole, spec := must(os.Stat(filepath.Join(dir, "whole"))), must(os.Stat(filepath.Join(dir, "spec")))
	fmt.Printf("%d KiB with the frequencies, %d KiB without\n", whole.Size()>>10, spec.Size()>>10)
	back, err := train.Load(filepath.Join(dir, "spec"))
	if err != nil {
		panic(err)
	}
	a, b := m.Map.Params()[0].Value.Float64s(), back.Map.Params()[0].Value.Float64s()
	fmt.Println("the same frequencies:", len(a) == len(b) && a[0] == b[0] && a[len(a)-1] == b[len(b)-1])
	// Output:
	// 64 KiB with the frequencies, 32 KiB without
	// the same frequencies: true
}
