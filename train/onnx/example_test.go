package onnx_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/onnx"
	"gorgonia.org/tensor"
)

// fitted is a model of two rings.
func fitted() *train.Model {
	set := &data.Set{X: tensor.New(tensor.WithShape(6, 2), tensor.WithBacking([]float64{0, 1, 3, 0, 1, 0, 0, -3, -1, 0, -3, 0})),
		Labels: []string{"inner", "outer", "inner", "outer", "inner", "outer"}}
	m, _, err := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 32}}.Fit(context.Background(), set)
	if err != nil {
		panic(err)
	}
	return m
}

// A model becomes one file, with the names of its classes.
func ExampleExport() {
	var file bytes.Buffer
	if err := onnx.Export(&file, fitted(), onnx.Options{Labels: true}); err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{onnx.Input, onnx.Scores, onnx.Label, "inner"} {
		fmt.Println(name, bytes.Contains(file.Bytes(), []byte(name)))
	}
	// Output:
	// x true
	// scores true
	// label true
	// inner true
}

// The options of everything that a model knows.
func ExampleEverything() {
	o := onnx.Everything(fitted())
	fmt.Println("labels:", o.Labels, "probabilities:", o.Probabilities, "standard deviations:", o.Std)
	// Output:
	// labels: true probabilities: false standard deviations: false
}

// A path that cannot be written is an error, and nothing is left behind.
func ExampleSave() {
	err := onnx.Save("no/such/folder/model.onnx", fitted(), onnx.Options{})
	fmt.Println(err != nil)
	// Output:
	// true
}
