package main

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// heldOut is the part of the rows that the paper tests on: 101 of 506.
const heldOut = 101. / 506

// ways are the two ways of fitting.
var ways = []string{"ridge", "ε-insensitive"}

// fitHead fits a linear head on the features of rows, with λ chosen on rows that are set aside.
func fitHead(ctx context.Context, way string, l layers.Map, x *tensor.Dense, y *mat.Dense,
	seed uint64) *linear.Fit {
	if way == "ridge" {
		return frame.Ridge(ctx, l, x, y, regressionLambdas, .2, seed)
	}
	o := linear.SVMOptions{Loss: linear.SquaredInsensitive, Epsilon: epsilon, Lambdas: regressionLambdas, Seed: seed}
	return try.Get(linear.FitSVM(ctx, l, data.Pairs{X: x, Y: y}, o))
}

// regressionLambdas are relative; the second is about the paper's C = 1000 of LIBLINEAR for rows of unit length. Kreĭn
// ridge wants the large ones where the noise of the two signs outweighs the kernel.
var regressionLambdas = []float64{1e-4, 5e-4, 3e-3, .02, .1, .5, 3, 20}

// epsilon is LIBLINEAR's default.
const epsilon = .1

// regressions are tables III and IV.
func (e *experiment) regressions(ctx context.Context) {
	fmt.Printf("Root mean squared error on a fifth of the rows of housing, mean ± standard deviation of %d splits and draws; in brackets tables III and IV\n\n", e.Draws)
	e.run(ctx, study{part: "regression", head: "fit", over: ways, sizes: regressionSizes, bar: frame.Spread.StdErr,
		prepare: func(k *kernel, way int) (int, measure) {
			return e.housing.Dims(), func(m method, features int, seed uint64) float64 {
				return e.regression(ctx, ways[way], k, m, features, seed)
			}
		},
		cell: func(k *kernel, _ string, m method, i int, v frame.Spread) string {
			text := fmt.Sprintf("%.3f ± %.3f", v.Mean, v.SD)
			if paper, ok := paperRegression[k.name][m.name]; ok && e.ofPaper() {
				text += fmt.Sprintf(" [%.3f ± %.3f]", paper[i].mean, paper[i].sd)
			}
			return text
		}})
}

// regression is the error of one split and draw.
func (e *experiment) regression(ctx context.Context, way string, k *kernel, m method, features int, seed uint64) float64 {
	set := e.housing
	rows, held := data.Split(set.Rows(), heldOut, seed)
	trainSet, testSet := set.Take(rows), set.Take(held)
	x := scaled(housing.scaling(k), trainSet, testSet)
	l := try.Get(m.spec(features, set.Dims(), seed).Build())
	head := fitHead(ctx, way, l, x[0].X.(*tensor.Dense), mat.NewDense(len(trainSet.Y), 1, trainSet.Y), seed)
	return try.Get(report.RMSE(mat.Col(nil, 0, frame.Scores(l, head, x[1].X)), testSet.Y))
}
