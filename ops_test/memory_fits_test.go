package ops_test

import (
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

// allFits are all of train/linear, train/sgd and train/evidence, and the steps that a user takes with Gorgonia's own
// solvers, by the function that fits: the numbers that each gives.
var allFits = map[string]func(t *testing.T) []float64{
	"FitRidge":                           ridge("gaussian", 32, tensor.Float64, nil),
	"FitRidge, float32":                  ridge("gaussian", 32, tensor.Float32, nil),
	"FitRidge, fewer rows than features": ridge("gaussian", 128, tensor.Float64, nil),
	"FitRidge, leave one out":            ridge("gaussian", 32, tensor.Float64, someLambdas),
	"FitRidge, two signs":                ridge("delta-gaussian", 32, tensor.Float64, nil),
	"FitRidge, rows that are read": func(t *testing.T) []float64 {
		rows := readRows(memoryPairs().Blocks(t.Context(), 0))
		return headNumbers(linear.FitRidge(t.Context(), gaussian(), rows, linear.RidgeOptions{}))
	},
	"FitRidgeCG": func(t *testing.T) []float64 {
		o := linear.CGOptions{Lambda: 1e-3, Rank: 8}
		f := must(linear.FitRidgeCG(t.Context(), gaussian(), memoryPairs(), o))
		return headNumbers(f, nil)
	},
	"FitKernelRidge": func(t *testing.T) []float64 {
		k, y := memoryGram(t)
		return kernelNumbers(linear.FitKernelRidge(k, y, 1e-3))
	},
	"FitKernelRidge with several lambdas": func(t *testing.T) []float64 {
		k, y := memoryGram(t)
		return kernelNumbers(linear.FitKernelRidge(k, y, someLambdas...))
	},
	"FitSVM":                        svm(linear.SVMOptions{}),
	"FitSVM, several lambdas":       svm(linear.SVMOptions{Lambdas: someLambdas}),
	"FitSVM, regression":            svm(linear.SVMOptions{Loss: linear.SquaredInsensitive, Lambdas: someLambdas[:1]}),
	"FitLogistic":                   logistic(linear.LogisticOptions{Lambdas: someLambdas}),
	"FitLogistic, mapped each time": logistic(linear.LogisticOptions{CacheBytes: -1}),
	"FitLaplace":                    laplace,
	"Fit, frozen, features kept":    descent("none", sgd.FitOptions{}),
	"Fit, frozen, mapped each time": descent("none", sgd.FitOptions{CacheBytes: -1}),
	"Fit, tuned, held out": descent("all",
		sgd.FitOptions{HeldOut: .2, Lambda: 1e-3, ClipNorm: 1, ClassWeights: []float64{1, 2}}),
	"Fit, tuned, checkpoints": func(t *testing.T) []float64 {
		path := filepath.Join(t.TempDir(), "fit")
		return descent("bandwidth", sgd.FitOptions{Checkpoints: sgd.Checkpoints{Path: path}})(t)
	},
	"Fit, rows that are read": fitRows,
	"Maximise":                evident,
	"CrossValidate":           crossValidate,
	"Backprop, Adam":          steps(func() G.Solver { return G.NewAdamSolver(G.WithLearnRate(.05)) }),
	"Backprop, RMSProp":       steps(func() G.Solver { return G.NewRMSPropSolver(G.WithLearnRate(.05)) }),
	"Backprop, Momentum":      steps(func() G.Solver { return G.NewMomentum(G.WithLearnRate(.05)) }),
	"Backprop, SGD":           steps(func() G.Solver { return G.NewVanillaSolver(G.WithLearnRate(.05)) }),
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
			if allFits[f.Name] == nil && allFits[f.Name+", rows that are read"] == nil {
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
	cells, y := make([]float64, n*d), mat.NewDense(n, 2, nil)
	for i := range n {
		for j := range d {
			cells[i*d+j] = math.Sin(float64(7*i + 3*j*j + 1))
		}
		class := i % 2
		if i%5 != 0 {
			cells[i*d] = float64(class) + .5*cells[i*d]
		}
		y.SetRow(i, []float64{-1, -1})
		y.Set(i, class, 1)
	}
	return matrix(dt, n, d, cells...), y
}

func memoryPairs() data.Pairs {
	x, y := memoryRows(tensor.Float64)
	return data.Pairs{X: x, Y: y}
}

// memorySpec is a map with so many features.
func memorySpec(name string, features int) layers.Spec {
	s := layers.Spec{Map: name, Dims: 3, Features: features, Seed: 3, Name: "map"}
	if name != "delta-gaussian" {
		s.Params = layers.Values{"sigma": .8}
	}
	return s
}

func ridge(name string, features int, dt tensor.Dtype, lambdas []float64) func(t *testing.T) []float64 {
	return func(t *testing.T) []float64 {
		s := memorySpec(name, features)
		s.Dtype = dt.String()
		x, y := memoryRows(dt)
		o := linear.RidgeOptions{Lambdas: lambdas}
		if len(lambdas) > 1 {
			o.Select = linear.SelectLOO
		}
		return headNumbers(linear.FitRidge(t.Context(), must(s.Build()), data.Pairs{X: x, Y: y}, o))
	}
}

func svm(o linear.SVMOptions) func(t *testing.T) []float64 {
	return func(t *testing.T) []float64 {
		f := must(linear.FitSVM(t.Context(), gaussian(), memoryPairs(), o))
		return slices.Concat(f.W.RawMatrix().Data, f.B, f.Objective)
	}
}

func logistic(o linear.LogisticOptions) func(t *testing.T) []float64 {
	return func(t *testing.T) []float64 {
		f := must(linear.FitLogistic(t.Context(), gaussian(), twoClasses(), o))
		return slices.Concat(f.W.RawMatrix().Data, f.B, f.Objective)
	}
}

// crossValidate are the scores of two maps by each kind of head.
func crossValidate(t *testing.T) (all []float64) {
	candidates := []train.Candidate{{Spec: memorySpec("gaussian", 32)}, {Spec: memorySpec("laplacian", 32)}}
	two := sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 2}, Head: "softmax"}
	for _, head := range []fits.Fitter{nil, linear.SVMOptions{}, two} {
		r, o := train.Recipe{Fitter: head}, train.CVOptions{Folds: 3, Lambdas: someLambdas}
		set := &data.Set{X: memoryPairs().X}
		for i := range 60 {
			set.Labels = append(set.Labels, fmt.Sprint(i%2))
		}
		for _, s := range must(r.CrossValidate(t.Context(), set, candidates, o)).All {
			all = append(all, s.Error, s.StdErr)
		}
	}
	return all
}

