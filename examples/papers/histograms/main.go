// Command histograms compares kernels on histograms, exact and by their feature maps, on a problem of classification: tables 1 and 2 of
// Vedaldi and Zisserman (2012), "Efficient Additive Kernels via Explicit Feature Maps", and figure 2 and table 2 of Yang et al. (2014),
// "Random Laplace Feature Maps for Semigroup Kernels on Histograms".
//
//	go run ./examples/papers/histograms
//	go run ./examples/papers/histograms -in ../shared/data/scene15-spm/scene15-spm.train.libsvm.gz \
//		-test ../shared/data/scene15-spm/scene15-spm.test.libsvm.gz -dtype float32
//
// Both papers used spatial-pyramid histograms of Caltech-101 and support vector machines. The second command uses such histograms of 15
// classes of scenes, 1500 to train on and 2985 to test on, with 4200 bins, and ridge regression on +1 and -1. The first, which takes seconds,
// makes histograms of words by itself. Rows are divided by their sum.
//
// All choices are made on the training rows. λ is that of the fewest wrong classes of rows that are left out, or of as many the least
// squared error; so is the parameter of a kernel that has
// one (σ, c, β, λ), which is looked for by factors of 2 from its default: for the exact kernel, and for a random map, which prefers
// a smoother kernel, at its largest number of features and on a draw that is not among those measured.
//
// A row of the table is a kernel or a map, with its accuracy on the test rows, mean and standard deviation of the draws where there are
// several; the relative Frobenius error of its kernel matrix on the training rows; and the seconds for the features (or the kernel matrix)
// of all rows and for one fit, without the choices. A second table says which orders of methods that the papers report are found here.
// The picture shows accuracy against the number of features, beside that of the exact kernels.
//
// -methods names some of the maps, and -sampler a list compares samplers, which all draw for the parameter that was chosen with the first:
//
//	go run ./examples/papers/histograms -methods gaussian,skewed-chi2 -sampler iid,orthogonal,antithetic -exact=false
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

func main() { cli.Main("histograms", run) }

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := cli.CheckWritable("plot", o.plot); err != nil {
		return err
	}
	p, err := o.read()
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d training and %d test rows of %d bins, %d classes; rows divided by their sum\n\n%s", p.source, len(p.labels), len(p.truth), p.x.Shape()[1], p.classes, tableHead)
	e := &experiment{options: o, problem: p, progress: cli.NewProgress("histograms, maps")}
	defer e.progress.Close()
	if err := e.all(ctx); err != nil {
		return err
	}
	fmt.Print(verdicts(e.results, len(p.truth)))
	if o.plot == "" {
		return nil
	}
	if err := picture(e.results, o.plot); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "picture:", o.plot)
	return nil
}
