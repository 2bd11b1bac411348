package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
)

// refused is an error with its status.
type refused struct {
	status int
	text   string
}

func (e *refused) Error() string { return e.text }

func refusal(status int, format string, args ...any) error {
	return &refused{status, "serve: " + fmt.Sprintf(format, args...)}
}

// refuse answers with the status of an error and its text.
func (s *server) refuse(w http.ResponseWriter, err error) {
	status, err := s.statusOf(w, err)
	s.answer(w, status, map[string]string{"error": err.Error()})
}

// statusOf returns the status of an error and the error for the client, and sets the header that goes with it.
func (s *server) statusOf(w http.ResponseWriter, err error) (int, error) {
	var own *refused
	var large *http.MaxBytesError
	var broken *net.OpError
	var wrong *unreadable
	status := http.StatusInternalServerError
	switch {
	case errors.As(err, &own):
		status = own.status
	case errors.As(err, &large):
		status, err = http.StatusRequestEntityTooLarge,
			fmt.Errorf("serve: the body has more than %d bytes; send its rows in several requests", large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		status, err = http.StatusRequestTimeout,
			fmt.Errorf("serve: the body was not here after %v; send fewer rows at a time", s.Timeout)
	case errors.Is(err, io.ErrUnexpectedEOF):
		status, err = http.StatusBadRequest,
			errors.New("serve: the body breaks off; send as much of it as is announced")
	case errors.Is(err, data.ErrFormat), errors.As(err, &broken), errors.As(err, &wrong),
		errors.Is(err, context.Canceled): // or the client has gone
		status = http.StatusBadRequest
	case errors.Is(err, ops.ErrDomain), errors.Is(err, ops.ErrShape):
		status = http.StatusUnprocessableEntity
	default:
		s.log.Printf("%d: %v", status, err)
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	return status, err
}

// answer writes a value as JSON.
func (s *server) answer(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		s.log.Printf("the answer cannot be written: %v", err)
		status = http.StatusInternalServerError
		text = []byte(`{"error": "serve: the answer cannot be written; see the log"}`)
	}
	writeJSON(w, status, text)
}

// writeJSON writes an answer. If the client has gone, there is nobody to tell.
func writeJSON(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if _, err := w.Write(text); err == nil {
		_, _ = io.WriteString(w, "\n")
	}
}

// quote is a text for a message, cut if it is long.
func quote(text string) string {
	if len(text) > 40 {
		return strconv.Quote(text[:40]) + "..."
	}
	return strconv.Quote(text)
}
