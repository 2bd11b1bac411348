package ops_test

import (
	"context"
	"fmt"
	"go/build"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// fit is a fit of TestMemory, by the function that does it, and the numbers that it gives.
type fit struct {
	name string
	run  func(t *testing.T) []float64
}

// allFits are all of train/linear, train/sgd and train/evidence, and the steps that a user takes with Gorgonia's own
// solvers.
var allFits = []fit{
	{"FitRidge", func(t *testing.T) []float64 { return ridge(t, memorySpec("gaussian", 3), nil) }},
	{"FitRidge, float32", func(t *testing.T) []float64 {
		s := memorySpec("gaussian", 3)
		s.Dtype = tensor.Float32.String()
		return ridge(t, s, nil)
	}},
	{"FitRidge, fewer rows than features", func(t *testing.T) []float64 {
		s := memorySpec("gaussian", 3)
		s.Features = 128
		return ridge(t, s, nil)
	}},
	{"FitRidge, leave one out", func(t *testing.T) []float64 { return ridge(t, memorySpec("gaussian", 3), someLambdas) }},
	{"FitRidge, two signs", func(t *testing.T) []float64 { return ridge(t, memorySpec("delta-gaussian", 3), nil) }},
	{"FitRidge, rows that are read", func(t *testing.T) []float64 {
		x, y := memoryRows(tensor.Float64)
		f, err := linear.FitRidge(context.Background(), gaussian(), readRows(data.Pairs{X: x, Y: y}.Blocks(context.Background(), 0)), linear.RidgeOptions{})
		return headNumbers(f, err)
	}},
	{"FitRidgeCG", func(t *testing.T) []float64 {
		x, y := memoryRows(tensor.Float64)
		o := linear.CGOptions{Lambda: 1e-3, Rank: 8}
		f := must(linear.FitRidgeCG(context.Background(), gaussian(), data.Pairs{X: x, Y: y}, o))
		return headNumbers(&f.RidgeFit, nil)
	}},
	{"FitKernelRidge", func(t *testing.T) []float64 {
		k, y := memoryGram(t)
		return kernelNumbers(linear.FitKernelRidge(k, y, 1e-3))
	}},
	{"FitKernelRidgeLOO", func(t *testing.T) []float64 {
		k, y := memoryGram(t)
		return kernelNumbers(linear.FitKernelRidgeLOO(k, y, someLambdas))
	}},
	{"FitSVM", func(t *testing.T) []float64 { return svm(t, linear.SVMOptions{}) }},
	{"FitSVM, several lambdas", func(t *testing.T) []float64 { return svm(t, linear.SVMOptions{Lambdas: someLambdas}) }},
	{"FitSVM, regression", func(t *testing.T) []float64 {
		return svm(t, linear.SVMOptions{Loss: linear.SquaredInsensitive, Lambdas: someLambdas[:1]})
	}},
	{"FitLogistic", func(t *testing.T) []float64 { return logistic(t, linear.LogisticOptions{Lambdas: someLambdas}) }},
	{"FitLogistic, features anew", func(t *testing.T) []float64 { return logistic(t, linear.LogisticOptions{CacheBytes: -1}) }},
	{"FitLaplace", laplace},
	{"Fit, frozen, features kept", func(t *testing.T) []float64 { return descent(t, "frozen", sgd.FitOptions{}) }},
	{"Fit, frozen, features anew", func(t *testing.T) []float64 {
		return descent(t, "frozen", sgd.FitOptions{CacheBytes: -1})
	}},
	{"Fit, tuned, held out", func(t *testing.T) []float64 {
		o := sgd.FitOptions{HeldOut: .2, Lambda: 1e-3, ClipNorm: 1, ClassWeights: []float64{1, 2}}
		return descent(t, "all", o)
	}},
	{"Fit, tuned, checkpoints", func(t *testing.T) []float64 {
		path := filepath.Join(t.TempDir(), "fit")
		return descent(t, "bandwidth", sgd.FitOptions{Checkpoints: sgd.Checkpoints{Path: path}})
	}},
	{"Fit, rows that are read", fitRows},
	{"Maximise", evident},
	{"CrossValidate", func(t *testing.T) []float64 {
		x, y := memoryRows(tensor.Float64)
		candidates := []train.Candidate{{Spec: memorySpec("gaussian", 3)}, {Spec: memorySpec("laplacian", 3)}}
		var all []float64
		two := sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 2}, Head: "softmax"}
		for _, head := range []fits.Fitter{nil, linear.SVMOptions{}, two} {
			o := train.CVOptions{Fitter: head, Folds: 3, Lambdas: someLambdas}
			r := must(train.CrossValidate(context.Background(), candidates, data.Pairs{X: x, Y: y}, o))
			for _, s := range r.Scores {
				all = append(all, s.Error, s.StdErr)
			}
		}
		return all
	}},
	{"Backprop, Adam", func(t *testing.T) []float64 { return steps(t, G.NewAdamSolver(G.WithLearnRate(.05))) }},
	{"Backprop, RMSProp", func(t *testing.T) []float64 { return steps(t, G.NewRMSPropSolver(G.WithLearnRate(.05))) }},
	{"Backprop, Momentum", func(t *testing.T) []float64 { return steps(t, G.NewMomentum(G.WithLearnRate(.05))) }},
	{"Backprop, SGD", func(t *testing.T) []float64 { return steps(t, G.NewVanillaSolver(G.WithLearnRate(.05))) }},
}

