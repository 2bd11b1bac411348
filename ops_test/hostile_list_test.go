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
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"

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
	"github.com/bochner-go/bochner/train/wholefile"
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// hostileNever are functions that the battery does not call, and why.
var hostileNever = map[string]string{
	"ops.CSR.Format": "package fmt calls it, and its argument is never nil",
	"ops/blas.Use":   "it changes the products of the whole process, and has no argument",

	"layers/maptest.Run": "it is a test, and its mistakes are failures",
}

// hostileRefused are functions for which there is no good argument, and why.
var hostileRefused = map[string]string{
	"train/report.Graphviz":       "it wants the command dot, which may not be there",
	"layers.Register":             "its map would be in the table of every other battery; package layers tests it",
	"ops/domain.CellError.Unwrap": "its error is the result",
	"ops/domain.RowError.Unwrap":  "its error is the result",
}

const perColumn = "a scaler holds numbers for each column"

// hostileAsked are functions or parameters that are not called with huge numbers or with sparse rows of many columns,
// because the memory or the time is what the caller asks for, and the caller alone.
var hostileAsked = map[string]string{
	"train/data.Chain.Fit.x": perColumn, "train/data.Cube.Fit.x": perColumn,
	"train/data.MinMax.Fit.x": perColumn, "train/data.Standard.Fit.x": perColumn,
	"ops.Copy.x":               "the copy is dense",
	"ops.InBlocks.x":           "a block is dense",
	"train/report.ExactGram.x": "a kernel wants whole rows, two at a time",
	"train/sgd.Fit.o.Epochs":   "the epochs are what the caller asks for",
	"train.Prepared.Climb":     "the epochs are what the caller asks for",
}

func itoa(i int) string { return strconv.Itoa(i) }

type sampleOf = func(v *hostileValues) []any

// some are samples that no call changes.
func some(xs ...any) sampleOf { return func(*hostileValues) []any { return xs } }

// kernel is a kernel whose methods are all of one object.
var deltaGaussian = spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}

