package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"github.com/bochner-go/bochner/train/wholefile"
)

type fitCmd struct {
	Train  []string   `placeholder:"FILES" group:"Rows" help:"Training files and folders (default synthetic data); of bags CSV with the columns bag, label and the coordinates."`
	Test   []string   `placeholder:"FILES" group:"Rows" help:"Test files and folders (default a fifth of the training rows)."`
	Task   string     `group:"Rows" default:"classification" enum:"classification,regression,bags,bags-regression" help:"classification, regression, or bags and bags-regression of sets of samples (default classification)."`
	Stream streamFlag `group:"Files" help:"Read the rows in blocks, again in every pass; --stream=N sets the rows in the shuffle buffer of mini-batches (default 32768)."`

	tableFlags `embed:""`

	Maps mapFlags `embed:"" group:"Map"`

	Head         *string  `group:"Head" enum:"softmax,linear,huber,ridge,svm" placeholder:"NAME" help:"softmax, linear, huber, ridge or svm (default softmax for classes; for targets linear where the map is tuned, otherwise ridge)."`
	Lambda       string   `placeholder:"NUMBER" group:"Head" help:"Penalty: a number, loo for ridge, held-out for svm and softmax (default by leave-one-out for ridge, otherwise 1e-6 times the rows)."`
	ClassWeights string   `placeholder:"LIST" group:"Head" help:"Weights of the classes: balanced, or a list in the order of the classes (default 1 each)."`
	Epochs       *int     `placeholder:"N" group:"Head" help:"Passes of mini-batches over the rows (default 20; 40 where the map is tuned, fewer of more than 50000 rows)."`
	Batch        *int     `placeholder:"N" group:"Head" help:"Mini-batch size (default 256)."`
	LR           *float64 `placeholder:"RATE" group:"Head" name:"lr" help:"Learning rate of mini-batches (default 0.05)."`

	Tune         *string  `group:"Search" enum:"none,bandwidth,bandwidth-each,all,evidence,auto" placeholder:"HOW" help:"Learn the map too: none, bandwidth, bandwidth-each, all, evidence or auto (default all for most maps; none with --stream, --cv, --lambda and heads that are solved)."`
	CV           *int     `placeholder:"FOLDS" group:"Search" name:"cv" help:"Choose lambda and the map's parameter by cross-validation in so many folds (default none)."`
	Grid         []string `placeholder:"AXIS" group:"Search" sep:"none" help:"With --cv: values to choose among, name=1,2,4, or a range, name=1:10; repeatable (default around the data's)."`
	Trials       *int     `placeholder:"N" group:"Search" help:"With a range in --grid: the number of random draws (default 20)."`
	Auto         string   `placeholder:"BUDGET" group:"Search" help:"Choose map, scale, features and tuning in this time, such as 60s, or number of trials (default none)."`
	Distribution bool     `group:"Search" help:"Learn intervals of targets, or calibrated probabilities and sets of classes (default false)."`

	Recipe     string `placeholder:"FILE" group:"Recipe" help:"Read the options of the fit from this JSON file; flags override them (default none)."`
	SaveRecipe string `placeholder:"FILE" group:"Recipe" help:"Write the options of the fit to this JSON file (default none)."`

	Save string `placeholder:"FILE" group:"Output" help:"Write the model to this file (default none)."`
	Plot string `placeholder:"FILE" group:"Output" help:"Draw a picture to this PNG file (default none; fit.png for synthetic data)."`
	JSON bool   `group:"Output" help:"Print one JSON object as the last line (default false)."`
}

// streamFlag is a flag with a number that may be left out.
type streamFlag struct {
	on      bool
	shuffle int
}

// IsBool says that the flag needs no value.
func (*streamFlag) IsBool() bool { return true }

