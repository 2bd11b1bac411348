package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
)

const synopsis = `train fits a model on the features of a kernel's map and reports how good it is.
Without -train it makes its own histograms; layers/maps.md describes the maps and their parameters.`

// options are the flags, read and checked.
type options struct {
	cli.MapFlags
	train, test, load, save, plot string
	onnx                          string // the file that the model is exported to
	predict, out                  string
	look, spreadsheet             bool
	distribution, laplace         bool
	level                         float64
	json, noWeights, stream, cg   bool
	newton                        bool              // a softmax head is fitted to its optimum
	auto                          bool              // newton is, if the features of all rows can be kept
	ladder                        bool              // -tune auto and -tune evidence
	steps                         []string          // of the ladder
	race                          train.AutoOptions // -auto; of no Budget and no Trials: none
	shuffle, cv                   int
	search                        search
	table                         tableFlags
	read                          data.Options       // what the flags say of reading
	columns                       data.ColumnOptions // and of the columns of a table
	first                         *data.Frame        // rows of a table, to say what is made of them
	scaled, labelled              bool               // whether -scale and -label are given
	task                          data.Task
	bags                          bool   // the rows are sets of samples
	head                          string // a kind of layers.NewHead, ridge or svm
	tune                          string // empty, bandwidth, bandwidth-each or all
	lambda                        string
	epsilon                       float64
	classWeights                  string
	fit                           sgd.FitOptions
	spec                          layers.Spec
}

