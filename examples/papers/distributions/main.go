// Command distributions learns on sets of samples: the experiments of Sutherland, Oliva, Póczos and Schneider (2016), "Linear-time Learning on
// Distributions with Approximate Kernel Embeddings".
//
//	go run ./examples/papers/distributions
//	go run ./examples/papers/distributions -experiment gram
//	go run ./examples/papers/distributions -experiment images -in ../shared/data/cifar10-cats-dogs/cifar10-cats-dogs.train.bin.gz \
//		-test-in ../shared/data/cifar10-cats-dogs/cifar10-cats-dogs.test.bin.gz
//	go run ./examples/papers/distributions -experiment bags -in ../shared/data/bags/musk1.csv.gz
//	go run ./examples/papers/distributions -experiment cost
//
// components (figure 4 of the paper) is the regression of the number of components, 1 to 10, of mixtures of normal laws in the plane on samples of
// them. The paper's text has lost the constants of the law; those used here are at drawMixture. -em N adds what the information criteria of
// Akaike and Schwarz choose for N of the test sets, by fits of expectation-maximisation, and -kl N kernel ridge regression on the estimates
// of the pairwise Kullback-Leibler divergences of N training and N test sets by nearest neighbours, made positive semidefinite, beside the first
// method on the same sets.
//
// gram (figure 2, table 2) compares three estimates of the kernel exp(-JS/2σ²) from samples of mixtures with the true one: by entropies, by the
// coefficients of the embedding, and by random features. images (figure 5) classifies images by their pixels (column, row, grey value), those of the
// mirror image too. bags classifies the sets of a CSV file by ten-fold cross-validation; those with more than three coordinates by the densities of
// the coordinates. cost measures the time of the features and the memory.
//
// A method makes rows of the sets, and on these are random Fourier features of the Gaussian kernel, or in the linear ones nothing; on them ridge
// regression, for images and bags a support vector machine:
//
//	hdd-js, hdd-hellinger, hdd-tv   the embedding of density estimates of HDDLayer, -lambdas, -rule, -functions, -box, -points
//	l2-density                      the coefficients of the density estimates
//	mean-map                        the mean of 512 Fourier features of the samples
//	histogram-js, ...               the homogeneous map, of order 3, of a histogram with 10 cells an axis
//
// All choices are made on the training sets, at most 2000 of them, by the leave-one-out error of ridge regression on 1024 features: the bandwidth of the
// estimate, a multiple of Scott's; σ, a multiple of half the root mean square distance of two rows; and λ, which is chosen again near there on a
// tenth of the training sets. The table has the multiples; the standard error is that of a mean over test sets; the seconds are those of the
// features of all sets and of one fit with the choice of λ.
package main

import (
	"context"
	"fmt"
	"image"
	"os"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/train/report"
)

func main() { cli.Main("distributions", run) }

// experiments are what -experiment names. Each prints its table and returns its pictures.
var experiments = []struct {
	name string
	run  func(o *options, ctx context.Context) ([]image.Image, error)
}{
	{"components", (*options).components},
	{"gram", (*options).gram},
	{"images", (*options).images},
	{"bags", (*options).bags},
	{"cost", (*options).cost},
}

func experimentNames() []string {
	return []string{"components", "gram", "images", "bags", "cost"}
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := cli.CheckWritable("plot", o.plot); err != nil {
		return err
	}
	for _, e := range experiments {
		if e.name != o.experiment {
			continue
		}
		pictures, err := e.run(o, ctx)
		if err != nil || o.plot == "" || pictures == nil {
			return err
		}
		img, err := report.Grid(len(pictures), pictures...)
		if err != nil {
			return err
		}
		if err := report.SavePNG(o.plot, img); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "picture:", o.plot)
	}
	return nil
}
