// Command onnx trains a small model and writes it as an ONNX file, with which other languages predict what Go predicts.
//
//	go run ./examples/onnx
//	npm install onnxruntime-node --ignore-scripts && node examples/onnx/predict.js
//	pip install onnxruntime && python3 examples/onnx/predict.py
//
// The rows are two moons of points, of different units in their two coordinates, with a third class between them. The
// model scales them, makes 256 random Fourier features of the Gaussian kernel, and has a softmax head; its
// probabilities are calibrated on rows that are held out. All of it is in the file, onnx_model.onnx: whoever reads it
// needs no scaler and no kernel, and no name of a class.
//
// onnx_rows.json has some rows, and what Go says of them. predict.js and predict.py compare with it, and exit with 1
// where a class differs or a probability is off by more than 1e-5. In a browser the script is the same with
// onnxruntime-web:
//
//	const session = await ort.InferenceSession.create("onnx_model.onnx");
//	const { label, probabilities } = await session.run({ x: new ort.Tensor("float32", numbers, [rows, 2]) });
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/bochner-go/bochner/examples/internal/must"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/onnx"
	"github.com/bochner-go/bochner/train/report"
	"github.com/bochner-go/bochner/train/wholefile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// said are rows, and what Go says of them.
type said struct {
	Rows          [][]float64 `json:"rows"`
	Labels        []string    `json:"labels"`
	Probabilities [][]float64 `json:"probabilities"`
}

func main() {
	model := flag.String("model", "onnx_model.onnx", "where the model goes")
	rows := flag.String("rows", "onnx_rows.json", "where some rows go, with what the model says of them")
	flag.Parse()
	if wholefile.Same(*model, *rows) {
		fmt.Fprintf(os.Stderr, "onnx: -model and -rows name the same file, %s; name two\n", *rows)
		os.Exit(2)
	}

	x, labels := moons(1500, 1)
	recipe := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 256, Params: layers.Values{"sigma": .5}},
		Uncertainty: &train.UncertaintyOptions{}}
	m, _, err := recipe.Fit(context.Background(), &data.Set{X: x, Labels: labels})
	must.Do(err)

	test, truth := moons(500, 2)
	guess := must.Get(m.PredictClasses(test))
	accuracy := must.Get(report.Accuracy(must.Get(m.Predict(test)), must.Get(m.Classes.Index(truth))))
	m.Notes = map[string]string{"test accuracy": fmt.Sprint(accuracy)}
	must.Do(onnx.Save(*model, m, onnx.Everything(m)))

	p := must.Get(m.Probabilities(test))
	out := said{Labels: guess}
	for i := range guess {
		out.Rows = append(out.Rows, test.Float64s()[2*i:2*i+2])
		out.Probabilities = append(out.Probabilities, mat.Row(nil, i, p))
	}
	must.Do(os.WriteFile(*rows, must.Get(json.Marshal(out)), 0o666))
	size := must.Get(os.Stat(*model)).Size()
	fmt.Printf("accuracy on %d other rows: %.3f\n%s: %d bytes, input %s, outputs %s, %s, %s, %s\n%s: %d rows\n", len(truth), accuracy,
		*model, size, onnx.Input, onnx.Scores, onnx.Class, onnx.Label, onnx.Probabilities, *rows, len(guess))
}

// moons are n rows: two half circles that reach into each other, and a small disc.
func moons(n int, seed uint64) (*tensor.Dense, []string) {
	rng := rand.New(rand.NewPCG(seed, 7))
	v, labels := make([]float64, 0, 2*n), make([]string, 0, n)
	for i := range n {
		t, a, b := math.Pi*rng.Float64(), .15*rng.NormFloat64(), .15*rng.NormFloat64()
		label := []string{"upper", "lower", "between"}[i%3]
		switch label {
		case "upper":
			a, b = a+math.Cos(t), b+math.Sin(t)
		case "lower":
			a, b = a+1-math.Cos(t), b+.5-math.Sin(t)
		default:
			a, b = a+.5, b+.25
		}
		// Metres above the sea, and millimetres; as float32 has them, so that every program gets the same rows.
		v, labels = append(v, float64(float32(1200+40*a)), float64(float32(.02*b))), append(labels, label)
	}
	return tensor.New(tensor.WithShape(n, 2), tensor.WithBacking(v)), labels
}
