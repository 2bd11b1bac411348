// Package picture saves what programs draw.
package picture

import (
	"fmt"
	"image"
	"os"

	"github.com/bochner-go/bochner/train/report"
)

// Save writes pictures, in columns, as one file and says so. An empty path draws nothing.
func Save(path string, columns int, pictures ...image.Image) error {
	if path == "" {
		return nil
	}
	img, err := report.Grid(columns, pictures...)
	if err == nil {
		err = report.SavePNG(path, img)
	}
	if err == nil {
		fmt.Fprintln(os.Stderr, "picture:", path)
	}
	return err
}
