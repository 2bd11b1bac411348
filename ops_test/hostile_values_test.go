package ops_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/report"
	"github.com/bochner-go/bochner/train/sgd"
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// hostileNever are functions that the battery does not call, and why.
var hostileNever = map[string]string{
	"ops.CSR.Format":        "package fmt calls it, and its argument is never nil",
	"ops/blas.Use":          "it changes the products of the whole process, and has no argument",
	"layers/maptest.Run":    "it is a test, and its mistakes are failures",
	"layers/maptest.Rows":   "it is for tests, where a panic is a failure",
	"layers/maptest.Inside": "it is for tests, where a panic is a failure",
}

// hostileRefused are functions for which there is no good argument, and why.
var hostileRefused = map[string]string{
	"train/report.Graphviz": "it wants the command dot, which may not be there",
	"layers.Register":       "its map would be in the table of every other battery; package layers tests it",
}

// hostileAsked are functions or parameters that are not called with huge numbers or with sparse rows of many columns,
// because the memory or the time is what the caller asks for, and the caller alone.
var hostileAsked = map[string]string{
	"train/data.Scaler.Fit.x":    "a scaler holds numbers for each column",
	"ops.Copy.x":                 "the copy is dense",
	"ops.InBlocks.x":             "a block is dense",
	"train/report.ExactGram.x":   "a kernel wants whole rows, two at a time",
	"train/sgd.Fit.o.Epochs":     "the epochs are what the caller asks for",
	"train.Recipe.Fit":           "the epochs are what the caller asks for",
	"train.Recipe.CrossValidate": "it fits by the epochs of the defaults, several times",
}

// shape is a good tensor of that shape.
type shape []int

// goodValues are good values by type: constants, and functions that make a new value for each call or one of an
// interface. The first of a type is also the argument of that type, and that of an interface is the first that
// implements it. What is not here comes from reflection: what functions of the package make of good arguments, and else
// the zero value.
var goodValues = []any{
	3, .5, "name", []int{0, 1, 1}, []bool{true, false, true}, []uint64{1, 2}, []string{"a", "b"}, [][]int{{1, 2}, {3, 4}}, tensor.Float64,
	func(*arguments) []float64 { return cells(3) },
	map[string]string{"key": "value"},
	func(*arguments) map[string]*tensor.Dense { return map[string]*tensor.Dense{"W": tensorOf(3, 4)} },
	func(*arguments) *tensor.Dense { return tensorOf(6, 3) },
	func(*arguments) ops.Matrix { return tensorOf(6, 3) },
	func(v *arguments) *G.Node { return v.node(tensorOf(6, 3)) },
	func(v *arguments) G.Input { return v.node(tensorOf(6, 3)) },
	func(v *arguments) *G.ExprGraph { return v.node(tensorOf(6, 3)).Graph() },
	func(*arguments) *mat.Dense { return matOf(6, 1) },
	func(*arguments) rand.Source { return spectral.Stream(1, "hostile") },
	func(*arguments) io.Reader { return strings.NewReader(goodCSV) },
	func(*arguments) io.Writer { return &bytes.Buffer{} },
	func(*arguments) *plot.Plot { return plot.New() },
	func(*arguments) iter.Seq2[ops.Matrix, error] {
		return func(yield func(ops.Matrix, error) bool) { yield(tensorOf(6, 3), nil) }
	},
	context.Background(), image.NewGray(image.Rect(0, 0, 8, 8)),
	spectral.Gaussian{Sigma: 1}.At,
	func(_, row int) bool { return row%2 == 0 },
	func(dst *tensor.Dense, x ops.Matrix) error { return nil },
	func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err },
	func(f *os.File) (data.Table, error) { return nil, errors.New("no table") },
	func(string, []string, []data.Column) (data.TableWriter, error) { return nil, errors.New("no writer") },

	spectral.Gaussian{Sigma: 1}, spectral.Chi2{}, spectral.ExpSemigroup{Beta: 1}, spectral.SpherePolynomial{A: 2, P: 3},
	spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}},
	spectral.Custom{Exact: spectral.Gaussian{Sigma: 1}.At, Of: spectral.Gaussian{Sigma: 1}.Law()},
	spectral.JensenShannonDivergence, spectral.Levy{}, spectral.Stationary{Of: spectral.Chi2{}},
	func(*arguments) *spectral.Split {
		k := spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}
		return must(k.Split(3, 2, spectral.Joint))
	},

	ops.Tables{Points: 2, Width: 1, Power: 1, Rise: true}, ops.Series{F: []int{1}, Gamma: 1},
	func(*arguments) *ops.Bags { return goodBags() },
	func(*arguments) *ops.CSR { return goodCSR() },
	func(*arguments) *ops.CSR { return must(goodCSR().As(tensor.Float32, "hostile")) },
	func(*arguments) *ops.Weights { return must(ops.Fourier(ops.Attr{}).Pack(3, tensorOf(3, 4))) },
	func(*arguments) dense.Shifted {
		f, _ := dense.Reduce(context.Background(), cells(9), 3).Shift(100)
		return f
	},
	&domain.CellError{Who: "who", Reason: "reason"}, &domain.RowError{Who: "who"},
	domain.NonNegative(), domain.UnitSphere(.1),

	func(*arguments) *layers.RandomLayer { return must(goodSpec().Build()).(*layers.RandomLayer) },
	func(*arguments) *layers.RandomLayer {
		return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, layers.Tune(layers.All)))
	},
	func(*arguments) *layers.LinearHead { return must(layers.NewLinearHead(8, 1)) },
	func(*arguments) *layers.Sequential {
		return must(layers.NewSequential(must(goodSpec().Build()), must(layers.NewLinearHead(8, 2))))
	},
	func(*arguments) layers.Part {
		part := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, layers.WithName("part"),
			layers.WithInputGrad()))
		return layers.Part{Layer: part, From: 0, To: 3, Weight: 1}
	},
	[]layers.Option{}, layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: 1},
	layers.Nystrom{Kernel: spectral.Gaussian{Sigma: 1}}, layers.AddKPCA{Kernel: spectral.Chi2{}},
	must(layers.Lookup("gaussian")), must(layers.Lookup("nystrom")),
	layers.Param{Name: "W", Value: tensorOf(2, 3)},
	func(*arguments) layers.Spec { return goodSpec() },
	layers.Traits{Signed: true},
	func(*arguments) layers.Values { return layers.Values{"sigma": 1., "phase": true, "word": "w"} },

	func(*arguments) *data.Set { return goodSet() },
	func(*arguments) data.Examples { return goodPairs() },
	func(*arguments) data.Pairs { return goodPairs() },
	func(v *arguments) *data.Stream { return goodStream(v) },
	func(v *arguments) data.Streamed { return data.Streamed{Stream: goodStream(v), Dtype: tensor.Float64} },
	func(v *arguments) *data.Survey {
		return must(goodStream(v).SurveyScaled(context.Background(), 2, goodScaler()))
	},
	func(*arguments) *data.Frame { return goodFrame() },
	func(*arguments) *data.Columns { return must(goodFrame().Learn(data.ColumnOptions{})) },
	data.Options{Task: data.Regression}, goodStreamOptions, data.ColumnOptions{}, data.Classes{"a", "b"},
	func(*arguments) *data.Scaler { return goodScaler() },

	&fits.Cost{}, fits.Problem{Rows: 6, Features: 8, Outputs: 1}, fits.LambdaScore{Lambda: 1, MSE: 1},
	linear.RidgeOptions{}, linear.CGOptions{Rank: 2}, linear.SVMOptions{MaxSteps: 3},
	sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 1}, Head: "softmax"}, sgd.FitOptions{Epochs: 1, Batch: 4},
	func(*arguments) *linear.RidgeStats { return goodStats() },

	func(*arguments) *calibrate.Calibration { return goodCalibration(calibrate.Temperature) },
	func(*arguments) *calibrate.Calibration { return goodCalibration(calibrate.TemperatureBias) },
	func(*arguments) *calibrate.Calibration { return goodCalibration(calibrate.Platt) },
	func(*arguments) *calibrate.Calibration { return goodCalibration(calibrate.Isotonic) },
	func(*arguments) *calibrate.Intervals { return must(calibrate.FitIntervals(matOf(6, 1), nil)) },
	func(*arguments) *calibrate.Intervals {
		return must(calibrate.FitIntervals(matOf(6, 1), goodProbabilities(6, 1)))
	},
	func(*arguments) *calibrate.Sets {
		return must(calibrate.FitSets(calibrate.AdaptiveRandomised, goodProbabilities(6, 2), sixLabels, 1))
	},

	report.History{Loss: []float64{3, 2, 1}, LossName: "loss"},
	report.Line{Name: "line", X: []float64{.25, .5}, Y: []float64{.5, 1}},
	[]report.Option{}, &report.Bias{Mean: 1}, report.DistanceError{Distance: 1, RMS: 1}, goodDraw,

	train.CVOptions{Folds: 2}, train.Axis{Name: "sigma", Values: []float64{1, 2}},
	func(*arguments) train.Candidate { return train.Candidate{Spec: goodSpec()} },
	train.Trial{Recipe: train.Recipe{Scale: "none", Spec: goodSpec()}, Kind: "frozen"},
	func(*arguments) *train.Distribution {
		return &train.Distribution{Mean: mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6}),
			Std: mat.NewDense(6, 1, []float64{1, 1, 1, 1, 1, 1})}
	},
	func(*arguments) *train.Model { return goodModel() },
	func(*arguments) *train.Model {
		m, _, err := goodRecipe().Fit(context.Background(), goodSet())
		return must(m, err)
	},
	func(*arguments) train.Recipe { return goodRecipe() },
}

