package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// fitterCase is a Fitter of the table, whose stopping rules are so tight that equal problems have equal solutions.
type fitterCase struct {
	name     string
	fitter   fits.Fitter
	targets  bool
	policy   layers.Policy
	weighted fits.Fitter // the same with the class weights trial.ClassTimes; nil: not compared
	uncached fits.Fitter // the same, but without kept features and with other blocks
	tol      float64     // of its weights for another form of the rows, relative to their norm
}

// fitterCases are all fitters of the module.
func fitterCases() []fitterCase {
	one := []float64{.05}
	ridge := linear.RidgeOptions{Lambdas: one}
	svm, svr := linear.SVMOptions{Lambdas: one, Tol: 1e-8}, linear.SVMOptions{Lambdas: one, Tol: 1e-8,
		Loss: linear.SquaredInsensitive, Epsilon: .01}
	logistic := linear.LogisticOptions{Lambdas: one, Tol: 1e-10}
	steps := sgd.FitOptions{Epochs: 3, Batch: 16, HeldOut: .2, Seed: 4}
	loo := linear.RidgeOptions{Select: linear.SelectLOO, Lambdas: []float64{.01, .1}}
	blocks, weighted, looBlocks := ridge, ridge, loo
	blocks.BlockRows, weighted.ClassWeights, looBlocks.BlockRows = 7, trial.ClassTimes, 7
	svmUncached, svmWeighted, svrUncached := svm, svm, svr
	svmUncached.CacheBytes, svmUncached.BlockRows, svmWeighted.ClassWeights = -1, 16, trial.ClassTimes
	svrUncached.CacheBytes, svrUncached.BlockRows = -1, 16
	logisticUncached, logisticWeighted := logistic, logistic
	logisticUncached.CacheBytes, logisticUncached.BlockRows, logisticWeighted.ClassWeights = -1, 16, trial.ClassTimes
	stepsUncached := steps
	stepsUncached.CacheBytes = -1
	cg := linear.CGOptions{Lambda: .05, Tol: 1e-11, Rank: 7}
	cgBlocks := cg
	cgBlocks.BlockRows = 7
	batch := func(o sgd.FitOptions, head string) fits.Fitter { return sgd.MiniBatch{FitOptions: o, Head: head} }
	return []fitterCase{
		{"ridge", ridge, false, layers.Frozen, weighted, blocks, 1e-8},
		{"ridge, targets", ridge, true, layers.Frozen, nil, blocks, 1e-8},
		{"ridge, leave-one-out", loo, true, layers.Frozen, nil, looBlocks, 1e-8},
		{"conjugate gradients", cg, true, layers.Frozen, nil, cgBlocks, 1e-8},
		{"svm", svm, false, layers.Frozen, svmWeighted, svmUncached, 3e-5},
		{"svm, targets", svr, true, layers.Frozen, nil, svrUncached, 3e-5},
		{"logistic", logistic, false, layers.Frozen, logisticWeighted, logisticUncached, 3e-5},
		{"mini-batch, softmax", batch(steps, "softmax"), false, layers.Frozen, nil, batch(stepsUncached, "softmax"), 1e-8},
		{"mini-batch, linear", batch(steps, ""), true, layers.Frozen, nil, batch(stepsUncached, ""), 1e-8},
		{"mini-batch, huber", batch(steps, "huber"), true, layers.Frozen, nil, batch(stepsUncached, "huber"), 1e-8},
		{"a user's own", centroids{}, false, layers.Frozen, nil, nil, 1e-8},
		{"mini-batch, tuned", batch(steps, "softmax"), false, layers.All, nil, nil, 1e-7},
		{"mini-batch, bandwidth", batch(steps, ""), true, layers.Bandwidth, nil, nil, 1e-7},
	}
}

// fitterMaps are a map with fewer and one with more features than there are rows, and one that keeps zeros.
func fitterMaps(d int, dt tensor.Dtype, p layers.Policy) map[string]layers.Layer {
	opts := []layers.Option{layers.WithDtype(dt), layers.WithSeed(2)}
	few := append(slices.Clone(opts), layers.Tune(p))
	maps := map[string]layers.Layer{
		"gaussian": must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, d, 24, few...)),
	}
	if p == layers.Frozen {
		maps["wide"] = must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, d, 200, opts...))
		maps["chi2"] = must(layers.NewHomogeneousLayer(spectral.Chi2{Gamma: 1}, d, layers.WithDtype(dt)))
		maps["concat"] = must(layers.NewConcat(d, []layers.Part{
			{Layer: must(layers.NewHomogeneousLayer(spectral.Chi2{Gamma: 1}, 6, layers.WithDtype(dt),
				layers.WithName("left"))), To: 6, Weight: .3},
			{Layer: must(layers.NewIdentity(d-6, layers.WithDtype(dt), layers.WithName("right"))), From: 6, To: d,
				Weight: 2},
		}))
	}
	return maps
}