// hostileTypes are good values of the types with methods. Those of numbers, and of structs whose zero value is good, are
// made by reflection.
var hostileTypes = map[string]sampleOf{
	"init.Custom":          some(spectral.Custom{Exact: spectral.Gaussian{Sigma: 1}.At, Of: spectral.Gaussian{Sigma: 1}.Law()}),
	"init.DeltaGaussian":   some(deltaGaussian),
	"init.DensityDistance": some(spectral.JensenShannonDivergence),
	"init.Harmonics": func(*hostileValues) []any {
		return []any{must(spectral.NewHarmonics(spectral.Chi2{}, 1, spectral.Uniform, 9))}
	},
	"init.Levy":       some(spectral.Levy{}),
	"init.Split":      func(*hostileValues) []any { return []any{must(deltaGaussian.Split(3, 2, spectral.Joint))} },
	"init.Stationary": some(spectral.Stationary{Of: spectral.Chi2{}}),

	"ops.Bags": func(v *hostileValues) []any { return []any{v.bags()} },
	"ops.CSR":  func(v *hostileValues) []any { return []any{v.csr(), must(v.csr().As(tensor.Float32, "hostile"))} },
	"ops.Grid": func(*hostileValues) []any {
		return []any{must(ops.NewGrid(5, 5, 5)), must(ops.NewPoints(tensorOf(6, 3)))}
	},
	"ops.Series": some(ops.Series{F: []int{1}, Gamma: 1}),
	"ops.Op": func(*hostileValues) []any {
		return []any{ops.Fourier(ops.Attr{}), ops.StructuredFourier(ops.Attr{}), ops.SkewedFourier(ops.Attr{}),
			ops.Homogeneous(ops.Series{F: []int{1}, Gamma: 1}, ops.Attr{}), ops.Maclaurin(ops.Attr{}),
			ops.TensorSketch(4, 1, 0, ops.Attr{}), ops.Columns(1, 2, 1, ops.Attr{}),
			ops.Nystrom(spectral.Gaussian{Sigma: 1}, ops.Attr{}), ops.ScaleColumns(ops.Attr{}),
			ops.Concat([]float64{1, 2}, ops.Attr{}), ops.BagMean([]int{0, 2, 6}, ops.Attr{})}
	},
	"ops.Weights": func(*hostileValues) []any { return []any{must(ops.Fourier(ops.Attr{}).Pack(3, tensorOf(3, 4)))} },

	"ops/dense.Shifted": func(*hostileValues) []any {
		f, _ := dense.Reduce(context.Background(), cells(9), 3).Shift(100)
		return []any{f}
	},
	"ops/dense.Tridiagonal": func(*hostileValues) []any { return []any{dense.Reduce(context.Background(), cells(9), 3)} },
	"ops/domain.CellError":  some(&domain.CellError{Who: "who", Reason: "reason"}),
	"ops/domain.Domain":     some(domain.NonNegative(), domain.UnitSphere(.1)),
	"ops/domain.RowError":   some(&domain.RowError{Who: "who"}),

	"layers.Entry": some(must(layers.Lookup("gaussian")), must(layers.Lookup("nystrom"))),
	"layers.Param": some(layers.Param{Name: "W", Value: tensorOf(2, 3)}),
	"layers.FourierLayer": func(*hostileValues) []any {
		return []any{must(layersWith["NewFourierLayer"](layers.Tune(layers.All)))}
	},
	"layers.ModelSummary": func(*hostileValues) []any { return []any{layers.Summary(must(layersWith["NewFourierLayer"]()))} },
	"layers.ParamDef":     some(must(layers.Lookup("gaussian")).Params()[0]),
	"layers.Sequential": func(*hostileValues) []any {
		return []any{must(layers.NewSequential(must(layersWith["NewFourierLayer"]()), must(layers.NewLinearHead(8, 2))))}
	},
	"layers.Spec":   func(*hostileValues) []any { return []any{goodSpec()} },
	"layers.Traits": some(layers.Traits{Signed: true}),
	"layers.Values": func(*hostileValues) []any { return []any{layers.Values{"sigma": 1., "phase": true, "word": "w"}} },

	"train/calibrate.Calibration": func(*hostileValues) []any {
		return []any{goodCalibration(calibrate.Temperature), goodCalibration(calibrate.TemperatureBias), goodCalibration(calibrate.Platt), goodCalibration(calibrate.Isotonic)}
	},
	"train/calibrate.Intervals": func(*hostileValues) []any {
		return []any{must(calibrate.IntervalsOfResiduals(matOf(6, 1), nil)), must(calibrate.IntervalsOfResiduals(matOf(6, 1), goodProbabilities(6, 1)))}
	},
	"train/calibrate.Sets": func(*hostileValues) []any {
		return []any{must(calibrate.FitSets(calibrate.AdaptiveRandomised, goodProbabilities(6, 2), sixLabels, 1))}
	},
	"train/fits.Cost":        some(&fits.Cost{}),
	"train/fits.Problem":     some(fits.Problem{Rows: 6, Features: 8, Outputs: 1}),
	"train/linear.CGOptions": some(linear.CGOptions{Rank: 2}),
	"train.CVOptions":        some(train.CVOptions{Folds: 2}),
	"train.Trial":            some(train.Trial{Recipe: train.Recipe{Scale: "none", Spec: goodSpec()}, Steps: []string{train.StepFrozen}}),
	"train.CVReport": func(v *hostileValues) []any {
		return []any{must(train.CrossValidate(context.Background(), []train.Candidate{{Spec: goodSpec()}}, data.Pairs{X: tensorOf(6, 3), Y: matOf(6, 1)}, train.CVOptions{Folds: 2}))}
	},
	"train/sgd.MiniBatch": some(sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 1}, Head: "softmax"}),
	"train.Prepared": func(*hostileValues) []any {
		r := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 8}} // few: a hostile ladder may ask for 99 epochs
		p := must(r.Prepare(context.Background(), goodSet()))
		if err := p.Build(); err != nil {
			panic(err)
		}
		return []any{p}
	},
	"train/sgd.FitOptions":     some(sgd.FitOptions{Epochs: 1, Batch: 4}),
	"train/linear.KernelRidge": func(*hostileValues) []any { return []any{must(linear.FitKernelRidge(goodGram(), matOf(6, 1), 1))} },
	"train/fits.LambdaScore":   some(fits.LambdaScore{Lambda: 1, MSE: 1}),
	"train/linear.Laplace":     func(*hostileValues) []any { return []any{goodLaplace()} },
	"train.Distribution": func(*hostileValues) []any {
		return []any{&train.Distribution{Mean: mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6}), Std: mat.NewDense(6, 1, []float64{1, 1, 1, 1, 1, 1})}}
	},
	"train.Model":             func(*hostileValues) []any { return []any{goodModel(), goodRegression()} },
	"train/linear.Posterior":  func(*hostileValues) []any { return []any{must(goodStats().Posterior(1))} },
	"train/linear.RidgeStats": func(*hostileValues) []any { return []any{goodStats()} },
	"train/linear.SVMOptions": some(linear.SVMOptions{MaxSteps: 3}),
	"train/data.Auto":         func(*hostileValues) []any { return []any{fittedScaler(&data.Auto{})} },
	"train/data.Block": func(v *hostileValues) (all []any) {
		for b, err := range goodStream(v).Blocks(context.Background(), 0) {
			return []any{b, err}[:1]
		}
		return nil
	},
	"train/data.Chain":   func(*hostileValues) []any { return []any{goodChain()} },
	"train/data.Classes": some(data.Classes{"a", "b"}),
	"train/data.Columns": func(*hostileValues) []any { return []any{must(goodFrame().Learn(data.ColumnOptions{}))} },
	"train/data.Cube":    func(*hostileValues) []any { return []any{fittedScaler(&data.Cube{})} },
	"train/data.Frame":   func(*hostileValues) []any { return []any{goodFrame()} },
	"train/data.MatrixFile": func(v *hostileValues) []any {
		return []any{must(data.NewMatrixFile(v.path("m.npy"), data.AnyRows, 3, tensor.Float64))}
	},
	"train/data.MinMax": func(*hostileValues) []any { return []any{fittedScaler(&data.MinMax{})} },
	"train/data.Pairs":  some(data.Pairs{X: tensorOf(6, 3), Y: matOf(6, 1)}),
	"train/data.Streamed": func(v *hostileValues) []any {
		return []any{data.Streamed{Stream: goodStream(v), Dtype: tensor.Float64}}
	},
	"train/data.Set":      func(*hostileValues) []any { return []any{goodSet()} },
	"train/data.Standard": func(*hostileValues) []any { return []any{fittedScaler(&data.Standard{})} },
	"train/data.Stream":   func(v *hostileValues) []any { return []any{goodStream(v)} },
	"train/data.Survey": func(v *hostileValues) []any {
		return []any{must(goodStream(v).SurveyScaled(context.Background(), 2, goodChain()))}
	},
	"train/report.Bias":          some(&report.Bias{Mean: 1}),
	"train/report.DistanceError": some(report.DistanceError{Distance: 1, RMS: 1}),
	"train/report.KernelErrorReport": func(*hostileValues) []any {
		return []any{must(report.KernelError(spectral.Gaussian{Sigma: 1}, goodDraw, tensorOf(6, 3), []uint64{1, 2}))}
	},
	"train/wholefile.File": func(v *hostileValues) []any { return []any{must(wholefile.Create(v.path("whole")))} },
}

