package service

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
)

// FuzzJSON: what readJSON takes, encoding/json takes too, as the same numbers; what it refuses is of a kind that a
// client is told.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		`{"rows": [[1, 2], [3, 4]]}`, `{"rows":[[-0,1e5],[0.5E-3,1E+2]]}`, " {\n\"rows\"\t:[ [1,2 ]\r]} ", `{"rows": [[01, 2]]}`, `{"rows": [[1., 2]]}`, `{"rows": [[-, 2]]}`,
		`{"rows": [[1e, 2]]}`, `{"rows": [[1, 2]], "rows": [[1, 2]]}`, `{"rows": [[1, NaN]]}`, `{"rows": [[1e999, 1e-999]]}`, `{"rows": []}`, `{"rows": null}`, "{", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := readJSON(strings.NewReader(text), 2, 3)
		if err != nil {
			if !told(err) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		var want struct{ Rows [][2]float64 }
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q is taken: %v", text, err)
		}
		var flat []float64
		for _, row := range want.Rows {
			flat = append(flat, row[:]...)
		}
		if !slices.Equal(flat, x.Float64s()) {
			t.Fatalf("%q is %v, want %v", text, x.Float64s(), flat)
		}
	})
}

// told says whether an error is one of those that a client is told.
func told(err error) bool {
	return errors.Is(err, data.ErrFormat) || errors.Is(err, domain.ErrDomain) || errors.Is(err, domain.ErrShape) || errors.Is(err, data.ErrTooLarge)
}

// TestJSONReader: it does not matter how the bytes arrive, and an error of the connection stays what it is.
func TestJSONReader(t *testing.T) {
	text := asJSON(randomRows(3, 1))
	want := randomRows(3, 1).Float64s()
	x, err := readJSON(iotest.OneByteReader(strings.NewReader(text)), dims, 3)
	if err != nil || !slices.Equal(x.Float64s(), want) {
		t.Errorf("%v, %v", x, err)
	}
	broken := iotest.ErrReader(iotest.ErrTimeout)
	for n := range len(text) {
		if _, err := readJSON(io.MultiReader(strings.NewReader(text[:n]), broken), dims, 3); !errors.Is(err, iotest.ErrTimeout) {
			t.Fatalf("%q: %v", text[:n], err)
		}
		if _, err := readJSON(strings.NewReader(text[:n]), dims, 3); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "ends early") {
			t.Fatalf("%q: %v", text[:n], err)
		}
	}
}
