package main

import (
	"context"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func printHead(what string) {
	fmt.Print(frame.TableHead("method", "training sets", "samples", what, "standard error", "bandwidth", "σ", "λ", "features, s", "fit, s"))
}

// components is the regression on the number of components of mixtures: figure 4.
func (o *options) components(ctx context.Context) {
	var densities image.Image
	var panels []image.Image
	printHead("RMSE")
	for _, samples := range o.samples {
		trainSets := drawMixtures(slices.Max(o.sets), samples, o.Seed, "training mixtures")
		p := o.newProblem(trainSets, drawMixtures(o.test, samples, o.Seed, "test mixtures"))
		show(p.constant())
		if o.em > 0 {
			o.criteria(p)
		}
		results := o.compare(ctx, p)
		if o.kl > 0 {
			o.compareWithDivergence(ctx, p)
		}
		title := fmt.Sprintf("Number of components, sets of %d samples", samples)
		panels = append(panels, errorByTime(results, title, "RMSE"))
		densities = densityPictures(p)
	}
	o.Add(densities)
	o.Add(try.Get(report.Grid(1, panels...)))
}

// compare tunes the methods on the first training sets, and measures them for each number of sets.
func (o *options) compare(ctx context.Context, p *problem) (all []result) {
	bar := program.NewProgress("distributions, methods")
	defer bar.Close()
	for i, m := range o.chosen {
		bar.Step(i, len(o.chosen), m.name)
		var c choice
		try.In(m.name, func() { c = o.tune(ctx, m, p) })
		for _, n := range o.sets {
			if n > p.train.Len() {
				continue
			}
			all = append(all, show(o.measure(ctx, m, p.part(n), c)))
		}
	}
	return all
}

// show prints a result.
func show(r result) result {
	fmt.Println(r.row())
	return r
}

// constant is the mean of the targets.
func (p *problem) constant() result {
	scores := slices.Repeat([]float64{stat.Mean(p.train.y, nil)}, p.test.Len())
	r := result{method: "constant", sets: p.train.Len(), samples: p.train.Size(0)}
	r.err, r.stdErr = p.score(scores)
	return r
}

// criteria are the numbers of components that information criteria choose, for the first test sets.
func (o *options) criteria(p *problem) {
	start := time.Now()
	aic, bic := byCriteria(p.test.first(o.em).Bags, o.Seed)
	spent := time.Since(start)
	for i, chosen := range [][]float64{aic, bic} {
		r := result{method: []string{"aic", "bic"}[i], samples: p.test.Size(0), fit: spent}
		r.err, r.stdErr = p.score(chosen)
		show(r)
	}
}

// compareWithDivergence is kernel ridge regression on the kernel of divergences of the first sets, and the first method
// on the same sets.
func (o *options) compareWithDivergence(ctx context.Context, p *problem) {
	q := p.part(o.kl)
	q.test = p.test.first(o.kl)
	show(q.byDivergences())
	m := o.chosen[0]
	show(o.measure(ctx, m, q, o.tune(ctx, m, q)))
}

// byDivergences is kernel ridge regression on the kernel of divergences, which has rows for the training and the test
// sets together; σ and λ have the least leave-one-out error.
func (p *problem) byDivergences() result {
	n := p.train.Len()
	r := result{method: "kl", sets: n, samples: p.train.Size(0)}
	start := time.Now()
	kl := divergences(append(pointsOf(p.train.Bags), pointsOf(p.test.Bags)...))
	r.features = time.Since(start)
	start = time.Now()
	var scores *mat.Dense
	for step := -6; step <= 6; step++ {
		k := divergenceKernel(kl, sigmaOfDivergences(kl, n)*exp2(step))
		fit := try.Get(linear.FitKernelRidge(mat.DenseCopyOf(k.Slice(0, n, 0, n)), column(p.train.y), lambdas...))
		c := choice{sigma: exp2(step), score: frame.ScoreOf(fit.Lambda, fit.Scores)}
		if scores != nil && !c.score.Better(r.choice.score) {
			continue
		}
		r.choice = c
		scores = try.Get(fit.Predict(mat.DenseCopyOf(k.Slice(n, n+p.test.Len(), 0, n))))
	}
	r.fit = time.Since(start)
	r.err, r.stdErr = p.score(mat.Col(nil, 0, scores))
	return r
}

// row is the line of a table, in which what does not apply is empty.
func (r result) row() string {
	unless0 := func(format string, v float64) string {
		if v == 0 {
			return ""
		}
		return fmt.Sprintf(format, v)
	}
	c := r.choice
	return fmt.Sprintf("| %s | %s | %d | %.2f | %.2f | %s | %s | %s | %s | %s |", r.method, unless0("%.0f", float64(r.sets)), r.samples, r.err, r.stdErr,
		unless0("%.2g", c.bandwidth), unless0("%.2g", c.sigma), unless0("%.2g", c.score.Lambda), unless0("%.1f", r.features.Seconds()), unless0("%.1f", r.fit.Seconds()))
}
