package main

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
)

// shown is a Fitter that shows its progress until done is called.
func shown(s *train.Start) (f fits.Fitter, done func()) {
	rows := s.Problem.Rows
	switch f := s.Fitter.(type) {
	case linear.CGOptions:
		bar := program.NewProgress("ridge, digits of the residual")
		f.Progress = func(iteration int, residual float64) {
			bar.Step(int(-math.Log10(min(1, residual))), 8, fmt.Sprintf("iteration %d", iteration))
		}
		return f, bar.Close
	case linear.RidgeOptions:
		bar := program.NewProgress("ridge, rows")
		f.Progress = func(done, total int) {
			if total == 0 { // nobody knows how often the rows will pass
				done, total = (done-1)%rows+1, rows
			}
			bar.Step(done, total, "")
		}
		return f, bar.Close
	case linear.LogisticOptions:
		bar := program.NewProgress("newton, digits of the objective")
		f.Progress = func(steps int, promise float64) {
			bar.Step(int(-math.Log10(max(1e-9, min(1, promise)))), 9, fmt.Sprintf("step %d", steps))
		}
		return f, bar.Close
	case linear.SVMOptions:
		bar, columns := program.NewProgress("svm, columns"), s.Problem.Outputs
		f.Progress = func(_, open int, lambda float64) {
			bar.Step(columns-open, columns, fmt.Sprintf("lambda %.3g", lambda))
		}
		return f, bar.Close
	case sgd.MiniBatch:
		bar, score := program.NewProgress("epoch"), "rmse"
		if s.Model.Classes != nil {
			score = "accuracy"
		}
		f.Progress = func(e fits.Epoch) {
			note := fmt.Sprintf("loss %.4f %s %.4f", e.Loss, score, e.Score)
			if e.HeldLoss == e.HeldLoss {
				note += fmt.Sprintf(" held-out loss %.4f %s %.4f", e.HeldLoss, score, e.HeldScore)
			}
			bar.Step(e.Number, e.Of, note)
		}
		return f, bar.Close
	}
	return s.Fitter, func() {}
}

// shownTuner is the Tuner of the recipe, which shows its progress until done is called.
func (f *fitting) shownTuner() (t *train.Tuner, done func()) {
	own, steps := *f.recipe.Tuner, 0
	bar := program.NewProgress("tuning, steps")
	if len(own.Steps) == 1 {
		bar = program.NewProgress("evidence, evaluations")
		own.Evidence.Progress = func(done, most int, loss float64) { bar.Step(done, most, fmt.Sprintf("loss %.4f", loss)) }
	}
	own.Progress = func(s train.Step) {
		steps++
		bar.Step(steps, 5, s.Name+": "+scoreText(s.Score, s.Note, f.task))
	}
	return &own, bar.Close
}