func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("train", flag.ContinueOnError)
	var task, solver, every, race string
	var grid []string
	fs.StringVar(&o.train, "train", "", "training `files` and folders, separated by commas: LIBSVM text, tables (CSV, .tsv) or .npy, each also .gz or .zst, or .parquet; of bags a CSV file with the columns bag, label and the coordinates (default: made histograms, or sets)")
	fs.StringVar(&o.test, "test", "", "test `files`, likewise (default: a fifth of the training rows)")
	fs.BoolVar(&o.stream, "stream", false, "read the rows in blocks, again in every pass, and never hold them all in memory")
	fs.IntVar(&o.shuffle, "shuffle", 1<<15, "with -stream, "+graphHeads+": `rows` in the buffer that mixes them")
	o.table.register(fs)
	fs.StringVar(&task, "task", "classification", "classification, regression; bags, bags-regression: of sets of samples")
	o.Register(fs, "gaussian", "")
	fs.Lookup("map").Usage += "; exp-semigroup on the made histograms, hdd-js for bags"
	fs.Lookup("dtype").Usage = "element `type`: float32, float64 (default float32 for a map that mini-batches tune, otherwise float64)"
	fs.Lookup("scale").Usage += "; for bags by default cube, of all samples, and for a table with names or texts auto"
	fs.StringVar(&o.head, "head", "", graphHeads+", ridge, svm (default softmax for classes, ridge for targets)")
	fs.Float64Var(&o.epsilon, "epsilon", .1, "svm: errors up to this `size` of a target cost nothing")
	fs.StringVar(&o.lambda, "lambda", "", "ridge, svm, softmax of a frozen map: penalty relative to the mean squared distance of a feature row from their mean, or held-out, for ridge also loo, to choose it (default of ridge: chosen by the leave-one-out error of up to 2048 rows; of the others 1e-6 times the rows); "+graphHeads+": lambda/2 |A|^2 beside the mean loss (default 0)")
	fs.IntVar(&o.cv, "cv", 0, "choose lambda, unless -lambda gives it, and the map's parameter that comes from the data, by cross-validation in so many `folds`, with up to 1024 features: from 1/4 to 4 times what the data say, and on while the best is at an end")
	fs.Func("grid", "with -cv: what to choose among instead, `name=1,2,4` of a numeric parameter of the map (map.name where it is called features or lambda), features or lambda; or with -trials from a range, name=1:10; once for each name", func(text string) error {
		grid = append(grid, text)
		return nil
	})
	fs.IntVar(&o.search.trials, "trials", 0, "with -grid: so many `draws` of each range and list, in place of all combinations")
	fs.IntVar(&o.fit.Epochs, "epochs", 0, graphHeads+": passes over the rows (default 20, with -tune 40)")
	fs.IntVar(&o.fit.Batch, "batch", 256, graphHeads+": rows a step")
	fs.Float64Var(&o.fit.LearnRate, "lr", 0, graphHeads+": learning rate of the head, of targets relative to their standard deviation (default 0.05 for adam, 0.5 for sgd)")
	fs.Float64Var(&o.fit.MapRate, "map-lr", 0, "with -tune: learning rate of the map's parameters, relative to their root mean square, and of logarithms as it is (default twice -lr, for sgd a hundredth)")
	fs.StringVar(&solver, "solver", "", graphHeads+": adam, sgd (default adam); softmax of a frozen map also newton, to the optimum, its default unless another flag of mini-batches or -stream is given or the features take more than 1 GiB; ridge: cholesky, or cg for more features than a matrix of them can be held of (default cholesky)")
	fs.StringVar((*string)(&o.fit.Schedule), "schedule", "cosine", graphHeads+": learning rates by epoch: cosine, constant, linear")
	fs.IntVar(&o.fit.WarmUp, "warm-up", 0, graphHeads+": `epochs` in which the learning rates rise first")
	fs.Float64Var(&o.fit.ClipNorm, "clip", 0, graphHeads+": `norm` that gradients are cut to (default: none)")
	fs.Float64Var(&o.fit.WeightDecay, "weight-decay", 0, graphHeads+": decoupled decay of the head's weights")
	fs.StringVar(&o.classWeights, "class-weights", "", "what the rows of each class weigh: balanced, by n/(k n_c) for a class of n_c of the n rows, or a `list` in the order of the k classes")
	fs.StringVar(&o.fit.Checkpoints.Path, "checkpoint", "", graphHeads+": write checkpoints to `file`.NUMBER")
	fs.StringVar(&every, "checkpoint-every", "1", "with -checkpoint: epochs, or a `time` such as 30s")
	fs.IntVar(&o.fit.Checkpoints.Keep, "checkpoint-keep", 2, "with -checkpoint: how many `files` stay")
	fs.BoolVar(&o.fit.Checkpoints.Resume, "resume", false, "with -checkpoint: go on from the last one, if there is one")
	fs.Float64Var(&o.fit.HeldOut, "held-out", 0, graphHeads+": fraction of the training rows held out for early stopping")
	fs.StringVar(&o.tune, "tune", "", "fine-tune the map: bandwidth, bandwidth-each or all under the head; evidence: one scale a column by the marginal likelihood; auto: these scales, then all, each kept if rows that are held out favour it (default: frozen)")
	fs.StringVar(&race, "auto", "", "choose map, scale, features and tuning by a race of this `time`, such as 60s, or of so many trials, such as 20, and fit the best on all rows after it")
	fs.BoolVar(&o.distribution, "distribution", false, "learn how sure the model is, from rows that are held out, and measure it: the distribution of targets and their intervals, or calibrated probabilities of classes and sets of them; with -predict, write it")
	fs.Float64Var(&o.level, "level", .9, "with -distribution: the `probability` that an interval or a set covers")
	fs.BoolVar(&o.laplace, "laplace", false, "with -distribution: probabilities also know how uncertain the weights of a softmax head are, by Laplace's approximation")
	fs.StringVar(&o.save, "save", "", "write the model to this `file`")
	fs.BoolVar(&o.noWeights, "save-spec", false, "with -save: leave the map's weights out, to be drawn again from the seed")
	fs.StringVar(&o.onnx, "onnx", "", "write the model to this `file` in the ONNX format, for other runtimes, with all that it knows: scores, classes and, after -distribution, probabilities or standard deviations")
	fs.StringVar(&o.load, "load", "", "evaluate this model `file` on -test instead of training")
	fs.StringVar(&o.predict, "predict", "", "with -load: predict the rows of these `files`, which need no labels")
	fs.StringVar(&o.out, "out", "", "with -predict: write what is predicted to this `file`: .csv, .jsonl, .npy (the numbers alone) or .parquet")
	fs.BoolVar(&o.spreadsheet, "spreadsheet", false, "with -predict and -out .csv: put ' before texts that begin with =, +, - or @ and are no numbers, which spreadsheets would compute")
	fs.BoolVar(&o.look, "look", false, "show what is in the table -train, and what would be made of it, instead of training; the picture is look.png")
	fs.StringVar(&o.plot, "plot", "", "draw a picture to this `file` (PNG)")
	fs.BoolVar(&o.json, "json", false, "print one JSON object as the last line of stdout")
	if err := cli.Parse(fs, synopsis, args); err != nil {
		return nil, err
	}
	given := cli.Given(fs)
	o.scaled, o.labelled = given["scale"], given["label"]
	err := o.setTask(task, given)
	if err == nil {
		o.read, o.columns, err = o.table.options(o.task, given)
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(o.checkDistribution(given), o.checkPredict(given)); err != nil {
		return nil, err
	}
	if o.look {
		return o, o.checkLook(given)
	}
	if o.load != "" {
		return o, o.checkLoad(given)
	}
	if given["auto"] {
		return o, o.checkAuto(race, given)
	}
	if o.bags {
		if o.onnx != "" {
			return nil, cli.Usage("-onnx does not apply to -task %s: an ONNX file takes rows, and no sets of samples", task)
		}
		for _, name := range append([]string{"label", "header", "delimiter"}, columnFlags...) {
			if given[name] {
				return nil, cli.Usage("-%s does not apply to -task %s, whose files name the column", name, task)
			}
		}
		if !given["map"] {
			o.Map = "hdd-js"
		}
		if !given["scale"] {
			o.Scale = "cube"
		}
	}
	if err := cli.CheckBags(o.Map, o.bags, "say -task bags"); err != nil {
		return nil, err
	}
	if o.train == "" {
		if o.test != "" {
			return nil, cli.Usage("-test without -train or -load; say what to train on")
		}
		if !given["map"] && !o.bags {
			o.Map = "exp-semigroup"
		}
		if !given["scale"] && !o.bags {
			o.Scale = "l1"
		}
		if !given["plot"] {
			o.plot = "train.png"
		}
		for _, name := range append([]string{"label", "drop-unlabelled", "header", "delimiter"}, columnFlags...) {
			if given[name] {
				return nil, cli.Usage("-%s does not apply to the made histograms; it goes with -train", name)
			}
		}
		if o.task != data.Classification {
			return nil, cli.Usage("the made data have classes; -task %s needs -train", task)
		}
	}
	if err := o.setHead(solver, given); err != nil {
		return nil, err
	}
	if err := errors.Join(o.checkStream(given), o.setCV(given), o.setDescent(given), o.setCheckpoints(every, given)); err != nil {
		return nil, err
	}
	if o.spec, err = o.Spec(given); err != nil {
		return nil, err
	}
	o.spec.Tune = o.tune
	if err := o.setSearch(grid, given); err != nil {
		return nil, err
	}
	if o.noWeights && o.save == "" {
		return nil, cli.Usage("-save-spec does nothing without -save")
	}
	if o.noWeights && (o.tune != "" || o.ladder) {
		return nil, cli.Usage("-save-spec with -tune: a seed cannot bring a tuned map back")
	}
	if e, err := layers.Lookup(o.Map); err == nil && e.Fitted && o.noWeights {
		return nil, cli.Usage("-save-spec with -map %s: a seed cannot bring back a map that was fitted on data", o.Map)
	}
	return o, cli.Probe(o.spec)
}

