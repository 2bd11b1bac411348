package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// table is the columns of a model, as requests send them.
type table struct {
	*data.Columns // its inputs only, found by name
	names         []string
	at            map[string]int  // columns by name
	known         map[string]bool // other columns of the training rows
	array         *data.Columns   // of arrays, by place
	noArray       error           // why the model takes no arrays
}

// newTable returns nil for a model whose columns have no names.
func newTable(c *data.Columns) *table {
	if c == nil {
		return nil
	}
	t := &table{at: map[string]int{}, known: map[string]bool{}}
	var placed []data.Input
	for k, in := range c.Inputs {
		in.Place = k
		if in.Kind == data.Time && in.Layout == "" { // the training rows had timestamps, and JSON has texts
			in.Layout = time.RFC3339
		}
		placed = append(placed, in)
		t.names, t.at[in.Name] = append(t.names, in.Name), k
		if t.noArray == nil && (in.Kind == data.Category || in.Kind == data.Time) {
			t.noArray = refusal(http.StatusUnsupportedMediaType, "the column %s of the model is a %s, and an array "+
				"has numbers; send application/json", quote(in.Name), in.Kind)
		}
	}
	for _, l := range c.Left {
		t.known[l.Name] = true
	}
	for _, name := range c.Labels {
		t.known[name] = true
	}
	of := func(named bool) *data.Columns {
		return &data.Columns{Inputs: placed, Named: named, Width: len(placed), Unknown: c.Unknown}
	}
	t.Columns, t.array = of(true), of(false)
	return t
}

// numeric says whether a column has numbers, or 0 and 1.
func numeric(in data.Input) bool {
	return in.Kind == data.Number || in.Kind == data.Boolean && in.Levels == nil
}

// cellError is the error of a cell that its column does not take, with 422, and any other error as it is.
func (t *table) cellError(err error) error {
	var at *data.Error
	if !errors.As(err, &at) || at.Column == "" {
		return err
	}
	text, in := err.Error(), t.Inputs[t.at[at.Column]]
	if numeric(in) {
		text += "; " + sendNull
	}
	if numeric(in) && in.Kind == data.Boolean {
		text += "; a boolean is true, false, 0 or 1"
	}
	return &refused{http.StatusUnprocessableEntity, text}
}

// readArray reads an array with the columns of the table in their order. NaN is a missing value.
func (t *table) readArray(text []byte, most int) (x *tensor.Dense, notes []string, err error) {
	x, err = readNPY(text, most*len(t.Inputs),
		data.Options{Columns: t.array, Tell: func(note string) { notes = append(notes, note) }})
	if errors.Is(err, domain.ErrShape) {
		err = fmt.Errorf("%w; send the %d columns that /model lists, in their order", err, len(t.names))
	}
	return x, notes, t.cellError(domain.InColumns(t.names, err))
}

// tableReader reads the rows of a table: arrays of cells in the order of its columns, or objects that name them.
type tableReader struct {
	*rowReader
	table   *table
	cells   []any           // of the row
	last    []int           // the row that had a column last, from 1
	unknown map[string]bool // keys that are not columns
}

// mostUnknown is how many keys that are not columns are remembered, and mostTold how many names a message has.
const mostUnknown, mostTold = 1000, 10

// read reads rows in JSON. Errors are those of readNumbers; a cell that the columns do not take is refused with 422.
func (t *table) read(text []byte, most int) (x *tensor.Dense, notes []string, err error) {
	n := len(t.Inputs)
	j := &tableReader{rowReader: newRowReader(text, t.names), table: t, cells: make([]any, n), last: make([]int, n),
		unknown: map[string]bool{}}
	frame, err := data.NewFrame(t.names...)
	if err != nil {
		return nil, nil, err
	}
	frame.Source = "body"
	frame.Tell = func(note string) { notes = append(notes, note) }
	err = j.each(most, func(begin json.Delim) {
		if begin == '{' {
			j.object()
		} else {
			j.array(n, "cells", func(cell json.Token) { j.take(j.col, cell) })
		}
		try.Do(frame.Append(j.cells...))
	})
	if err != nil {
		return nil, nil, err
	}
	if len(j.unknown) > 0 {
		notes = append(notes, fmt.Sprintf("body: the keys %s are not columns of the model and are ignored",
			names(slices.Sorted(maps.Keys(j.unknown)))))
	}
	set, err := t.Set(frame)
	if err != nil {
		return nil, nil, t.cellError(err)
	}
	x, err = set.Dense()
	return x, notes, err
}

// object reads the rest of {"age": 31, "sex": "female"}.
func (j *tableReader) object() {
	for {
		key, ok := j.next().(string)
		if !ok { // the end
			j.complete()
			return
		}
		k, ok := j.table.at[key]
		if !ok {
			j.skip(key)
			continue
		}
		if j.last[k] == j.row+1 {
			j.malformed("row %d has the key %s twice", j.row, quote(key))
		}
		j.last[k], j.col = j.row+1, k
		j.take(k, j.next())
	}
}

// complete wants a row with all columns of the table.
func (j *tableReader) complete() {
	var missing []string
	for k, name := range j.table.names {
		if j.last[k] != j.row+1 {
			missing = append(missing, name)
		}
	}
	if missing == nil {
		return
	}
	keys := "keys"
	if len(missing) == 1 {
		keys = "key"
	}
	try.Fail("serve: body: row %d does not have the %s %s; %s: %w", j.row, keys, names(missing), sendNull,
		domain.ErrShape)
}

// skip reads the value of a key that is not a column.
func (j *tableReader) skip(key string) {
	if !j.unknown[key] && !j.table.known[key] && len(j.unknown) < mostUnknown {
		j.unknown[key] = true
	}
	var value json.RawMessage
	if err := j.Decode(&value); err != nil {
		j.explain(err)
	}
}

// take sets the cell of column k. A text may be a number too, or a mark of a missing value: the columns read it.
func (j *tableReader) take(k int, cell json.Token) {
	switch c := cell.(type) {
	case json.Delim:
		try.Fail("serve: body: %s is an array or an object; want a number, a text, true, false or null: %w",
			j.place(), domain.ErrDomain)
	case json.Number:
		if cell = c.String(); numeric(j.table.Inputs[k]) {
			cell = j.exact(c.String())
		}
	}
	j.cells[k] = cell
}

// exact is a number that float64 must hold if it is an integer.
func (j *tableReader) exact(text string) float64 {
	v := j.number(text)
	if (v >= 1<<53 || v <= -1<<53) && !strings.ContainsAny(text, ".eE") {
		try.Fail("serve: body: %s is %s, 2^53 or more in absolute value, where float64 rounds; write it with "+
			"a decimal point if that is meant: %w", j.place(), quote(text), domain.ErrDomain)
	}
	return v
}

// names lists names, if there are many the first of them.
func names(all []string) string {
	var quoted []string
	for _, name := range all[:min(mostTold, len(all))] {
		quoted = append(quoted, quote(name))
	}
	if len(all) > mostTold {
		quoted = append(quoted, fmt.Sprintf("... (%d)", len(all)))
	}
	return strings.Join(quoted, ", ")
}
