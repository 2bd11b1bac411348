package main

import (
	"mime"
	"net/http"

	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// readRows reads the rows of a request, of so many columns, as they come: no more of the body is held than its limits allow.
func (s *server) readRows(w http.ResponseWriter, r *http.Request, dims int) (*tensor.Dense, error) {
	const want = "send application/json, {\"rows\": [[...], ...]}, or application/x-npy, an array of numpy.save"
	given := r.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(given)
	if err != nil || kind != "application/json" && kind != "application/x-npy" {
		return nil, refusal(http.StatusUnsupportedMediaType, "the Content-Type is %q; %s", given, want)
	}
	if how := r.Header.Get("Content-Encoding"); how != "" && how != "identity" {
		return nil, refusal(http.StatusUnsupportedMediaType, "the Content-Encoding is %q; send the body as it is", how)
	}
	if r.ContentLength > s.maxBody {
		return nil, &http.MaxBytesError{Limit: s.maxBody}
	}
	body := http.MaxBytesReader(w, r.Body, s.maxBody)
	if kind == "application/json" {
		return readJSON(body, dims, s.maxRows)
	}
	set, err := data.ReadNPY(body, "body", data.Options{Label: data.LabelNone, Dims: dims, MaxCells: s.maxRows * dims})
	if err != nil {
		return nil, err
	}
	return set.Dense()
}