func init() {
	for _, s := range spectral.Samplers() {
		goodValues = append(goodValues, s)
	}
}

// goodNamed are good values by the names of parameters: of a function or a method, of a method of any type of a
// package, of anything in a package, and of anything.
var goodNamed = []struct {
	names string
	value any
}{
	{"*.dst", nil},
	{"*.path", func(v *arguments) any { return v.path("out") }},
	{"init.Coupling.UnmarshalText.name", []byte("joint")},
	{"init.LambdaRule.UnmarshalText.name", []byte("gauss")},
	{"init.Window.UnmarshalText.name", []byte("uniform")},
	{"init.SamplerByName.name", "iid"},
	{"init.StructuredFrequencies.d init.Structured.Fits.d init.Structured.Sample.d", 16},
	{"init.Theorem5.eps", .1},
	{"init.Theorem5.R init.Theorem5.L", 2.},
	{"init.*.Profile.dst", func(*arguments) any { return make([]float64, 3) }},
	{"init.*.w", func(*arguments) any { return make([]float64, 9) }},
	{"init.Structured.Sample.w", func(*arguments) any { return make([]float64, 48) }},
	{"init.FittedPeriod.w init.OptimalPeriod.w init.NewHarmonics.w init.*.FittedPeriod.w", spectral.Uniform},

	{"layers.Tune.p", layers.All}, // options have values that are not the default
	{"layers.WithCoupling.c", spectral.Joint},
	{"layers.WithDtype.dt", tensor.Float32},
	{"layers.WithOrder.n", 2},
	{"layers.WithPeriod.period", 9.},
	{"layers.WithSampler.s", spectral.Halton{}},
	{"layers.WithSeed.seed", 5},
	{"layers.WithWindow.w", spectral.Uniform},
	{"layers.*.features", 8},
	{"layers.NewHead.kind", "linear"},
	{"layers.Lookup.name layers.ParseValues.mapName", "gaussian"},
	{"layers.ParsePolicy.s", "none"},
	{"layers.ParseValues.text", "sigma=2"},
	{"layers.NewBagLayer.of", func(*arguments) any {
		return must(layers.NewHDDLayer(layers.Density{Sigma: 1, Bandwidth: []float64{.3}}, 2, 8))
	}},
	{"layers.NewBinningLayer.bins", 4},
	{"layers.NewSkewedLayer.k", spectral.SkewedChi2{C: 1}},
	{"layers.NewRandomReLULayer.k", spectral.NeuralTangent{}},
	{"layers.NewPositiveLayer.k", spectral.Softmax{Sigma: 1}},
	{"layers.NewAdditiveLayer.k", spectral.AdditiveGaussian{Sigma: 1}},
	{"layers.NewAdditiveLayer.features", 6},
	{"layers.NewRandomLaplaceLayer.k", spectral.ExpSemigroup{Beta: 1}},
	{"layers.NewNystromLayer.sample", shape{12, 3}},
	{"layers.NewNystromLayer.features", 4},
	{"layers.NewHDDLayer.axes", 2},
	{"layers.Entry.Check.v", layers.Values{}},
	{"layers.*.offsets ops.*.offsets", []int{0, 2, 6}},

	{"ops/dense.*.a ops/dense.*.z ops/domain.CheckRows.x", func(*arguments) any { return cells(9) }},
	{"ops/dense.*.from ops/blas.*.uplo", gonum.Lower},
	{"ops/domain.CheckSize.shape", []int{2, 3}},
	{"ops/blas.*.tA", gonum.NoTrans},
	{"ops/blas.*.tB", gonum.Trans},
	// 16 x 16 x 16 is where gonum's own products end
	{"ops/blas.*.m ops/blas.*.n ops/blas.*.k ops/blas.*.lda ops/blas.*.ldb ops/blas.*.ldc", 16},
	{"ops/blas.*.a ops/blas.*.b ops/blas.*.c", shape{16, 16}},
	{"ops/blas.*.by", shape{16}},
	{"ops.*.i ops.*.j ops.*.lo ops.*.at ops.*.from train/data.RowRange.lo", 1},
	{"ops.*.hi ops.*.to", 2},
	{"ops.Assign.dst ops.ColumnsInto.dst", shape{6, 3}},
	{"ops.Concat.scales ops.Kronecker.scales", []float64{.5}},
	{"ops.NewCSR.pointers", []int{0, 1, 2, 3}},
	{"ops.NewCSR.columns", []int32{0, 1, 2}},
	{"ops.NewCSR.values", []float64{1, 2, 3}},
	{"ops.NewGrid.points", []int{5, 5, 5}},
	{"ops.LogWaves.omega", []float64{1}},
	{"ops.LogWaves.amplitude", []float64{.5}},
	{"ops.TensorSketch.m ops.Binning.b", 4},
	{"ops.Op.Into.in ops.Op.Sparse.in", func(*arguments) any { return []ops.Matrix{tensorOf(3, 4)} }},
	{"ops.Op.Node.in", func(v *arguments) any { return []*G.Node{v.node(tensorOf(6, 3)), v.node(tensorOf(3, 4))} }},
	{"ops.Op.Pack.d", 3},
	{"ops.Op.Pack.in", func(*arguments) any { return []*tensor.Dense{tensorOf(3, 4)} }},

	{"train/linear.*.lambda", 1.},
	{"train/linear.*.lambdas", []float64{.1, 1, 10}},
	{"train.Around.spec", layers.Spec{Map: "gaussian", Features: 8}},
	{"train.*.spec", func(*arguments) any { return goodSpec() }},
	{"train.Auto.o", train.AutoOptions{Trials: 3, MaxFeatures: 8}},
	{"train/sgd.Backprop.loss", func(v *arguments) any { return must(G.Sum(v.leaf())) }},
	{"train/sgd.Backprop.params train.*.nodes", func(v *arguments) any { return G.Nodes{v.leaf()} }},
	{"train/data.BalancedWeights.counts", []int{3, 2}},
	{"train/linear.FitKernelRidge.k", func(*arguments) any { return goodGram() }},
	{"train/linear.KernelRidge.Predict.kTest", func(*arguments) any { return matOf(2, 6) }},
	{"train/linear.FitLogistic.rows train/linear.FitLaplace.examples", func(*arguments) any { return goodClasses() }},
	{"train/linear.FitLaplace.m", must(layers.NewIdentity(3))},
	{"train/linear.FitLaplace.f", func(*arguments) any { return goodHead() }},
	{"train/linear.Laplace.Restore.tensors", func(*arguments) any { return goodLaplace().Tensors() }},
	{"train/linear.Laplace.Restore.w", func(*arguments) any { return goodHead().W }},
	{"train/linear.Laplace.Restore.b", func(*arguments) any { return goodHead().B }},
	{"train/linear.FitSVM.o", linear.SVMOptions{}},
	{"train/calibrate.Fit.method", calibrate.Temperature},
	{"train/calibrate.FitSets.method", calibrate.Adaptive},
	{"train/linear.FitSVM.rows", data.Pairs{X: tensorOf(6, 3), Y: mat.NewDense(6, 1, []float64{1, -1, 1, 1, -1, -1})}},
	{"train/linear.RidgeStats.Add.z train/linear.Posterior.Variance.z", shape{6, 8}},
	{"train/linear.RidgeStats.Posterior.noise", []float64{1}},
	{"train/linear.Posterior.Restore.tensors", func(*arguments) any { return must(goodStats().Posterior(1)).Tensors() }},
	{"train/evidence.Maximise.m", func(v *arguments) any {
		return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, layers.Tune(layers.Bandwidth)))
	}},
	{"train.Load.path", func(v *arguments) any { return v.saved(goodModel().Save) }},
	{"train.NewModel.ls", func(*arguments) any {
		return []layers.Layer{must(goodSpec().Build()), must(layers.NewSoftmaxHead(8, 2))}
	}},
	{"train.Model.UnmarshalBinary.b", func(*arguments) any { return must(goodModel().MarshalBinary()) }},
	{"train.Recipe.UnmarshalJSON.text", []byte(`{"fitter":{"kind":"ridge"}}`)},
	{"train.LoadParams.path", func(v *arguments) any {
		return v.saved(func(path string) error {
			return train.SaveParams(path, G.Nodes{v.leaf()}, must(goodSpec().Build()))
		})
	}},

	{"train/calibrate.*.labels", sixLabels},
	{"train/calibrate.*.scores", func(*arguments) any { return matOf(6, 2) }},
	{"train/calibrate.*.p", func(*arguments) any { return goodProbabilities(6, 2) }},
	{"train/calibrate.*.std", func(*arguments) any { return goodProbabilities(6, 1) }},
	{"train/calibrate.SetCoverage.sets", [][]int{{0}, {1}, {0}, {}, {1}, {0, 1}}},
	{"train/calibrate.Calibration.UnmarshalJSON.text",
		func(*arguments) any { return must(json.Marshal(goodCalibration(calibrate.Isotonic))) }},
	{"train/calibrate.Intervals.UnmarshalJSON.text", []byte(`{"rows":2,"scores":[[1,2]]}`)},
	{"train/calibrate.Sets.UnmarshalJSON.text", []byte(`{"method":"adaptive","rows":2,"scores":[[0.5,1]]}`)},

	{"train/data.*.path train/data.PeekFrame.file", func(v *arguments) any { return v.file("rows.csv", goodCSV) }},
	{"train/data.*.paths", func(v *arguments) any { return []string{v.file("rows.csv", goodCSV)} }},
	{"train/data.ReadBags.path", func(v *arguments) any { return v.file("bags.csv", goodBagsCSV) }},
	{"train/data.ReadBagsCSV.r", func(*arguments) any { return strings.NewReader(goodBagsCSV) }},
	{"train/data.ReadLIBSVM.r", func(*arguments) any { return strings.NewReader("1 1:2 3:4\n2 2:1\n") }},
	{"train/data.ReadNPY.r", func(*arguments) any { return strings.NewReader(goodNPY) }},
	{"train/data.ReadImageBags.path", func(v *arguments) any { return v.file("images.npy", goodImages) }},
	{"train/data.FromMatrix.m", func(*arguments) any { return matOf(6, 3) }},
	{"train/data.FromSlices.rows", [][]float64{{1, 2}, {3, 4}}},
	{"train/data.ParseLabel.s", "first"},
	{"train/data.ParseHeader.s", "yes"},
	{"train/data.PeekFrame.rows", 3},
	{"train/data.Frame.Append.row", []any{1., nil, "2"}},
	{"train/data.Frame.Take.idx", []int{1, 0}},
	{"train/data.Columns.UnmarshalJSON.text",
		func(*arguments) any { return must(json.Marshal(must(goodFrame().Learn(data.ColumnOptions{})))) }},
	{"train/data.ParseScalers.lists", "standard,l2"},
	{"train/data.RowsInto.dst", shape{3, 3}},
	{"train/data.Convert.out train/data.NewTableWriter.path", func(v *arguments) any { return v.path("converted.npy") }},
	{"train/data.NewTableWriter.like", make([]data.Column, 2)},
	{"train/data.RegisterTable.extension", ".hostile"},
	{"train/data.Scaler.SetState.state", func(*arguments) any { return goodScaler().State() }},

	{"train/modelfile.Decode.data", goodModelFile()},
	{"train/modelfile.Read.path", func(v *arguments) any { return v.file("model", string(goodModelFile())) }},
	{"train/report.*.path", func(v *arguments) any { return v.path("out.png") }},
	{"train/report.Graphviz.text", "digraph { a -> b }"},
	{"train/report.FromPlot.width", 640},
	{"train/report.FromPlot.height", 480},
	{"train/report.Bias.UnmarshalJSON.data", []byte(`{"mean":1,"std_err":1,"z":null}`)},
	{"train/report.*.exact train/report.*.approx", func(*arguments) any { return goodGram() }},
}

