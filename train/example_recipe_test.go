package train_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Rows of exclusive or, and what they are.
var (
	xorRows   = [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
	xorLabels = []string{"same", "other", "other", "same"}
)

// chessboard are the rows of a board of 2 x 2 fields, and the fields' colours.
func chessboard() *data.Set {
	set := &data.Set{X: tensor.New(tensor.WithShape(200, 2), tensor.Of(tensor.Float64))}
	for i := range 200 {
		copy(set.X.(*tensor.Dense).Float64s()[2*i:], []float64{float64(i % 20), float64(i / 20)})
		set.Labels = append(set.Labels, xorLabels[i%20/10+2*(i/100)])
	}
	return set
}

// From rows to a model and a prediction; the lines of the README.
func ExampleRecipe() {
	ctx, rows, labels := context.Background(), xorRows, xorLabels
	// README: from here
	x, _ := data.FromSlices(rows) // or data.FromMatrix of a gonum matrix, or a tensor as it is
	recipe := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 1024}}
	model, _, err := recipe.Fit(ctx, &data.Set{X: x, Labels: labels}) // Y for targets; a data.Stream reads files in blocks
	classes, _ := model.PredictClasses(x)
	// README: to here
	fmt.Println(classes, err)
	// Output: [same other other same] <nil>
}

// A network is a Spec with Parts: dense layers, maps and norms, of which each says what of it is tuned.
func ExampleRecipe_Fit_network() {
	ctx, set := context.Background(), chessboard()
	// README network: from here
	network := layers.Spec{Map: "sequential", Parts: []layers.Spec{
		{Map: "dense", Features: 32, Params: layers.Values{"activation": "tanh"}, Tune: "all"},
		{Map: "normalise"},
		{Map: "arc-cosine", Features: 512, Tune: "all"},
	}}
	model, fit, err := train.Recipe{Scale: "standard", Spec: network}.Fit(ctx, set)
	// README network: to here
	if err != nil {
		panic(err)
	}
	fmt.Println(right(model, set) > .97, len(fit.Epochs.Epochs), model.Spec.Parts[2].Dims)
	// Output: true 40 32
}

// Other ways to fit, and to choose: the support vector machine on the parameters that cross-validation finds best.
func ExampleRecipe_CrossValidate() {
	set, spec := chessboard(), layers.Spec{Map: "gaussian", Features: 64}
	r := train.Recipe{Scale: "standard", Spec: spec, Fitter: linear.SVMOptions{}}
	candidates, _ := train.Grid(r.Spec, train.Axis{Name: "sigma", Values: []float64{.1, 1, 100}})
	cv, err := r.CrossValidate(context.Background(), set, candidates, train.CVOptions{})
	if err != nil {
		panic(err)
	}
	best := cv.Best(r)
	m, _, err := best.Fit(context.Background(), set)
	if err != nil {
		panic(err)
	}
	fmt.Printf("sigma %v, accuracy above .98: %v\n", best.Spec.Params["sigma"], right(m, set) > .98)
	// Output: sigma 1, accuracy above .98: true
}

// A model of layers that a program built and trained itself: saved, and loaded with the same predictions.
func ExampleNewModel() {
	rows, classes := must(data.FromSlices(xorRows)), data.NewClasses(xorLabels)
	y := must(data.OneVersusRest(must(classes.Index(xorLabels)), 2))
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .5}, 2, 64, layers.Tune(layers.Bandwidth)))
	dense := layers.Must(layers.NewDense(64, 16, ops.ReLU))
	head := layers.MustHead(layers.NewSoftmaxHead(16, 2))
	network := layers.Must(layers.NewSequential(rff, dense))
	o := sgd.FitOptions{Epochs: 50, LearnRate: .05}
	if _, err := sgd.Fit(context.Background(), network, head, data.Pairs{X: rows, Y: y}, o); err != nil {
		panic(err)
	}
	// saving: from here
	model, err := train.NewModel(rff, dense, head)
	if err != nil {
		panic(err)
	}
	model.Classes = classes // without it "0" and "1", for a head that classifies
	// saving: to here
	dir := must(os.MkdirTemp("", "model"))
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := model.Save(path); err != nil {
		panic(err)
	}
	loaded, err := train.Load(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(loaded.Spec.Map, mat.Equal(must(loaded.Scores(rows)), must(model.Scores(rows))))
	fmt.Println(loaded.PredictClasses(rows))
	// Output:
	// sequential true
	// [same other other same] <nil>
}

// A weight of Gorgonia's own and a layer, saved by one program and read back by another that builds the same network.
func ExampleLoadParams() {
	build := func(fill float64, seed uint64) (*G.Node, layers.Layer) {
		w := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{fill, 2 * fill}))
		rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 4, layers.WithSeed(seed)))
		return G.NewMatrix(G.NewGraph(), G.Float64, G.WithShape(1, 2), G.WithName("W"), G.WithValue(w)), rff
	}
	dir := must(os.MkdirTemp("", "params"))
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "network.safetensors")
	w, rff := build(3, 1)
	if err := train.SaveParams(path, G.Nodes{w}, rff); err != nil {
		panic(err)
	}
	v, other := build(0, 2)
	if err := train.LoadParams(path, G.Nodes{v}, other); err != nil {
		panic(err)
	}
	x, _ := data.FromSlices([][]float64{{.3, .4}})
	a, _ := rff.Transform(nil, x)
	b, _ := other.Transform(nil, x)
	fmt.Println(v.Value().(*tensor.Dense).Float64s(), a.Eq(b))
	// Output: [3 6] true
}

// A kernel that knows a period carries it on beyond the rows: at 14, two after the last row, a sine of period 3.
func ExampleRecipe_period() {
	rows := &data.Set{X: tensor.New(tensor.WithShape(121, 1), tensor.Of(tensor.Float64))}
	for i := range 121 {
		x := float64(i) / 10
		rows.X.(*tensor.Dense).Float64s()[i] = x
		rows.Y = append(rows.Y, math.Sin(2*math.Pi*x/3))
	}
	later := tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{14}))
	spec := layers.Spec{Map: "spectral-mixture", Features: 512, Seed: 1, Tune: "none",
		Params: layers.Values{"means": fmt.Sprint(2 * math.Pi / 3), "sigmas": "10"}}
	m, _, err := train.Recipe{Spec: spec, Fitter: linear.RidgeOptions{}}.Fit(context.Background(), rows)
	if err != nil {
		panic(err)
	}
	y, err := m.PredictTargets(later)
	fmt.Printf("%.2f, exactly %.2f %v\n", y[0], math.Sin(2*math.Pi*14/3), err)
	// Output: -0.87, exactly -0.87 <nil>
}
