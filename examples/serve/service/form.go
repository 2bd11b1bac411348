package service

import (
	"io"
	"maps"
	"math"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// form is the form of the page, with the answer to it.
type form struct {
	Rows      string // the body of a request in JSON
	Knows     bool   // whether the model has learned its uncertainty
	Posterior bool   // whether standard deviations are part of it
	Classes   bool
	Sure      bool   // whether the distribution is asked for
	Level     string // of intervals and sets
	MostLevel string
	Refused   string // why there is no result
	Result    *shown
}

const (
	mostForm       = 256 << 10 // bytes of a form; /predict takes more
	mostFormColumn = 1000      // columns of a row that the form has to begin with
	formText       = 16        // bytes that a byte of a form takes: as text, as values, and escaped in a buffer that doubles
)

// newForm is the form as the page has it first: a row that is answered, unless it is very long.
func newForm(c card) (form, error) {
	f := form{Classes: c.Classes != nil}
	if u := c.Uncertainty; u != nil {
		f.Knows, f.Posterior, f.MostLevel = true, u.Posterior, strconv.FormatFloat(u.MostLevel, 'g', -1, 64)
		f.Level = digits(math.Min(defaultLevel, u.MostLevel))
	}
	switch {
	case c.Columns != nil && len(c.Columns) <= mostFormColumn:
		row, err := exampleObject(c.Columns, mostFormColumn)
		if err != nil {
			return f, err
		}
		f.Rows = `{"rows": [` + row + `]}`
	case c.Columns == nil && c.InputDim <= mostFormColumn:
		f.Rows = `{"rows": [[` + exampleRow(c.InputDim, mostFormColumn) + `]]}`
	}
	return f, nil
}

// try answers the form of the page with the page. It is a request as those to /predict are.
func (s *server) try(w http.ResponseWriter, r *http.Request) {
	l := s.current.Load()
	h := s.budget.open()
	defer h.close()
	f, status := l.page.empty, http.StatusOK
	f.Rows = ""
	text, err := s.answerForm(w, r, l, h, &f)
	if err != nil {
		text, status = s.refuseForm(w, f, err)
	}
	if err := h.waits(func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)) }); err != nil {
		f.Rows = "" // which takes memory
		text, status = s.refuseForm(w, f, err)
		h.close()
	}
	l.page.write(w, status, text)
}

// refuseForm renders a form with an error, and says its status.
func (s *server) refuseForm(w http.ResponseWriter, f form, err error) (text []byte, status int) {
	status, err = s.statusOf(w, err)
	f.Refused, f.Result = strings.TrimPrefix(err.Error(), "serve: "), nil
	if text, err = render("try", f); err != nil {
		s.log.Printf("the page cannot be rendered: %v", err)
		status = http.StatusInternalServerError
	}
	return text, status
}

// answerForm reads a form and renders it with its result.
func (s *server) answerForm(w http.ResponseWriter, r *http.Request, l *loaded, h *hold, f *form) ([]byte, error) {
	b, err := s.receiveForm(w, r, h)
	if err == nil && r.URL.RawQuery != "" {
		err = refusal(http.StatusBadRequest, "the query %s is not looked at; the form's fields say what is wanted", quote(r.URL.RawQuery))
	}
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		return nil, err
	}
	if err := h.grow(formText*b.size + l.shownTakes()); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(&b.blocks)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, refusal(http.StatusBadRequest, "the form: %v", err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key != "rows" && key != "distribution" && key != "level" {
			return nil, refusal(http.StatusBadRequest, "the form's field %s is none of the page's: rows, distribution and level", quote(key))
		}
	}
	f.Rows, f.Sure = values.Get("rows"), values.Get("distribution") != ""
	query := url.Values{}
	if f.Sure { // a browser sends the level, wanted or not
		query.Set("distribution", values.Get("distribution"))
		query.Set("level", values.Get("level"))
		f.Level = values.Get("level")
	}
	a, err := l.asked(query)
	if err != nil {
		return nil, err
	}
	b.blocks = net.Buffers{[]byte(f.Rows)}
	return s.compute(r, b, &work{server: s, l: l, h: h, asked: a, render: func(p *prediction) ([]byte, error) {
		f.Result = l.show(p)
		return render("try", f)
	}})
}

// receiveForm holds a form as it comes.
func (s *server) receiveForm(w http.ResponseWriter, r *http.Request, h *hold) (*body, error) {
	given, most := r.Header.Get("Content-Type"), min(s.maxBody, mostForm)
	kind, params, err := mime.ParseMediaType(given)
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, refusal(http.StatusUnsupportedMediaType, "the Content-Type is %s, which is no form of the page; send rows to /predict", quote(given))
	}
	if err := checkCharset(params); err != nil {
		return nil, err
	}
	if r.ContentLength > most {
		return nil, &http.MaxBytesError{Limit: most}
	}
	b := &body{json: true}
	return b, b.receive(w, r, most, h)
}
