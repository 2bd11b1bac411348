package main

import (
	"context"
	"math"
	"time"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// How the choices are made: on so many of the training sets at most and with so many features, by the leave-one-out
// error of ridge regression.
const (
	tuneSets     = 2000
	tuneFeatures = 1024
)

// lambdas are what ridge chooses among, relative to the mean squared distance of a row from their mean.
var lambdas = []float64{1e-4, 3e-4, .001, .003, .01, .03, .1, .3, 1, 3, 10, 30}

// A choice is the parameters of a method: factors of Scott's bandwidth and of half the root mean square distance of two
// rows, for σ.
type choice struct {
	bandwidth, sigma float64
	score            fits.LambdaScore // of λ, leave-one-out
}

// labelled are sets of samples with their targets.
type labelled struct {
	*ops.Bags
	y []float64
}

// first are the first n sets, or all.
func (l labelled) first(n int) labelled {
	n = min(n, l.Len())
	return labelled{l.Slice(0, n), l.y[:n]}
}

func (l labelled) take(idx []int) labelled {
	return labelled{l.Take(idx), frame.Each(idx, func(i int) float64 { return l.y[i] })}
}

// A problem is sets to learn on and to be tested on.
type problem struct {
	train, test labelled
	classes     bool      // the targets are +1 and -1
	scott       []float64 // Scott's bandwidth
	least       float64   // of a bandwidth, which the points allow
}

func (o *options) newProblem(trainSets, testSets labelled) *problem {
	return &problem{train: trainSets, test: testSets, classes: o.part != "components",
		scott: try.Get(ops.ScottBandwidth(trainSets.Bags)), least: .5 / float64(o.pointsFor(trainSets.Axes()))}
}

// part is the problem with the first n training sets.
func (p *problem) part(n int) *problem {
	q := *p
	q.train = p.train.first(n)
	return &q
}

func column(y []float64) *mat.Dense { return mat.NewDense(len(y), 1, y) }

// widths are the bandwidths of a factor.
func (p *problem) widths(factor float64) []float64 {
	return frame.Each(p.scott, func(h float64) float64 { return math.Max(p.least, factor*h) })
}

// trainRows returns what makes the rows of sets with a bandwidth, the rows of the training sets, and their spread.
func (o *options) trainRows(m method, p *problem, factor float64) (rows rowsOf, x *tensor.Dense, s float64) {
	rows = m.rows(p.widths(factor), p.train.Axes(), o.Seed)
	x = rows(p.train.Bags)
	return rows, x, spread(x)
}

// fourier are the features for a bandwidth of 1, which serve any other on rows divided by it.
func (o *options) fourier(dims, features int, seed uint64) layers.Layer {
	opts := append(single(seed), layers.WithSampler(o.samplerFor(dims)))
	return try.Get(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, dims, features, opts...))
}

// times are the rows of x times a number.
func times(x *tensor.Dense, c float64) *tensor.Dense {
	out := x.Clone().(*tensor.Dense)
	for i := range out.Float32s() {
		out.Float32s()[i] *= float32(c)
	}
	return out
}

// tune looks for the bandwidth and σ, each downhill by factors of √2 from where it begins, until the best has been seen
// from both sides.
func (o *options) tune(ctx context.Context, m method, p *problem) choice {
	p = p.part(tuneSets)
	y := column(p.train.y)
	sigmaStep := 0     // where the last search ended
	var l layers.Layer // one draw for all, and not the one that is used in the end
	ofBandwidth := func(step int) choice {
		factor := m.start * exp2(step)
		_, x, s := o.trainRows(m, p, factor)
		if l == nil && !m.linear {
			l = o.fourier(x.Shape()[1], tuneFeatures, o.Seed+1)
		}
		ofSigma := func(step int) choice {
			c, z := choice{bandwidth: factor, sigma: exp2(step)}, x
			if !m.linear {
				z = try.Get(l.Transform(nil, times(x, 2/(c.sigma*s))))
			}
			leaveOneOut := linear.RidgeOptions{Lambdas: lambdas, Select: linear.SelectLOO}
			fit := try.Get(linear.FitRidge(ctx, nil, data.Pairs{X: z, Y: y}, leaveOneOut))
			c.score = frame.ScoreOf(fit.Lambda, fit.Scores)
			return c
		}
		if m.linear {
			return ofSigma(0)
		}
		var best choice
		best, sigmaStep = downhill(sigmaStep, 8, ofSigma)
		return best
	}
	if m.start == 0 {
		return ofBandwidth(0)
	}
	best, _ := downhill(0, 6, ofBandwidth)
	return best
}

