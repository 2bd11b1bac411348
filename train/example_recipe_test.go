package train_test

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// Rows of exclusive or, and what they are.
var (
	xorRows   = [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
	xorLabels = []string{"same", "other", "other", "same"}
)

// From rows to a model and a prediction; the lines of the README.
func ExampleRecipe() {
	ctx, rows, labels := context.Background(), xorRows, xorLabels
	// README: from here
	x, _ := data.FromSlices(rows) // or data.FromMatrix of a gonum matrix, or a tensor as it is
	recipe := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 1024}}
	model, _, err := recipe.Fit(ctx, &data.Set{X: x, Labels: labels}) // Y for targets; a data.Stream reads files in blocks
	classes, _ := model.PredictClasses(x)
	// README: to here
	fmt.Println(classes, err)
	// Output: [same other other same] <nil>
}

// Other ways to fit, and to choose: the support vector machine on the parameters that cross-validation finds best.
func ExampleRecipe_CrossValidate() {
	var rows [][]float64
	var labels []string
	for i := range 200 {
		rows = append(rows, []float64{float64(i % 20), float64(i / 20)})
		labels = append(labels, xorLabels[i%20/10+2*(i/100)])
	}
	x, _ := data.FromSlices(rows)
	set := &data.Set{X: x, Labels: labels}
	r := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 64}, Fitter: train.SVMOptions{}}
	candidates, _ := train.Grid(r.Spec, train.Axis{Name: "sigma", Values: []float64{.1, 1, 100}})
	cv, err := r.CrossValidate(context.Background(), set, candidates, train.CVOptions{Fitter: train.SVMOptions{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := cv.Scores[cv.Best]
	r.Spec, r.Fitter = best.Spec, train.SVMOptions{Lambdas: []float64{best.Lambda}}
	m, _, err := r.Fit(context.Background(), set)
	if err != nil {
		fmt.Println(err)
		return
	}
	guess, _ := m.Predict(x)
	truth, _ := m.Classes.Index(labels)
	accuracy, _ := train.Accuracy(guess, truth)
	fmt.Printf("sigma %v, accuracy above .98: %v\n", best.Spec.Params["sigma"], accuracy > .98)
	// Output: sigma 1, accuracy above .98: true
}
