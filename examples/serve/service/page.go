package service

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image/png"
	"net/http"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/notes"
	"github.com/bochner-go/bochner/train/report"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"short":  func(s string) string { return s[:12] },
	"digits": func(v float64) string { return fmt.Sprintf("%.4g", v) },
	"list":   func(s string) string { return strings.ReplaceAll(s, ",", ", ") },
	"row":    exampleRow,
}).Parse(pageText))

// exampleRow is a row of so many numbers, cut where it is long.
func exampleRow(n int) string {
	const most = 16
	row := strings.TrimSuffix(strings.Repeat("0.5, ", min(n, most)), ", ")
	if n > most {
		row += fmt.Sprintf(", ... %d numbers", n)
	}
	return row
}

// mostShown is how many columns of the rows the page shows.
const mostShown = 100

// newPage renders the page of a model once; the picture is part of it.
func newPage(c card, e *notes.Evaluation, address string) ([]byte, error) {
	view := struct {
		card
		Picture template.URL
		Pairs   int
		Shown   []columnCard // columns
		Command string
	}{card: c}
	if c.Columns != nil {
		view.Shown = c.Columns[:min(mostShown, len(c.Columns))]
		var err error
		if view.Command, err = exampleCommand(c.Columns, address); err != nil {
			return nil, err
		}
	}
	if e != nil && len(e.Pairs) > 0 {
		view.Pairs = len(e.Pairs)
		exact, approx := e.Pairs.Matrices()
		img, err := report.ExactVsApprox(exact, approx, report.WithTitle(fmt.Sprintf("%s, %d features: kernel of pairs of test rows", c.Map, c.Features)))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			return nil, err
		}
		view.Picture = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, view); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (s *server) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(s.current.Load().page)
}