// checkStream refuses what rows that are read in blocks cannot have.
func (o *options) checkStream(given map[string]bool) error {
	switch {
	case o.bags && o.stream:
		return cli.Usage("-stream does not apply to -task bags: sets of samples are read whole")
	case o.stream && o.train == "":
		return cli.Usage("-stream does not apply to the made histograms; it goes with -train")
	case given["shuffle"] && (!o.stream || !o.onGraph()):
		return cli.Usage("-shuffle applies to -stream with -head %s by adam or sgd alone", graphHeads)
	case o.shuffle < 0:
		return cli.Usage("-shuffle %d: want at least 0 rows", o.shuffle)
	}
	return nil
}

// list are the files and folders that a flag names.
func list(names string) []string { return strings.Split(names, ",") }

func (o *options) setTask(task string, given map[string]bool) error {
	switch task {
	case "classification":
	case "regression":
		o.task = data.Regression
	case "bags":
		o.bags = true
	case "bags-regression":
		o.bags, o.task = true, data.Regression
	default:
		return cli.Usage("-task %s: want classification, regression, bags or bags-regression", task)
	}
	if o.load != "" && given["task"] {
		return cli.Usage("-task does not apply to -load: the model knows its task")
	}
	return nil
}

// checkLoad refuses what a saved model decides for itself.
func (o *options) checkLoad(given map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch name {
		case "load", "test", "label", "drop-unlabelled", "header", "delimiter", "id", "predict", "out", "spreadsheet", "plot", "json", "distribution", "level", "onnx":
		default:
			return cli.Usage("-%s does not apply to -load, which evaluates a finished model", name)
		}
	}
	if given["id"] && o.predict == "" {
		return cli.Usage("-id goes with -predict here, which writes it")
	}
	if o.test == "" && o.predict == "" && o.onnx == "" {
		return cli.Usage("-load needs -test, the rows to evaluate the model on, or -predict, or -onnx")
	}
	if o.predict != "" && o.onnx != "" {
		return cli.Usage("-onnx with -predict: give one of them")
	}
	if alone := o.test == "" && o.predict == ""; alone && (given["plot"] || given["json"] || given["distribution"] || given["label"]) {
		return cli.Usage("-load with -onnx alone exports the model; -plot, -json, -distribution and -label need -test")
	}
	return nil
}