var someLambdas = []float64{1e-3, 1e-1}

// TestMemoryKnowsTheFits: every function of train/linear and train/sgd whose name begins with Fit is in the list.
func TestMemoryKnowsTheFits(t *testing.T) {
	found := false
	for _, path := range []string{"train/linear", "train/sgd"} {
		p := must(build.ImportDir("../"+path, 0))
		d := docOf(t, p, module+"/"+path)
		funcs := d.Funcs
		for _, typ := range d.Types {
			funcs = append(funcs, typ.Funcs...)
		}
		for _, f := range funcs {
			if !strings.HasPrefix(f.Name, "Fit") {
				continue
			}
			found = true
			known := func(one fit) bool { return one.name == f.Name || strings.HasPrefix(one.name, f.Name+", ") }
			if !slices.ContainsFunc(allFits, known) {
				t.Errorf("TestMemory knows nothing of %s.%s: add it to allFits in memory_fits_test.go", path, f.Name)
			}
		}
	}
	if !found {
		t.Fatal("the functions are not where they were")
	}
}

// memoryRows are 60 rows of three columns in two classes.
func memoryRows(dt tensor.Dtype) (*tensor.Dense, *mat.Dense) {
	const n, d = 60, 3
	x, y := matrix(dt, n, d, 0), mat.NewDense(n, 2, nil)
	for i := range n {
		for j := range d {
			setCell(x, i, j, math.Sin(float64(7*i+3*j*j+1)))
		}
		class := i % 2
		if i%5 != 0 {
			setCell(x, i, 0, float64(class)+.5*floats(x)[i*d])
		}
		y.SetRow(i, []float64{-1, -1})
		y.Set(i, class, 1)
	}
	return x, y
}

// memorySpec is a map with 32 features.
func memorySpec(name string, d int) layers.Spec {
	s := layers.Spec{Map: name, Dims: d, Features: 32, Seed: 3, Name: "map"}
	if name == "gaussian" || name == "laplacian" {
		s.Params = layers.Values{"sigma": .8}
	}
	return s
}

func ridge(t *testing.T, s layers.Spec, lambdas []float64) []float64 {
	t.Helper()
	l := must(s.Build())
	x, y := memoryRows(l.Dtype())
	o := linear.RidgeOptions{Lambdas: lambdas}
	if len(lambdas) > 1 {
		o.Select = linear.SelectLOO
	}
	f, err := linear.FitRidge(context.Background(), l, data.Pairs{X: x, Y: y}, o)
	return headNumbers(f, err)
}

func svm(t *testing.T, o linear.SVMOptions) []float64 {
	t.Helper()
	x, y := memoryRows(tensor.Float64)
	f := must(linear.FitSVM(context.Background(), gaussian(), data.Pairs{X: x, Y: y}, o))
	return slices.Concat(f.W.RawMatrix().Data, f.B, f.Objective)
}

func logistic(t *testing.T, o linear.LogisticOptions) []float64 {
	t.Helper()
	f := must(linear.FitLogistic(context.Background(), gaussian(), twoClasses(), o))
	return slices.Concat(f.W.RawMatrix().Data, f.B, []float64{f.Objective})
}

// twoClasses are the rows with the signs of their targets as classes.
func twoClasses() data.Pairs {
	x, y := memoryRows(tensor.Float64)
	classes := mat.NewDense(60, 2, nil)
	for i := range 60 {
		v := 1.
		if y.At(i, 0) < 0 {
			v = -1
		}
		classes.SetRow(i, []float64{v, -v})
	}
	return data.Pairs{X: x, Y: classes}
}

func gaussian() layers.Layer { return must(memorySpec("gaussian", 3).Build()) }

func softmaxHead(d int) layers.Head {
	return must(layers.NewSoftmaxHead(d, 2, layers.WithName("head")))
}

func headNumbers(f *linear.RidgeFit, err error) []float64 {
	return slices.Concat(must(f, err).W.RawMatrix().Data, f.B)
}

