package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/examples/internal/notes"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// kernelErrorRows is how many test rows the kernel error is measured on.
const kernelErrorRows = 500

// kernelErrorSamples is how many samples the sets among them have together, if that is not one set: of every pair a mean map asks for the kernel.
const kernelErrorSamples = 1 << 13

// trainModel reads, scales, draws, fits and evaluates.
func trainModel(ctx context.Context, o *options) (*result, error) {
	start := time.Now()
	r := &result{head: o.head, tuned: o.tune}
	if err := o.checkWritable(); err != nil {
		return nil, err
	}
	trainSet, testSet, err := o.read(ctx)
	if err != nil {
		return nil, err
	}
	r.trainRows, r.testRows = trainSet.Rows(), testSet.Rows()
	r.seconds.Load = time.Since(start).Seconds()

	m := &train.Model{Scaler: o.scaler, Spec: o.spec}
	if o.task == data.Classification {
		if m.Classes = data.NewClasses(trainSet.Labels); len(m.Classes) < 2 {
			return nil, fmt.Errorf("%s: all rows have the class %q; a classifier needs two", trainSet.Source, m.Classes[0])
		}
	}
	x, err := scaled(m, trainSet.Set)
	if err != nil {
		return nil, trainSet.locate(err)
	}
	y, labels, err := targetsOf(m, trainSet)
	if err != nil {
		return nil, err
	}
	if err := o.weigh(counts(labels, len(m.Classes))); err != nil {
		return nil, err
	}
	if o.cv > 0 {
		if err := o.choose(ctx, m, x, y, r); err != nil {
			return nil, trainSet.locate(err)
		}
	}
	draw := time.Now()
	if err := cli.Fit(&m.Spec, x); err != nil {
		return nil, trainSet.locate(err)
	}
	if err := cli.CheckRows(m.Spec, x); err != nil {
		return nil, trainSet.locate(err)
	}
	layer, err := cli.Build(m.Spec, x)
	if err != nil {
		return nil, err
	}
	if m.Spec.Features == 0 {
		m.Spec.Features = layer.Features()
	}
	timed := &timedMap{Layer: layer, spent: time.Since(draw)}
	m.Map = layer
	if m.Head, err = o.newHead(m); err != nil {
		return nil, err
	}
	if o.tune == "" { // a tuned map may end up with another domain
		if err := checkTest(m, testSet); err != nil {
			return nil, err
		}
	}
	if o.test == "" && o.train != "" {
		fmt.Fprintf(os.Stderr, "no -test: %d of %d %s are set aside for it\n", r.testRows, r.trainRows+r.testRows, rowsName(o.bags))
	}

	size := problem(m.Spec, x, r.trainRows, layer.Features(), len(m.Classes))
	if err := o.afford("a fit", size, o.cost(size)); err != nil {
		return nil, err
	}
	fit := time.Now()
	if err := o.fitHead(ctx, m, timed, x, y, labels, r); err != nil {
		return nil, err
	}
	r.seconds.Fit = (time.Since(fit) - timed.mapping).Seconds()
	evaluated := *m
	evaluated.Map = timed
	err = r.evaluate(&evaluated, x, trainSet, testSet)
	if err == nil {
		err = r.evaluation().Put(m)
	}
	if err := errors.Join(err, o.saveModel(m)); err != nil { // what was fitted is saved in any case
		return nil, err
	}
	r.seconds.Features = timed.spent.Seconds()
	r.seconds.Total = time.Since(start).Seconds()
	return r, nil
}

// checkWritable wants that the files can be written, before any work is done for them.
func (o *options) checkWritable() error {
	return errors.Join(cli.CheckWritable("save", o.save), cli.CheckWritable("plot", o.plot), cli.CheckWritable("checkpoint", o.fit.Checkpoints.Path))
}

// scaled fits the model's scaler to the set and returns the scaled rows, which take the place of the set's own.
func scaled(m *train.Model, set *data.Set) (ops.Matrix, error) {
	if err := cli.Scale(set, m.Scaler); err != nil {
		return nil, err
	}
	return set.As(cli.Dtype(m.Spec))
}

// checkTest finds what is wrong with the test rows before the model is fitted.
func checkTest(m *train.Model, set part) error {
	if m.Classes != nil {
		if _, err := m.Classes.Index(set.Labels); err != nil {
			return set.locate(err)
		}
	}
	x, err := m.Prepare(set.X)
	if err == nil {
		err = cli.CheckRows(m.Spec, x)
	}
	return set.locate(err)
}