func goodSpec() layers.Spec {
	return layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.}, Dims: 3, Features: 8}
}

var sixLabels = []int{0, 1, 0, 1, 1, 0}

func goodCalibration(m string) *calibrate.Calibration {
	return must(calibrate.Fit(m, matOf(6, 2), sixLabels))
}

// goodProbabilities are rows that say the same of all columns.
func goodProbabilities(n, k int) *mat.Dense {
	p := mat.NewDense(n, k, nil)
	p.Apply(func(int, int, float64) float64 { return 1 / float64(k) }, p)
	return p
}

func goodGram() *mat.Dense {
	return must(spectral.Gram(spectral.Gaussian{Sigma: 1}, tensorOf(6, 3), tensorOf(6, 3)))
}

func goodModel() *train.Model {
	return &train.Model{Scaler: goodScaler(), Spec: goodSpec(), Map: must(goodSpec().Build()),
		Head: must(layers.NewSoftmaxHead(8, 2)), Classes: data.Classes{"a", "b"}}
}

// goodRecipe fits by mini-batches, as the default does, but for one epoch alone.
func goodRecipe() train.Recipe {
	return train.Recipe{Spec: goodSpec(), Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 1}}}
}

func goodPairs() data.Pairs { return data.Pairs{X: tensorOf(6, 3), Y: matOf(6, 1)} }

