package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
)

// mapNames are all names that -map may be given; those that are not built must say so.
const mapNames = `linear gaussian laplacian matern exp-semigroup reciprocal-semigroup skewed-chi2 skewed-intersection hellinger chi2
	intersection jensen-shannon exp-hellinger exp-chi2 exp-intersection exp-jensen-shannon sphere-polynomial delta-gaussian arc-cosine ntk
	hdd-hellinger hdd-js hdd-tv l2-density mean-map add-kpca maji-berg nystrom random-maclaurin tensor-sketch srf`

// TestMapNames: each name is built or a wrong flag that says that it is not built yet.
func TestMapNames(t *testing.T) {
	for _, name := range strings.Fields(mapNames) {
		args := []string{"-map", name}
		e, missing := layers.Lookup(name)
		if missing == nil && e.Bags {
			args = append(args, "-task", "bags")
		}
		_, err := parse(args)
		if missing == nil {
			if err != nil {
				t.Errorf("-map %s: %v", name, err)
			}
			continue
		}
		var usage *cli.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), `"`+name+`" is not built yet`) {
			t.Errorf("-map %s: %v", name, err)
		}
	}
}

// wrongFlags are command lines that no file could make right, and what their errors say. None of the files exists: a
// wrong flag is found before any is read.
var wrongFlags = []struct{ args, text string }{
	{"-auto 60s -map gaussian", "-map does not apply to -auto"},
	{"-auto 60s -features 64", "-features does not apply to -auto"},
	{"-auto 60s -head ridge", "-head does not apply to -auto"},
	{"-auto 60s -tune all", "-tune does not apply to -auto"},
	{"-auto 60s -cv 3", "-cv does not apply to -auto"},
	{"-auto 20 -grid sigma=1,2", "-grid does not apply to -auto"},
	{"-auto 20 -solver adam", "-solver does not apply to -auto"},
	{"-auto 20 -epochs 3", "-epochs does not apply to -auto"},
	{"-auto 20 -scale l1", "-scale does not apply to -auto"},
	{"-auto 20 -stream -train x", "-stream does not apply to -auto"},
	{"-auto 20 -load x", "does not apply to -load"},
	{"-auto soon", "-auto soon: want a time, such as 60s, or a number of trials above 0"},
	{"-auto 0", "-auto 0: want a time"},
	{"-auto -3s", "-auto -3s: want a time"},
	{"-auto 20 -dtype int", "-dtype int: want float32 or float64"},
	{"-auto 20 -task bags -label last", "-label does not apply to sets of samples"},
	{"-map rbf", `there is no map "rbf"; there are linear, gaussian`},
	{"-map Gaussian", `no map "Gaussian"`},
	{"-map linear -params c=1", "map linear has no parameters"},
	{"-map linear -features 64", "-features does not apply to -map linear"},
	{"-map linear -sampler iid", "-sampler does not apply to -map linear"},
	{"-map linear -tune all", "-tune does not apply to -map linear"},
	{"-params s=1", `no parameter "s"; it has sigma, phase`},
	{"-params sigma", `parameter "sigma" has no value; write sigma=VALUE`},
	{"-params sigma=wide", `sigma = "wide", want a number above 0`},
	{"-params sigma=0", "sigma = 0, want a finite number above 0"},
	{"-params sigma=-1", "sigma = -1"},
	{"-params sigma=inf", "sigma = +Inf"},
	{"-params sigma=nan", "sigma = NaN"},
	{"-params sigma=1,sigma=2", `"sigma" is given twice`},
	{"-params phase=3", `phase = "3", want true or false`},
	{"-params beta=1", `no parameter "beta"`},
	{"-map exp-semigroup -params phase=true", `no parameter "phase"`},
	{"-map matern -params nu=-.5", "nu = -0.5"},
	{"-sampler grid", `no sampler is called "grid"; there are iid, orthogonal, coupled, `},
	{"-map matern -sampler antithetic", "antithetic does not fit spectral.Matern"},
	{"-map laplacian -sampler coupled", "coupled does not fit spectral.Laplacian"},
	{"-sampler all", `no sampler is called "all"`},
	{"-sampler=", "-sampler is empty"},
	{"-map laplacian -sampler structured", "structured does not fit spectral.Laplacian"},
	{"-map gaussian -sampler structured -tune all", "or the sampler orthogonal"},
	{"-map laplacian -sampler orthogonal", "orthogonal does not fit spectral.Laplacian"},
	{"-map skewed-chi2 -sampler orthogonal", "orthogonal does not fit spectral.SkewedChi2"},
	{"-map exp-semigroup -sampler orthogonal", "orthogonal does not fit spectral.ExpSemigroup"},
	{"-features 15", "15 features is odd"},
	{"-features 0", "-features 0: want 1 to"},
	{"-features -4", "-features -4: want 1 to"},
	{"-features 1000000000000000", "want 1 to 16777216"},
	{"-features 99999999999999999999", "-features"},
	{"-features 1e3", "-features"},
	{"-seed -1", "-seed"},
	{"-dtype float16", "-dtype float16: want float32 or float64"},
	{"-scale max", `scaler "max" in "max" is unknown, want none, l1, l2, minmax, cube, standard, auto, robust`},
	{"-scale minmax,,l2", `scaler "" in "minmax,,l2"`},
	{"-label none", "-label none: a model is fitted to labels"},
	{"-task bags -stream", "-stream does not apply to -task bags"},
	{"-task bags -map gaussian", "-map gaussian is a map of rows; of sets of samples there are hdd-js"},
	{"-map hdd-js", "-map hdd-js is a map of sets of samples; say -task bags"},
	{"-task bags -train a.csv -label first", "-label does not apply to -task bags"},
	{"-task bags -params bandwidth=0", "bandwidth = 0, want finite numbers above 0"},
	{"-task bags -params bandwidth=narrow", "want finite numbers, as 1:10 or scott or cv"},
	{"-task clustering", "-task clustering: want classification, regression, bags or bags-regression"},
	{"-task regression -head softmax", "-head softmax does not apply to -task regression; use ridge, svm or linear"},
	{"-head tree", "-head tree: want one of linear, softmax, huber, ridge, svm"},
	{"-head svm -lambda loo", "-lambda loo: want a number above 0 or held-out"},
	{"-head svm -lambda 0", "-lambda 0: want a number above 0 or held-out"},
	{"-head svm -tune all", "-tune does not apply to -head svm"},
	{"-head svm -epsilon .2", "-epsilon applies to -head svm under -task regression alone"},
	{"-task regression -head ridge -epsilon .2", "-epsilon applies to -head svm under -task regression alone"},
	{"-task regression -head svm -epsilon -1", "-epsilon -1: want a number of at least 0"},
	{"-head ridge -tune all", "-tune does not apply to -head ridge"},
	{"-head ridge -epochs 3", "-epochs does not apply to -head ridge"},
	{"-head ridge -batch 3", "-batch does not apply to -head ridge"},
	{"-head ridge -lr .1", "-lr does not apply to -head ridge"},
	{"-head ridge -solver sgd", "-solver sgd: -head ridge wants cholesky or cg"},
	{"-head svm -solver sgd", "-solver does not apply to -head svm"},
	{"-solver cg", "-solver cg: -head softmax wants adam, sgd or newton"},
	{"-head linear -solver newton", "-solver newton: -head linear wants adam or sgd"},
	{"-solver newton -epochs 3", "-epochs does not apply to -solver newton"},
	{"-solver newton -tune all", "-tune does not apply to -solver newton"},
	{"-solver newton -lambda loo", "-lambda loo: want a number above 0 or held-out"},
	{"-solver newton -lambda 0", "-lambda 0: want a number above 0 or held-out"},
	{"-train a.csv -stream -solver newton -shuffle 9", "-shuffle applies to -stream"},
	{"-head ridge -solver cg -lambda loo", "-solver cg -lambda loo: want a number above 0"},
	{"-head ridge -solver cg -lambda 0", "-solver cg -lambda 0: want a number above 0"},
	{"-head ridge -solver cg -map delta-gaussian", "whose system is indefinite"},
	{"-head ridge -held-out .1", "-held-out does not apply to -head ridge"},
	{"-task regression -epochs 3", "-epochs does not apply to -head ridge"},
	{"-tune evidence -epochs 3", "-epochs does not apply to -tune evidence"},
	{"-tune evidence -head svm", "-tune evidence does not apply to -head svm"},
	{"-tune evidence -solver newton", "do not apply to -tune evidence"},
	{"-map linear -tune evidence", "-tune does not apply to -map linear"},
	{"-level .8", "-level does nothing without -distribution"},
	{"-laplace", "-laplace does nothing without -distribution"},
	{"-distribution -level 1", "-level 1: want a probability between 0 and 1"},
	{"-distribution -laplace -head ridge", "-laplace is for classes under a softmax head"},
	{"-tune some", `"some" is no policy; there are frozen, bandwidth, bandwidth-each and all`},
	{"-map-lr .1", "-map-lr does not apply to a frozen map"},
	{"-tune all -map-lr 0", "-map-lr 0: want a number above 0"},
	{"-lr 0", "-lr 0: want a number above 0"},
	{"-lr nan", "-lr NaN"},
	{"-lr inf", "-lr +Inf"},
	{"-epochs 0", "-epochs 0"},
	{"-batch 0", "-batch 0"},
	{"-held-out 1", "-held-out 1"},
	{"-held-out -.1", "-held-out -0.1"},
	{"-held-out nan", "-held-out NaN"},
	{"-solver lbfgs", "-solver lbfgs: -head softmax wants adam, sgd or newton"},
	{"-lambda many", "-lambda many: want a number above 0 or held-out"},
	{"-lambda -1", "-lambda -1"},
	{"-lambda nan", "-lambda nan"},
	{"-lambda inf", "-lambda inf"},
	{"-lambda loo", "-lambda loo: want a number above 0 or held-out"},
	{"-solver adam -lambda loo", "-lambda loo: want a number of at least 0"},
	{"-head ridge -lambda cv", "want a number of at least 0, loo or held-out"},
	{"-head ridge -cv 1", "-cv 1: want at least 2 folds"},
	{"-head ridge -cv 5 -lambda loo", "-cv chooses lambda; leave -lambda loo out"},
	{"-grid sigma=1,2", "-grid is searched by cross-validation; say -cv FOLDS"},
	{"-trials 3 -cv 5", "-trials draws from ranges; give one"},
	{"-cv 5 -grid sigma=1,2 -trials 3", "-trials draws from ranges, and -grid has none"},
	{"-cv 5 -grid sigma=1:2 -trials 0", "-trials 0: want at least 1"},
	{"-cv 5 -grid sigma=1:2", "-grid sigma=1:2 is a range, which -trials N draws from; list values instead, as sigma=1,2,4"},
	{"-cv 5 -grid sigma", "-grid sigma: want NAME=VALUE"},
	{"-cv 5 -grid sigma=", "-grid sigma=: want NAME=VALUE"},
	{"-cv 5 -grid sigma=1,wide", `-grid sigma=1,wide: "wide" is not a number`},
	{"-cv 5 -grid sigma=1:2:3", `-grid sigma=1:2:3: "2:3" is not a number`},
	{"-cv 5 -grid beta=1", `-grid: train: Grid: layers: map gaussian has no parameter "beta"`},
	{"-cv 5 -grid sigma=1,0", "sigma = 0, want a finite number above 0"},
	{"-cv 5 -grid sigma=1,1", "sigma = 1 is given twice"},
	{"-cv 5 -grid sigma=1 -grid sigma=2", "sigma is given twice"},
	{"-cv 5 -grid phase=1", "phase = 1, want true or false"},
	{"-cv 5 -grid features=64,65", "65 features is odd"},
	{"-cv 5 -grid features=64.5", "features = 64.5, want a whole number"},
	{"-cv 5 -grid features=64,33554432", "-grid features 33554432: want 1 to 16777216"},
	{"-cv 5 -map linear -grid features=64", "map linear has no number of features to choose"},
	{"-cv 5 -features 64 -grid features=32,64", "-features and -grid features=32,64: give one of the two"},
	{"-cv 5 -lambda 1 -grid lambda=1,2", "-lambda and -grid lambda=1,2: give one of the two"},
	{"-cv 5 -params sigma=1 -grid sigma=1,2", "-params sigma=1 and -grid sigma=1,2: give one of the two"},
	{"-cv 5 -grid lambda=-1", "lambda = -1"},
	{"-cv 5 -head svm -grid lambda=0,1", "-head svm wants lambdas above 0"},
	{"-cv 5 -head svm -trials 3 -grid lambda=0:1", "-head svm wants lambdas above 0"},
	{"-cv 5 -trials 3 -grid sigma=2:1", "the range 2 to 1 is none"},
	{"-schedule steps", `no schedule "steps"; there are constant, cosine and linear`},
	{"-head ridge -schedule cosine", "-schedule does not apply to -head ridge"},
	{"-warm-up 20", "-warm-up 20: want at least 0 and fewer than the 20 epochs"},
	{"-clip 0", "-clip 0: want a number above 0"},
	{"-weight-decay -1", "-weight-decay -1"},
	{"-class-weights heavy", "-class-weights heavy: want balanced"},
	{"-class-weights 1,0", "-class-weights 1,0"},
	{"-head ridge -solver cg -class-weights balanced", "-class-weights does not apply to -solver cg"},
	{"-task regression -head svm -class-weights balanced", "-class-weights does not apply to targets"},
	{"-resume", "-resume needs -checkpoint FILE"},
	{"-checkpoint-every 3", "-checkpoint-every needs -checkpoint FILE"},
	{"-checkpoint c -checkpoint-every 0", "-checkpoint-every 0: want a number of epochs"},
	{"-checkpoint c -checkpoint-every -3s", "-checkpoint-every -3s"},
	{"-checkpoint c -checkpoint-keep 0", "-checkpoint-keep 0: want at least 1"},
	{"-head svm -checkpoint c", "-checkpoint does not apply to -head svm"},
	{"-stream -head svm -shuffle 9", "-shuffle applies to -stream"},
	{"-shuffle 9", "-shuffle applies to -stream"},
	{"-stream -head ridge -shuffle 9", "-shuffle applies to -stream with -head linear, softmax, huber by adam or sgd alone"},
	{"-stream -shuffle -1", "-shuffle -1: want at least 0"},
	{"-save-spec", "-save-spec does nothing without -save"},
	{"-save m -save-spec -tune all", "a seed cannot bring a tuned map back"},
	{"-save m -save-spec -map nystrom", "a seed cannot bring back a map that was fitted on data"},
	{"-map maji-berg -features 6", "-features does not apply to -map maji-berg"},
	{"-map nystrom -sampler iid", "-sampler does not apply to -map nystrom"},
	{"stray", `unexpected argument "stray"; -h lists the flags`},
	{"-bogus", "-bogus; -h lists the flags"},
	{"-json=maybe", "-json"},
	{"-header maybe", "-header maybe: want auto, yes or no"},
	{"-delimiter ab", "-delimiter ab: want auto, tab, or one character"},
	{`-delimiter "`, "want auto, tab, or one character"},
	{"-label=", "-label : a model is fitted to labels"},
	{"-missing drop", "-missing drop: want indicator, fill or error"},
	{"-unknown skip", "-unknown skip: want other or error"},
	{"-dates weekly", "-dates weekly: want epoch or cyclic"},
	{"-rare -1", "-rare -1: want a number of rows"},
	{"-rare few", "-rare"},
	{"-task bags -drop a", "-drop does not apply to -task bags"},
	{"-task bags -header no", "-header does not apply to -task bags"},
	{"-out o.csv", "-out does nothing without -predict"},
	{"-predict p.csv", "-predict needs -out, the file to write"},
	{"-predict p.csv -out o.csv", "-predict needs -load, the model"},
	{"-look -features 64", "-features does not apply to -look, which trains nothing"},
	{"-look -test t.csv", "-test does not apply to -look"},
	{"-look -save m", "-save does not apply to -look"},
	{"-look -task bags", "-look needs -train, the tables to look at"},
	{"-test", "-test"},
}

