// Command scale fits ridge regression on files that together are larger than memory, and compares the time with the
// work that no program can leave out: mapping the rows to features, and the rank-k update of their Gram matrix.
//
//	go run ./examples/scale -generate DIR -rows 20000000 -files 100
//	go run ./examples/scale -data DIR -use 5,10,25,100
//
// The first writes the rows of -from again and again. It adds noise to every number, uniform in [-1/2, 1/2). The
// noise of a row is drawn by its number and the seed. The second prints a Markdown table with a line for each number
// of files, each measured in a process of its own, for its peak memory. Survey is the pass for classes, width and
// scaler, fit is the pass of the fit and the solution of the system. Features and update are measured on
// blocks of the same rows, in pauses of the fit, and counted up to all of them; the update is the Dsyrk of ops/blas.
// Rows of text are parsed in every pass. CPU seconds are the process's own, user and system, which other work on the
// machine changes less than seconds. The memory includes a block of features, its transpose and the matrix of the
// update.
package main

import (
	"context"
	"flag"
	"maps"
	"slices"
	"strconv"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/train/cmd/program"
)

func main() { program.Main("scale", run) }

type options struct {
	generate, data, from, format string
	rows, files, features        int
	use                          []int
	seed                         uint64
	child                        bool
}

func parse(args []string) *options {
	o := new(options)
	var use string
	fs := flag.NewFlagSet("scale", flag.ContinueOnError)
	fs.StringVar(&o.generate, "generate", "", "write rows to files in this `folder`, which must not exist, and do nothing else")
	fs.StringVar(&o.from, "from", "data/letter/letter.train.libsvm.gz", "the `file` whose rows are written again and again")
	fs.IntVar(&o.rows, "rows", 20_000_000, "rows to write")
	fs.IntVar(&o.files, "files", 100, "files to write them to")
	fs.StringVar(&o.format, "format", "npy", "npy (float32), csv")
	fs.StringVar(&o.data, "data", "", "the `folder` to fit on")
	fs.StringVar(&use, "use", "", "numbers of files to fit on, a `list` (default: all)")
	fs.IntVar(&o.features, "features", 2048, "features")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of rows and features")
	fs.BoolVar(&o.child, "child", false, "measure in this process and print JSON")
	try.Do(flags.Parse(fs, "scale fits on files that are larger than memory.", args))
	given := flags.Given(fs)
	if (o.generate == "") == (o.data == "") {
		flags.Usage("want one of -generate, to write files, and -data, to fit on them")
	}
	apply := map[string]bool{"from": true, "rows": true, "files": true, "format": true, "use": false, "features": false, "child": false}
	for _, name := range slices.Sorted(maps.Keys(apply)) {
		if generates := apply[name]; given[name] && generates != (o.generate != "") {
			flags.Usage("-%s does not apply here; it goes with %s", name, map[bool]string{true: "-generate", false: "-data"}[generates])
		}
	}
	switch {
	case o.format != "npy" && o.format != "csv":
		flags.Usage("-format %s: want npy or csv", o.format)
	case o.files < 1 || o.rows < o.files:
		flags.Usage("-rows %d -files %d: want at least one row a file", o.rows, o.files)
	case o.features < 2 || o.features%2 == 1:
		flags.Usage("-features %d: want an even number of at least 2", o.features)
	}
	for _, s := range flags.List(use) {
		if s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			flags.Usage("-use %s: want numbers of files, at least 1, separated by commas", use)
		}
		o.use = append(o.use, n)
	}
	return o
}

func run(ctx context.Context, args []string) error {
	return try.Catch(func() {
		o := parse(args)
		switch {
		case o.generate != "":
			o.write(ctx)
		case o.child:
			o.measure(ctx)
		default:
			o.table(ctx)
		}
	})
}