// twoClasses are the rows with the signs of their targets as classes.
func twoClasses() data.Pairs {
	rows, classes := memoryPairs(), mat.NewDense(60, 2, nil)
	for i := range 60 {
		v := math.Copysign(1, rows.Y.At(i, 0))
		classes.SetRow(i, []float64{v, -v})
	}
	return data.Pairs{X: rows.X, Y: classes}
}

func gaussian() layers.Layer { return must(memorySpec("gaussian", 32).Build()) }

func softmaxHead(d int) layers.Head {
	return must(layers.NewSoftmaxHead(d, 2, layers.WithName("head")))
}

func headNumbers(f *linear.Fit, err error) []float64 {
	return slices.Concat(must(f, err).W.RawMatrix().Data, f.B)
}

func kernelNumbers(f *linear.KernelRidge, err error) []float64 {
	return slices.Concat(must(f, err).Alpha.RawMatrix().Data, f.B)
}

// laplace are the variances and the probabilities by each covariance.
func laplace(t *testing.T) (all []float64) {
	t.Helper()
	rows, m := twoClasses(), gaussian()
	f := must(linear.FitLogistic(t.Context(), m, rows, linear.LogisticOptions{Lambdas: someLambdas[:1]}))
	z := must(layers.Transform(m, nil, rows.X))
	covariances := []linear.LaplaceCovariance{linear.ExactCovariance, linear.ClassesCovariance, linear.SharedCovariance}
	for _, c := range covariances {
		l := must(linear.FitLaplace(t.Context(), m, rows, f, linear.LaplaceOptions{Covariance: c}))
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
	spec := memorySpec("gaussian", 32)
	spec.Tune = "bandwidth-each"
	r := must(evidence.Maximise(t.Context(), must(spec.Build()), memoryPairs(), evidence.Options{MaxEvaluations: 12}))
	return slices.Concat(r.Relevance, r.Noise, []float64{r.After})
}

// descent fits a map and a softmax head by Fit and gives the probabilities of the rows.
func descent(tune string, o sgd.FitOptions) func(t *testing.T) []float64 {
	return func(t *testing.T) []float64 {
		x, _ := memoryRows(tensor.Float64)
		s := memorySpec("gaussian", 32)
		s.Tune = tune
		o.Epochs, o.Batch = 3, 16
		l, head := must(s.Build()), softmaxHead(s.Features)
		learned(t, tune, l, head, x, o)
		return transform(t, head, must(l.Transform(nil, x)))
	}
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
	survey := must(stream.Survey(t.Context(), 0))
	l, head := gaussian(), softmaxHead(32)
	rows := data.Streamed{Stream: stream, Classes: survey.Classes, Dtype: tensor.Float64}
	must(sgd.Fit(t.Context(), l, head, rows, sgd.FitOptions{Epochs: 3, Batch: 16}))
	return transform(t, head, must(l.Transform(nil, x)))
}

// steps are some with a solver of Gorgonia's, in a graph with a product and a penalty of Gorgonia's own.
func steps(solver func() G.Solver) func(t *testing.T) []float64 {
	return func(t *testing.T) []float64 { return stepsOf(solver()) }
}

func stepsOf(solver G.Solver) (all []float64) {
	rows, _ := memoryRows(tensor.Float64)
	s := memorySpec("gaussian", 32)
	s.Dims, s.Tune = 2, "bandwidth"
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