func TestWrongFlags(t *testing.T) {
	dir := t.TempDir()
	for i, tc := range wrongFlags {
		args := "-json -train none.csv " + tc.args
		_, err := parse(strings.Fields(args))
		var usage *cli.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: %v, want a wrong flag with %q", args, err, tc.text)
		}
		if i%12 == 0 { // the rest of the way is the same for all
			clitest.Run(t, dir, args).Fails(t, 2, "train", tc.text)
		}
	}
	for _, tc := range []struct{ args, text string }{
		{"-test x.csv", "-test without -train or -load"},
		{"-task regression", "-task regression needs -train"},
		{"-task bags-regression", "-task bags-regression needs -train"},
		{"-label first", "-label does not apply to the made histograms"},
		{"-categorical a", "-categorical does not apply to the made histograms"},
		{"-delimiter tab", "-delimiter does not apply to the made histograms"},
		{"-look", "-look needs -train"},
		{"-load m -predict x.csv -out o.txt", "-out o.txt: want a name that ends with .csv, .jsonl, .npy, .parquet"},
		{"-load m -predict x.csv -out o", "-out o: want a name that ends with"},
		{"-load m -predict x.csv -out o.csv -test x.csv", "-test does not apply to -predict, whose rows need no labels"},
		{"-load m -predict x.csv -out o.csv -json", "-json does not apply to -predict"},
		{"-load m -predict x.csv -out o.csv -drop a", "-drop does not apply to -load"},
		{"-load m -test x.csv -id a", "-id goes with -predict"},
		{"-load m -test x.csv -look", "-look needs -train"},
		{"-load m -look -train x.csv", "-load does not apply to -look"},
		{"-stream", "-stream does not apply to the made histograms"},
		{"-load m -test x.csv -stream", "-stream does not apply to -load"},
		{"-load m", "-load needs -test"},
		{"-load m -test x.csv -train x.csv", "-train does not apply to -load"},
		{"-load m -test x.csv -features 8", "-features does not apply to -load"},
		{"-load m -test x.csv -task classification", "-task does not apply to -load"},
		{"-load m -test x.csv -save n", "-save does not apply to -load"},
		{"-load m -test x.csv -map linear -seed 3", "-map does not apply to -load"},
	} {
		clitest.Run(t, dir, tc.args).Fails(t, 2, "train", tc.text)
	}
	if names := clitest.Names(t, dir); len(names) > 0 {
		t.Errorf("wrong flags left %v", names)
	}
}