// checkLook refuses what a look does not look at.
func (o *options) checkLook(given map[string]bool) error {
	if o.train == "" || o.bags {
		return cli.Usage("-look needs -train, the tables to look at")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(slices.Concat(columnFlags, []string{"look", "train", "label", "drop-unlabelled", "task", "header", "delimiter", "plot", "json"}), name) {
			return cli.Usage("-%s does not apply to -look, which trains nothing", name)
		}
	}
	if o.spec.Map = o.Map; !given["plot"] {
		o.plot = "look.png"
	}
	return nil
}

// graphFlags are the flags of mini-batches.
var graphFlags = []string{"epochs", "batch", "lr", "held-out", "tune", "map-lr", "schedule", "warm-up", "clip", "weight-decay", "checkpoint", "checkpoint-every", "checkpoint-keep", "resume"}

// setCV checks cross-validation.
func (o *options) setCV(given map[string]bool) error {
	switch {
	case !given["cv"]:
		return nil
	case o.cv < 2:
		return cli.Usage("-cv %d: want at least 2 folds", o.cv)
	case o.lambda == "loo" || o.lambda == "held-out":
		return cli.Usage("-cv chooses lambda; leave -lambda %s out", o.lambda)
	}
	return nil
}

// setDescent checks what a step of mini-batches is made of.
func (o *options) setDescent(given map[string]bool) error {
	switch {
	case !slices.Contains([]sgd.Schedule{sgd.CosineRate, sgd.ConstantRate, sgd.LinearRate}, o.fit.Schedule):
		return cli.Usage("there is no schedule %q; there are constant, cosine and linear", o.fit.Schedule)
	case o.fit.WarmUp < 0 || o.fit.WarmUp >= o.fit.Epochs:
		return cli.Usage("-warm-up %d: want at least 0 and fewer than the %d epochs", o.fit.WarmUp, o.fit.Epochs)
	case given["clip"] && !(o.fit.ClipNorm > 0 && o.fit.ClipNorm <= math.MaxFloat64):
		return cli.Usage("-clip %v: want a number above 0", o.fit.ClipNorm)
	case !(o.fit.WeightDecay >= 0 && o.fit.WeightDecay <= math.MaxFloat64):
		return cli.Usage("-weight-decay %v: want a number of at least 0", o.fit.WeightDecay)
	case o.classWeights != "" && o.task == data.Regression:
		return cli.Usage("-class-weights does not apply to targets, which have no classes")
	case o.classWeights != "" && o.cg:
		return cli.Usage("-class-weights does not apply to -solver cg, which has no weights; use cholesky")
	case o.classWeights == "" || o.classWeights == "balanced":
		return nil
	}
	for _, text := range list(o.classWeights) {
		w, err := strconv.ParseFloat(text, 64)
		if err != nil || !(w > 0 && w <= math.MaxFloat64) {
			return cli.Usage("-class-weights %s: want balanced, or numbers above 0 separated by commas", o.classWeights)
		}
		o.fit.ClassWeights = append(o.fit.ClassWeights, w)
	}
	return nil
}

// weigh finishes the class weights once the rows of each class are known. Under balanced weights each class has the
// same share.
func (o *options) weigh(counts []int) error {
	if o.classWeights == "balanced" {
		var err error
		if o.fit.ClassWeights, err = train.BalancedWeights(counts); err != nil {
			return err
		}
	}
	if got := len(o.fit.ClassWeights); got > 0 && got != len(counts) {
		return cli.Usage("-class-weights %s: %d weights for %d classes", o.classWeights, got, len(counts))
	}
	return nil
}

