package main

import (
	"context"
	"fmt"
	"image"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gorgonia.org/tensor"
)

// A study is a part that measures the methods at all sizes, for each kernel and each set of rows or way of fitting.
type study struct {
	part, title string
	head        string   // of the column of the sets or ways
	over        []string // their names
	sizes       []size
	// prepare returns the columns of the rows, and what is measured of a method by its number of features.
	prepare func(k *kernel, at int) (dims int, measure measure)
	cell    func(k *kernel, of string, m method, size int, v frame.Spread) string
	bar     func(frame.Spread) float64                                 // drawn about the mean
	draw    func([]report.Line, ...report.Option) (image.Image, error) // nil: there is no picture
}

// A measure is the error or the accuracy of a method with features of one draw.
type measure func(m method, features int, seed uint64) float64

// run prints the table of a study, and draws a picture for each kernel and set.
func (e *experiment) run(ctx context.Context, t study) {
	heads := frame.Each(t.sizes, func(s size) string { return s.name })
	fmt.Print(frame.TableHead(append([]string{"kernel", t.head, "method"}, heads...)...))
	for _, k := range e.kernels {
		for at, of := range t.over {
			d, value := t.prepare(k, at)
			features := frame.Each(t.sizes, func(s size) int { return s.features(d) })
			var series []report.Line
			for _, m := range k.methods {
				if !m.in(t.part) {
					continue
				}
				what := fmt.Sprintf("%s, %s, %s", k.name, of, m.name)
				try.In(of+", "+m.name, func() {
					spreads := e.Over(ctx, what, heads, func(i int, seed uint64) float64 { return value(m, features[i], seed) })
					frame.Line(fmt.Sprintf("%s | %s | %s", k, of, m.name), spreads, func(i int, v frame.Spread) string {
						return t.cell(k, of, m, i, v)
					})
					series = append(series, frame.NewLine(m.name, features, spreads, t.bar))
				})
			}
			if t.draw != nil {
				e.Add(try.Get(t.draw(series, report.WithTitle(fmt.Sprintf("%s, %s, %s", t.title, k, of)))))
			}
		}
	}
}

// couplings is the error of every coupling of the two signs.
func (e *experiment) couplings(ctx context.Context) { e.errorTable(ctx, "couplings", "") }

// kernelErrors is table II and figure 2.
func (e *experiment) kernelErrors(ctx context.Context) {
	e.errorTable(ctx, "error", "; in brackets Luo et al. (2021), table II")
}

// errorTable measures the methods of a part.
func (e *experiment) errorTable(ctx context.Context, part, note string) {
	fmt.Printf("Relative Frobenius error on %d rows at most, mean ± standard deviation of %d draws%s\n\n", e.rows, e.Draws, note)
	var v verdict
	e.run(ctx, study{part: part, title: "Kernel error", head: "rows", over: names(e.sources), sizes: sizes,
		prepare: func(k *kernel, at int) (int, measure) { return e.kernelMatrix(k, e.sources[at]) },
		cell: func(k *kernel, set string, m method, size int, of frame.Spread) string {
			return fmt.Sprintf("%.4f ± %.4f%s", of.Mean, of.SD, e.beside(&v, part, k, set, m, size, of.Mean))
		},
		bar: frame.Spread.StdErr, draw: report.ErrorCurves})
	fmt.Println()
	if e.ofPaper() && e.data != "" && part == "error" {
		fmt.Println(v.String())
	}
}

// kernelMatrix prepares the measurement of errors of the kernel matrix of some rows.
func (e *experiment) kernelMatrix(k *kernel, s source) (dims int, of measure) {
	rows := scaled(s.scaling(k), s.train, frame.Some(s.train, e.rows, e.Seed))
	x := rows[1].X.(*tensor.Dense)
	d := x.Shape()[1]
	exact := try.Get(report.ExactGram(try.Get(k.methods[0].spec(4, d, 0).Kernel()), x))
	return d, func(m method, features int, seed uint64) float64 {
		return frame.KernelError(exact, try.Get(m.spec(features, d, seed).Build()), x)
	}
}