// Decode reads the number of rows.
func (s *streamFlag) Decode(c *kong.DecodeContext) (err error) {
	s.on, s.shuffle = true, 1<<15
	if c.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	text := fmt.Sprint(c.Scan.Pop().Value)
	if s.shuffle, err = strconv.Atoi(text); err != nil || s.shuffle < 0 {
		return fmt.Errorf("%s: want at least 0 rows in the shuffle buffer", text)
	}
	return nil
}

// fitting is a fit on its way: the flags, and the recipe that they and --recipe make.
type fitting struct {
	*fitCmd
	given
	recipe  train.Recipe
	task    data.Task
	bags    bool // the rows are sets of samples
	read    data.Options
	first   *data.Frame // rows of a table, to say what is made of them
	weights []float64   // of --class-weights, unless they are balanced
	newton  bool        // logistic regression is by default, if the features of all rows can be kept
	race    train.AutoOptions
	search  search
	fitted  fits.Fitter // as it was run
}

// Run fits a model.
func (c *fitCmd) Run(ctx context.Context, g given, node *kong.Node) error {
	f := &fitting{fitCmd: c, given: g}
	if err := f.plan(node); err != nil {
		return err
	}
	stop := program.EndSoon(ctx, "bochner")
	defer stop()
	fit := f.fit
	if c.Auto != "" {
		fit = func(ctx context.Context) (*result, error) { return f.raceModel(ctx, stop) }
	}
	r, err := fit(ctx)
	if err != nil {
		return err
	}
	f.tellSame()
	if c.Save != "" {
		fmt.Fprintln(os.Stderr, "model:", c.Save)
	}
	return r.show(c.Plot, c.JSON)
}

