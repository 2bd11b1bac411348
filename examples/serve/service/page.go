package service

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"image/png"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/report"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"short":  func(s string) string { return s[:12] },
	"digits": func(v float64) string { return fmt.Sprintf("%.4g", v) },
	"list":   func(s string) string { return strings.ReplaceAll(s, ",", ", ") },
}).Parse(pageText))

const (
	mostForm    = 256 << 10 // bytes of a form; /predict takes more
	mostColumns = 100       // that the page shows
	mostExample = 1000      // columns of a row to begin with
	mostResult  = 64 << 10  // bytes of an answer that the page shows
	formTakes   = 16        // bytes for a byte of a form: as text, as values, and escaped in a buffer that grows
)

// form is the form of the page, with the answer to it.
type form struct {
	Rows      string // the body of a request in JSON
	Sure      bool   // whether the distribution is asked for
	Level     string // of intervals and sets
	MostLevel string
	Refused   string // why there is no result
	Result    string // in JSON
}

// kernelPicture draws exact and approximate kernels of pairs of rows, if there are any.
func kernelPicture(c card, pairs notes.Pairs) (template.URL, error) {
	if len(pairs) == 0 {
		return "", nil
	}
	exact, approx := pairs.Matrices()
	img, err := report.ExactVsApprox(exact, approx,
		report.WithTitle(fmt.Sprintf("%s, %d features: kernel of pairs of test rows", c.Map, c.Features)))
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return "", err
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), nil
}

// form is the form of the page at first: a row that can be predicted, unless it is very long.
func (l *loaded) form() (f form) {
	if u := l.card.Uncertainty; u != nil {
		f.MostLevel = strconv.FormatFloat(u.MostLevel, 'g', -1, 64)
		f.Level = digits(math.Min(defaultLevel, u.MostLevel))
	}
	if max(len(l.card.Columns), l.card.InputDim) <= mostExample {
		f.Rows = `{"rows": [` + l.card.Example(mostExample) + `]}`
	}
	return f
}

// page answers GET /.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	l := s.current.Load()
	s.show(w, r, l, l.form(), http.StatusOK)
}

// show writes the page.
func (s *server) show(w http.ResponseWriter, r *http.Request, l *loaded, f form, status int) {
	view := struct {
		card
		Form         form
		Picture      template.URL
		Pairs        int
		Shown        []columnCard
		Host, Quoted string
	}{card: l.card, Form: f, Picture: l.picture, Pairs: l.pairs, Host: r.Host,
		Shown: l.card.Columns[:min(mostColumns, len(l.card.Columns))], Quoted: strings.ReplaceAll(l.card.Example(16), "'", `'\''`)}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, view); err != nil {
		s.refuse(w, err)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // if the client has gone, there is nobody to tell
}

// submit answers the form of the page with the page. It is a request as those to /predict are.
func (s *server) submit(w http.ResponseWriter, r *http.Request) {
	q := s.begin(w, r)
	defer q.end()
	f, status := q.form(), http.StatusOK
	if err := q.submit(&f); err != nil {
		if status, err = s.statusOf(w, err); status == http.StatusServiceUnavailable {
			f.Rows = "" // which takes memory
		}
		f.Refused = strings.TrimPrefix(err.Error(), "serve: ")
	}
	s.show(w, r, q.loaded, f, status)
}

// submit reads the form and computes its result.
func (q *request) submit(f *form) error {
	f.Rows = ""
	if q.r.URL.RawQuery != "" {
		return refusal(http.StatusBadRequest, "the form has a query, %s; its fields say what is wanted",
			quote(q.r.URL.RawQuery))
	}
	if _, err := q.contentType("application/x-www-form-urlencoded"); err != nil {
		return err
	}
	text, err := q.receive(min(q.maxBody, mostForm))
	if err != nil {
		return err
	}
	if !q.body.try(formTakes*int64(len(text)) + 8*mostResult) {
		return errFull
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return refusal(http.StatusBadRequest, "the form: %v", err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key != "rows" && key != "distribution" && key != "level" {
			return refusal(http.StatusBadRequest, "the form has the field %s; there are rows, distribution and level",
				quote(key))
		}
	}
	f.Rows, f.Sure = values.Get("rows"), values.Get("distribution") != ""
	query := url.Values{}
	if f.Sure { // a browser sends the level in any case
		f.Level = values.Get("level")
		query = url.Values{"distribution": values["distribution"], "level": values["level"]}
	}
	if q.asked, err = q.parse(query); err != nil {
		return err
	}
	p, err := q.compute([]byte(f.Rows), false)
	if err != nil {
		return err
	}
	result, err := json.MarshalIndent(p, "", " ")
	if f.Result = string(result); len(result) > mostResult {
		f.Result = string(result[:mostResult]) + "\n... /predict has all"
	}
	return err
}
