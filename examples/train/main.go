// Command train fits a model on the features of a kernel's map, end to end, and reports how good it is.
//
//	go run ./examples/train
//	go run ./examples/train -train FILE -test FILE -map gaussian -params sigma=2.5 -scale standard -head ridge -json
//	go run ./examples/train -task bags -train FILE -map hdd-js
//	go run ./examples/train -load MODEL -test FILE
//	go run ./examples/train -load MODEL -predict FILE -out FILE
//	go run ./examples/train -load MODEL -onnx FILE
//	go run ./examples/train -look -train FILE -label NAME
//	go run ./examples/train -auto 60s -train FILE -test FILE
//
// Without -train it runs on histograms that it makes itself, on which a linear model does clearly worse, and draws
// train.png. Without -test a fifth of the rows is set aside.
//
// The columns of a table with names may be numbers, booleans, categories and dates, with gaps. What each becomes is
// decided by the training rows, saved with the model, and applied by name. -look shows it without training, with a
// picture, look.png. -predict writes what a saved model says of rows without labels.
//
// A model has three parts, each chosen by a flag and fitted on the training rows alone:
//
//	-scale   scalers, in order: l1, l2, minmax, cube, standard, robust, quantile, quantile-uniform, auto, the default
//	         of tables with names or texts; for a map of x >= 0 or x > -c minmax is cube, which clips what is beyond the training rows
//	-map     the feature map, one of those that go run ./examples/maps prints, of -features columns by -sampler; linear is the baseline
//	-head    softmax or linear, by mini-batches; softmax on a frozen map in memory to its optimum, by Newton's method,
//	         unless a flag of mini-batches is given; ridge, in closed form; svm, by Newton's method
//
// The map stays as drawn, or is fine-tuned under a softmax or linear head with -tune: its bandwidth, a bandwidth for
// each input, or every frequency. -tune evidence finds a bandwidth for each input by the marginal likelihood, and -tune
// auto tries these and all frequencies and keeps what rows that are held out favour. Both say which columns matter.
// -save writes the whole model to one file, which -load evaluates on other rows. -onnx writes it as an ONNX file, which
// runtimes of other languages and of browsers predict with; see package train/onnx for what such a file can say.
//
// -distribution learns how sure the model is: of targets their standard deviations and intervals, of classes calibrated
// probabilities, under any head, and sets of classes, all of them from rows that are held out of the training rows. The
// test rows measure it: the negative log likelihood, how often intervals or sets cover, and the calibration error. With
// -load and -predict it writes them.
//
// -auto chooses map, scale, features and tuning: it races recipes that suit the rows for the time given, or for so many
// trials, scores them on rows that are held out of the training rows, fits the best again on all, and prints and draws
// the leaderboard. An interrupt ends the race, and the best so far is evaluated and saved.
//
// -cv chooses lambda and the map's parameter that comes from the data by cross-validation, for every head. -grid names
// other values to choose among, in all combinations or, with -trials, by draws:
//
//	go run ./examples/train -cv 5 -head svm
//	go run ./examples/train -cv 5 -head ridge -grid beta=.01,.1,1 -grid features=256,1024 -grid lambda=1e-3,1e-1
//	go run ./examples/train -cv 5 -head ridge -trials 20 -grid beta=.01:1 -grid features=64:1024
//
// The score is the mean squared error, and for classes the error rate. Without -grid the parameter goes from 1/4 to 4
// times what the data say, and on to 1/64 or 64 times while the best is at an end, and so does lambda, unless -lambda
// gives it. The program prints a table of the scores, marks the best, and names each setting whose best value is at an
// end of the values tried. The picture has a panel more.
//
// It prints the accuracy on both parts and F1, or the root mean squared error, how far the features are from the exact
// kernel, and what took how long. The picture is the confusion matrix, or the residuals, above the curves of the
// epochs. With -json the last line of stdout is one JSON object with the same numbers; progress goes to stderr. The
// exit status is 0, 2 for a wrong flag, 1 for bad data or a failure, 128 + n where signal n ended it.
package main

import (
	"context"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

func main() { cli.Main("train", run) }

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := o.checkFiles(); err != nil {
		return err
	}
	if err := o.checkText(); err != nil {
		return err
	}
	var r *result
	stop := cli.EndSoon(ctx, "train")
	defer stop()
	switch {
	case o.look:
		return o.hint(lookAt(ctx, o))
	case o.predict != "":
		return predictFile(ctx, o)
	case o.load != "" && o.test == "":
		return exportSaved(o)
	case o.load != "":
		r, err = evaluateSaved(ctx, o)
	case o.race.Budget > 0 || o.race.Trials > 0:
		r, err = raceModel(ctx, o, stop)
	default:
		r, err = trainModel(ctx, o)
	}
	if err != nil {
		return o.hint(err)
	}
	o.tellSame()
	return r.show(o)
}