// TestOutputsAreNotInputs: what would overwrite a file that is read, or another that is written, is a wrong flag, under
// whatever names, and leaves every file as it is.
func TestOutputsAreNotInputs(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "parts"), 0o755), os.Symlink("parts", filepath.Join(dir, "folder")),
		os.WriteFile(filepath.Join(dir, "t.csv"), []byte("rows"), 0o644), os.WriteFile(filepath.Join(dir, "parts", "p.csv"), []byte("rows"), 0o644),
		os.Link(filepath.Join(dir, "t.csv"), filepath.Join(dir, "hard")), os.Symlink("t.csv", filepath.Join(dir, "soft")),
		os.WriteFile(filepath.Join(dir, "m"), []byte("rows"), 0o644), os.Symlink("new", filepath.Join(dir, "dangling")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := clitest.Names(t, dir)
	for _, tc := range []struct{ args, text string }{
		{"-train t.csv -save t.csv", "-save and -train name the same file, t.csv; name another for -save"},
		{"-train t.csv -save ./parts/../t.csv", "-save and -train name the same file"},
		{"-train t.csv -onnx hard", "-onnx and -train name the same file"},
		{"-train t.csv -plot soft", "-plot and -train name the same file"},
		{"-train t.csv,m -test m -save m", "-save and -train name the same file, m"},
		{"-train parts -save parts/p.csv", "-save and -train name the same file"},
		{"-train parts/p.csv -save folder/p.csv", "-save and -train name the same file"},
		{"-train t.csv -test m -plot m", "-plot and -test name the same file"},
		{"-train t.csv -save x -plot x", "-plot and -save name the same file"},
		{"-train t.csv -save parts/x -plot folder/x", "-plot and -save name the same file"},
		{"-train t.csv -save new -onnx dangling", "-onnx and -save name the same file"},
		{"-save train.png", "-plot and -save name the same file, train.png"},
		{"-auto 2 -train t.csv -save t.csv", "-save and -train name the same file"},
		{"-look -train t.csv -plot t.csv", "-plot and -train name the same file"},
		{"-load m -test t.csv -plot m", "-plot and -load name the same file"},
		{"-load m -onnx m", "-onnx and -load name the same file"},
		{"-load m -predict t.csv -out t.csv", "-out and -predict name the same file"},
		{"-load t.csv -predict m -out t.csv", "-out and -load name the same file"},
		{"-train t.csv -head softmax -checkpoint c -save c.000000000004", "-save c.000000000004 may be a checkpoint of -checkpoint c"},
	} {
		clitest.Run(t, dir, tc.args).Fails(t, 2, "train", tc.text)
	}
	if names := clitest.Names(t, dir); !slices.Equal(names, before) {
		t.Errorf("the folder holds %v, held %v", names, before)
	}
	for _, name := range []string{"t.csv", "parts/p.csv", "m", "hard", "soft"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); string(text) != "rows" {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
	}
}