// saveModel writes the model where it is to be saved.
func (o *options) saveModel(m *train.Model) error {
	switch {
	case o.save == "":
		return nil
	case o.noWeights:
		return m.SaveSpec(o.save)
	default:
		return m.Save(o.save)
	}
}

// timedMap adds up the time that a map takes, drawing included.
type timedMap struct {
	layers.Layer
	spent   time.Duration // in all
	mapping time.Duration // in Transform
}

// Unwrap is the map itself.
func (t *timedMap) Unwrap() layers.Layer { return t.Layer }

func (t *timedMap) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	start := time.Now()
	defer t.add(start)
	return t.Layer.Transform(dst, x)
}

// TransformCSR is Transform for sparse rows.
func (t *timedMap) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	start := time.Now()
	defer t.add(start)
	return layers.Transform(t.Layer, dst, x)
}

// TransformBags is Transform for sets of samples.
func (t *timedMap) TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	start := time.Now()
	defer t.add(start)
	return layers.Transform(t.Layer, dst, b)
}

func (t *timedMap) add(start time.Time) {
	t.spent += time.Since(start)
	t.mapping += time.Since(start)
}

// targetsOf are the targets of a set, and the numbers of its classes where it has any.
func targetsOf(m *train.Model, set part) (*mat.Dense, []int, error) {
	if m.Classes == nil {
		return mat.NewDense(set.Rows(), 1, set.Y), nil, nil
	}
	labels, err := m.Classes.Index(set.Labels)
	if err != nil {
		return nil, nil, err
	}
	y, err := train.OneVersusRest(labels, len(m.Classes))
	return y, labels, err
}

// counts are the rows of each of k classes.
func counts(labels []int, k int) []int {
	out := make([]int, k)
	for _, l := range labels {
		out[l]++
	}
	return out
}

// fitHead fits the head, and the map under it where that is tuned.
func (o *options) fitHead(ctx context.Context, m *train.Model, timed *timedMap, x ops.Matrix, y *mat.Dense, labels []int, r *result) error {
	if o.head == "ridge" {
		return o.fitRidge(ctx, m, timed, x, y, r)
	}
	if o.head == "svm" {
		return o.fitSVM(ctx, m, timed, x, y, r)
	}
	targets := train.Targets(y, m.Map.Dtype(), nil)
	var err error
	if o.head == "softmax" {
		if targets, err = train.OneHot(labels, len(m.Classes), m.Map.Dtype()); err != nil {
			return err
		}
	}
	defer o.showEpochs(m)()
	r.history, err = train.Fit(ctx, timed, m.Head, x, targets, o.fit)
	return err
}

// showEpochs makes the fit tell its epochs, until done is called.
func (o *options) showEpochs(m *train.Model) (done func()) {
	bar := cli.NewProgress("epoch")
	o.fit.Progress = func(e train.Epoch) { bar.Step(e.Number, e.Of, epochNote(e, m.Classes != nil)) }
	return bar.Close
}

// newHead makes the head, an output for each class or the one target.
func (o *options) newHead(m *train.Model) (layers.Head, error) {
	outputs := max(1, len(m.Classes))
	opts := []layers.Option{layers.WithDtype(m.Map.Dtype()), layers.WithName("head")}
	if o.head == "softmax" {
		return layers.NewSoftmaxHead(m.Map.Features(), outputs, opts...)
	}
	return layers.NewLinearHead(m.Map.Features(), outputs, opts...)
}

func epochNote(e train.Epoch, classes bool) string {
	score := "rmse"
	if classes {
		score = "accuracy"
	}
	note := fmt.Sprintf("loss %.4f %s %.4f", e.Loss, score, e.Score)
	if e.HeldLoss == e.HeldLoss {
		note += fmt.Sprintf(" held-out loss %.4f %s %.4f", e.HeldLoss, score, e.HeldScore)
	}
	return note
}

func (o *options) fitRidge(ctx context.Context, m *train.Model, timed *timedMap, x ops.Matrix, y *mat.Dense, r *result) error {
	if o.cg {
		return o.ridgeCG(ctx, m, timed, train.OneBlock(x, y), r)
	}
	ro := o.ridgeOptions()
	bar := cli.NewProgress("ridge, rows")
	defer bar.Close()
	ro.Progress = func(done, total int) { bar.Step(done, total, "") }
	fit, err := train.FitRidge(ctx, timed, x, y, ro)
	if err != nil {
		return err
	}
	r.lambda = &fit.Lambda
	return m.Head.SetWeights(fit.W.RawMatrix().Data, fit.B)
}

