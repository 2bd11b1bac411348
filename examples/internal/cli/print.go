package cli

import (
	"fmt"
	"image"
	"os"
	"strings"

	"github.com/bochner-go/bochner/train/report"
)

// SavePicture writes pictures, in columns, as one file and says so. An empty path draws nothing.
func SavePicture(path string, columns int, pictures ...image.Image) error {
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

// TableHead is the head of a table in Markdown.
func TableHead(columns ...string) string {
	return "| " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", len(columns)) + "|\n"
}