// fitHead fits a new head, and returns all parameters of it and of the map.
func (c fitterCase) fitHead(ctx context.Context, f fits.Fitter, m layers.Layer, rows data.Examples, k int) ([]float64,
	error) {
	head := must(layers.NewHead(f.HeadKind(), m.Features(), k, layers.WithDtype(m.Dtype()), layers.WithName("head")))
	if _, err := f.Fit(ctx, m, head, rows); err != nil {
		return nil, err
	}
	var out []float64
	for _, p := range append(head.Params(), m.Params()...) {
		out = append(out, numbers(p.Value)...)
	}
	return out, nil
}

// rows are the rows of the table: sparse, dense, and what each case learns.
func (c fitterCase) rows(dt tensor.Dtype) (sparse *ops.CSR, dense *tensor.Dense, y *mat.Dense) {
	sparse, dense, classes, targets := sparseTask(97, 13, dt)
	if c.targets {
		return sparse, dense, targets
	}
	return sparse, dense, classes
}

// far is the distance of two lists relative to the second.
func far(a, b []float64) float64 { return floats.Distance(a, b, 2) / floats.Norm(b, 2) }

// TestFitters: every Fitter, in both element types and under maps of every kind, gives the same bits again, on any
// number of processors, and the same solution for sparse rows, for rows in blocks or that are read, without kept
// features, in float32, and for repeated rows in place of class weights. Another seed gives other mini-batches. The
// rows and the options stay as they are.
func TestFitters(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range fitterCases() {
		exact := map[string][]float64{} // of float64, by map
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			sparse, dense, y := c.rows(dt)
			before := fmt.Sprintf("%v %v %v %#v", numbers(dense), sparse, mat.Formatted(y), c.fitter)
			_, k := y.Dims()
			tol := c.tol
			if dt == tensor.Float32 {
				tol = 1e-2 // the stopping rules end where float32 products no longer lower the objective
			}
			for name := range fitterMaps(13, dt, c.policy) {
				fitRows := func(f fits.Fitter, rows data.Examples) []float64 {
					t.Helper()
					got, err := c.fitHead(t.Context(), f, fitterMaps(13, dt, c.policy)[name], rows, k)
					if err != nil {
						t.Fatalf("%s, %s, %v: %v", c.name, name, dt, err)
					}
					return got
				}
				fit := func(f fits.Fitter, x ops.Matrix, y *mat.Dense) []float64 {
					t.Helper()
					return fitRows(f, data.Pairs{X: x, Y: y})
				}
				want := fit(c.fitter, dense, y)
				for procs := 1; procs <= 3; procs++ {
					runtime.GOMAXPROCS(procs)
					if !slices.Equal(fit(c.fitter, dense, y), want) {
						t.Errorf("%s, %s, %v: other bits with %d processors", c.name, name, dt, procs)
					}
				}
				same := func(what string, got, want []float64, tol float64) {
					t.Helper()
					if off := far(got, want); !(off <= tol) {
						t.Errorf("%s, %s, %v, %s: the weights differ by %.2g, want at most %g", c.name, name, dt, what,
							off, tol)
					}
				}
				same("sparse", fit(c.fitter, sparse, y), want, tol)
				if o, batches := c.fitter.(sgd.MiniBatch); !batches {
					same("read", fitRows(c.fitter, trial.Read{Pairs: data.Pairs{X: dense, Y: y}}), want, tol)
				} else if o.Seed++; slices.Equal(fit(o, dense, y), want) {
					t.Errorf("%s, %s, %v: another seed gives the same weights", c.name, name, dt)
				}
				if c.uncached != nil {
					same("blocks", fit(c.uncached, dense, y), want, tol)
					same("sparse blocks", fit(c.uncached, sparse, y), want, tol)
				}
				if c.weighted != nil && dt == tensor.Float64 {
					x2, y2 := trial.Repeated(dense, y)
					same("class weights", fit(c.weighted, dense, y), fit(c.fitter, x2, y2), tol)
				}
				if dt == tensor.Float64 {
					exact[name] = want
				} else {
					same("float32", want, exact[name], 3e-2)
				}
			}
			if fmt.Sprintf("%v %v %v %#v", numbers(dense), sparse, mat.Formatted(y), c.fitter) != before {
				t.Errorf("%s, %v: the rows or the options have changed", c.name, dt)
			}
		}
	}
}