// setCheckpoints reads how often there is a checkpoint.
func (o *options) setCheckpoints(every string, given map[string]bool) error {
	c := &o.fit.Checkpoints
	if c.Path == "" {
		for _, f := range []string{"checkpoint", "checkpoint-every", "checkpoint-keep", "resume"} {
			if given[f] {
				return cli.Usage("-%s needs -checkpoint FILE", f)
			}
		}
		*c = sgd.Checkpoints{}
		return nil
	}
	n, err := strconv.Atoi(every)
	d, timeErr := time.ParseDuration(every)
	switch {
	case err == nil && n > 0:
		c.Epochs = n
	case err != nil && timeErr == nil && d > 0:
		c.Every = d
	default:
		return cli.Usage("-checkpoint-every %s: want a number of epochs above 0, or a time such as 30s", every)
	}
	if c.Keep < 1 {
		return cli.Usage("-checkpoint-keep %d: want at least 1", c.Keep)
	}
	return nil
}

// onGraph says whether mini-batches fit the head.
func (o *options) onGraph() bool { return slices.Contains(layers.HeadKinds(), o.head) && !o.newton }

// graphHeads are the heads that are fitted by mini-batches.
var graphHeads = strings.Join(layers.HeadKinds(), ", ")

// setHead fills in the head and checks the flags that belong to one head only.
func (o *options) setHead(solver string, given map[string]bool) error {
	if o.head == "" {
		o.head = map[data.Task]string{data.Classification: "softmax", data.Regression: "ridge"}[o.task]
	}
	if o.ladder = o.tune == "auto" || o.tune == "evidence"; o.ladder {
		if o.tune == "evidence" {
			o.steps = []string{train.StepEvidence}
		}
		if err := o.checkLadder(given); err != nil {
			return err
		}
		o.tune = ""
	}
	plain := !slices.ContainsFunc(graphFlags, func(f string) bool { return given[f] })
	o.auto = o.head == "softmax" && (o.ladder || !o.stream && solver == "" && o.lambda != "0" && plain)
	graph := o.onGraph() && solver != "newton" && !o.auto
	switch {
	case !o.onGraph() && o.head != "ridge" && o.head != "svm":
		return cli.Usage("-head %s: want one of %s, ridge, svm", o.head, graphHeads)
	case o.head == "softmax" && o.task == data.Regression:
		return cli.Usage("-head softmax does not apply to -task regression; use ridge, svm or linear")
	case given["epsilon"] && (o.head != "svm" || o.task != data.Regression):
		return cli.Usage("-epsilon applies to -head svm under -task regression alone")
	case !(o.epsilon >= 0 && o.epsilon <= math.MaxFloat64):
		return cli.Usage("-epsilon %v: want a number of at least 0", o.epsilon)
	}
	if !graph && !o.ladder {
		for _, f := range graphFlags {
			if given[f] {
				what := "-head " + o.head
				if solver == "newton" {
					what = "-solver newton"
				}
				return cli.Usage("-%s does not apply to %s, which is fitted on frozen features to the end; use -head %s with adam or sgd", f, what, graphHeads)
			}
		}
	}
	policy, err := layers.ParsePolicy(o.tune)
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	if e, err := layers.Lookup(o.Map); err == nil && !e.Tunable && policy != layers.Frozen {
		return cli.Usage("-tune does not apply to -map %s, which has no parameters to tune", o.Map)
	}
	if o.tune = policy.String(); policy == layers.Frozen {
		o.tune = ""
	}
	if err := o.setSolver(solver); err != nil {
		return err
	}
	if err := o.setLambda(graph); err != nil {
		return err
	}
	for f, v := range map[string]float64{"lr": o.fit.LearnRate, "map-lr": o.fit.MapRate} {
		if given[f] && !(v > 0 && v <= math.MaxFloat64) {
			return cli.Usage("-%s %v: want a number above 0", f, v)
		}
	}
	if given["map-lr"] && o.tune == "" && !o.ladder {
		return cli.Usage("-map-lr does not apply to a frozen map; say -tune bandwidth, bandwidth-each or all")
	}
	if !given["epochs"] {
		o.fit.Epochs = 20
		if o.tune != "" || o.ladder {
			o.fit.Epochs = 40
		}
	}
	if o.fit.Epochs < 1 || o.fit.Batch < 1 || !(o.fit.HeldOut >= 0 && o.fit.HeldOut < 1) {
		return cli.Usage("-epochs %d -batch %d -held-out %v: want at least 1, at least 1, and a fraction below 1", o.fit.Epochs, o.fit.Batch, o.fit.HeldOut)
	}
	o.fit.Seed = o.Seed
	return nil
}