// beside is the paper's figure, and what ours is to it where the method is GORF.
func (e *experiment) beside(v *verdict, part string, k *kernel, set string, m method, size int, mean float64) string {
	paper, ok := paperErrors[k.name][set][m.name]
	if !ok || !e.ofPaper() || part != "error" {
		return ""
	}
	text := fmt.Sprintf(" [%.4f ± %.4f]", paper[size].mean, paper[size].sd)
	if m.name != "GORF" {
		return text
	}
	return text + v.cell(paper[size], mean, diagonalHelped(k.name, set, size))
}

// verdict counts the cells of GORF.
type verdict struct{ cells, below, within, helped, above int }

func (v *verdict) cell(paper figure, mean float64, helped bool) string {
	v.cells++
	switch {
	case mean <= paper.mean:
		v.below++
		return ""
	case mean <= paper.mean+paper.sd:
		v.within++
		return ""
	case helped:
		v.helped++
		return " ¹"
	default:
		v.above++
		return " above"
	}
}

func (v *verdict) String() string {
	return fmt.Sprintf("GORF against the paper's, %d cells: %d at or below its mean, %d within its standard deviation above it, %d above (marked).\n"+
		"¹ %d more above, where most of the paper's error was on the diagonal that its code overwrites.", v.cells, v.below, v.within, v.above, v.helped)
}

// lambdas are what the support vector machines choose among: a C of LIBLINEAR of 500, 50, 5 and .5 for rows of unit
// length.
var lambdas = []float64{1e-3, .01, .1, 1}

// accuracies is figure 3.
func (e *experiment) accuracies(ctx context.Context) {
	fmt.Printf("Accuracy of a support vector machine on the test rows, %%, mean ± standard deviation of %d draws\n\n", e.Draws)
	e.run(ctx, study{part: "accuracy", title: "Accuracy", head: "rows", over: names(e.sources), sizes: sizes,
		prepare: func(k *kernel, at int) (int, measure) { return e.machine(ctx, k, e.sources[at]) },
		cell: func(_ *kernel, _ string, _ method, _ int, v frame.Spread) string {
			return fmt.Sprintf("%.2f ± %.2f", v.Mean, v.SD)
		},
		bar: func(v frame.Spread) float64 { return v.SD },
		draw: func(series []report.Line, title ...report.Option) (image.Image, error) {
			return report.ScoreCurves(series, append(title, report.WithMetric("accuracy on the test rows, %"))...)
		}})
	fmt.Println()
}

// machine prepares the measurement of accuracies. For each size λ is chosen on a draw that is not among those measured.
func (e *experiment) machine(ctx context.Context, k *kernel, s source) (dims int, of measure) {
	x := scaled(s.scaling(k), frame.Some(s.train, e.train, e.Seed), frame.Some(s.test, e.train, e.Seed))
	p := frame.NewProblem(x[0], x[1], tensor.Float32)
	d := p.X.Shape()[1]
	var chosen []float64
	return d, func(m method, features int, seed uint64) float64 {
		if seed == e.Seed {
			_, fit := e.fit(ctx, p, m.spec(features, d, e.Seed+uint64(e.Draws)), lambdas)
			chosen = []float64{fit.Lambda}
		}
		l, fit := e.fit(ctx, p, m.spec(features, d, seed), chosen)
		return 100 * try.Get(report.Accuracy(train.ArgMax(frame.Scores(l, fit, p.XTest)), p.Truth))
	}
}

// fit fits a support vector machine on the features of one draw.
func (e *experiment) fit(ctx context.Context, p frame.Problem, spec layers.Spec,
	lambdas []float64) (layers.Layer, *linear.Fit) {
	spec.Dtype = "float32"
	l := try.Get(spec.Build())
	rows, o := data.Pairs{X: p.X, Y: p.Y}, linear.SVMOptions{Lambdas: lambdas, Seed: e.Seed}
	return l, try.Get(linear.FitSVM(ctx, l, rows, o))
}
