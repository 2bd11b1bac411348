package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// regressionSizes are s/d of tables III and IV.
var regressionSizes = []int{2, 4, 8}

// heldOut is the part of the rows that the paper tests on: 101 of 506.
const heldOut = 101. / 506

// A fitter fits a linear head on the features of rows.
type fitter func(ctx context.Context, l layers.Layer, x *tensor.Dense, y *mat.Dense, seed uint64) (w *mat.Dense, b []float64, err error)

// fitted are the two ways of fitting, which both choose λ on rows that are set aside.
var fitted = []struct {
	name string
	fit  fitter
}{
	{"ridge", func(ctx context.Context, l layers.Layer, x *tensor.Dense, y *mat.Dense, seed uint64) (*mat.Dense, []float64, error) {
		f, err := train.FitRidge(ctx, l, x, y, train.RidgeOptions{Lambdas: regressionLambdas, Select: train.SelectHeldOut, Seed: seed})
		if err != nil {
			return nil, nil, err
		}
		return f.W, f.B, nil
	}},
	{"ε-insensitive", func(ctx context.Context, l layers.Layer, x *tensor.Dense, y *mat.Dense, seed uint64) (*mat.Dense, []float64, error) {
		f, err := train.FitSVM(ctx, l, x, y, train.SVMOptions{Loss: train.SquaredInsensitive, Epsilon: epsilon, Lambdas: regressionLambdas, Seed: seed})
		if err != nil {
			return nil, nil, err
		}
		return f.W, f.B, nil
	}},
}

// regressionLambdas are relative; the second is about the paper's C = 1000 of LIBLINEAR for rows of unit length. Kreĭn ridge
// wants the large ones where the noise of the two signs outweighs the kernel.
var regressionLambdas = []float64{1e-4, 5e-4, 3e-3, .02, .1, .5, 3, 20}

// epsilon is LIBLINEAR's default.
const epsilon = .1

// regressions are tables III and IV.
func (e *experiment) regressions(ctx context.Context) error {
	fmt.Printf("Root mean squared error on a fifth of the rows of housing, mean ± standard deviation of %d splits and draws; in brackets tables III and IV\n\n| kernel | fit | method |", e.draws)
	for _, s := range regressionSizes {
		fmt.Printf(" s = %dd |", s)
	}
	fmt.Printf("\n|---|---|---|%s\n", strings.Repeat("---|", len(regressionSizes)))
	for _, k := range e.kernels {
		for _, f := range fitted {
			for _, m := range k.methods {
				if !m.in("regression") {
					continue
				}
				fmt.Printf("| %s | %s | %s |", k, f.name, m.name)
				err := e.regressionLine(ctx, k, m, f.fit)
				if fmt.Println(); err != nil {
					return fmt.Errorf("%s, %s: %w", f.name, m.name, err)
				}
			}
		}
	}
	return nil
}

// regressionLine prints the errors of a method at all sizes.
func (e *experiment) regressionLine(ctx context.Context, k *kernel, m method, fit fitter) error {
	for i, s := range regressionSizes {
		var errs []float64
		for j := range e.draws {
			rmse, err := e.regression(ctx, k, m, s, e.seed+uint64(j), fit)
			if err != nil {
				return err
			}
			errs = append(errs, rmse)
		}
		mean, sd := stat.MeanStdDev(errs, nil)
		fmt.Printf(" %.3f ± %.3f%s |", mean, sd, e.besideRegression(k, m, i))
	}
	return nil
}

func (e *experiment) besideRegression(k *kernel, m method, i int) string {
	paper, ok := paperRegression[k.name][m.name]
	if !ok || !e.paperKernels() {
		return ""
	}
	return fmt.Sprintf(" [%.3f ± %.3f]", paper[i].mean, paper[i].sd)
}

// regression is the error of one split and draw.
func (e *experiment) regression(ctx context.Context, k *kernel, m method, size int, seed uint64, fit fitter) (float64, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	set := e.housing
	rows, held := data.Split(set.Rows(), heldOut, seed)
	trainSet, testSet := set.Take(rows), set.Take(held)
	x, err := scaled(housing.scaling(k), trainSet, testSet)
	if err != nil {
		return 0, err
	}
	l, err := cli.Build(m.spec(4*size*set.Dims(), set.Dims(), seed), nil)
	if err != nil {
		return 0, err
	}
	w, b, err := fit(ctx, l, x[0], mat.NewDense(len(trainSet.Y), 1, trainSet.Y), seed)
	if err != nil {
		return 0, err
	}
	scores, err := scoresOf(l, w, b, x[1])
	if err != nil {
		return 0, err
	}
	return train.RMSE(mat.Col(nil, 0, scores), testSet.Y)
}