// checkLadder refuses what does not go with -tune auto or -tune evidence.
func (o *options) checkLadder(given map[string]bool) error {
	alone := len(o.steps) == 1
	switch {
	case o.head != "softmax" && o.head != "ridge":
		return cli.Usage("-tune %s does not apply to -head %s; use softmax or ridge", o.tune, o.head)
	case o.stream && !alone:
		return cli.Usage("-tune auto does not apply to -stream: it goes over the rows many times; use evidence or all")
	case given["solver"] || given["checkpoint"]:
		return cli.Usage("-solver and -checkpoint do not apply to -tune %s, which has solvers of its own", o.tune)
	}
	for _, f := range graphFlags {
		if alone && f != "tune" && given[f] {
			return cli.Usage("-%s does not apply to -tune evidence, which has no mini-batches", f)
		}
	}
	if e, err := layers.Lookup(o.Map); err == nil && !e.Tunable {
		return cli.Usage("-tune does not apply to -map %s, which has no parameters to tune", o.Map)
	}
	return nil
}

// setSolver takes a solver of the head.
func (o *options) setSolver(name string) error {
	want := map[string]string{"ridge": "cholesky or cg", "svm": "", "softmax": "adam, sgd or newton"}
	if _, known := want[o.head]; !known {
		want[o.head] = "adam or sgd"
	}
	switch {
	case want[o.head] == "" && name != "":
		return cli.Usage("-solver does not apply to -head %s", o.head)
	case o.auto:
		o.newton = true
	case name == "" || name == "adam" && o.head != "ridge" || name == "cholesky" && o.head == "ridge":
	case name == "sgd" && o.head != "ridge":
		o.fit.Solver = sgd.SGD
	case name == "cg" && o.head == "ridge":
		o.cg = true
	case name == "newton" && o.head == "softmax":
		o.newton = true
	default:
		return cli.Usage("-solver %s: -head %s wants %s", name, o.head, want[o.head])
	}
	if e, err := layers.Lookup(o.Map); err == nil && e.Signed && o.cg {
		return cli.Usage("-solver cg does not apply to -map %s, whose system is indefinite; use cholesky", o.Map)
	}
	if v, err := strconv.ParseFloat(o.lambda, 64); o.cg && o.lambda != "" && !(err == nil && v > 0) {
		return cli.Usage("-solver cg -lambda %s: want a number above 0", o.lambda)
	}
	return nil
}

func (o *options) setLambda(graph bool) error {
	if o.lambda == "" || o.lambda == "loo" && o.head == "ridge" || o.lambda == "held-out" && !graph {
		return nil
	}
	v, err := strconv.ParseFloat(o.lambda, 64)
	if err != nil || !(v >= 0) || v > 1e300 || v == 0 && (o.head == "svm" || o.newton) {
		want := map[string]string{"ridge": "a number of at least 0, loo or held-out", "svm": "a number above 0 or held-out"}[o.head]
		if o.newton {
			want = "a number above 0 or held-out"
		}
		if want == "" {
			want = "a number of at least 0"
		}
		return cli.Usage("-lambda %s: want %s", o.lambda, want)
	}
	o.fit.Lambda = v
	return nil
}

// ridgeOptions are the flags as ridge takes them.
func (o *options) ridgeOptions() linear.RidgeOptions {
	r := linear.RidgeOptions{Seed: o.Seed, ClassWeights: o.fit.ClassWeights}
	switch o.lambda {
	case "":
	case "loo", "held-out": // rows are held out one by one under -tune auto; otherwise holdOut has chosen
		r.Select = linear.SelectLOO
	default:
		r.Lambdas = []float64{o.fit.Lambda}
	}
	return r
}

// svmOptions are the flags as the support vector machine takes them, for n rows.
func (o *options) svmOptions(n int) linear.SVMOptions {
	s := linear.SVMOptions{Seed: o.Seed, ClassWeights: o.fit.ClassWeights, Lambdas: o.lambdas(n)}
	if o.task == data.Regression {
		s.Loss, s.Epsilon = linear.SquaredInsensitive, o.epsilon
	}
	return s
}

// logisticOptions are the flags as logistic regression takes them, for n rows.
func (o *options) logisticOptions(n int) linear.LogisticOptions {
	return linear.LogisticOptions{Seed: o.Seed, ClassWeights: o.fit.ClassWeights, Lambdas: o.lambdas(n)}
}

// lambdas are what -lambda says for n rows: nothing, those to choose among, or one.
func (o *options) lambdas(n int) (all []float64) {
	switch o.lambda {
	case "":
		return nil
	case "held-out":
		for e := -9; e <= -1; e++ {
			v, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", e), 64)
			all = append(all, v*float64(n))
		}
		return all
	}
	return []float64{o.fit.Lambda}
}