func init() {
	for _, by := range spectral.Samplers() {
		hostileTypes[typeName(by)] = some(by)
	}
	for _, build := range layersWith { // each call gets a new layer
		if name := typeName(must(build())); hostileTypes[name] == nil {
			hostileTypes[name] = func(*hostileValues) []any { return []any{must(build())} }
		}
	}
}

// typeName is the name of the type of x or of what it points to, as "layers.Concat".
func typeName(x any) string {
	return strings.Replace(strings.TrimPrefix(fmt.Sprintf("%T", x), "*"), "spectral", "init", 1)
}

func goodSpec() layers.Spec {
	return layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.}, Dims: 3, Features: 8}
}

var sixLabels = []int{0, 1, 0, 1, 1, 0}

func goodCalibration(m calibrate.Method) *calibrate.Calibration {
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
	return &train.Model{Scaler: goodChain(), Spec: goodSpec(), Map: must(goodSpec().Build()), Head: must(layers.NewSoftmaxHead(8, 2)), Classes: data.Classes{"a", "b"}}
}

func goodRegression() *train.Model {
	m, _, err := train.Recipe{Spec: goodSpec()}.Fit(context.Background(), goodSet())
	return must(m, err)
}

// goodClasses are rows of two classes, goodHead is a softmax head of them, and goodLaplace its posterior.
func goodClasses() data.Pairs {
	return data.Pairs{X: tensorOf(6, 3), Y: must(data.OneVersusRest([]int{0, 1, 0, 1, 1, 0}, 2))}
}

func goodHead() *linear.LogisticFit {
	return must(linear.FitLogistic(context.Background(), nil, goodClasses(), linear.LogisticOptions{}))
}

func goodLaplace() *linear.Laplace {
	return must(linear.FitLaplace(context.Background(), nil, goodClasses(), goodHead(), linear.LaplaceOptions{}))
}

func goodStats() *linear.RidgeStats {
	s := &linear.RidgeStats{}
	if err := s.AddRows(context.Background(), must(goodSpec().Build()), data.Pairs{X: tensorOf(6, 3), Y: matOf(6, 1)}); err != nil {
		panic(err)
	}
	return s
}

func goodFeatures() *tensor.Dense {
	return must(must(goodSpec().Build()).Transform(nil, tensorOf(6, 3)))
}

func goodChain() *data.Chain {
	c := must(data.ParseScalers("standard,minmax"))
	if err := c.Fit(tensorOf(6, 3)); err != nil {
		panic(err)
	}
	return c
}

