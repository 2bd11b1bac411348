package cli

import (
	"fmt"
	"image"
	"os"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
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

// KernelError compares the exact kernel of rows with the inner products of their features, and returns both matrices.
func KernelError(k spectral.Kernel, m report.Map, x ops.Matrix) (e report.GramError, exact, approx *mat.Dense, err error) {
	if exact, err = report.ExactGram(k, x); err == nil {
		approx, err = report.ApproxGram(m, x)
	}
	if err == nil {
		e, err = report.Compare(exact, approx)
	}
	return e, exact, approx, err
}
