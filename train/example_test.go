package train_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// A whole model, scaler and classes included, in one file. It predicts the same there and back; a damaged file is told from a good
// one, and rows that do not fit say why.
func ExampleModel_Save() {
	x, names := trial.TwoCircles(400, 1)
	m := &train.Model{Classes: data.NewClasses(names)}
	var err error
	if m.Scaler, err = data.ParseScalers("standard"); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Scaler.Fit(x); err != nil {
		fmt.Println(err)
		return
	}
	scaled, err := m.Scaler.Apply(x) // the model itself takes rows as they come
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Spec = layers.Spec{Map: "gaussian", Dims: 2, Features: 64, Sampler: "orthogonal", Seed: 1}
	if err := m.Spec.FillDefaults(scaled); err != nil { // sigma
		fmt.Println(err)
		return
	}
	if m.Map, err = m.Spec.Build(); err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Classes.Index(names)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := data.OneVersusRest(labels, len(m.Classes))
	if err != nil {
		fmt.Println(err)
		return
	}
	fit, err := linear.FitRidge(context.Background(), m.Map, data.Pairs{X: scaled, Y: y}, linear.RidgeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if m.Head, err = layers.NewLinearHead(64, len(m.Classes)); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Head.SetWeights(fit.W.RawMatrix().Data, fit.B); err != nil {
		fmt.Println(err)
		return
	}

	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "circles.safetensors")
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	back, err := train.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{.7, .7, -2, .1, 0, 1.1})) // as they come, not scaled
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
	x, _ := trial.TwoCircles(100, 1)
	m := &train.Model{Spec: layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.0}, Dims: 2, Features: 4096, Seed: 1}}
	var err error
	if m.Scaler, err = data.ParseScalers("none"); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Scaler.Fit(x); err != nil {
		fmt.Println(err)
		return
	}
	if m.Map, err = m.Spec.Build(); err != nil {
		fmt.Println(err)
		return
	}
	if m.Head, err = layers.NewLinearHead(4096, 1); err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, save := range map[string]func(string) error{"whole": m.Save, "spec": m.SaveSpec} {
		if err := save(filepath.Join(dir, name)); err != nil {
			fmt.Println(err)
			return
		}
	}
	whole, err := os.Stat(filepath.Join(dir, "whole"))
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, err := os.Stat(filepath.Join(dir, "spec"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d KiB with the frequencies, %d KiB without\n", whole.Size()>>10, spec.Size()>>10)
	back, err := train.Load(filepath.Join(dir, "spec"))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := m.Map.Params()[0].Value.Float64s(), back.Map.Params()[0].Value.Float64s()
	fmt.Println("the same frequencies:", len(a) == len(b) && a[0] == b[0] && a[len(a)-1] == b[len(b)-1])
	// Output:
	// 64 KiB with the frequencies, 32 KiB without
	// the same frequencies: true
}