// goodClasses are rows of two classes, goodHead is a softmax head of them, and goodLaplace its posterior.
func goodClasses() data.Pairs {
	return data.Pairs{X: tensorOf(6, 3), Y: must(data.OneVersusRest(sixLabels, 2))}
}

func goodHead() *linear.Fit {
	return must(linear.FitLogistic(context.Background(), nil, goodClasses(), linear.LogisticOptions{}))
}

func goodLaplace() *linear.Laplace {
	return must(linear.FitLaplace(context.Background(), nil, goodClasses(), goodHead(), linear.LaplaceOptions{}))
}

func goodStats() *linear.RidgeStats {
	s := &linear.RidgeStats{}
	return must(s, s.AddRows(context.Background(), must(goodSpec().Build()), goodPairs()))
}

func goodScaler() *data.Scaler {
	s := must(data.ParseScalers("standard,minmax"))
	return must(s, s.Fit(tensorOf(6, 3)))
}

func goodCSR() *ops.CSR { return must(ops.CSROf(tensorOf(6, 3))) }

func goodBags() *ops.Bags { return must(ops.NewBags(tensorOf(6, 3), []int{0, 2, 6})) }

const (
	goodCSV     = "1,2,3,4\n2,3,4,6\n3,3,4,5\n1,0,1,2\n2,1,2,3\n3,1,4,4\n"
	goodBagsCSV = "bag,label,x,y\na,1,1,2\na,1,2,3\nb,2,3,4\n"
)

