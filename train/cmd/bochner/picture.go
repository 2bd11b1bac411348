package main

import (
	"fmt"
	"image"

	"github.com/bochner-go/bochner/train/cmd/picture"
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
	if r.history != nil && r.classes != nil {
		columns = 2
	}
	for _, more := range []struct {
		there bool
		draw  func() (image.Image, error)
	}{
		{r.history != nil, func() (image.Image, error) { return r.curves(first.Bounds().Dy()) }},
		{r.auto != nil, r.drawAuto},
		{r.uncertainty != nil, r.uncertainty.draw},
		{r.Relevance != nil, r.drawRelevance},
		{r.cv != nil, func() (image.Image, error) { return drawCV(r.cv) }},
	} {
		if !more.there {
			continue
		}
		img, err := more.draw()
		if err != nil {
			return err
		}
		if img != nil { // of cross-validation: something varied
			pictures = append(pictures, img)
		}
	}
	return picture.Save(path, columns, pictures...)
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

// curves draws the curves of a fit, beside a matrix of some height.
func (r *result) curves(height int) (image.Image, error) {
	var h report.History
	for _, e := range r.history.Epochs {
		h.Add(e.Loss, e.Score, e.HeldLoss, e.HeldScore)
	}
	if r.classes == nil {
		h.ScoreName = "root mean squared error"
		return report.Curves(h)
	}
	return report.Curves(h, report.WithSize(720, min(max(800, height), 1600)))
}
