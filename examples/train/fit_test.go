package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// fit runs the program in this process, in the folder of the files.
func fit(t *testing.T, dir, args string) object {
	t.Helper()
	t.Chdir(dir)
	o, err := parse(strings.Fields(args))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	r, err := trainModel(t.Context(), o)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return r.object()
}

// narrow are parameters under which each map tells the fields of the chessboard apart.
var narrow = map[string]string{
	"gaussian": " -params sigma=.3", "nystrom": " -params sigma=.3", "laplacian": " -params sigma=1", "matern": " -params ell=.5", "exp-semigroup": " -params beta=1.5",
	"reciprocal-semigroup": " -params lambda=.1", "skewed-chi2": " -params c=.02", "skewed-intersection": " -params c=.1",
	"delta-gaussian": " -params sigma1=.3,sigma2=.9", "sphere-polynomial": " -scale standard,l2", "srf": " -scale standard,l2", "tensor-sketch": " -scale standard,l2 -params p=4",
	"random-maclaurin": " -scale standard,l2 -params p=4",
	"arc-cosine":       " -scale standard,l2", "ntk": " -scale standard,l2",
}

// exact are the maps whose inner products are the kernel.
var exact = map[string]bool{"linear": true, "hellinger": true}

// TestMapsAndHeads: every map of rows goes with every head, in either element type. What no sum of functions of one
// column can tell apart the maps of other kernels do, whose features are to choose; a linear model does not, nor one on
// an additive kernel.
func TestMapsAndHeads(t *testing.T) {
	dir := files(t)
	for i, e := range layers.Entries() {
		if e.Bags { // TestBags has those
			continue
		}
		for j, head := range []string{"linear", "softmax", "ridge", "svm"} {
			args := "-train last.csv -test test.csv -seed 5 -map " + e.Name + " -head " + head + narrow[e.Name]
			switch {
			case e.Sampled:
				args += " -features 512"
			case e.HasFeatures():
				args += " -features 100" // of 150 rows
			}
			if head != "ridge" && head != "svm" {
				args += " -epochs 80 -batch 50 -lr .2"
			} else {
				args += " -lambda 1e-3"
			}
			if (i+j)%2 == 1 {
				args += " -dtype float32"
			}
			ob := fit(t, dir, args)
			if good := min(*ob.Accuracy, *ob.TrainAccuracy, *ob.F1) > .75; good != e.HasFeatures() {
				t.Errorf("%s: accuracy %.3f test, %.3f train, f1 %.3f", args, *ob.Accuracy, *ob.TrainAccuracy, *ob.F1)
			}
			if ob.Map != e.Name || ob.Head != head || ob.Classes != 2 || ob.InputDim != 3 || ob.TrainRows != 150 || ob.TestRows != 60 {
				t.Errorf("%s: %+v", args, ob)
			}
			if k := ob.KernelError; k.Rows != 60 || !(k.RelativeFrobenius < .5) || exact[e.Name] == (k.RelativeFrobenius > 1e-6) {
				t.Errorf("%s: kernel error %+v", args, k)
			}
		}
	}
}

// TestTargets: regression under each of its heads, on a function that no linear one is near.
func TestTargets(t *testing.T) {
	dir := files(t)
	const files = "-train smooth.csv -test smoothtest.csv -task regression "
	linear := fit(t, dir, files+"-map linear")
	ridge := fit(t, dir, files+"-features 256 -lambda 1e-6")
	descent := fit(t, dir, files+"-features 256 -params sigma=1 -head linear -epochs 200 -batch 32 -lr .02")
	svm := fit(t, dir, files+"-features 256 -head svm -lambda 1e-6 -epsilon .001")
	if coarse := fit(t, dir, files+"-features 256 -head svm -lambda 1e-6"); *svm.RMSE > .03 || svm.Head != "svm" || *coarse.TrainRMSE < 2**svm.TrainRMSE {
		t.Errorf("svm: rmse %v, and %v on its own rows, where the default epsilon leaves %v", *svm.RMSE, *svm.TrainRMSE, *coarse.TrainRMSE)
	}
	if linear.Accuracy != nil || linear.F1 != nil || linear.Classes != 0 || linear.Head != "ridge" {
		t.Errorf("regression reports %+v", linear)
	}
	if *ridge.RMSE > .01 || *ridge.TrainRMSE > .01 || *linear.RMSE < .05 || *descent.RMSE > .06 {
		t.Errorf("rmse: ridge %v, %v on its own rows, descent %v, a linear model %v", *ridge.RMSE, *ridge.TrainRMSE, *descent.RMSE, *linear.RMSE)
	}
}