func goodSet() *data.Set {
	return must(data.ReadCSV(strings.NewReader(goodCSV), "good.csv", data.Options{Task: data.Regression}))
}

// goodFrame is a table as wide as goodSet.
func goodFrame() *data.Frame {
	f := must(data.NewFrame("a", "b", "c"))
	for i := range 6 {
		must(f, f.Append(float64(i), float64(i*i%5), float64(7-i)/2))
	}
	return f
}

func goodStream(v *arguments) *data.Stream {
	if v.rows == "" {
		v.rows = v.file("rows.csv", goodCSV)
	}
	return must(data.OpenStream(goodStreamOptions, v.rows))
}

var goodStreamOptions = data.StreamOptions{Options: data.Options{Task: data.Regression}, BlockRows: 4}

func goodDraw(seed uint64) (report.Map, error) {
	return layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, layers.WithSeed(seed))
}

func goodModelFile() []byte {
	return must(modelfile.Encode(map[string]string{"key": "value"}, map[string]*tensor.Dense{"W": tensorOf(3, 4)}))
}

// goodNPY is an array of 2 x 3 numbers, and goodImages are two black images of class 0.
var (
	goodNPY = "\x93NUMPY\x01\x00\x76\x00" +
		fmt.Sprintf("%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }") +
		strings.Repeat("\x00\x00\x00\x00\x00\x00\xf0\x3f", 6)
	goodImages = strings.Repeat("\x00", 2*3073)
)

// cells are the numbers of good tensors: above 0 and below 1.
func cells(n int) []float64 {
	c := make([]float64, n)
	for i := range c {
		c[i] = .1 + .8*float64(i*7%13)/13
	}
	return c
}

func tensorOf(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(cells(tensor.Shape(shape).TotalSize())))
}

func matOf(n, d int) *mat.Dense { return mat.NewDense(n, d, cells(n*d)) }

// filled is a tensor [6, 3] or [4, 3] of one number.
func filled(v float64, n, d int) *tensor.Dense { return matrix(tensor.Float64, n, d, v) }

// errHostile is an error that means nothing.
var errHostile = errors.New("hostile")

// badTensors are tensors that are no [n, 3] of float64 in (0, 1), or hardly.
func badTensors() []*tensor.Dense {
	nan, inf, cut := tensorOf(6, 3), tensorOf(6, 3), tensorOf(6, 3)
	nan.Float64s()[4] = math.NaN()
	inf.Float64s()[4] = math.Inf(1)
	must(cut, cut.T())
	of := func(dt tensor.Dtype, n, d int) *tensor.Dense {
		return tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
	}
	return []*tensor.Dense{nil, new(tensor.Dense), nan, inf, tensorOf(1, 3), cut, tensor.New(tensor.FromScalar(1.)),
		tensorOf(3), tensorOf(2, 3, 2), tensorOf(6, 1), tensorOf(4, 5), filled(-1, 6, 3), filled(1e300, 6, 3),
		of(tensor.Int, 6, 3), of(tensor.Float32, 6, 3), of(tensor.String, 6, 3), of(tensor.Float64, 0, 3),
		of(tensor.Float64, 6, 0)}
}

func badCSRs() []*ops.CSR {
	return []*ops.CSR{nil, must(ops.NewCSR(0, 3, []int{0}, nil, []float32(nil))),
		must(ops.NewCSR(0, 3, []int{0}, nil, []float64(nil))),
		must(ops.NewCSR(2, 3, []int{0, 1, 2}, []int32{0, 2}, []float64{-1, math.NaN()})),
		must(ops.NewCSR(1, 1<<30, []int{0, 1}, []int32{1 << 29}, []float64{1}))}
}