func fittedScaler[S data.Scaler](s S) S {
	if err := s.Fit(tensorOf(6, 3)); err != nil {
		panic(err)
	}
	return s
}

const goodCSV = "1,2,3,4\n2,3,4,6\n3,3,4,5\n1,0,1,2\n2,1,2,3\n3,1,4,4\n"

func goodSet() *data.Set {
	return must(data.ReadCSV(strings.NewReader(goodCSV), "good.csv", data.Options{Task: data.Regression}))
}

// goodFrame is a table as wide as goodSet.
func goodFrame() *data.Frame {
	f := must(data.NewFrame("a", "b", "c"))
	for i := range 6 {
		if err := f.Append(float64(i), float64(i*i%5), float64(7-i)/2); err != nil {
			panic(err)
		}
	}
	return f
}

func goodStream(v *hostileValues) *data.Stream {
	path := once(v, "rows.csv", func() (string, error) { return v.file("rows.csv", goodCSV), nil })
	return must(data.OpenStream(goodStreamOptions(), path))
}

func goodStreamOptions() data.StreamOptions {
	return data.StreamOptions{Options: data.Options{Task: data.Regression}, BlockRows: 4}
}

func goodDraw(seed uint64) (report.Map, error) {
	return layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, layers.WithSeed(seed))
}

type goodOf = func(v *hostileValues) any

// is is a good value that no call changes.
func is(x any) goodOf { return func(*hostileValues) any { return x } }

// of is a good tensor of a shape.
func of(shape ...int) goodOf { return func(*hostileValues) any { return tensorOf(shape...) } }

