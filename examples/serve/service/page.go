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

//go:embed try.html
var tryText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"short":  func(s string) string { return s[:12] },
	"digits": func(v float64) string { return fmt.Sprintf("%.4g", v) },
	"list":   func(s string) string { return strings.ReplaceAll(s, ",", ", ") },
	"row":    func(n int) string { return exampleRow(n, mostExample) },
}).Parse(pageText + tryText))

// mostExample is how many columns of an example row the page shows.
const mostExample = 16

// exampleRow is a row of so many numbers, cut where there are more than most.
func exampleRow(n, most int) string {
	row := strings.TrimSuffix(strings.Repeat("0.5, ", min(n, most)), ", ")
	if n > most {
		row += fmt.Sprintf(", ... %d numbers", n)
	}
	return row
}

// mostShown is how many columns of the rows the page shows.
const mostShown = 100

// page is the page of a model: what is the same for all, the picture with it, and between its two parts the form.
type page struct {
	head, tail []byte
	empty      form
}

// newPage renders what is the same for all once.
func newPage(c card, e *notes.Evaluation, address string) (*page, error) {
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
	p := new(page)
	var err error
	if p.head, err = render("head", view); err != nil {
		return nil, err
	}
	if p.tail, err = render("tail", view); err != nil {
		return nil, err
	}
	p.empty, err = newForm(c)
	return p, err
}

// render is the text of a template.
func render(name string, view any) ([]byte, error) {
	var b bytes.Buffer
	err := pageTemplate.ExecuteTemplate(&b, name, view)
	return b.Bytes(), err
}

func (s *server) page(w http.ResponseWriter, _ *http.Request) {
	p := s.current.Load().page
	text, err := render("try", p.empty)
	if err != nil {
		s.refuse(w, err)
		return
	}
	p.write(w, http.StatusOK, text)
}

// write writes the page with so much of a form. Whether the client still listens is not the server's affair.
func (p *page) write(w http.ResponseWriter, status int, form []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	for _, text := range [][]byte{p.head, form, p.tail} {
		if _, err := w.Write(text); err != nil {
			return
		}
	}
}