// badValues return hostile values of the type of their elements, where the kind of the type does not say enough.
var badValues = []any{
	func(*arguments) []*tensor.Dense { return badTensors() },
	func(*arguments) []*ops.CSR { return badCSRs() },
	func(*arguments) (all []ops.Matrix) {
		for _, x := range badTensors() {
			all = append(all, x)
		}
		for _, x := range badCSRs() {
			all = append(all, x)
		}
		return append(all, nil, (*ops.Bags)(nil), goodBags(), goodCSR())
	},
	func(*arguments) []*ops.Bags {
		return []*ops.Bags{nil, must(ops.NewBags(filled(-1, 4, 1), []int{0, 2, 4})),
			must(ops.NewBags(filled(math.NaN(), 4, 3), []int{0, 2, 4}))}
	},
	func(*arguments) []*ops.Weights {
		return []*ops.Weights{nil, must(ops.Affine(ops.Attr{}).Pack(5, tensorOf(5, 2))),
			must(ops.Fourier(ops.Attr{}).Pack(3, filled(math.NaN(), 3, 4)))}
	},
	func(*arguments) []*mat.Dense {
		return []*mat.Dense{nil, new(mat.Dense), mat.NewDense(1, 1, []float64{math.NaN()}), matOf(2, 5),
			mat.NewDense(6, 1, []float64{0, 1, math.Inf(1), 3, 4, 5}), mat.NewDense(6, 6, nil)}
	},
	func(v *arguments) []*G.Node {
		return []*G.Node{nil, G.NewScalar(v.graph, G.Float64, G.WithName("scalar")), v.vector(), v.single(),
			G.NewMatrix(G.NewGraph(), G.Float64, G.WithShape(6, 3), G.WithName("x")), G.NewConstant(1.),
			G.NewTensor(v.graph, G.Float64, 3, G.WithShape(2, 3, 2), G.WithName("cube"))}
	},
	func(v *arguments) []G.Input {
		return []G.Input{nil, (*G.Node)(nil), v.vector(), G.Nodes{}, G.Err(errHostile), v.single()}
	},
	func(*arguments) []*G.ExprGraph { return []*G.ExprGraph{nil, G.NewGraph()} },
	func(*arguments) []context.Context {
		canceled, cancel := context.WithCancel(context.Background())
		cancel()
		return []context.Context{nil, canceled}
	},
	func(*arguments) []io.Reader {
		huge := "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n",
			"{'descr': '<f8', 'fortran_order': False, 'shape': (1073741824, 1073741824), }")
		return []io.Reader{nil, iotest.ErrReader(errHostile), strings.NewReader(""), strings.NewReader(huge),
			iotest.OneByteReader(strings.NewReader("a,b\n1,\"2\n"))}
	},
	func(*arguments) []io.Writer { return []io.Writer{nil, badWriter{}} },
	func(*arguments) []error { return []error{nil, errHostile} },
	func(*arguments) []any {
		return []any{nil, 1, "text", []float64(nil), []float64{1}, math.NaN(), struct{}{}}
	},
	func(*arguments) []rand.Source { return []rand.Source{nil} },
	func(*arguments) []tensor.Dtype {
		return []tensor.Dtype{{}, tensor.Int, tensor.String, tensor.Float32}
	},
	func(*arguments) []image.Image { return []image.Image{nil, image.NewGray(image.Rectangle{})} },
	func(*arguments) []data.Examples {
		rows := func(err error, blocks ...data.Pairs) data.Examples {
			return readRows(func(yield func(data.Pairs, error) bool) {
				for _, b := range blocks {
					if !yield(b, err) {
						return
					}
				}
			})
		}
		lacking := data.Pairs{X: tensorOf(6, 3)}
		return []data.Examples{nil, data.Pairs{}, lacking, (*data.Pairs)(nil), data.Streamed{}, rows(nil),
			rows(nil, data.Pairs{}, data.Pairs{}), rows(nil, lacking), rows(errHostile, data.Pairs{})}
	},
	func(*arguments) []iter.Seq2[ops.Matrix, error] {
		return []iter.Seq2[ops.Matrix, error]{nil,
			func(yield func(ops.Matrix, error) bool) { yield(nil, nil) },
			func(yield func(ops.Matrix, error) bool) { yield(nil, errHostile) }}
	},
	badOptions,
}

// readRows are rows that are read.
type readRows iter.Seq2[data.Pairs, error]

func (r readRows) Blocks(context.Context, int) iter.Seq2[data.Pairs, error] {
	return iter.Seq2[data.Pairs, error](r)
}

// badOptions are lists of one option: nil, and what each constructor of options makes of hostile arguments.
func badOptions(v *arguments) [][]layers.Option {
	if v.options != nil {
		return v.options
	}
	v.options = [][]layers.Option{{nil}}
	for _, name := range slices.Sorted(maps.Keys(hostileFuncs)) {
		f := v.function(name)
		if f.typ.NumOut() != 1 || f.typ.Out(0) != reflect.TypeFor[layers.Option]() {
			continue
		}
		for i := range f.typ.NumIn() {
			for _, h := range v.hostile("", "", f.typ.In(i), 0) {
				args := v.goodOf(f)
				args[i] = h
				v.options = append(v.options, []layers.Option{call(f.make(), args)[0].Interface().(layers.Option)})
			}
		}
	}
	return v.options
}

type badWriter struct{}

func (badWriter) Write([]byte) (int, error) { return 0, errHostile }

// maker makes a value for a call.
type maker = func(v *arguments) reflect.Value

// arguments makes good arguments, by the name of a parameter or by its type, and hostile ones by type.
type arguments struct {
	api     exports
	dir     string
	files   int
	graph   *G.ExprGraph // of the call
	rows    string       // the file of goodStream
	options [][]layers.Option
	types   []reflect.Type // those of goodValues, in their order
	known   map[reflect.Type][]maker
	named   map[string]any
	bad     map[reflect.Type]reflect.Value
	making  map[reflect.Type]bool // whose samples are looked for
}

func newArguments(t *testing.T, api exports) *arguments {
	v := &arguments{api: api, dir: t.TempDir(), known: map[reflect.Type][]maker{}, named: map[string]any{},
		bad: map[reflect.Type]reflect.Value{}, making: map[reflect.Type]bool{}}
	v.begin()
	for _, g := range goodValues {
		x := reflect.ValueOf(g)
		typ, of := x.Type(), func(*arguments) reflect.Value { return x }
		if typ.Kind() == reflect.Func && typ.NumIn() == 1 && typ.In(0) == reflect.TypeFor[*arguments]() {
			typ = typ.Out(0)
			of = func(v *arguments) reflect.Value { return x.Call([]reflect.Value{reflect.ValueOf(v)})[0] }
		}
		v.know(typ, of)
	}
	for name, k := range kernelsOfMaps(t) {
		if typ := hostileKinds[name]; typ != nil && v.known[typ] == nil {
			v.know(typ, func(*arguments) reflect.Value { return reflect.ValueOf(k) })
		}
	}
	for _, line := range goodNamed {
		for _, name := range strings.Fields(line.names) {
			v.named[name] = line.value
		}
	}
	for _, f := range badValues {
		v.bad[reflect.TypeOf(f).Out(0).Elem()] = reflect.ValueOf(f)
	}
	return v
}