// TestParse: what the flags become, defaults included.
func TestParse(t *testing.T) {
	must := func(args string) *options {
		t.Helper()
		o, err := parse(strings.Fields(args))
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		return o
	}
	o := must("")
	if o.spec.Map != "exp-semigroup" || o.Scale != "l1" || o.plot != "train.png" || o.head != "softmax" || o.spec.Features != 4096 || must("").Sampler != "iid" ||
		o.fit.Epochs != 20 || o.fit.Batch != 256 || o.fit.Seed != 1 || o.tune != "" || o.json {
		t.Errorf("no flags: %+v", o)
	}
	o = must("-train x.csv")
	if o.spec.Map != "gaussian" || o.Scale != "none" || o.plot != "" || o.read.Label != data.LabelLast || o.task != data.Classification {
		t.Errorf("-train: %+v", o)
	}
	o = must("-train x.csv -task regression -label first -seed 9 -lambda 0.5 -scale minmax,l2 -map matern -params nu=2.5,phase=true -features 7 -dtype float32")
	if o.head != "ridge" || o.read.Label != data.LabelFirst || o.ridgeOptions().Lambdas[0] != .5 || o.Scale != "minmax,l2" ||
		o.spec.Seed != 9 || o.spec.Params.Number("nu") != 2.5 || o.spec.Features != 7 || o.spec.Dtype != "float32" {
		t.Errorf("regression: %+v", o)
	}
	o = must("-train x.csv -tune frozen")
	if o.tune != "" || o.spec.Tune != "" {
		t.Errorf("-tune frozen: %q, %q", o.tune, o.spec.Tune)
	}
	o = must("-train x.csv -tune bandwidth-each -solver sgd -lr 2 -map-lr .5 -lambda 1e-3 -held-out .25")
	if o.spec.Tune != "bandwidth-each" || o.fit.Solver != sgd.SGD || o.fit.LearnRate != 2 || o.fit.MapRate != .5 || o.fit.Lambda != 1e-3 || o.fit.HeldOut != .25 {
		t.Errorf("-tune: %+v", o)
	}
	for lambda, want := range map[string]linear.Selection{"loo": linear.SelectLOO, "held-out": linear.SelectLOO} {
		if r := must("-head ridge -lambda " + lambda).ridgeOptions(); r.Select != want || r.Lambdas != nil {
			t.Errorf("-lambda %s: %+v", lambda, r)
		}
	}
	if s := must("-head svm -lambda held-out").svmOptions(1000); len(s.Lambdas) != 9 || math.Abs(s.Lambdas[0]-1e-6) > 1e-20 || s.Lambdas[8] != 100 {
		t.Errorf("svm: %+v", s)
	}
}
