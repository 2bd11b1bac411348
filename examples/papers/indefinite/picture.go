package main

import "github.com/bochner-go/bochner/train/report"

// save puts the panels into one picture.
func (e *experiment) save(path string) error {
	columns := max(len(e.sources), min(2, len(e.kernels)))
	img, err := report.Grid(columns, e.pictures...)
	if err != nil {
		return err
	}
	return report.SavePNG(path, img)
}
