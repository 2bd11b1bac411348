package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// lambdas are what the support vector machines choose among: a C of LIBLINEAR of 500, 50, 5 and .5 for rows of unit length.
var lambdas = []float64{1e-3, .01, .1, 1}

// problem is a set for one kernel: scaled rows in float32, and class numbers.
type problem struct {
	x, xTest *tensor.Dense
	y        *mat.Dense // +1 and -1
	truth    []int
	classes  int
}

func (e *experiment) problem(s source, k *kernel) (*problem, error) {
	p := e.sets[s.name]
	trainSet, testSet := some(p.train, e.train, e.seed), some(p.test, e.train, e.seed)
	classes := data.NewClasses(trainSet.Labels)
	labels, err := classes.Index(trainSet.Labels)
	if err != nil {
		return nil, trainSet.Locate(err)
	}
	out := &problem{classes: len(classes)}
	if out.truth, err = classes.Index(testSet.Labels); err != nil {
		return nil, testSet.Locate(err)
	}
	if out.y, err = train.OneVersusRest(labels, len(classes)); err != nil {
		return nil, trainSet.Locate(err)
	}
	x, err := scaled(s.scaling(k), trainSet, testSet)
	if err != nil {
		return nil, err
	}
	single := make([]*tensor.Dense, len(x))
	for i := range x {
		rows, err := (&data.Set{X: x[i], Source: trainSet.Source}).As(tensor.Float32)
		if err != nil {
			return nil, err
		}
		single[i] = rows.(*tensor.Dense)
	}
	out.x, out.xTest = single[0], single[1]
	return out, nil
}

// accuracies is figure 3.
func (e *experiment) accuracies(ctx context.Context) error {
	fmt.Printf("Accuracy of a support vector machine on the test rows, %%, mean ± standard deviation of %d draws\n\n| kernel | rows | method |%s\n|---|---|---|%s\n",
		e.draws, sizeColumns(), strings.Repeat("---|", len(sizes)))
	for _, k := range e.kernels {
		for _, s := range e.sources {
			p, err := e.problem(s, k)
			if err != nil {
				return err
			}
			var series []report.ScoreSeries
			for _, m := range k.methods {
				if !m.in("accuracy") {
					continue
				}
				one, err := e.accuracyLine(ctx, k, m, s, p)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, m.name, err)
				}
				series = append(series, one)
			}
			img, err := report.ScoreCurves(series, report.WithTitle(fmt.Sprintf("Accuracy, %s, %s", k, s.name)), report.WithMetric("accuracy on the test rows, %"))
			if err != nil {
				return err
			}
			e.pictures = append(e.pictures, img)
		}
	}
	fmt.Println()
	return nil
}

// accuracyLine fits a method at all sizes and prints its line. λ is chosen on a draw that is not among those measured.
func (e *experiment) accuracyLine(ctx context.Context, k *kernel, m method, s source, p *problem) (report.ScoreSeries, error) {
	series, d := report.ScoreSeries{Name: m.name, Exact: math.NaN()}, p.x.Shape()[1]
	fmt.Printf("| %s | %s | %s |", k, s.name, m.name)
	defer fmt.Println()
	bar := cli.NewProgress(fmt.Sprintf("%s, %s, %s", k.name, s.name, m.name))
	defer bar.Close()
	for i, size := range sizes {
		features, chosen := 4*size.of(d), lambdas
		var scores []float64
		for j := -1; j < e.draws; j++ {
			bar.Step(i*(e.draws+1)+j+1, len(sizes)*(e.draws+1), "s = "+size.name)
			seed := e.seed + uint64(j)
			if j < 0 {
				seed = e.seed + uint64(e.draws)
			}
			spec := m.spec(features, d, seed)
			spec.Dtype = "float32"
			l, err := cli.Build(spec, nil)
			if err != nil {
				return series, err
			}
			fit, score, err := p.fit(ctx, l, chosen, e.seed)
			if err != nil {
				return series, err
			}
			if j < 0 {
				chosen = []float64{fit.Lambda}
				continue
			}
			scores = append(scores, 100*score)
		}
		mean, sd := stat.MeanStdDev(scores, nil)
		series.Features, series.Score, series.StdDev = append(series.Features, features), append(series.Score, mean), append(series.StdDev, sd)
		fmt.Printf(" %.2f ± %.2f |", mean, sd)
	}
	return series, nil
}

// fit fits a support vector machine on the features of one draw, and its accuracy where λ was known.
func (p *problem) fit(ctx context.Context, l layers.Layer, lambdas []float64, seed uint64) (*train.SVMFit, float64, error) {
	fit, err := train.FitSVM(ctx, l, p.x, p.y, train.SVMOptions{Lambdas: lambdas, Seed: seed})
	if err != nil || len(lambdas) > 1 {
		return fit, 0, err
	}
	scores, err := scoresOf(l, fit.W, fit.B, p.xTest)
	if err != nil {
		return nil, 0, err
	}
	accuracy, err := train.Accuracy(train.ArgMax(scores), p.truth)
	return fit, accuracy, err
}

// scoresOf are the scores of a linear head on the features of rows.
func scoresOf(l layers.Layer, w *mat.Dense, b []float64, x *tensor.Dense) (*mat.Dense, error) {
	head, err := layers.NewLinearHead(l.Features(), len(b), layers.WithDtype(l.Dtype()))
	if err != nil {
		return nil, err
	}
	if err := head.SetWeights(w.RawMatrix().Data, b); err != nil {
		return nil, err
	}
	return (&train.Model{Map: l, Head: head}).ScoresPrepared(x)
}
