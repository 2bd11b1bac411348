package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/examples/internal/notes"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"github.com/bochner-go/bochner/train/wholefile"
)

// kernelErrorRows is how many test rows the kernel error is measured on.
const kernelErrorRows = 500

// kernelErrorSamples is how many samples these rows may have together where they are sets, except that one set may have
// more. A mean map computes the kernel of every pair of samples.
const kernelErrorSamples = 1 << 13

// trainModel reads, scales, draws, fits and evaluates.
func trainModel(ctx context.Context, o *options) (*result, error) {
	start := time.Now()
	r := &result{head: o.head, tuned: o.tune}
	rows, openTest, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	recipe := o.Recipe(o.spec)
	recipe.Uncertainty = o.uncertainty()
	if _, table := rows.(*data.Frame); table {
		recipe.Columns = &o.columns
	}
	if err := o.choose(ctx, &recipe, rows, r); err != nil {
		return nil, err
	}
	var tested data.Examples
	var timed *cli.TimedMap
	var began time.Time
	done := func() {}
	recipe.Ready = func(s *train.Start) error {
		r.seconds.Load = time.Since(start).Seconds()
		r.trainRows = s.Problem.Rows
		if err := o.settle(s); err != nil {
			return err
		}
		if err := cli.Check(s.Model.Spec); err != nil {
			return err
		}
		test, err := openTest()
		if err == nil {
			tested, err = test(s.Model)
		}
		if err == nil {
			err = r.checkTest(ctx, o, s.Model, tested)
		}
		if err != nil {
			return err
		}
		o.showColumns(s.Model.Columns, o.first)
		if o.test == "" && o.train != "" {
			fmt.Fprintf(os.Stderr, "no -test: %d of %d %s are set aside for it\n", r.testRows, r.trainRows+r.testRows, rowsName(o.bags))
		}
		s.Fitter, done = o.fitter(s)
		if err := o.affordFit(s); err != nil {
			return err
		}
		began = time.Now()
		s.Wrap = func(m layers.Layer) layers.Layer {
			timed = &cli.TimedMap{Layer: m, Spent: time.Since(began)} // with what drawing it took
			return timed
		}
		return nil
	}
	if o.ladder {
		recipe.Tuner = o.tuner(o.task == data.Classification)
	}
	m, report, err := recipe.Fit(ctx, rows)
	done()
	if m == nil {
		if !began.IsZero() && timed == nil {
			err = cli.AsUsage(err) // the map could not be drawn
		}
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, o.saveModel(m))
	}
	r.fitted(report)
	if o.ladder {
		r.climb, r.tuned = report, m.Spec.Tune
	}
	if timed == nil {
		timed = &cli.TimedMap{Layer: m.Map}
	}
	r.seconds.Fit = (time.Since(began) - timed.Spent).Seconds()
	evaluated := *m
	evaluated.Map = timed
	err = r.evaluate(ctx, &evaluated, tested)
	if err == nil && !o.stream {
		err = r.evaluateOn(ctx, &evaluated, rows)
	}
	if err == nil && o.distribution {
		err = r.measureSureness(ctx, &evaluated, tested, o.level)
	}
	if err == nil {
		err = r.evaluation().Put(m)
	}
	if err := errors.Join(err, o.saveModel(m)); err != nil { // what was fitted is saved in any case
		return nil, err
	}
	r.seconds.Features = timed.Spent.Seconds()
	r.seconds.Total = time.Since(start).Seconds()
	return r, nil
}

// fitted takes what a report says of the fit of the head.
func (r *result) fitted(report *train.Report) {
	if r.history = report.Epochs; r.history == nil {
		r.lambda = &report.Lambda
	}
}

// settle finishes the flags that depend on the rows. It leaves a softmax head of a frozen map to mini-batches if no flag
// asks for something else and the features of all rows are too large.
func (o *options) settle(s *train.Start) error {
	if o.auto && !o.ladder && o.lambda == "" && !(linear.LogisticOptions{}).Keeps(s.Problem) {
		o.newton = false
		fmt.Fprintln(os.Stderr, "the features of all rows take more than 1 GiB: mini-batches fit the head; -solver newton takes it to its optimum, in some hundred passes")
	}
	return o.weigh(s.Counts)
}

// checkFiles wants that the files can be written and are no others, before any work is done for them.
func (o *options) checkFiles() error {
	inputs := append(cli.Files("train", o.train), cli.Files("test", o.test)...)
	inputs = append(append(inputs, cli.Files("predict", o.predict)...), cli.File{Flag: "load", Path: o.load})
	outputs := []cli.File{{Flag: "save", Path: o.save}, {Flag: "onnx", Path: o.onnx}, {Flag: "plot", Path: o.plot}, {Flag: "out", Path: o.out}}
	if to := o.fit.Checkpoints.Path; to != "" {
		for _, f := range append(inputs, outputs...) {
			number := filepath.Ext(f.Path)
			if strings.Trim(number, "0123456789") == "." && wholefile.Same(strings.TrimSuffix(f.Path, number), to) {
				return cli.Usage("-%s %s may be a checkpoint of -checkpoint %s; name another file", f.Flag, f.Path, to)
			}
		}
	}
	return errors.Join(cli.CheckFiles(inputs, outputs), cli.CheckWritable("checkpoint", o.fit.Checkpoints.Path))
}

// tellSame says which test file is a training file.
func (o *options) tellSame() {
	if o.train == "" || o.test == "" {
		return
	}
	training, err := data.Files(list(o.train)...)
	test, other := data.Files(list(o.test)...)
	if err != nil || other != nil {
		return // reading says why
	}
	for _, t := range test {
		if slices.ContainsFunc(training, func(name string) bool { return wholefile.Same(name, t) }) {
			o.read.Tell(t + " is among the training files: its scores say nothing about other rows")
			return
		}
	}
}

