package main

import (
	"context"
	"fmt"
	"image"

	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gorgonia.org/tensor"
)

// lambdas are what the support vector machines choose among: a C of LIBLINEAR of 500, 50, 5 and .5 for rows of unit
// length.
var lambdas = []float64{1e-3, .01, .1, 1}

// problem is a set for one kernel: scaled rows in float32, and classes.
func (e *experiment) problem(s source, k *kernel) frame.Problem {
	p := e.sets[s.name]
	x := scaled(s.scaling(k), frame.Some(p.train, e.train, e.Seed), frame.Some(p.test, e.train, e.Seed))
	return frame.NewProblem(x[0], x[1], tensor.Float32)
}

// accuracies is figure 3.
func (e *experiment) accuracies(ctx context.Context) {
	fmt.Printf("Accuracy of a support vector machine on the test rows, %%, mean ± standard deviation of %d draws\n\n", e.Draws)
	e.run(ctx, study{part: "accuracy", title: "Accuracy", prepare: e.machine,
		cell: func(_ *kernel, _ source, _ method, _ int, v frame.Spread) string {
			return fmt.Sprintf("%.2f ± %.2f", v.Mean, v.SD)
		},
		bar: func(v frame.Spread) float64 { return v.SD },
		draw: func(series []report.Series, title ...report.Option) (image.Image, error) {
			return report.ScoreCurves(series, append(title, report.WithMetric("accuracy on the test rows, %"))...)
		}})
}

// machine prepares the measurement of accuracies. For each size λ is chosen on a draw that is not among those measured.
func (e *experiment) machine(ctx context.Context, k *kernel, s source) (dims int, of measure) {
	p := e.problem(s, k)
	d := p.X.Shape()[1]
	var chosen []float64
	return d, func(m method, features int, seed uint64) float64 {
		if seed == e.Seed {
			_, fit := e.fit(ctx, p, m.spec(features, d, e.Seed+uint64(e.Draws)), lambdas)
			chosen = []float64{fit.Lambda}
		}
		l, fit := e.fit(ctx, p, m.spec(features, d, seed), chosen)
		return 100 * frame.Get(report.Accuracy(train.ArgMax(frame.Scores(l, fit, p.XTest)), p.Truth))
	}
}

// fit fits a support vector machine on the features of one draw.
func (e *experiment) fit(ctx context.Context, p frame.Problem, spec layers.Spec,
	lambdas []float64) (layers.Layer, *linear.Fit) {
	spec.Dtype = "float32"
	l := frame.Get(spec.Build())
	rows, o := data.Pairs{X: p.X, Y: p.Y}, linear.SVMOptions{Lambdas: lambdas, Seed: e.Seed}
	return l, frame.Get(linear.FitSVM(ctx, l, rows, o))
}