// plan makes the recipe and checks the flags, before any rows are read.
func (f *fitting) plan(node *kong.Node) error {
	f.recipe.Spec.Seed = 1
	if f.Recipe != "" {
		text, err := os.ReadFile(f.Recipe)
		if err == nil {
			err = json.Unmarshal(text, &f.recipe)
		}
		if err != nil {
			return fmt.Errorf("--recipe %s: %w", f.Recipe, err)
		}
	}
	f.bags = strings.HasPrefix(f.Task, "bags")
	table := f.given.first(node, []string{"Tables"})
	switch {
	case len(f.Train) == 0 && len(f.Test) > 0:
		return program.Usage("--test without --train; say what to train on")
	case len(f.Train) == 0 && f.Task != "classification" && f.Task != "bags":
		return program.Usage("the synthetic data have classes; --task %s needs --train", f.Task)
	case len(f.Train) == 0 && f.Stream.on:
		return program.Usage("--stream does not apply to synthetic data; it goes with --train")
	case len(f.Train) == 0 && table != "":
		return program.Usage("--%s does not apply to synthetic data; it goes with --train", table)
	case f.bags && table != "":
		return program.Usage("--%s does not apply to --task %s, whose files name the columns", table, f.Task)
	case f.bags && f.Stream.on:
		return program.Usage("--stream does not apply to --task %s: sets of samples are read whole", f.Task)
	}
	var err error
	if f.read, err = f.options(f.Train, f.Task); err != nil {
		return err
	}
	f.task = f.read.Task
	f.setColumns()
	if len(f.Train) == 0 && f.given["plot"] == nil {
		f.Plot = "fit.png"
	}
	spec, open := f.recipe.Spec, f.leavesMap()
	steps := []func() error{f.setMap, f.setHead, f.setSearch}
	if f.Auto != "" {
		steps = []func() error{func() error { return f.setAuto(node) }}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	f.setDistribution()
	if open && f.recipe.Spec.Tuned() {
		spec.Dtype, spec.Seed = f.recipe.Spec.Dtype, f.recipe.Spec.Seed
		f.recipe.Spec = spec
	}
	return f.checkFiles()
}

// leavesMap says whether neither flags nor the recipe name the map or say how it is tuned, so that the fit chooses it.
func (f *fitting) leavesMap() bool {
	m := f.Maps
	m.Scale, m.Dtype, m.Seed = "", nil, nil
	return len(f.Train) > 0 && !f.bags && f.Auto == "" && f.Tune == nil && m == mapFlags{} && f.recipe.Spec.Map == ""
}

// setColumns puts the flags of the columns into the recipe.
func (f *fitting) setColumns() {
	if f.Columns.Drop == nil && f.Columns.Categorical == nil {
		return
	}
	columns := deref(f.recipe.Columns)
	if f.Columns.Drop != nil {
		columns.Drop = f.Columns.Drop
	}
	if f.Columns.Categorical != nil {
		columns.Categorical = f.Columns.Categorical
	}
	f.recipe.Columns = &columns
}

// setMap puts the flags of the scalers and the map into the recipe.
func (f *fitting) setMap() error {
	scale, name := defaultMap(f.bags, len(f.Train) == 0)
	r := &f.recipe
	r.Scale, r.Spec.Map = cmp.Or(f.Maps.Scale, r.Scale, scale), cmp.Or(r.Spec.Map, name)
	r.Afford = affordScaling
	e, unknown := layers.Lookup(cmp.Or(f.Maps.Map, r.Spec.Map))
	if unknown == nil && e.Bags != f.bags {
		if f.bags {
			return program.Usage("--map %s is a map of rows; of sets of samples there are %s", e.Name, strings.Join(layers.BagMaps(), ", "))
		}
		return program.Usage("--map %s is a map of sets of samples; say --task bags", e.Name)
	}
	if err := f.setTune(e); err != nil {
		return err
	}
	if unknown == nil && r.Tuner != nil && len(r.Tuner.Steps) != 1 && r.Spec.Features == 0 && e.HasFeatures() {
		r.Spec.Features = tunedFeatures
	}
	spec, err := f.Maps.spec(r.Spec, r.Scale, f.tunes())
	switch {
	case err != nil && f.Maps == mapFlags{}:
		return f.wrong(err)
	case err != nil:
		return &program.UsageError{Err: err}
	}
	spec.Tune = cmp.Or(spec.Tune, "none")
	r.Spec = spec
	return nil
}

// tunes says whether the map is tuned where nothing says how: unless other flags are for a map that does not change.
func (f *fitting) tunes() bool {
	head := deref(f.Head)
	solved := head == "ridge" || head == "svm" || f.recipe.Fitter != nil && f.recipe.Fitter.Frozen()
	r := &f.recipe
	return !solved && r.Spec.Tune == "" && r.Tuner == nil && f.CV == nil && f.Lambda == "" && !f.Stream.on
}

// setTune puts --tune into the recipe. The map is nil if its name is unknown.
func (f *fitting) setTune(e *layers.Entry) error {
	r := &f.recipe
	switch deref(f.Tune) {
	case "":
	case "evidence":
		r.Spec.Tune, r.Tuner = "", &train.Tuner{Steps: []string{train.StepEvidence}}
	case "auto":
		r.Spec.Tune, r.Tuner = "", new(train.Tuner)
	case "none":
		r.Spec.Tune, r.Tuner = "none", nil
	default:
		r.Spec.Tune, r.Tuner = *f.Tune, nil
	}
	if e != nil && !e.Tunable && (r.Spec.Tune != "" && r.Spec.Tune != "none" || r.Tuner != nil) {
		return program.Usage("--tune does not apply to --map %s, which has no parameters to tune", e.Name)
	}
	if r.Tuner != nil && f.Stream.on && len(r.Tuner.Steps) != 1 {
		return program.Usage("--tune auto does not apply to --stream: it goes over the rows many times; use evidence or all")
	}
	return nil
}

// setHead chooses the Fitter, and puts the flags of the head into it.
func (f *fitting) setHead() error {
	r, mini := &f.recipe, f.Epochs != nil || f.Batch != nil || f.LR != nil
	head := deref(f.Head)
	switch {
	case r.Fitter != nil && head != "":
		return program.Usage("--head %s and the fitter of --recipe %s: give one of the two", head, f.Recipe)
	case head == "" && f.task == data.Classification:
		head = "softmax"
	case head == "" && r.Spec.Tuned():
		head = "linear"
	case head == "":
		head = "ridge"
	case head == "softmax" && f.task == data.Regression:
		return program.Usage("--head softmax does not apply to --task %s; use ridge, svm or linear", f.Task)
	case head == "huber" && f.task == data.Classification:
		return program.Usage("--head huber does not apply to --task %s: its loss is of targets; use softmax, ridge or svm", f.Task)
	case r.Tuner != nil && head != "softmax" && head != "ridge":
		return program.Usage("--tune %s does not apply to --head %s; use softmax or ridge", deref(f.Tune), head)
	}
	switch {
	case r.Fitter != nil:
	case head == "ridge":
		r.Fitter = linear.RidgeOptions{}
	case head == "svm" && f.task == data.Regression:
		r.Fitter = linear.SVMOptions{Loss: linear.SquaredInsensitive, Epsilon: .1}
	case head == "svm":
		r.Fitter = linear.SVMOptions{}
	case head == "softmax" && r.Tuner != nil && len(r.Tuner.Steps) != 1:
		r.Fitter = sgd.MiniBatch{Head: head}
	case head == "softmax" && (r.Tuner != nil || !r.Spec.Tuned() && !mini && !f.Stream.on && f.Lambda != "0"):
		r.Fitter, f.newton = linear.LogisticOptions{}, r.Tuner == nil && f.Lambda == ""
	default:
		b := sgd.MiniBatch{Head: head}
		if r.Spec.Tuned() {
			b = sgd.ForTuning(head)
		}
		r.Fitter = b
	}
	if r.Tuner == nil && r.Fitter.Frozen() && r.Spec.Tuned() {
		return program.Usage("--tune %s does not apply to --head %s, which is fitted on a frozen map; use --head softmax or linear", r.Spec.Tune, headName(r.Fitter))
	}
	return f.setOptions()
}

// setOptions puts the flags of mini-batches, lambda, the weights and the seed into the Fitter, or into the Tuner.
func (f *fitting) setOptions() error {
	for _, o := range []struct {
		flag, field string
		value       any
		valid       bool
	}{
		{"epochs", "Epochs", deref(f.Epochs), f.Epochs == nil || *f.Epochs > 0},
		{"batch", "Batch", deref(f.Batch), f.Batch == nil || *f.Batch > 0},
		{"lr", "LearnRate", deref(f.LR), f.LR == nil || *f.LR > 0 && *f.LR <= math.MaxFloat64},
	} {
		switch {
		case f.given[o.flag] == nil:
		case !o.valid:
			return program.Usage("--%s %v: want a number above 0", o.flag, o.value)
		case !f.set(o.field, o.value):
			return program.Usage("--%s does not apply to %s, which has no mini-batches", o.flag, f.way())
		}
	}
	if err := f.setWeights(); err != nil {
		return err
	}
	if err := f.setLambda(); err != nil {
		return err
	}
	r := &f.recipe
	r.Fitter = withDefault(r.Fitter, "Seed", r.Spec.Seed)
	if t := r.Tuner; t != nil && t.Seed == 0 {
		t.Seed, t.Evidence.Seed, t.Descent.Seed = r.Spec.Seed, r.Spec.Seed, r.Spec.Seed
	}
	if mini, ok := r.Fitter.(sgd.MiniBatch); ok {
		return f.wrong(mini.Validate(r.Spec.Tuned()))
	}
	return nil
}

// wrong attributes a parameter out of range to the recipe, if there is one, and otherwise to the flags.
func (f *fitting) wrong(err error) error {
	if f.Recipe != "" && errors.Is(err, domain.ErrParam) {
		return fmt.Errorf("--recipe %s: %w", f.Recipe, err)
	}
	return asUsage(err)
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// way is how the head is fitted, in words.
func (f *fitting) way() string {
	if f.recipe.Tuner != nil {
		return "--tune evidence"
	}
	return "--head " + headName(f.recipe.Fitter)
}

// set sets an option of the Fitter, or of the mini-batches of the Tuner. It says whether there is one.
func (f *fitting) set(field string, value any) (ok bool) {
	t := f.recipe.Tuner
	if t == nil {
		f.recipe.Fitter, ok = with(f.recipe.Fitter, field, value)
		return ok
	}
	if len(t.Steps) == 1 && t.Steps[0] == train.StepEvidence {
		return false
	}
	reflect.ValueOf(&t.Descent).Elem().FieldByName(field).Set(reflect.ValueOf(value))
	return true
}

// with is a Fitter with another value of an option, if it has that.
func with(f fits.Fitter, field string, value any) (fits.Fitter, bool) {
	v := reflect.New(reflect.TypeOf(f)).Elem()
	v.Set(reflect.ValueOf(f))
	at := v.FieldByName(field)
	if !at.IsValid() {
		return f, false
	}
	at.Set(reflect.ValueOf(value))
	return v.Interface().(fits.Fitter), true
}

// withDefault is a Fitter with a value of an option that it has as 0.
func withDefault(f fits.Fitter, field string, value any) fits.Fitter {
	if at := reflect.ValueOf(f).FieldByName(field); at.IsValid() && at.IsZero() {
		f, _ = with(f, field, value)
	}
	return f
}

// withLambdas returns a Fitter with other lambdas, or with none.
func withLambdas(f fits.Fitter, lambdas ...float64) fits.Fitter {
	if r, ok := f.(linear.RidgeOptions); ok {
		r.Lambdas, r.Select = lambdas, linear.SelectAuto
		return r
	}
	out, several := with(f, "Lambdas", lambdas)
	if !several {
		out, _ = with(f, "Lambda", append(lambdas, 0)[0])
	}
	return out
}

// headName is a head with its way of fitting, as --head has it.
func headName(f fits.Fitter) string {
	switch f.(type) {
	case linear.RidgeOptions, linear.CGOptions:
		return "ridge"
	case linear.SVMOptions:
		return "svm"
	}
	return f.HeadKind()
}

// setWeights reads --class-weights.
func (f *fitting) setWeights() error {
	switch {
	case f.ClassWeights == "":
		return nil
	case f.task == data.Regression:
		return program.Usage("--class-weights does not apply to targets, which have no classes")
	}
	if _, ok := with(f.recipe.Fitter, "ClassWeights", []float64(nil)); !ok {
		return program.Usage("--class-weights does not apply to the fitter %s", f.recipe.FitterKind())
	}
	if f.ClassWeights == "balanced" {
		return nil
	}
	for _, text := range strings.Split(f.ClassWeights, ",") {
		w, err := strconv.ParseFloat(text, 64)
		if err != nil || !(w > 0 && w <= math.MaxFloat64) {
			return program.Usage("--class-weights %s: want balanced, or numbers above 0 separated by commas", f.ClassWeights)
		}
		f.weights = append(f.weights, w)
	}
	return nil
}

// setLambda reads --lambda.
func (f *fitting) setLambda() error {
	ridge, isRidge := f.recipe.Fitter.(linear.RidgeOptions)
	_, mini := f.recipe.Fitter.(sgd.MiniBatch)
	_, many := with(f.recipe.Fitter, "Lambdas", []float64(nil))
	v, err := strconv.ParseFloat(f.Lambda, 64)
	switch {
	case f.Lambda == "":
	case f.Lambda == "held-out" && many && !isRidge:
		f.recipe.Fitter = withDefault(withLambdas(f.recipe.Fitter), "HeldOut", .2)
	case f.Lambda == "loo" && isRidge:
		ridge.Select = linear.SelectLOO
		f.recipe.Fitter = ridge
	case err != nil || !(v >= 0) || v > 1e300 || v == 0 && !isRidge && !mini:
		want := "a number above 0"
		switch {
		case mini:
			want = "a number of at least 0"
		case isRidge:
			want = "a number of at least 0, or loo"
		case many:
			want += ", or held-out"
		}
		return program.Usage("--lambda %s: want %s", f.Lambda, want)
	default:
		f.recipe.Fitter = withLambdas(f.recipe.Fitter, v)
	}
	return nil
}

// setDistribution asks for the uncertainty of the model.
func (f *fitting) setDistribution() {
	r := &f.recipe
	if f.Distribution && r.Uncertainty == nil {
		r.Uncertainty = new(train.UncertaintyOptions)
	}
	if u := r.Uncertainty; u != nil && u.Seed == 0 {
		u.Seed = r.Spec.Seed
	}
}

// checkFiles wants that the files can be written and are no others, before any work is done for them.
func (f *fitting) checkFiles() error {
	inputs := slices.Concat(program.Files("--train", f.Train...), program.Files("--test", f.Test...), program.Files("--recipe", f.Recipe))
	outputs := []program.File{{Flag: "--save", Path: f.Save}, {Flag: "--plot", Path: f.Plot}, {Flag: "--save-recipe", Path: f.SaveRecipe}}
	var checkpoint string
	if mini, ok := f.recipe.Fitter.(sgd.MiniBatch); ok {
		checkpoint = mini.Checkpoints.Path
	}
	for _, file := range append(inputs, outputs...) {
		number := filepath.Ext(file.Path)
		if checkpoint != "" && strings.Trim(number, "0123456789") == "." && wholefile.Same(strings.TrimSuffix(file.Path, number), checkpoint) {
			return program.Usage("%s %s may be a checkpoint of the recipe, %s; name another file", file.Flag, file.Path, checkpoint)
		}
	}
	return errors.Join(program.CheckFiles(inputs, outputs), program.CheckWritable("the checkpoints of the recipe,", checkpoint))
}

// tellSame says which test file is a training file.
func (f *fitting) tellSame() {
	training, err := data.Files(f.Train...)
	test, other := data.Files(f.Test...)
	if err != nil || other != nil {
		return // reading says why
	}
	for _, t := range test {
		if slices.ContainsFunc(training, func(name string) bool { return wholefile.Same(name, t) }) {
			f.read.Tell(t + " is among the training files: its scores say nothing about other rows")
			return
		}
	}
}

// settle finishes the Fitter once the rows are known: the weights, and mini-batches for a softmax head where nothing
// asks for another fit and the features of all rows are too large.
func (f *fitting) settle(s *train.Start) error {
	if f.newton && !s.Fitter.(linear.LogisticOptions).Keeps(s.Problem) {
		s.Fitter = sgd.MiniBatch{Head: "softmax", FitOptions: sgd.FitOptions{Seed: f.recipe.Spec.Seed}}
		fmt.Fprintln(os.Stderr, "the features of all rows take more than 1 GiB: mini-batches fit the head; the fitter of the kind logistic of a --recipe takes it to its optimum, in some hundred passes")
	}
	if f.ClassWeights == "" {
		return nil
	}
	weights := f.weights
	if weights == nil {
		var err error
		if weights, err = data.BalancedWeights(s.Counts); err != nil {
			return err
		}
	}
	if len(weights) != len(s.Counts) {
		return program.Usage("--class-weights %s: %d weights for %d classes", f.ClassWeights, len(weights), len(s.Counts))
	}
	s.Fitter, _ = with(s.Fitter, "ClassWeights", weights)
	return nil
}

// fit reads, scales, draws, fits and evaluates.
func (f *fitting) fit(ctx context.Context) (*result, error) {
	start := time.Now()
	r := new(result)
	rows, test, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.choose(ctx, rows, r); err != nil {
		return nil, err
	}
	var tested data.Examples
	var timed *timedMap
	var began time.Time
	done := func() {}
	recipe, read := f.recipe, time.Now()
	recipe.Ready = func(s *train.Start) error {
		scaled := time.Since(read)
		r.TrainRows = s.Problem.Rows
		if err := f.settle(s); err != nil {
			return err
		}
		if err := checkSize(s.Model.Spec); err != nil {
			return err
		}
		var err error
		if tested, err = test(s.Model); err == nil {
			err = r.checkTest(ctx, f, s.Model, tested)
		}
		if err != nil {
			return err
		}
		showColumns(s.Model.Columns, f.first, s.Model.Scaler.Name(), f.recipe.Scale == "")
		if len(f.Test) == 0 && len(f.Train) > 0 {
			fmt.Fprintf(os.Stderr, "no --test: %d of %d %s are set aside for it\n", r.TestRows, r.TrainRows+r.TestRows, rowsName(f.bags))
		}
		if err := f.affordFit(s); err != nil {
			return err
		}
		f.fitted = s.Fitter
		s.Fitter, done = shown(s)
		began = time.Now()
		r.Seconds.Load = (time.Since(start) - scaled).Seconds()
		r.Seconds.Fit = scaled.Seconds()
		s.Wrap = func(m layers.Layer) layers.Layer {
			timed = &timedMap{Layer: m, spent: time.Since(began)} // with what drawing it took
			return timed
		}
		return nil
	}
	if recipe.Tuner != nil {
		var closeBar func()
		recipe.Tuner, closeBar = f.shownTuner()
		defer closeBar()
	}
	m, report, err := recipe.Fit(ctx, rows)
	done()
	if m == nil {
		if timed == nil || f.Recipe != "" {
			err = f.wrong(err) // before anything was drawn, or of a field that no flag has
		}
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, f.save(m))
	}
	r.Head, r.Ladder = headName(f.fitted), tunerSteps(report, m.Classes)
	r.describeFit(report)
	if timed == nil {
		timed = new(timedMap)
	}
	timed.Layer = m.Map // of which it may be a part
	r.Seconds.Fit += (time.Since(began) - timed.spent).Seconds()
	if f.Stream.on {
		rows = nil // which would be mapped once more
	}
	return r, f.assess(ctx, r, m, timed, tested, rows, start)
}

// assess scores a model on the test rows and the training rows, notes that in it, and saves it, in any case.
func (f *fitting) assess(ctx context.Context, r *result, m *train.Model, timed *timedMap, test data.Examples, rows data.Source, start time.Time) error {
	evaluated := *m
	evaluated.Map = timed
	err := r.evaluate(ctx, &evaluated, test)
	if err == nil && rows != nil {
		err = r.evaluateOn(ctx, &evaluated, rows)
	}
	if err == nil && m.Uncertainty != nil {
		err = r.measureUncertainty(ctx, &evaluated, test, .9)
	}
	if err == nil {
		err = (&notes.Evaluation{TrainRows: r.TrainRows, TestRows: r.TestRows, Scores: r.Scores,
			KernelError: r.KernelError, Pairs: r.pairs}).Put(m)
	}
	r.Seconds.Features = timed.spent.Seconds()
	r.Seconds.Total = time.Since(start).Seconds()
	return errors.Join(err, f.save(m))
}

// save writes the model and the recipe where they are to be saved.
func (f *fitting) save(m *train.Model) error {
	var errs []error
	if f.Save != "" {
		errs = append(errs, m.Save(f.Save))
	}
	if f.SaveRecipe != "" {
		recipe := f.recipe
		recipe.Scale, recipe.Fitter = m.Scaler.Name(), f.fitted
		text, err := json.MarshalIndent(recipe, "", "  ")
		if err == nil {
			err = wholefile.Write(f.SaveRecipe, func(w io.Writer) error {
				_, err := w.Write(append(text, '\n'))
				return err
			})
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