// ridgeCG fits ridge by conjugate gradients.
func (o *options) ridgeCG(ctx context.Context, m *train.Model, timed *timedMap, blocks train.Blocks, r *result) error {
	bar := cli.NewProgress("ridge, digits of the residual")
	defer bar.Close()
	co := train.CGOptions{Lambda: o.fit.Lambda, Seed: o.Seed}
	co.Progress = func(iteration int, residual float64) {
		bar.Step(int(-math.Log10(min(1, residual))), 8, fmt.Sprintf("iteration %d", iteration))
	}
	fit, err := train.FitRidgeCG(ctx, timed, blocks, co)
	if err != nil {
		return err
	}
	r.lambda = &fit.Lambda
	return m.Head.SetWeights(fit.W.RawMatrix().Data, fit.B)
}

func (o *options) fitSVM(ctx context.Context, m *train.Model, timed *timedMap, x ops.Matrix, y *mat.Dense, r *result) error {
	so := o.svmOptions(x.Shape()[0])
	bar := cli.NewProgress("svm, columns")
	defer bar.Close()
	so.Progress = func(_, open int) { bar.Step(y.RawMatrix().Cols-open, y.RawMatrix().Cols, "") }
	fit, err := train.FitSVM(ctx, timed, x, y, so)
	if err != nil {
		return err
	}
	r.lambda = &fit.Lambda
	return m.Head.SetWeights(fit.W.RawMatrix().Data, fit.B)
}

// evaluateSaved loads a model and evaluates it on the test file.
func evaluateSaved(ctx context.Context, o *options) (*result, error) {
	start := time.Now()
	if err := cli.CheckWritable("plot", o.plot); err != nil {
		return nil, err
	}
	m, err := train.Load(o.load)
	if err != nil {
		return nil, err
	}
	r := &result{head: "linear", tuned: m.Spec.Tune}
	if _, ok := m.Head.(*layers.SoftmaxHead); ok {
		r.head = "softmax"
	}
	opts := data.Options{Label: o.label, Dims: m.Dims()}
	if m.Classes == nil {
		opts.Task = data.Regression
	}
	read := func() (*data.Set, error) { return data.ReadAll(ctx, opts, list(o.test)...) }
	if e, err := layers.Lookup(m.Spec.Map); err == nil && e.Bags {
		read = func() (*data.Set, error) { return data.ReadBags(o.test, opts) }
	}
	set, err := read()
	if err != nil {
		return nil, err
	}
	r.testRows = set.Rows()
	r.seconds.Load = time.Since(start).Seconds()
	timed := &timedMap{Layer: m.Map}
	m.Map = timed
	if err := r.evaluate(m, nil, part{}, part{Set: set}); err != nil {
		return nil, err
	}
	r.seconds.Features = timed.spent.Seconds()
	r.seconds.Total = time.Since(start).Seconds()
	return r, nil
}

// evaluate scores the model on the test rows and, where there are any, on the training rows x, which are scaled already.
func (r *result) evaluate(m *train.Model, x ops.Matrix, trainSet, testSet part) error {
	r.describe(m)
	prepared, err := m.Prepare(testSet.X)
	if err != nil {
		return testSet.locate(err)
	}
	if r.test, err = score(m, prepared, testSet); err != nil {
		return err
	}
	if x != nil {
		if r.train, err = score(m, x, trainSet); err != nil {
			return err
		}
	}
	if r.tuned != "" {
		return nil // the map is no longer that of the kernel
	}
	return r.measureKernel(m, prepared)
}

// describe takes what the result tells of a model.
func (r *result) describe(m *train.Model) {
	r.spec, r.dims, r.classes, r.split = m.Spec, m.Dims(), m.Classes, cli.SplitOf(m.Map)
}

// measureKernel compares exact and approximate kernel on some test rows.
func (r *result) measureKernel(m *train.Model, x ops.Matrix) error {
	k, err := m.Spec.Kernel()
	if err != nil {
		return err
	}
	n := min(x.Shape()[0], kernelErrorRows)
	if b, ok := x.(*ops.Bags); ok {
		for offsets := b.Offsets(); n > 1 && offsets[n] > kernelErrorSamples; {
			n--
		}
	}
	x = data.RowRange(x, 0, n)
	exact, err := report.ExactGram(k, x)
	if err != nil {
		return err
	}
	approx, err := report.ApproxGram(m.Map, x)
	if err != nil {
		return err
	}
	e, err := report.Compare(exact, approx)
	r.kernelError, r.pairs = &e, notes.PairsOf(exact, approx)
	return err
}