// hostileGoodTypes are good values by type.
var hostileGoodTypes = map[reflect.Type]goodOf{
	reflect.TypeFor[int]():             is(3),
	reflect.TypeFor[float64]():         is(.5),
	reflect.TypeFor[string]():          is("name"),
	reflect.TypeFor[[]float64]():       func(*hostileValues) any { return cells(3) },
	reflect.TypeFor[[]int]():           func(*hostileValues) any { return []int{0, 1, 1} },
	reflect.TypeFor[[]uint64]():        is([]uint64{1, 2}),
	reflect.TypeFor[[]string]():        is([]string{"a", "b"}),
	reflect.TypeFor[tensor.Dtype]():    is(tensor.Float64),
	reflect.TypeFor[*tensor.Dense]():   of(6, 3),
	reflect.TypeFor[ops.Matrix]():      of(6, 3),
	reflect.TypeFor[*G.Node]():         of(6, 3),
	reflect.TypeFor[G.Input]():         of(6, 3),
	reflect.TypeFor[*G.ExprGraph]():    func(v *hostileValues) any { return v.node(tensorOf(6, 3)).Graph() },
	reflect.TypeFor[*mat.Dense]():      func(*hostileValues) any { return matOf(6, 1) },
	reflect.TypeFor[context.Context](): is(context.Background()),
	reflect.TypeFor[rand.Source]():     func(*hostileValues) any { return spectral.Stream(1, "hostile") },
	reflect.TypeFor[*rand.Rand]():      func(*hostileValues) any { return rand.New(spectral.Stream(1, "hostile")) },
	reflect.TypeFor[io.Reader]():       func(*hostileValues) any { return strings.NewReader(goodCSV) },
	reflect.TypeFor[io.Writer]():       func(*hostileValues) any { return &bytes.Buffer{} },
	reflect.TypeFor[image.Image]():     func(*hostileValues) any { return image.NewGray(image.Rect(0, 0, 8, 8)) },
	reflect.TypeFor[*plot.Plot]():      func(*hostileValues) any { return plot.New() },
	reflect.TypeFor[fmt.State]():       func(*hostileValues) any { return nil },

	reflect.TypeFor[spectral.Kernel]():      is(spectral.Gaussian{Sigma: 1}),
	reflect.TypeFor[spectral.Random]():      is(spectral.Gaussian{Sigma: 1}),
	reflect.TypeFor[spectral.Homogeneous](): is(spectral.Chi2{}),
	reflect.TypeFor[spectral.Semigroup]():   is(spectral.ExpSemigroup{Beta: 1}),
	reflect.TypeFor[spectral.Polynomial]():  is(spectral.SpherePolynomial{A: 2, P: 3}),
	reflect.TypeFor[spectral.SignedLaw]():   is(deltaGaussian),
	reflect.TypeFor[spectral.Sampler]():     is(spectral.IID{}),
	reflect.TypeFor[spectral.Predictor]():   is(spectral.IID{}),
	reflect.TypeFor[ops.Tables]():           is(ops.Tables{Points: 2, Width: 1, Power: 1, Rise: true}),
	reflect.TypeFor[ops.Kernel]():           is(spectral.Gaussian{Sigma: 1}),
	reflect.TypeFor[layers.Density]():       is(layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: 1}),
	reflect.TypeFor[layers.Nystrom]():       is(layers.Nystrom{Kernel: spectral.Gaussian{Sigma: 1}}),
	reflect.TypeFor[layers.AddKPCA]():       is(layers.AddKPCA{Kernel: spectral.Chi2{}}),
	reflect.TypeFor[layers.Map]():           func(*hostileValues) any { return must(goodSpec().Build()) },
	reflect.TypeFor[layers.Layer]():         func(*hostileValues) any { return must(goodSpec().Build()) },
	reflect.TypeFor[layers.Head]():          func(*hostileValues) any { return must(layers.NewLinearHead(8, 1)) },
	reflect.TypeFor[[]layers.Option]():      is([]layers.Option{}),
	reflect.TypeFor[layers.Part](): func(*hostileValues) any {
		return layers.Part{Layer: must(goodSpec().Build()), From: 0, To: 3, Weight: 1}
	},
	reflect.TypeFor[[]report.Option](): is([]report.Option{}),
	reflect.TypeFor[data.Examples]():   func(*hostileValues) any { return data.Pairs{X: tensorOf(6, 3), Y: matOf(6, 1)} },
	reflect.TypeFor[train.Candidate](): func(*hostileValues) any { return train.Candidate{Spec: goodSpec()} },
	reflect.TypeFor[fits.Fitter]():     is(linear.RidgeOptions{}),
	reflect.TypeFor[iter.Seq2[ops.Matrix, error]](): func(*hostileValues) any {
		return iter.Seq2[ops.Matrix, error](func(yield func(ops.Matrix, error) bool) { yield(tensorOf(6, 3), nil) })
	},
	reflect.TypeFor[mat.Matrix]():                            func(*hostileValues) any { return matOf(6, 3) },
	reflect.TypeFor[data.Source]():                           func(*hostileValues) any { return goodSet() },
	reflect.TypeFor[train.Axis]():                            is(train.Axis{Name: "sigma", Values: []float64{1, 2}}),
	reflect.TypeFor[fits.Problem]():                          is(fits.Problem{Rows: 6, Features: 8, Outputs: 1}),
	reflect.TypeFor[*linear.RidgeFit]():                      func(*hostileValues) any { return must(goodStats().Solve(1)) },
	reflect.TypeFor[data.Options]():                          is(data.Options{Task: data.Regression}),
	reflect.TypeFor[data.ColumnOptions]():                    is(data.ColumnOptions{}),
	reflect.TypeFor[*data.Frame]():                           func(*hostileValues) any { return goodFrame() },
	reflect.TypeFor[data.StreamOptions]():                    func(*hostileValues) any { return goodStreamOptions() },
	reflect.TypeFor[report.History]():                        is(report.History{Loss: []float64{3, 2, 1}, LossName: "loss"}),
	reflect.TypeFor[report.Line]():                           is(report.Line{Name: "line", X: []float64{1, 2}, Y: []float64{1, 2}}),
	reflect.TypeFor[report.Series]():                         is(report.Series{Name: "series", Features: []int{8, 16}, Value: []float64{.2, .1}, Bar: []float64{.01, .01}}),
	reflect.TypeFor[[][]int]():                               is([][]int{{1, 2}, {3, 4}}),
	reflect.TypeFor[map[string]string]():                     is(map[string]string{"key": "value"}),
	reflect.TypeFor[map[string]*tensor.Dense]():              func(*hostileValues) any { return map[string]*tensor.Dense{"W": tensorOf(3, 4)} },
	reflect.TypeFor[func(float64) float64]():                 is(func(x float64) float64 { return x }),
	reflect.TypeFor[func(x, z []float64) float64]():          is(spectral.Gaussian{Sigma: 1}.At),
	reflect.TypeFor[func(seed uint64) (report.Map, error)](): is(goodDraw),
	reflect.TypeFor[func(file, row int) bool]():              is(func(_, row int) bool { return row%2 == 0 }),
	reflect.TypeFor[func(dst, x *tensor.Dense) error]():      is(func(dst, x *tensor.Dense) error { return nil }),
	reflect.TypeFor[func(row int) (string, int)]():           is(func(row int) (string, int) { return "file", row }),
	reflect.TypeFor[func(w io.Writer) error]():               is(func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }),
	reflect.TypeFor[func(f *os.File) (data.Table, error)]():  is(func(f *os.File) (data.Table, error) { return nil, errors.New("no table") }),
}