func kernelNumbers(f *linear.KernelRidge, err error) []float64 {
	return slices.Concat(must(f, err).Alpha.RawMatrix().Data, f.B)
}

// laplace are the variances and the probabilities by each covariance.
func laplace(t *testing.T) (all []float64) {
	t.Helper()
	rows, m := twoClasses(), gaussian()
	f := must(linear.FitLogistic(context.Background(), m, rows, linear.LogisticOptions{Lambdas: someLambdas[:1]}))
	z := must(layers.Transform(m, nil, rows.X))
	for _, c := range []linear.LaplaceCovariance{linear.ExactCovariance, linear.ClassesCovariance, linear.SharedCovariance} {
		l := must(linear.FitLaplace(context.Background(), m, rows, f, linear.LaplaceOptions{Covariance: c}))
		v := must(l.Variance(z))
		p := must(l.Probabilities(z))
		all = slices.Concat(all, v.RawMatrix().Data, p.RawMatrix().Data)
	}
	return all
}

// memoryGram is a Gram matrix of the rows.
func memoryGram(t *testing.T) (k, y *mat.Dense) {
	t.Helper()
	x, y := memoryRows(tensor.Float64)
	z := mat.NewDense(60, 32, transform(t, gaussian(), x))
	k = new(mat.Dense)
	k.Mul(z, z.T())
	return k, y
}

// evident tunes the scales of a map and gives them.
func evident(t *testing.T) []float64 {
	t.Helper()
	x, y := memoryRows(tensor.Float64)
	spec := memorySpec("gaussian", 3)
	spec.Tune = "bandwidth-each"
	l := must(spec.Build())
	r := must(evidence.Maximise(context.Background(), l, data.Pairs{X: x, Y: y}, evidence.Options{MaxEvaluations: 12}))
	return slices.Concat(r.Relevance, r.Noise, []float64{r.After})
}

// descent fits a map and a softmax head by Fit and gives the probabilities of the rows.
func descent(t *testing.T, tune string, o sgd.FitOptions) []float64 {
	t.Helper()
	x, _ := memoryRows(tensor.Float64)
	s := memorySpec("gaussian", 3)
	s.Tune = tune
	o.Epochs, o.Batch = 3, 16
	l, head := must(s.Build()), softmaxHead(s.Features)
	learned(t, tune, l, head, x, o)
	return transform(t, head, must(l.Transform(nil, x)))
}

// fitRows fits a file that is read block by block.
func fitRows(t *testing.T) []float64 {
	t.Helper()
	x, y := memoryRows(tensor.Float64)
	var text strings.Builder
	for i, v := range floats(x) {
		fmt.Fprint(&text, v, ",")
		if i%3 == 2 {
			fmt.Fprintln(&text, y.At(i/3, 0))
		}
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	must(path, os.WriteFile(path, []byte(text.String()), 0o600))
	stream := must(data.OpenStream(data.StreamOptions{BlockRows: 16}, path))
	survey := must(stream.Survey(context.Background(), 0))
	l, head := gaussian(), softmaxHead(32)
	rows := data.Streamed{Stream: stream, Classes: survey.Classes, Dtype: tensor.Float64}
	must(sgd.Fit(context.Background(), l, head, rows, sgd.FitOptions{Epochs: 3, Batch: 16}))
	return transform(t, head, must(l.Transform(nil, x)))
}

// steps are some with a solver of Gorgonia's, in a graph with a product and a penalty of Gorgonia's own.
func steps(t *testing.T, solver G.Solver) []float64 {
	t.Helper()
	rows, _ := memoryRows(tensor.Float64)
	s := memorySpec("gaussian", 2)
	s.Tune = "bandwidth"
	l, head := must(s.Build()), softmaxHead(s.Features)
	g := G.NewGraph()
	x, y := node(g, "x", rows), node(g, "y", matrix(tensor.Float64, 60, 2, 1, 0, 0, 1))
	w := node(g, "W", matrix(tensor.Float64, 3, 2, .1, .5, -.3))
	loss := must(head.Loss(l.Fwd(G.Must(G.Mul(x, w))).Node(), y))
	loss = G.Must(G.Add(loss, G.Must(G.Mean(G.Must(G.Square(w))))))
	var value G.Value
	G.Read(loss, &value)
	model := append(layers.Collect(l, head), w)
	vm := must(sgd.Backprop(loss, model))
	defer vm.Close()
	var all []float64
	for range 5 {
		must(vm, vm.RunAll())
		all = append(all, float64(*value.(*G.F64)))
		must(solver, solver.Step(G.NodesToValueGrads(model)))
		vm.Reset()
	}
	for _, n := range model {
		all = append(all, floats(n.Value().(*tensor.Dense))...)
	}
	return all
}