// kernelsOfMaps are the kernels of package init that the maps of the table have, by the names of their types.
func kernelsOfMaps(t *testing.T) map[string]spectral.Kernel {
	kernels := map[string]spectral.Kernel{}
	for _, v := range variants(t) {
		if typ := reflect.TypeOf(v.kernel); typ.PkgPath() == module+"/init" {
			kernels["init."+typ.Name()] = v.kernel
		}
	}
	return kernels
}

// pointee is what a type points to, or else the type.
func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func (v *arguments) know(t reflect.Type, of maker) {
	if t = pointee(t); v.known[t] == nil {
		v.types = append(v.types, t)
	}
	v.known[t] = append(v.known[t], of)
}

// begin is the start of a call, whose nodes are of one graph.
func (v *arguments) begin() { v.graph = G.NewGraph() }

// path is a new file name.
func (v *arguments) path(name string) string {
	v.files++
	dir := filepath.Join(v.dir, strconv.Itoa(v.files))
	return filepath.Join(must(dir, os.Mkdir(dir, 0o755)), name)
}

// file is the name of a new file of that text.
func (v *arguments) file(name, text string) string {
	path := v.path(name)
	return must(path, os.WriteFile(path, []byte(text), 0o644))
}

// saved is the name of a new file that save has written.
func (v *arguments) saved(save func(path string) error) string {
	path := v.path("saved")
	return must(path, save(path))
}

// leaf is the one node of its name in the graph of the call.
func (v *arguments) leaf() *G.Node {
	if known := v.graph.ByName("leaf"); len(known) > 0 {
		return known[0]
	}
	return G.NewMatrix(v.graph, G.Float64, G.WithShape(6, 3), G.WithName("leaf"), G.WithValue(tensorOf(6, 3)))
}

// node is a node of the graph of the call that holds t.
func (v *arguments) node(t *tensor.Dense) *G.Node {
	return G.NewTensor(v.graph, t.Dtype(), t.Dims(), G.WithShape(t.Shape()...), G.WithValue(t),
		G.WithName(fmt.Sprint("n", v.graph.AllNodes().Len())))
}

func (v *arguments) vector() *G.Node {
	return G.NewVector(v.graph, G.Float64, G.WithShape(3), G.WithName("vector"))
}

func (v *arguments) single() *G.Node {
	return G.NewMatrix(v.graph, G.Float32, G.WithShape(6, 3), G.WithName("single"))
}

// goodOf are good arguments of a call.
func (v *arguments) goodOf(f function) []reflect.Value {
	args := make([]reflect.Value, f.typ.NumIn())
	for i := range args {
		args[i] = v.good(f.name, f.params[i], f.typ.In(i))
	}
	return args
}

// good is a good value for a parameter, by its name or else by its type.
func (v *arguments) good(name, param string, typ reflect.Type) reflect.Value {
	pkg, _, _ := strings.Cut(name, ".")
	method := name[strings.LastIndex(name, ".")+1:]
	for _, key := range []string{name + "." + param, pkg + ".*." + method + "." + param, pkg + ".*." + param,
		"*." + param} {
		x, ok := v.named[key]
		if !ok {
			continue
		}
		switch of := x.(type) {
		case func(*arguments) any:
			x = of(v)
		case shape:
			x = tensorOf(of...)
		}
		if a, ok := v.as(x, typ); ok {
			return a
		}
	}
	if typ.Kind() == reflect.Interface && v.known[typ] == nil {
		for _, t := range v.types {
			if typ.NumMethod() > 0 && typ != reflect.TypeFor[error]() && reflect.PointerTo(t).Implements(typ) {
				if x := v.known[t][0](v); x.Type().Implements(typ) {
					return x
				}
			}
		}
	}
	if samples := v.samples(pointee(typ)); len(samples) > 0 {
		x := samples[0](v)
		switch {
		case x.Type() == reflect.PointerTo(typ):
			return x.Elem()
		case typ == reflect.PointerTo(x.Type()):
			p := reflect.New(x.Type())
			p.Elem().Set(x)
			return p
		}
		return x
	}
	switch typ.Kind() {
	case reflect.Slice:
		s := reflect.MakeSlice(typ, 0, 1)
		switch e := typ.Elem(); e.Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Struct, reflect.Slice:
			s = reflect.Append(s, v.good(name, param, e))
		}
		return s
	case reflect.Interface:
		if typ.NumMethod() == 0 {
			return reflect.ValueOf(1.)
		}
	}
	if k := typ.Kind(); (k == reflect.Interface || k == reflect.Pointer || k == reflect.Func) &&
		typ != reflect.TypeFor[error]() {
		panic(fmt.Sprint("goodValues in hostile_values_test.go has none of the type ", typ, " for ", name, ".", param))
	}
	return reflect.Zero(typ)
}

// samples are makers of good values of a type that is no pointer: those of goodValues, else those of functions of its
// package that return it, else 1 of numbers and the zero value of what is written down.
func (v *arguments) samples(typ reflect.Type) []maker {
	if known, ok := v.known[typ]; ok || !strings.HasPrefix(typ.PkgPath(), module) || typ.Kind() == reflect.Interface {
		return known
	}
	if v.making[typ] {
		panic(errHostile) // a value that is made of itself
	}
	v.making[typ] = true
	defer delete(v.making, typ)
	var found []maker
	try := func(f function) {
		of := func(v *arguments) reflect.Value {
			out := call(f.make(), v.goodOf(f))
			if err := failure(out); err != nil {
				panic(err)
			}
			return out[0]
		}
		defer func() { _ = recover() }() // what good arguments do not make
		of(v)
		found = append(found, of)
	}
	pkg := strings.TrimPrefix(typ.PkgPath(), module+"/")
	for _, name := range slices.Sorted(maps.Keys(hostileFuncs)) {
		if f := v.function(name); typ.Kind() == reflect.Struct && name[:strings.LastIndex(name, ".")] == pkg &&
			f.typ.NumOut() > 0 && pointee(f.typ.Out(0)) == typ && hostileNever[name] == "" {
			try(f)
		}
	}
	if len(found) == 0 && writtenDown(typ) {
		x := reflect.New(typ)
		switch {
		case x.Elem().CanInt():
			x.Elem().SetInt(1)
		case x.Elem().CanUint():
			x.Elem().SetUint(1)
		}
		if typ.NumMethod() == x.Type().NumMethod() {
			x = x.Elem()
		}
		found = append(found, func(*arguments) reflect.Value { return x })
	}
	if len(found) > 0 || len(v.making) == 1 { // else there may be one where no circle is in the way
		v.known[typ] = found
	}
	return found
}