// downhill goes from a step to its neighbour as long as the error falls, and at most so far from 0.
func downhill(start, reach int, at func(step int) choice) (best choice, step int) {
	best, step = at(start), start
	for _, way := range []int{-1, 1} {
		for next := start + way; next >= -reach && next <= reach; next += way {
			c := at(next)
			if !c.score.Better(best.score) {
				break
			}
			best, step = c, next
		}
		if step != start {
			break
		}
	}
	return best, step
}

// A result is what a method did with its choice.
type result struct {
	method        string
	linear        bool
	sets, samples int
	choice        choice
	err, stdErr   float64 // RMSE, or the share of wrong classes in per cent
	features, fit time.Duration
}

// measure makes the features of the training and the test sets, fits and tests.
func (o *options) measure(ctx context.Context, m method, p *problem, c choice) result {
	r := result{method: m.name, linear: m.linear, sets: p.train.Len(), samples: p.train.Size(0), choice: c}
	try.In(m.name, func() {
		start := time.Now()
		x, xTest := o.features(m, p, c)
		r.features = time.Since(start)
		start = time.Now()
		fit := o.head(ctx, p, x, c)
		r.fit = time.Since(start)
		var scores mat.VecDense
		scores.MulVec(mat.NewDense(p.test.Len(), xTest.Shape()[1], ops.Float64s(xTest)), fit.W.ColView(0))
		floats.AddConst(fit.B[0], scores.RawVector().Data)
		r.err, r.stdErr = p.score(scores.RawVector().Data)
	})
	return r
}

// features maps the training and the test sets.
func (o *options) features(m method, p *problem, c choice) (x, xTest *tensor.Dense) {
	rows, x, s := o.trainRows(m, p, c.bandwidth)
	if xTest = rows(p.test.Bags); m.linear {
		return x, xTest
	}
	l := o.fourier(x.Shape()[1], o.columns, o.Seed)
	xTest = try.Get(l.Transform(nil, times(xTest, 2/(c.sigma*s))))
	return try.Get(l.Transform(nil, times(x, 2/(c.sigma*s)))), xTest
}

// head fits ridge regression, or for classes a support vector machine, with the λ near the chosen one that does best on
// a tenth of the sets.
func (o *options) head(ctx context.Context, p *problem, x *tensor.Dense, c choice) *linear.Fit {
	lambda := c.score.Lambda
	near := []float64{lambda / 10, lambda / 3, lambda, lambda * 3, lambda * 10}
	if p.classes {
		o := linear.SVMOptions{Lambdas: near, HeldOut: .1, Seed: o.Seed}
		return try.Get(linear.FitSVM(ctx, nil, data.Pairs{X: x, Y: column(p.train.y)}, o))
	}
	return frame.Ridge(ctx, nil, x, column(p.train.y), near, .1, o.Seed)
}

// score is the RMSE, or the share of wrong classes in per cent, and its standard error over the test sets, or the first
// of them.
func (p *problem) score(scores []float64) (value, stdErr float64) {
	n := float64(len(scores))
	sum, squares := 0.0, 0.0
	for i, s := range scores {
		truth := p.test.y[i]
		e := (s - truth) * (s - truth)
		if p.classes {
			e = 0
			if s*truth <= 0 {
				e = 100
			}
		}
		sum, squares = sum+e/n, squares+e*e/n
	}
	sd := math.Sqrt(math.Max(0, squares-sum*sum) / n)
	if p.classes {
		return sum, sd
	}
	return math.Sqrt(sum), sd / (2 * math.Sqrt(sum))
}