// hostileGood are good values by the name of the parameter: of a function, of a method of any type of a package, or of
// anything in a package.
var hostileGood = map[string]goodOf{
	"layers.NewHead.kind":              is("linear"),
	"init.Coupling.UnmarshalText.name": is([]byte("joint")), "init.LambdaRule.UnmarshalText.name": is([]byte("gauss")),
	"init.Window.UnmarshalText.name": is([]byte("uniform")),
	"init.SamplerByName.name":        is("iid"),
	"init.StructuredFrequencies.d":   is(16),
	"init.Theorem5.eps":              is(.1), "init.Theorem5.R": is(2.), "init.Theorem5.L": is(2.),
	"init.*.Profile.dst":  func(*hostileValues) any { return make([]float64, 3) },
	"init.*.w":            func(*hostileValues) any { return make([]float64, 9) },
	"init.FittedPeriod.w": is(spectral.Uniform), "init.OptimalPeriod.w": is(spectral.Uniform), "init.NewHarmonics.w": is(spectral.Uniform),
	"init.*.FittedPeriod.w":  is(spectral.Uniform),
	"init.Structured.Fits.d": is(16), "init.Structured.Sample.d": is(16),
	"init.Structured.Sample.w": func(*hostileValues) any { return make([]float64, 48) },

	"layers.*.features":  is(8),
	"layers.*.dst":       is(nil),
	"layers.Lookup.name": is("gaussian"),

	"layers.ParsePolicy.s":       is("frozen"),
	"layers.ParseValues.mapName": is("gaussian"), "layers.ParseValues.text": is("sigma=2"),
	"layers.NewBagLayer.of": func(*hostileValues) any {
		return must(layers.NewHDDLayer(layers.Density{Sigma: 1, Bandwidth: []float64{.3}}, 2, 8))
	},
	"layers.NewSkewedLayer.k":        is(spectral.SkewedChi2{C: 1}),
	"layers.NewRandomReLULayer.k":    is(spectral.NeuralTangent{}),
	"layers.NewRandomLaplaceLayer.k": is(spectral.ExpSemigroup{Beta: 1}),
	"layers.NewNystromLayer.sample":  of(12, 3), "layers.NewNystromLayer.features": is(4),
	"layers.NewHDDLayer.axes":    is(2),
	"layers.Entry.Check.v":       is(layers.Values{}),
	"layers.*.offsets":           is([]int{0, 2, 6}),
	"ops/dense.*.a":              func(*hostileValues) any { return cells(9) },
	"ops/dense.*.z":              func(*hostileValues) any { return cells(9) },
	"ops/dense.*.from":           is(gonum.Lower),
	"ops/domain.CheckRows.x":     func(*hostileValues) any { return cells(9) },
	"ops/domain.CheckSize.shape": is([]int{2, 3}),
	"ops/blas.*.tA":              is(gonum.NoTrans),
	"ops/blas.*.tB":              is(gonum.Trans),
	"ops/blas.*.uplo":            is(gonum.Lower),
	"ops/blas.*.m":               is(16), // 16 x 16 x 16 is where gonum's own products end
	"ops/blas.*.n":               is(16),
	"ops/blas.*.k":               is(16),
	"ops/blas.*.lda":             is(16),
	"ops/blas.*.ldb":             is(16),
	"ops/blas.*.ldc":             is(16),
	"ops/blas.*.a":               of(16, 16),
	"ops/blas.*.b":               of(16, 16),
	"ops/blas.*.c":               of(16, 16),
	"ops/blas.*.by":              of(16),
	"ops.*.i":                    is(1),
	"ops.*.j":                    is(1),
	"ops.*.lo":                   is(1),
	"ops.*.hi":                   is(2),
	"ops.*.dst":                  is(nil),
	"ops.Assign.dst":             of(6, 3),
	"ops.ColumnsInto.dst":        of(6, 3),
	"ops.*.at":                   is(1),
	"ops.*.from":                 is(1),
	"ops.*.to":                   is(2),
	"ops.Concat.scales":          is([]float64{.5}),
	"ops.NewCSR.pointers":        is([]int{0, 1, 2, 3}),
	"ops.NewCSR.columns":         is([]int32{0, 1, 2}),
	"ops.NewCSR.values":          is([]float64{1, 2, 3}),
	"ops.NewGrid.points":         is([]int{5, 5, 5}),
	"ops.LogWaves.omega":         is([]float64{1}),
	"ops.LogWaves.amplitude":     is([]float64{.5}),
	"ops.TensorSketch.m":         is(4),
	"ops.Op.Into.in":             func(*hostileValues) any { return []ops.Matrix{tensorOf(3, 4)} },
	"ops.Op.Sparse.in":           func(*hostileValues) any { return []ops.Matrix{tensorOf(3, 4)} },
	"ops.Op.Node.in":             func(v *hostileValues) any { return []*G.Node{v.node(tensorOf(6, 3)), v.node(tensorOf(3, 4))} },
	"ops.Op.Pack.d":              is(3),
	"ops.Op.Pack.in":             func(*hostileValues) any { return []*tensor.Dense{tensorOf(3, 4)} },
	"ops.*.w":                    of(3, 4),
	"ops.*.offsets":              is([]int{0, 2, 6}),

	"train.*.spec":           func(*hostileValues) any { return goodSpec() },
	"train/linear.*.targets": of(6, 1),
	"train/linear.*.lambda":  is(1.), "train/linear.*.lambdas": is([]float64{.1, 1, 10}),
	"train/linear.*.path":                    func(v *hostileValues) any { return v.path("out") },
	"train/sgd.*.targets":                    of(6, 1),
	"train.Around.spec":                      is(layers.Spec{Map: "gaussian", Features: 8}),
	"train.Auto.o":                           is(train.AutoOptions{Trials: 3, MaxFeatures: 8}),
	"train.Prepared.Climb.l":                 is(train.Ladder{Steps: []string{train.StepFrozen, train.StepAll}, Descent: sgd.FitOptions{Epochs: 1}}),
	"train.CrossValidateAround.spec":         is(layers.Spec{Map: "gaussian", Features: 8}),
	"train/sgd.Backprop.loss":                func(v *hostileValues) any { return must(G.Sum(v.leaf())) },
	"train/sgd.Backprop.params":              func(v *hostileValues) any { return G.Nodes{v.leaf()} },
	"train.BalancedWeights.counts":           is([]int{3, 2}),
	"train/linear.FitKernelRidge.k":          func(*hostileValues) any { return goodGram() },
	"train/linear.FitKernelRidgeLOO.k":       func(*hostileValues) any { return goodGram() },
	"train/linear.KernelRidge.Predict.kTest": func(*hostileValues) any { return matOf(2, 6) },
	"train/linear.FitLogistic.rows":          func(*hostileValues) any { return goodClasses() },
	"train/linear.FitLaplace.rows":           func(*hostileValues) any { return goodClasses() },
	"train/linear.FitLaplace.m":              is(must(layers.NewIdentity(3))),
	"train/linear.FitLaplace.f":              func(*hostileValues) any { return goodHead() },
	"train/linear.RestoreLaplace.tensors":    func(*hostileValues) any { return goodLaplace().Tensors() },
	"train/linear.RestoreLaplace.w":          func(*hostileValues) any { return goodHead().W },
	"train/linear.RestoreLaplace.b":          func(*hostileValues) any { return goodHead().B },
	"train/linear.Laplace.*.z":               of(6, 3),
	"train.Load.path":                        func(v *hostileValues) any { return v.saved("m", goodModel().Save) },
	"train.LoadParams.path": func(v *hostileValues) any {
		return v.saved("p", func(path string) error {
			return train.SaveParams(path, G.Nodes{v.leaf()}, must(goodSpec().Build()))
		})
	},
	"train.*.nodes":                                    func(v *hostileValues) any { return G.Nodes{v.leaf()} },
	"train/linear.FitSVM.o":                            is(linear.SVMOptions{}),
	"train/linear.FitSVM.rows":                         is(data.Pairs{X: tensorOf(6, 3), Y: mat.NewDense(6, 1, []float64{1, -1, 1, 1, -1, -1})}),
	"train.*.path":                                     func(v *hostileValues) any { return v.path("out") },
	"train/linear.RidgeStats.Add.z":                    of(6, 8),
	"train/linear.RidgeStats.Forget.factor":            is(.5),
	"train/linear.RidgeStats.PosteriorWithNoise.noise": is([]float64{1}),
	"train/linear.Posterior.Variance.z":                of(6, 8),
	"train/linear.Posterior.VarianceResidual.z":        of(6, 8),
	"train/linear.RestorePosterior.tensors":            func(*hostileValues) any { return must(goodStats().Posterior(1)).Tensors() },
	"train/evidence.Maximise.m": func(v *hostileValues) any {
		return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, layers.Tune(layers.Bandwidth)))
	},
	"train/sgd.ParseSchedule.name":                 is("cosine"),
	"train.ScalersFor.list":                        is("standard"),
	"train/linear.RidgeStats.UnmarshalBinary.data": func(*hostileValues) any { return must(goodStats().MarshalBinary()) },

	"train/calibrate.*.labels":            is(sixLabels),
	"train/calibrate.*.scores":            func(*hostileValues) any { return matOf(6, 2) },
	"train/calibrate.*.p":                 func(*hostileValues) any { return goodProbabilities(6, 2) },
	"train/calibrate.*.std":               func(*hostileValues) any { return goodProbabilities(6, 1) },
	"train/calibrate.Sets.Set.p":          is([]float64{.5, .5}),
	"train/calibrate.SetCoverage.sets":    is([][]int{{0}, {1}, {0}, {}, {1}, {0, 1}}),
	"train/calibrate.ParseMethod.name":    is("platt"),
	"train/calibrate.ParseSetMethod.name": is("adaptive"),
	"train/calibrate.Calibration.UnmarshalJSON.text": func(*hostileValues) any {
		return must(json.Marshal(goodCalibration(calibrate.Isotonic)))
	},
	"train/calibrate.Intervals.UnmarshalJSON.text": is([]byte(`{"rows":2,"scores":[[1,2]]}`)),
	"train/calibrate.Sets.UnmarshalJSON.text":      is([]byte(`{"method":"adaptive","rows":2,"scores":[[0.5,1]]}`)),

	"train/data.*.path":              func(v *hostileValues) any { return v.file("rows.csv", goodCSV) },
	"train/data.*.paths":             func(v *hostileValues) any { return []string{v.file("rows.csv", goodCSV)} },
	"train/data.ReadBags.path":       func(v *hostileValues) any { return v.file("bags.csv", goodBags) },
	"train/data.ReadBagsCSV.r":       func(*hostileValues) any { return strings.NewReader(goodBags) },
	"train/data.ReadLIBSVM.r":        func(*hostileValues) any { return strings.NewReader("1 1:2 3:4\n2 2:1\n") },
	"train/data.ReadNPY.r":           func(*hostileValues) any { return strings.NewReader(goodNPY) },
	"train/data.ReadImageBags.path":  func(v *hostileValues) any { return v.file("images.npy", goodImages) },
	"train/data.FromMatrix.m":        func(*hostileValues) any { return matOf(6, 3) },
	"train/data.FromSlices.rows":     is([][]float64{{1, 2}, {3, 4}}),
	"train/data.ParseLabel.s":        is("first"),
	"train/data.ParseHeader.s":       is("yes"),
	"train/data.PeekFrame.file":      func(v *hostileValues) any { return v.file("rows.csv", goodCSV) },
	"train/data.PeekFrame.rows":      is(3),
	"train/data.NewFrame.names":      is([]string{"a", "b"}),
	"train/data.Frame.Append.row":    is([]any{1., nil, "2"}),
	"train/data.Frame.Take.idx":      is([]int{1, 0}),
	"train/data.Auto.SetState.state": func(*hostileValues) any { return fittedScaler(&data.Auto{}).State() },
	"train/data.Columns.UnmarshalJSON.text": func(*hostileValues) any {
		return must(json.Marshal(must(goodFrame().Learn(data.ColumnOptions{}))))
	},
	"train/data.ParseScalers.list":       is("standard,l2"),
	"train/data.*.fraction":              is(.5),
	"train/data.RowsInto.dst":            of(3, 3),
	"train/data.RegisterTable.extension": is(".hostile"),
	"train/data.RowRange.lo":             is(1),
	"train/data.Chain.SetState.state":    func(*hostileValues) any { return goodChain().State() },
	"train/data.Cube.SetState.state":     func(*hostileValues) any { return fittedScaler(&data.Cube{}).State() },
	"train/data.None.SetState.state":     is(map[string]*tensor.Dense{}),
	"train/data.L1.SetState.state":       is(map[string]*tensor.Dense{}),
	"train/data.L2.SetState.state":       is(map[string]*tensor.Dense{}),
	"train/data.MinMax.SetState.state":   func(*hostileValues) any { return fittedScaler(&data.MinMax{}).State() },
	"train/data.Standard.SetState.state": func(*hostileValues) any { return fittedScaler(&data.Standard{}).State() },

	"train/modelfile.*.path":      func(v *hostileValues) any { return v.path("out") },
	"train/modelfile.Decode.data": is(goodModelFile()),
	"train/modelfile.Read.path":   func(v *hostileValues) any { return v.file("model", string(goodModelFile())) },

	"train/onnx.*.path": func(v *hostileValues) any { return v.path("out") },

	"train/wholefile.*.path": func(v *hostileValues) any { return v.path("out") },

	"train/report.*.path":         func(v *hostileValues) any { return v.path("out.png") },
	"train/report.Graphviz.text":  is("digraph { a -> b }"),
	"train/report.FromPlot.width": is(640), "train/report.FromPlot.height": is(480),
	"train/report.Bias.UnmarshalJSON.data": is([]byte(`{"mean":1,"std_err":1,"z":null}`)),
	"train/report.*.exact":                 func(*hostileValues) any { return goodGram() },
	"train/report.*.approx":                func(*hostileValues) any { return goodGram() },
}

const goodBags = "bag,label,x,y\na,1,1,2\na,1,2,3\nb,2,3,4\n"

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
