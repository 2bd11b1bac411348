package service

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
)

// told reports whether an error is the client's.
func told(err error) bool {
	var own *refused
	return errors.As(err, &own) || errors.Is(err, data.ErrFormat) || errors.Is(err, domain.ErrDomain) ||
		errors.Is(err, domain.ErrShape) || errors.Is(err, data.ErrTooLarge)
}

// FuzzJSON: what readNumbers accepts, encoding/json accepts too, as the same numbers, and table.read as rows of the
// width of the model; what they refuse is an error for the client.
func FuzzJSON(f *testing.F) {
	of := newTable(tableModel(data.ColumnOptions{}).Columns)
	for _, text := range []string{
		`{"rows": [[1, 2], [3, 4]]}`, `{"rows":[[-0,1e5],[0.5E-3,1E+2]]}`, " {\n\"rows\"\t:[ [1,2 ]\r]} ",
		`{"rows": [[01, 2]]}`, `{"rows": [[1., 2]]}`, `{"rows": [[-, 2]]}`, `{"rows": [[1e, 2]]}`,
		`{"rows": [[1, 2]], "rows": [[1, 2]]}`, `{"rows": [[1, NaN]]}`, `{"rows": [[1e999, 1e-999]]}`, `{"rows": []}`,
		`{"rows": null}`, "{", "", arrays(passengers(2, 1)), `{"rows": [{"age": "\ud83d\ude00"}]}`,
		objects(passengerNames, passengers(2, 1), map[string]any{"z": []any{1, "a", nil}}), `{"rows": [["?", null]]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, _, err := of.read([]byte(text), 3)
		if err == nil && x.Shape()[1] != of.Dims() || err != nil && !told(err) {
			t.Fatalf("%q becomes %v: %v", text, x, err)
		}
		x, err = readNumbers([]byte(text), 2, 3)
		if err != nil {
			if !told(err) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		var want struct{ Rows [][2]float64 }
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q is accepted: %v", text, err)
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

// TestCut: wherever a body is cut it ends early.
func TestCut(t *testing.T) {
	of := newTable(tableModel(data.ColumnOptions{}).Columns)
	plain := func(text string) error { _, err := readNumbers([]byte(text), dims, 3); return err }
	named := func(text string) error { _, _, err := of.read([]byte(text), 3); return err }
	for text, read := range map[string]func(string) error{
		asJSON(randomRows(3, 1)): plain, arrays(passengers(3, 5)): named,
		objects(passengerNames, passengers(3, 5), map[string]any{"z": []any{"\u00e9\"", map[string]any{"y": nil}}}): named,
	} {
		ok(t, read(text))
		for n := range len(text) {
			if err := read(text[:n]); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "ends early") {
				t.Fatalf("%q: %v", text[:n], err)
			}
		}
	}
}