// TestFitterErrors: what cannot be fitted is an error of its kind that names the argument, the row or the remedy,
// whichever Fitter meets it.
func TestFitterErrors(t *testing.T) {
	for _, c := range fitterCases() {
		if _, own := c.fitter.(centroids); own {
			continue // its arguments are for its author to check
		}
		sparse, dense, y := c.rows(tensor.Float64)
		n, k := y.Dims()
		m := fitterMaps(13, tensor.Float64, c.policy)["gaussian"]
		head := must(layers.NewHead(c.fitter.HeadKind(), 24, k))
		nan, nanSparse, badY := dense.Clone().(*tensor.Dense), sparse.Clone().(*ops.CSR), mat.DenseCopyOf(y)
		nan.Float64s()[13*20+1] = math.NaN()
		nanSparse.Float64s()[nanSparse.Pointers()[20]] = math.NaN()
		badY.Set(17, 1, math.Inf(1))
		stopped, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		cancel(enough)
		var none context.Context
		var nilRows *tensor.Dense
		rows, fewer := data.Pairs{X: dense, Y: y}, y.Slice(0, n-1, 0, k).(*mat.Dense)
		for name, e := range map[string]struct {
			ctx  context.Context
			m    layers.Layer
			head layers.Head
			rows data.Examples
			is   error
			text string
		}{
			"context":     {none, m, head, rows, domain.ErrParam, "the context is nil"},
			"head":        {t.Context(), m, nil, rows, domain.ErrParam, "the head is nil"},
			"map":         {t.Context(), (*layers.RandomLayer)(nil), head, rows, domain.ErrParam, "the map is nil"},
			"source":      {t.Context(), m, head, nil, domain.ErrParam, "the source of rows is nil"},
			"x":           {t.Context(), m, head, data.Pairs{Y: y}, domain.ErrParam, "x is nil"},
			"x pointer":   {t.Context(), m, head, data.Pairs{X: nilRows, Y: y}, domain.ErrParam, "x is nil"},
			"y":           {t.Context(), m, head, data.Pairs{X: dense}, domain.ErrShape, ""},
			"rows":        {t.Context(), m, head, data.Pairs{X: dense, Y: fewer}, domain.ErrShape, "x has 97 rows"},
			"NaN":         {t.Context(), m, head, data.Pairs{X: nan, Y: y}, domain.ErrDomain, "x[20,1] = NaN"},
			"sparse NaN":  {t.Context(), m, head, data.Pairs{X: nanSparse, Y: y}, domain.ErrDomain, "x[20,"},
			"infinite y":  {t.Context(), m, head, data.Pairs{X: dense, Y: badY}, domain.ErrDomain, "row 17 has the target y[17,1] = +Inf"},
			"the context": {stopped, m, head, rows, enough, ""},
		} {
			if strings.HasSuffix(name, "NaN") && c.policy != layers.Frozen {
				e.text = "" // the row is not named
			}
			_, err := c.fitter.Fit(e.ctx, e.m, e.head, e.rows)
			wants(t, c.name+", "+name, err, e.is, e.text)
		}
		outside := sparse.Clone().(*ops.CSR)
		outside.Float64s()[outside.Pointers()[20]] = -1
		if c.policy != layers.Frozen {
			continue
		}
		chi2 := fitterMaps(13, tensor.Float64, c.policy)["chi2"]
		err := second(c.fitHead(t.Context(), c.fitter, chi2, data.Pairs{X: outside, Y: y}, k))
		wants(t, c.name+": -1 in row 20 under chi2", err, domain.ErrDomain, "x[20,")
	}
}

// TestFittersStop: a context that ends in the middle of a fit ends it there, wherever that is.
func TestFittersStop(t *testing.T) {
	for _, c := range fitterCases() {
		if _, own := c.fitter.(centroids); own {
			continue
		}
		_, dense, y := c.rows(tensor.Float64)
		_, k := y.Dims()
		looks := &looked{Context: t.Context(), after: math.MaxInt}
		f := c.fitter
		if c.uncached != nil {
			f = c.uncached
		}
		fit := func(ctx context.Context) error {
			m := fitterMaps(13, tensor.Float64, c.policy)["gaussian"]
			_, err := c.fitHead(ctx, f, m, data.Pairs{X: dense, Y: y}, k)
			return err
		}
		if err := fit(looks); err != nil {
			t.Fatal(c.name, err)
		}
		for _, after := range []int{1, 2, looks.looks / 2, looks.looks} {
			ctx := &looked{Context: t.Context(), after: max(after, 1)}
			if err := fit(ctx); !errors.Is(err, context.Canceled) || ctx.looks > ctx.after+4 {
				t.Errorf("%s: over at look %d of %d: %v, after %d", c.name, after, looks.looks, err, ctx.looks)
			}
		}
	}
}

// looked is a context that is over from the look at it number `after` on: no clock cancels in the middle.
type looked struct {
	context.Context
	looks, after int
}

func (c *looked) Err() error {
	if c.looks++; c.looks >= c.after {
		return context.Canceled
	}
	return nil
}

// TestPointerToOptions: a pointer to options fits as the options do, and the uncertainty knows how the head was fitted.
func TestPointerToOptions(t *testing.T) {
	ridge, batches := linear.RidgeOptions{Lambdas: []float64{.05}}, sgd.ForTuning("")
	batches.Epochs = 2
	set := waves(120, 1, true)
	for _, f := range [][]fits.Fitter{{ridge, &ridge}, {batches, &batches}} {
		var files [2][]byte
		for i, f := range f {
			r := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 8, Seed: 1}, Fitter: f}
			files[i] = must(sureOf(t, r, set).MarshalBinary())
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%T: the model differs from that of %T", f[1], f[0])
		}
	}
}
