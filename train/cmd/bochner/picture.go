package main

import (
	"fmt"
	"image"

	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/report"
)

// draw writes the confusion matrix and beside it the curves of a fit by epochs, one above the other, as high as the
// matrix within reason; or the residuals, which are wide, and the curves below. The curves of cross-validation and the
// leaderboard of --auto are below the matrix, and so is the relevance of the columns.
func (r *result) draw(path string) error {
	first, err := r.predictions()
	if err != nil {
		return err
	}
	columns, pictures := 1, []image.Image{first}
	if r.history != nil {
		var opts []report.Option
		if r.classes != nil {
			columns, opts = 2, append(opts, report.WithSize(720, min(max(800, first.Bounds().Dy()), 1600)))
		}
		curves, err := report.Curves(r.curves(), opts...)
		if err != nil {
			return err
		}
		pictures = append(pictures, curves)
	}
	if r.auto != nil {
		board, err := r.drawAuto()
		if err != nil {
			return err
		}
		pictures = append(pictures, board)
	}
	if r.uncertainty != nil {
		panel, err := r.uncertainty.draw()
		if err != nil {
			return err
		}
		pictures = append(pictures, panel)
	}
	if r.Relevance != nil {
		bars, err := r.drawRelevance()
		if err != nil {
			return err
		}
		pictures = append(pictures, bars)
	}
	if r.cv != nil {
		cv, err := drawCV(r.cv)
		if err != nil {
			return err
		}
		if cv != nil { // something varied
			pictures = append(pictures, cv)
		}
	}
	return program.SavePicture(path, columns, pictures...)
}

func (r *result) predictions() (image.Image, error) {
	title := fmt.Sprintf("%s, %d features, %s head", r.Map, r.Features, r.Head)
	if r.classes == nil {
		return report.Residuals(r.test.target, r.test.predicted, report.WithTitle(fmt.Sprintf("%s: test rmse %.4g", title, *r.RMSE)))
	}
	counts, err := report.ConfusionMatrix(r.test.guess, r.test.truth, len(r.classes))
	if err != nil {
		return nil, err
	}
	return report.Confusion(counts, r.classes, report.WithTitle(fmt.Sprintf("%s: test accuracy %.4f", title, *r.Accuracy)))
}

func (r *result) curves() report.History {
	var h report.History
	for _, e := range r.history.Epochs {
		h.Add(e.Loss, e.Score, e.HeldLoss, e.HeldScore)
	}
	if r.classes == nil {
		h.ScoreName = "root mean squared error"
	}
	return h
}
