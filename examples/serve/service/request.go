package service

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// lease is what a request holds of a budget: bytes of memory, or a turn to compute.
type lease struct {
	of   *semaphore.Weighted
	n    int64
	held *atomic.Int64 // by all requests
}

func (l *lease) add(n int64) {
	l.n += n
	l.held.Add(n)
}

// try takes n bytes more, if there are as many.
func (l *lease) try(n int64) bool {
	ok := l.of.TryAcquire(n)
	if ok {
		l.add(n)
	}
	return ok
}

// shrink gives back all but n bytes.
func (l *lease) shrink(n int64) {
	if n < l.n {
		l.of.Release(l.n - n)
		l.add(n - l.n)
	}
}

// request is a request for predictions.
type request struct {
	*server
	*loaded    // the model is the one that was served when the request began
	w          http.ResponseWriter
	r          *http.Request
	body, work lease
	turn       lease // its held counts nothing that is shown
	asked      asked
}

func (s *server) begin(w http.ResponseWriter, r *http.Request) *request {
	l := s.current.Load()
	q := &request{server: s, loaded: l, w: w, r: r, body: lease{of: l.long, held: &s.held},
		work: lease{of: l.work, held: &s.held}, turn: lease{of: s.turns, held: new(atomic.Int64)}}
	if r.ContentLength >= 0 && r.ContentLength <= shortBody {
		q.body.of = l.short
	}
	return q
}

func (q *request) end() {
	q.body.shrink(0)
	q.work.shrink(0)
}

// predict answers POST /predict.
func (s *server) predict(w http.ResponseWriter, r *http.Request) {
	q := s.begin(w, r)
	defer q.end()
	p, err := q.predict()
	var text []byte
	if err == nil {
		text, err = json.Marshal(p)
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	q.work.shrink(int64(len(text)))
	writeJSON(w, http.StatusOK, text)
}

func (q *request) predict() (*prediction, error) {
	query, err := url.ParseQuery(q.r.URL.RawQuery)
	if err != nil {
		return nil, refusal(http.StatusBadRequest, "the query %s: %v", quote(q.r.URL.RawQuery), err)
	}
	if q.asked, err = q.parse(query); err != nil {
		return nil, err
	}
	kind, err := q.contentType("application/json", "application/x-npy")
	if err != nil {
		return nil, err
	}
	array := kind == "application/x-npy"
	if array && q.table != nil && q.table.noArray != nil {
		return nil, q.table.noArray
	}
	text, err := q.receive(q.maxBody)
	if err != nil {
		return nil, err
	}
	return q.compute(text, array)
}

// contentType checks the head of a request, which has one of some types.
func (q *request) contentType(types ...string) (string, error) {
	given := q.r.Header.Get("Content-Type")
	kind, params, err := mime.ParseMediaType(given)
	switch charset, said := params["charset"]; {
	case err != nil || !slices.Contains(types, kind):
		err = refusal(http.StatusUnsupportedMediaType, "the Content-Type is %s; send %s: rows as {\"rows\": [[...], "+
			"...]} or as an array of numpy.save to /predict, forms to /", quote(given), strings.Join(types, " or "))
	case said && !strings.EqualFold(charset, "utf-8"):
		err = refusal(http.StatusBadRequest, "the charset is %s; send UTF-8", quote(charset))
	default:
		if how := q.r.Header.Get("Content-Encoding"); how != "" && how != "identity" {
			err = refusal(http.StatusUnsupportedMediaType, "the Content-Encoding is %s; send the body as it is",
				quote(how))
		}
	}
	if err != nil {
		q.w.Header().Set("Connection", "close") // the body is not read
	}
	return kind, err
}

// receive returns the body. It holds memory for what has come, whatever the body announces.
func (q *request) receive(most int64) ([]byte, error) {
	text, err := []byte(nil), error(&http.MaxBytesError{Limit: most})
	if q.r.ContentLength <= most {
		text, err = io.ReadAll(metered{http.MaxBytesReader(q.w, q.r.Body, most), &q.body})
	}
	if err != nil {
		q.w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	return text, err
}

// metered is a body that is received into the memory of a lease.
type metered struct {
	io.Reader
	*lease
}

func (m metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if !m.try(received * int64(n)) {
		return 0, errFull
	}
	if err != nil && err != io.EOF {
		err = &unreadable{err}
	}
	return n, err
}

// unreadable is an error of a body that its client has sent wrongly or not at all.
type unreadable struct{ err error }

func (e *unreadable) Error() string {
	return fmt.Sprintf("serve: the body cannot be read: %v; send it with its length, or in chunks as of RFC 9112",
		e.err)
}

func (e *unreadable) Unwrap() error { return e.err }

// errFull is the answer to a request for which there is no memory.
var errFull = refusal(http.StatusServiceUnavailable, "the requests in flight take as much memory as --max-memory "+
	"allows; send it again later, or its rows in several requests")

// wait acquires n more for a lease, and waits for it at most as long as a request may.
func (q *request) wait(l *lease, n int64, late error) error {
	ctx, cancel := context.WithTimeout(q.r.Context(), q.Timeout)
	defer cancel()
	if l.of.Acquire(ctx, n) == nil {
		l.add(n)
		return nil
	}
	if err := q.r.Context().Err(); err != nil {
		return fmt.Errorf("serve: the request has ended: %w", err)
	}
	return late
}

// next ends the turn to compute, if there is one, and waits for another.
func (q *request) next() error {
	q.turn.shrink(0)
	return q.wait(&q.turn, 1, refusal(http.StatusServiceUnavailable,
		"no turn in time, --concurrent %d requests are being computed; send it again later", q.Concurrent))
}

// asked is what a request wants beside the class or the target of each row.
type asked struct {
	scores       bool
	distribution bool
	level        float64 // of intervals and sets
}

const defaultLevel = .9

// parse reads a query. Errors: 400 for unknown names and wrong values; the model's for a level that has too few
// held-out rows.
func (l *loaded) parse(query url.Values) (asked, error) {
	a := asked{level: defaultLevel}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if key != "scores" && key != "distribution" && key != "level" {
			return a, refusal(http.StatusBadRequest, "there is no ?%s; there are scores, distribution and level",
				quote(key))
		}
		if len(query[key]) > 1 {
			return a, refusal(http.StatusBadRequest, "?%s is there %d times; give it once", key, len(query[key]))
		}
	}
	for name, to := range map[string]*bool{"scores": &a.scores, "distribution": &a.distribution} {
		text := query.Get(name)
		if text == "" {
			continue
		}
		var err error
		if *to, err = strconv.ParseBool(text); err != nil {
			return a, refusal(http.StatusBadRequest, "?%s=%s: want true or false", name, quote(text))
		}
	}
	text, err := query.Get("level"), error(nil)
	if text != "" {
		if a.level, err = strconv.ParseFloat(text, 64); err != nil || !(a.level > 0 && a.level < 1) {
			return a, refusal(http.StatusBadRequest, "?level=%s: want a probability between 0 and 1, such as %v",
				quote(text), defaultLevel)
		}
	}
	switch {
	case text != "" && !a.distribution:
		return a, refusal(http.StatusBadRequest, "?level does nothing without ?distribution=true")
	case !a.distribution:
	case l.model.Uncertainty.HeldOut() == 0:
		return a, refusal(http.StatusBadRequest, "?distribution=true: the model has no uncertainty; serve one that "+
			"bochner fit --distribution saved")
	default:
		err = l.model.Uncertainty.Check(a.level)
	}
	return a, err
}
