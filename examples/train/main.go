// Command train fits a model on the features of a kernel's map, end to end, and reports how good it is.
//
//	go run ./examples/train
//	go run ./examples/train -train FILE -test FILE -map gaussian -params sigma=2.5 -scale standard -head ridge -json
//	go run ./examples/train -load MODEL -test FILE
//
// Without -train it runs on histograms that it makes itself, on which a linear model does clearly worse, and draws
// train.png. Without -test a fifth of the rows is set aside. With -json the last line of stdout is one JSON object; progress goes to
// stderr. The exit status is 0, 2 for a wrong flag, 1 for bad data or a failure.
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
	var r *result
	switch {
	case o.load != "":
		r, err = evaluateSaved(ctx, o)
	case o.stream:
		r, err = trainStream(ctx, o)
	default:
		r, err = trainModel(ctx, o)
	}
	if err != nil {
		return err
	}
	return r.show(o)
}
