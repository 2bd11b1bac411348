package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
)

// cvFeatures is how many features a map has while it is chosen: what is best depends little on them.
const cvFeatures = 1024

// cvFactors are what the parameter that comes from the data is multiplied by.
var cvFactors = []float64{.25, .35, .5, .7, 1, 1.4, 2, 4}

// choose finds the parameter of the map and lambda by cross-validation, and puts them into the spec and the flags.
func (o *options) choose(ctx context.Context, m *train.Model, x ops.Matrix, y *mat.Dense, r *result) error {
	specs, err := train.Around(m.Spec, x, cvFactors...)
	if errors.Is(err, ops.ErrParam) { // nothing comes from the data: lambda alone is to be chosen
		one := m.Spec
		err = cli.Fit(&one, x)
		specs = []layers.Spec{one}
	}
	if err != nil {
		return err
	}
	for i := range specs {
		specs[i].Features = min(specs[i].Features, cvFeatures)
	}
	bar := cli.NewProgress("cross-validation, maps")
	defer bar.Close()
	co := train.CVOptions{Folds: o.cv, Lambdas: lambdas(x.Shape()[0]), Seed: o.Seed, Progress: func(done, total int) { bar.Step(done, total, "") }}
	if r.cv, err = train.CrossValidate(ctx, specs, x, y, co); err != nil {
		return err
	}
	best := r.cv.Scores[r.cv.Best]
	m.Spec.Params, o.fit.Lambda, o.lambda = best.Spec.Params, best.Lambda, "chosen"
	return nil
}

// cvScore is the JSON form of a score; one that is infinite has no mse.
type cvScore struct {
	Params layers.Values `json:"params"`
	Lambda float64       `json:"lambda"`
	MSE    *float64      `json:"mse"`
	StdErr *float64      `json:"std_err"`
}

func cvScores(r *train.CVReport) (out []cvScore) {
	for _, s := range r.Scores {
		one := cvScore{Params: s.Spec.Params, Lambda: s.Lambda}
		if !math.IsInf(s.MSE, 1) {
			one.MSE, one.StdErr = &s.MSE, &s.StdErr
		}
		out = append(out, one)
	}
	return out
}

// printCV prints the errors as a table, a line for each map and a column for each lambda; the least is marked.
func printCV(r *train.CVReport, n int) {
	per := 0
	for per < len(r.Scores) && r.Scores[per].Spec.Params.String() == r.Scores[0].Spec.Params.String() {
		per++
	}
	fmt.Printf("cross-validated mean squared error; lambda/rows:")
	for _, s := range r.Scores[:per] {
		fmt.Printf(" %.0e", s.Lambda/float64(n))
	}
	for i, s := range r.Scores {
		if i%per == 0 {
			fmt.Printf("\n  %-28s", s.Spec.Params.Short())
		}
		mark := " "
		if i == r.Best {
			mark = "*"
		}
		fmt.Printf(" %.5f%s", s.MSE, mark)
	}
	fmt.Println()
}

// drawCV draws the errors against lambda, a line for each map.
func drawCV(r *train.CVReport, n int) (image.Image, error) {
	var lines []report.Line
	for _, s := range r.Scores {
		name := s.Spec.Params.Short()
		if len(lines) == 0 || lines[len(lines)-1].Name != name {
			lines = append(lines, report.Line{Name: name})
		}
		if l := &lines[len(lines)-1]; !math.IsInf(s.MSE, 1) {
			l.X, l.Y = append(l.X, math.Log10(s.Lambda/float64(n))), append(l.Y, s.MSE)
		}
	}
	var drawn []report.Line
	for _, l := range lines {
		if len(l.X) > 0 {
			drawn = append(drawn, l)
		}
	}
	return report.Lines("log10(lambda / rows)", "mean squared error", drawn, report.WithTitle("Cross-validation"))
}