// as is x as a value of a type, if it can be one: a letter names a tensor in one function and a struct in another. A
// tensor serves as node, as packed weights and as numbers too.
func (v *arguments) as(x any, typ reflect.Type) (reflect.Value, bool) {
	if t, ok := x.(*tensor.Dense); ok {
		switch typ {
		case reflect.TypeFor[*G.Node](), reflect.TypeFor[G.Input]():
			return reflect.ValueOf(v.node(t)), true
		case reflect.TypeFor[*ops.Weights]():
			return reflect.ValueOf(must(ops.Fourier(ops.Attr{}).Pack(t.Shape()[0], t))), true
		case reflect.TypeFor[[]float64]():
			return reflect.ValueOf(t.Float64s()), true
		case reflect.TypeFor[[]float32]():
			single := make([]float32, t.Size())
			for i, c := range t.Float64s() {
				single[i] = float32(c)
			}
			return reflect.ValueOf(single), true
		}
	}
	r := reflect.ValueOf(x)
	switch {
	case x == nil:
		return reflect.Zero(typ), true
	case r.Type().AssignableTo(typ):
		return r, true
	case r.Type().ConvertibleTo(typ):
		return r.Convert(typ), true
	}
	return r, false
}

// hostile are the hostile values of a type, so deep in another.
func (v *arguments) hostile(name, param string, typ reflect.Type, depth int) (all []reflect.Value) {
	add := func(xs ...any) {
		for _, x := range xs {
			value, _ := v.as(x, typ)
			all = append(all, value)
		}
	}
	small := hostileAsked[name+"."+param] != "" || hostileAsked[name] != ""
	if f, ok := v.bad[typ]; ok {
		list := f.Call([]reflect.Value{reflect.ValueOf(v)})[0]
		for i := range list.Len() {
			x := list.Index(i)
			if c, ok := x.Interface().(*ops.CSR); !ok || !small || c == nil || c.Cols() < 1<<20 {
				all = append(all, x)
			}
		}
		return all
	}
	switch typ.Kind() {
	case reflect.Bool:
		add(true, false)
	case reflect.Int, reflect.Int64:
		if add(0, -1, math.MinInt, 99); !small {
			add(min(1<<40, math.MaxInt), math.MaxInt)
		}
	case reflect.Int32:
		add(0, -1, math.MaxInt32, math.MinInt32)
	case reflect.Uint8, reflect.Uint64:
		add(0, 255)
	case reflect.Float64, reflect.Float32:
		add(0., -1., math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 5e-324, 0x1p40)
	case reflect.String:
		add("", "\x00%s", "no such thing")
	case reflect.Pointer:
		add(nil)
		if e := typ.Elem(); writtenDown(e) && e.Kind() == reflect.Struct && strings.HasPrefix(e.PkgPath(), module) {
			all = append(all, reflect.New(e))
		}
	case reflect.Interface: // and zero values of what is written down, and nil pointers
		add(nil)
		for _, name := range slices.Sorted(maps.Keys(hostileKinds)) {
			t := hostileKinds[name]
			for _, zero := range []reflect.Value{reflect.Zero(t), reflect.New(t), reflect.Zero(reflect.PointerTo(t))} {
				isNil := zero.Kind() == reflect.Pointer && zero.IsNil()
				if zero.Type().Implements(typ) && (isNil != t.Implements(typ)) && (isNil || writtenDown(t)) {
					all = append(all, zero)
				}
			}
		}
	case reflect.Func:
		add(nil)
		all = append(all, reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, typ.NumOut())
			for i := range out {
				out[i] = reflect.Zero(typ.Out(i))
			}
			return out
		}))
	case reflect.Map:
		add(nil)
		all = append(all, reflect.MakeMap(typ))
		for _, e := range v.hostile("", "", typ.Elem(), depth+1) {
			m := reflect.MakeMap(typ)
			for _, k := range v.good(name, param, typ).MapKeys() {
				m.SetMapIndex(k, e)
			}
			m.SetMapIndex(reflect.ValueOf("hostile"), e)
			all = append(all, m)
		}
	case reflect.Slice:
		add(nil)
		all = append(all, reflect.MakeSlice(typ, 0, 0))
		good := v.good(name, param, typ)
		if n := good.Len(); n > 0 {
			all = append(all, good.Slice(0, n-1), reflect.Append(good.Slice3(0, n, n), good.Index(0)))
		}
		for _, e := range v.hostile("", "", typ.Elem(), depth+1) {
			s := reflect.Append(reflect.MakeSlice(typ, 0, 1), e)
			if good.Len() > 1 {
				s = reflect.AppendSlice(s, good.Slice(1, good.Len()))
			}
			all = append(all, s)
		}
	case reflect.Struct:
		all = append(all, reflect.Zero(typ))
		for i := 0; i < typ.NumField() && depth < 2; i++ {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			for _, h := range v.hostile(name, param+"."+f.Name, f.Type, depth+1) {
				s := reflect.New(typ).Elem()
				s.Set(v.good(name, param, typ))
				s.Field(i).Set(h)
				all = append(all, s)
			}
		}
	}
	return all
}