// TestFormats: the same rows in any format give the same numbers.
func TestFormats(t *testing.T) {
	dir := files(t)
	csv, err := os.ReadFile(filepath.Join(dir, "header.csv"))
	if err != nil {
		t.Fatal(err)
	}
	clitest.File(t, dir, "header.csv.gz", zipped(t, string(csv), 1))
	rows, dark := clitest.Checker(150, 3, 1)
	file, err := data.NewMatrixFile(filepath.Join(dir, "rows.npy"), len(rows), 4, tensor.Float64)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		label := map[bool]float64{false: -1, true: 1}[dark[i]]
		if err := file.Write(tensor.New(tensor.WithShape(1, 4), tensor.WithBacking(append(row, label)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(nil); err != nil {
		t.Fatal(err)
	}
	run := func(args string) object {
		ob := fit(t, dir, "-features 64 -head ridge -lambda .01 -train "+args)
		ob.Seconds, ob.PeakRSS = seconds{}, 0
		return ob
	}
	want := run("last.csv")
	for _, args := range []string{"first.csv -label first", "header.csv -scale none", "header.csv.gz -scale none"} {
		if got := run(args); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", args, got, want)
		}
	}
	// The classes of these are in another order, -1 before +1, which is light before dark.
	for _, args := range []string{"train.libsvm", "rows.npy"} {
		if got := run(args); got.TrainRows != want.TrainRows || got.Params.Number("sigma")/want.Params.Number("sigma") < .8 || *got.Accuracy < .7 {
			t.Errorf("%s:\n%+v, want about\n%+v", args, got, want)
		}
	}
	if a, b := run("train.libsvm"), run("rows.npy"); !reflect.DeepEqual(a, b) {
		t.Errorf("LIBSVM and npy differ:\n%+v\n%+v", a, b)
	}
}

// TestTune: a bandwidth that is far too wide is found by tuning it, alone, one a dimension, or with the frequencies.
func TestTune(t *testing.T) {
	dir := files(t)
	const args = "-train last.csv -test test.csv -features 128 -epochs 60 -batch 30 -map gaussian -params sigma=2"
	frozen := fit(t, dir, args)
	for _, policy := range []string{"bandwidth", "bandwidth-each", "all"} {
		for _, head := range []string{"softmax", "linear"} {
			ob := fit(t, dir, args+" -map-lr .02 -tune "+policy+" -head "+head)
			if ob.Tuned != policy || ob.KernelError != nil {
				t.Errorf("-tune %s: tuned %s, kernel error %v", policy, ob.Tuned, ob.KernelError)
			}
			if last := len(ob.TrainLoss) - 1; last != 59 || ob.TrainLoss[last] > .9*ob.TrainLoss[0] || head == "softmax" && ob.TrainLoss[last] > .9*frozen.TrainLoss[last] {
				t.Errorf("-tune %s -head %s: loss %v to %v, frozen %v", policy, head, ob.TrainLoss[0], ob.TrainLoss[last], frozen.TrainLoss[last])
			}
		}
	}
	sets := bagFiles(t)
	for _, e := range layers.Entries() { // each has a backward
		if e.Tunable {
			rows, features := "-train last.csv", " -features 64"
			if e.Bags {
				rows = "-task bags -train " + filepath.Join(sets, "bags.csv")
			}
			if !e.Sampled {
				features = ""
			}
			ob := fit(t, dir, rows+features+" -epochs 3 -map-lr .02 -tune all -dtype float32 -map "+e.Name+narrow[e.Name])
			if loss := ob.TrainLoss; !(loss[2] < loss[0]) {
				t.Errorf("-tune all -map %s: losses %v", e.Name, loss)
			}
		}
	}
}

// TestClassWeights: under every head a class that weighs a hundred times as much is hardly ever missed, where the map
// cannot tell the classes apart; equal weights change nothing, and those that are balanced are those of the counts.
func TestClassWeights(t *testing.T) {
	dir := files(t)
	dark := func(args string) (share float64) {
		t.Helper()
		t.Chdir(dir)
		o, err := parse(strings.Fields("-train last.csv -test test.csv -map linear -cv 2 " + args))
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		r, err := trainModel(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		for _, c := range r.test.guess { // dark is before light
			share += float64(1-c) / float64(len(r.test.guess))
		}
		return share
	}
	for _, head := range []string{"linear -epochs 40 -lambda 0", "softmax -epochs 40 -lambda 0", "ridge", "ridge -lambda .1", "svm -lambda .1", "linear -epochs 40 -lambda 0 -dtype float32"} {
		plain, heavy, light := dark("-head "+head), dark("-head "+head+" -class-weights 100,1"), dark("-head "+head+" -class-weights 1,100")
		if heavy < .95 || light > .05 || plain < .05 || plain > .95 {
			t.Errorf("%s: dark are %v, with its weight 100 %v, with that of light %v", head, plain, heavy, light)
		}
		if ones := dark("-head " + head + " -class-weights 1,1"); math.Abs(ones-plain) > 1e-9 {
			t.Errorf("%s: dark are %v, with equal weights %v", head, plain, ones)
		}
	}
	for _, args := range []string{"-head svm", "-head ridge -lambda loo"} {
		if ob := fit(t, dir, "-train last.csv -test test.csv -params sigma=.3 -features 256 -class-weights balanced "+args); *ob.Accuracy < .8 {
			t.Errorf("%s, balanced: accuracy %v", args, *ob.Accuracy)
		}
	}
	const blocks = "-train last.csv -test test.csv -map linear -head ridge -lambda .1 -class-weights 1,3"
	if a, b := fit(t, dir, blocks), stream(t, dir, blocks); math.Abs(*a.Accuracy-*b.Accuracy) > 1e-9 {
		t.Errorf("ridge has the accuracy %v, and %v in blocks", *a.Accuracy, *b.Accuracy)
	}
	clitest.Run(t, dir, "-train last.csv -head svm -class-weights 1,2,3").Fails(t, 2, "train", "3 weights for 2 classes")
}

// TestOptions: what else a fit can be told.
func TestOptions(t *testing.T) {
	dir := files(t)
	const args = "-train last.csv -test test.csv -params sigma=.3 "
	for _, choose := range []string{"loo", "held-out"} {
		for _, features := range []string{"64", "512"} { // fewer and more than rows
			ob := fit(t, dir, args+"-head ridge -lambda "+choose+" -features "+features)
			if exponent := math.Log10(*ob.Lambda / 150); math.Abs(exponent-math.Round(exponent)) > 1e-9 || exponent < -9.1 || exponent > -.9 || *ob.Accuracy < .85 {
				t.Errorf("-lambda %s: lambda %v, accuracy %v", choose, *ob.Lambda, *ob.Accuracy)
			}
		}
	}
	// It is the default of a frozen map, and a flag of mini-batches asks for these.
	if byDefault, newton := fit(t, dir, args), fit(t, dir, args+"-solver newton"); *byDefault.Accuracy != *newton.Accuracy || byDefault.Lambda == nil || *byDefault.Lambda != *newton.Lambda {
		t.Errorf("by default %+v, with -solver newton %+v", byDefault, newton)
	}
	for _, more := range []string{"-epochs 3", "-lambda 0", "-lr .1", "-solver adam"} {
		if ob := fit(t, dir, args+more); ob.TrainLoss == nil {
			t.Errorf("%s is not by mini-batches", more)
		}
	}
	newton := fit(t, dir, args+"-solver newton -lambda .01 -features 64")
	if *newton.Lambda != .01 || *newton.Accuracy < .85 || newton.Head != "softmax" || newton.TrainLoss != nil {
		t.Errorf("-solver newton: %+v", newton)
	}
	for _, more := range []string{"-lambda held-out", "-cv 3 -grid sigma=.1,.3,1", "-class-weights balanced"} {
		if ob := fit(t, dir, "-train last.csv -test test.csv -features 64 -solver newton "+more); *ob.Accuracy < .85 || !(*ob.Lambda > 0) {
			t.Errorf("-solver newton %s: lambda %v, accuracy %v", more, *ob.Lambda, *ob.Accuracy)
		}
	}
	if ob := fit(t, dir, args+"-head svm -lambda held-out -features 512"); *ob.Lambda < 1e-9*149 || *ob.Accuracy < .85 {
		t.Errorf("-head svm: lambda %v, accuracy %v", *ob.Lambda, *ob.Accuracy)
	}
	for _, features := range []string{"64", "512"} {
		ob, loo := fit(t, dir, args+"-head ridge -features "+features), fit(t, dir, args+"-head ridge -lambda loo -features "+features)
		if *ob.Lambda != *loo.Lambda || *ob.Accuracy != *loo.Accuracy {
			t.Errorf("%s features: by default lambda %v and accuracy %v, with -lambda loo %v and %v", features, *ob.Lambda, *ob.Accuracy, *loo.Lambda, *loo.Accuracy)
		}
	}
	if ob := fit(t, dir, args+"-head ridge -solver cg -features 64"); math.Abs(*ob.Lambda-150e-6) > 1e-12 {
		t.Errorf("the default lambda of cg is %v, want 1e-6 n", *ob.Lambda)
	}
	weak, strong := fit(t, dir, args+"-features 64 -epochs 5 -batch 30"), fit(t, dir, args+"-features 64 -epochs 5 -batch 30 -lambda 1")
	if strong.TrainLoss[4] <= weak.TrainLoss[4] || strong.Lambda != nil {
		t.Errorf("a penalty of 1 leaves the loss at %v, none at %v; lambda %v", strong.TrainLoss[4], weak.TrainLoss[4], strong.Lambda)
	}
	rows, dark := clitest.Checker(150, 3, 1)
	clitest.File(t, dir, "noise.csv", clitest.CSV(rows, nil, func(i int) string { return fmt.Sprint(dark[i] != (i%4 == 0)) }))
	for _, solver := range []string{"adam -lr .5", "sgd -lr 20"} {
		ob := fit(t, dir, "-train noise.csv -test noise.csv -params sigma=.1 -features 512 -epochs 100 -batch 30 -held-out .3 -solver "+solver)
		if len(ob.TrainLoss) == 100 || ob.TrainRows != 150 {
			t.Errorf("-solver %s: early stopping did not stop in %d epochs", solver, len(ob.TrainLoss))
		}
	}
	scaled := fit(t, dir, args+"-features 64 -scale minmax,standard -head ridge")
	if plain := fit(t, dir, args+"-features 64 -head ridge"); *scaled.KernelError == *plain.KernelError {
		t.Error("-scale changes nothing")
	}
	one, two, again := fit(t, dir, args+"-features 64"), fit(t, dir, args+"-features 64 -seed 2"), fit(t, dir, args+"-features 64")
	if *one.KernelError == *two.KernelError || !reflect.DeepEqual(one.TrainLoss, again.TrainLoss) || *one.KernelError != *again.KernelError {
		t.Errorf("seeds: %v, %v, %v", one.KernelError, two.KernelError, again.KernelError)
	}
	iid, orthogonal := fit(t, dir, args+"-features 512"), fit(t, dir, args+"-features 512 -sampler orthogonal")
	if orthogonal.KernelError.RelativeFrobenius >= iid.KernelError.RelativeFrobenius {
		t.Errorf("kernel error: orthogonal %v, iid %v", orthogonal.KernelError, iid.KernelError)
	}
}