// saveModel writes the model where it is to be saved, and exports it.
func (o *options) saveModel(m *train.Model) error {
	var err error
	switch {
	case o.save == "":
	case o.noWeights:
		err = m.SaveSpec(o.save)
	default:
		err = m.Save(o.save)
	}
	return errors.Join(err, o.export(m))
}

// fitter is how the flags fit the head, with its progress shown until done is called.
func (o *options) fitter(s *train.Start) (f fits.Fitter, done func()) {
	rows := s.Problem.Rows
	switch {
	case o.cg:
		bar := cli.NewProgress("ridge, digits of the residual")
		co := linear.CGOptions{Lambda: o.fit.Lambda, Seed: o.Seed}
		co.Progress = func(iteration int, residual float64) {
			bar.Step(int(-math.Log10(min(1, residual))), 8, fmt.Sprintf("iteration %d", iteration))
		}
		return co, bar.Close
	case o.head == "ridge":
		bar, ro := cli.NewProgress("ridge, rows"), o.ridgeOptions()
		ro.Progress = func(done, total int) {
			if total == 0 { // nobody knows how often the rows will pass
				done, total = (done-1)%rows+1, rows
			}
			bar.Step(done, total, "")
		}
		return ro, bar.Close
	case o.newton:
		bar, lo := cli.NewProgress("newton, digits of the objective"), o.logisticOptions(rows)
		lo.Progress = func(steps int, promise float64) {
			bar.Step(int(-math.Log10(max(1e-9, min(1, promise)))), 9, fmt.Sprintf("step %d", steps))
		}
		return lo, bar.Close
	case o.head == "svm":
		bar, so, columns := cli.NewProgress("svm, columns"), o.svmOptions(rows), s.Problem.Outputs
		so.Progress = func(_, open int) { bar.Step(columns-open, columns, "") }
		return so, bar.Close
	}
	bar, fit, classes := cli.NewProgress("epoch"), o.fit, s.Model.Classes != nil
	fit.Progress = func(e fits.Epoch) { bar.Step(e.Number, e.Of, epochNote(e, classes)) }
	return sgd.MiniBatch{FitOptions: fit, Head: o.head}, bar.Close
}

func epochNote(e fits.Epoch, classes bool) string {
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

// evaluateSaved loads a model and evaluates it on the test file.
func evaluateSaved(ctx context.Context, o *options) (*result, error) {
	start := time.Now()
	m, err := train.Load(o.load)
	if err != nil {
		return nil, err
	}
	if err := o.export(m); err != nil {
		return nil, err
	}
	r := &result{head: m.Head.Kind(), tuned: m.Spec.Tune}
	e, err := layers.Lookup(m.Spec.Map)
	set, err := readFiles(ctx, err == nil && e.Bags, o.test, o.readFor(m))
	if err != nil {
		return nil, err
	}
	r.testRows = set.Rows()
	r.seconds.Load = time.Since(start).Seconds()
	timed := &cli.TimedMap{Layer: m.Map}
	m.Map = timed
	if o.distribution && m.Uncertainty == nil {
		return nil, noDistribution(o.load)
	}
	tested, err := testSetRows(set)(m)
	if err == nil {
		err = r.evaluate(ctx, m, tested)
	}
	if err == nil && o.distribution {
		err = r.measureSureness(ctx, m, tested, o.level)
	}
	if err != nil {
		return nil, err
	}
	r.seconds.Features = timed.Spent.Seconds()
	r.seconds.Total = time.Since(start).Seconds()
	return r, nil
}

// noDistribution is the error of a model that has learned none.
func noDistribution(path string) error {
	return fmt.Errorf("%s: the model has learned no distribution; train it with -distribution", path)
}

// readFor is how rows for a model are read: as its file says, where the flags do not.
func (o *options) readFor(m *train.Model) data.Options {
	opts := m.Options()
	opts.Header, opts.Delimiter, opts.DropUnlabelled, opts.Tell = o.read.Header, o.read.Delimiter, o.read.DropUnlabelled, o.read.Tell
	if o.table.label != "last" || m.Columns == nil {
		opts.Label, opts.LabelNames = o.read.Label, o.read.LabelNames
	}
	return opts
}

// evaluate scores the model on the test rows.
func (r *result) evaluate(ctx context.Context, m *train.Model, test data.Examples) (err error) {
	r.describe(m)
	r.test, err = score(ctx, m, test, func(x ops.Matrix) error {
		if r.tuned != "" || r.kernelError != nil { // a tuned map has left its kernel
			return nil
		}
		return r.measureKernel(m, x)
	})
	return err
}

// describe takes what the result tells of a model.
func (r *result) describe(m *train.Model) {
	r.spec, r.dims, r.classes, r.split = m.Spec, m.Dims(), m.Classes, cli.SplitOf(m.Map)
	r.relevance, r.columnsByPlace = relevanceOf(m), m.Columns == nil
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
	e, exact, approx, err := cli.KernelError(k, m.Map, x)
	if err != nil {
		return err
	}
	r.kernelError, r.pairs = &e, notes.PairsOf(exact, approx)
	return nil
}

// evaluation is what goes into the model's file.
func (r *result) evaluation() *notes.Evaluation {
	o := r.object()
	return &notes.Evaluation{TrainRows: o.TrainRows, TestRows: o.TestRows, Accuracy: o.Accuracy, F1: o.F1, RMSE: o.RMSE, KernelError: o.KernelError, Pairs: r.pairs}
}
