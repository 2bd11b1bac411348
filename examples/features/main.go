// Command features maps a file to features, writes the exact kernel matrix, and tells how good the features are.
//
//	go run ./examples/features
//	go run ./examples/features -in FILE -map skewed-chi2 -params c=0.03 -scale l1 -out features.npy
//	go run ./examples/features -in FILE -map gaussian -sampler all -report -plot features.png
//
// Without -in it runs on histograms that it makes itself; with neither -out nor -kernel it reports. The report compares
// the exact with the approximate kernel on up to 1000 rows: the mean signed error over fixed pairs with its standard
// error over seeds, the error over close and far pairs, with -sampler all in units of the error of independent
// frequencies, and how the error falls with the number of features. With -json the last line of stdout is one JSON
// object; progress goes to stderr. The exit status is 0, 2 for a wrong flag, 1 for bad data or a failure,
// 128 + n where signal n ended it.
package main

import (
	"context"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

func main() { cli.Main("features", run) }

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	return o.run(ctx)
}
