package service

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

const (
	sendNull = "send null where a value is missing"
	mostTold = 10 // names in a message
)

// A text that a request has not had before takes so much memory beside its bytes, which are there twice: in a map of
// these rows and in the dictionary of the frame. It is asked for in pieces, so that the budget is not asked for each.
const (
	textCost  = 320
	textPiece = 64 << 10
)

// tableRows reads the rows of a table: arrays of cells in the order of its columns, or objects that name them.
type tableRows struct {
	*jsonRows
	h     *hold
	frame *data.Frame
	cells []any            // of the row
	last  []int            // the row that had a column last, from 1
	texts []map[string]any // what the texts of a column are

	form       byte           // [ or {, of the first row
	extra      map[string]int // keys that are no columns: the row that had one last, from 1
	told       []string       // the first of them that the training rows did not have either
	strangers  int            // how many there are
	owed, held int64          // what texts take, not yet asked for and asked for
}

// readTable reads at most maxRows rows as the columns of a table make them, and tells what is unlike the training rows.
// Errors are those of readJSON; a cell that the columns do not take is refused with 422. What texts take is asked of h,
// and given back where there is no error.
func readTable(r io.Reader, of *table, maxRows int, h *hold) (x *tensor.Dense, notes []string, err error) {
	n := len(of.Inputs)
	t := &tableRows{jsonRows: &jsonRows{r: bufio.NewReader(r), table: of}, h: h, cells: make([]any, n), last: make([]int, n), texts: make([]map[string]any, n),
		extra: map[string]int{}}
	if t.frame, err = data.NewFrame(of.names...); err != nil {
		return nil, nil, err
	}
	t.frame.Source = "body"
	t.frame.Tell = func(note string) { notes = append(notes, note) }
	if err := t.each(maxRows, t.rowOf); err != nil {
		return nil, nil, err
	}
	if t.strangers > 0 {
		notes = append(notes, fmt.Sprintf("body: the keys %s are no columns of the model, and are not looked at", names(t.told, t.strangers)))
	}
	set, err := of.Set(t.frame)
	if err != nil {
		return nil, nil, &refused{http.StatusUnprocessableEntity, err.Error()}
	}
	h.shrink(t.held)
	x, err = set.Dense()
	return x, notes, err
}

// rowOf reads a row.
func (t *tableRows) rowOf() error {
	c, err := t.peek()
	switch {
	case err != nil:
		return t.ended(err)
	case c != '[' && c != '{':
		return t.malformed("%q where a row should be, one of [{", c)
	case t.form == 0:
		t.form = c
	case t.form != c:
		return t.malformed("row %d is of another form than those before it, which are all arrays or all objects", t.row)
	}
	if c == '{' {
		err = t.object()
	} else {
		err = t.array(len(t.cells), "cells", func() error { return t.cell(t.col) })
	}
	if err != nil {
		return err
	}
	return t.frame.Append(t.cells...)
}

// object reads {"age": 31, "sex": "female"}.
func (t *tableRows) object() error {
	found := 0
	err := t.list("{}", func() error {
		if err := t.key(); err != nil {
			return err
		}
		k, ok := t.table.at[string(t.token)]
		if !ok {
			return t.stranger()
		}
		if t.last[k] == t.row+1 {
			return t.twice()
		}
		t.last[k] = t.row + 1
		found++
		return t.cell(k)
	})
	if err != nil || found == len(t.cells) {
		return err
	}
	var missing []string
	for k, name := range t.table.names {
		if t.last[k] != t.row+1 && len(missing) < mostTold {
			missing = append(missing, name)
		}
	}
	return fmt.Errorf("serve: body: row %d does not have the key %s; %s: %w", t.row, names(missing, len(t.cells)-found), sendNull, domain.ErrShape)
}

// twice is an error of the key in the token.
func (t *tableRows) twice() error {
	return t.malformed("row %d has the key %s twice", t.row, quote(string(t.token)))
}

// stranger reads the value of the key in the token, which is no column.
func (t *tableRows) stranger() error {
	key := string(t.token)
	last, had := t.extra[key]
	if last == t.row+1 {
		return t.twice()
	}
	t.extra[key] = t.row + 1
	if !had {
		if err := t.owe(key); err != nil {
			return err
		}
		if !t.table.known[key] {
			if t.strangers++; t.strangers <= mostTold {
				t.told = append(t.told, key)
			}
		}
	}
	return t.skip(0)
}

// cell reads the cell of column k.
func (t *tableRows) cell(k int) error {
	t.col = k
	c, err := t.peek()
	switch {
	case err != nil:
		return t.ended(err)
	case c == '[' || c == '{':
		return fmt.Errorf("serve: body: %s is an array or an object; want a number, a text, true, false or null: %w", t.place(), domain.ErrDomain)
	case c == '"':
		err = t.readText()
	default:
		err = t.readToken()
	}
	if err != nil {
		return err
	}
	quoted := c == '"'
	switch {
	case !quoted && string(t.token) == "null":
		t.cells[k] = nil
		return nil
	case t.table.numeric[k] && isNumber(t.token):
		t.cells[k], err = t.exact()
		return err
	case !quoted && !isNumber(t.token) && !isWord(t.token):
		return t.notNumber(string(t.token))
	}
	v, had := t.texts[k][string(t.token)]
	if !had {
		if v, err = t.fresh(k, string(t.token)); err != nil {
			return err
		}
	}
	t.cells[k] = v
	return nil
}

// exact is the number that was read, which float64 must hold where it is an integer.
func (t *tableRows) exact() (any, error) {
	v, err := t.number()
	if err == nil && (v >= 1<<53 || v <= -1<<53) && !strings.ContainsAny(string(t.token), ".eE") {
		err = fmt.Errorf("serve: body: %s is %s, 2^53 or more in absolute value, where float64 rounds; write it with a decimal point if that is meant: %w",
			t.place(), quote(string(t.token)), domain.ErrDomain)
	}
	return v, err
}

// fresh is the cell that a text is, which the column has not had before.
func (t *tableRows) fresh(k int, text string) (v any, err error) {
	if err := t.owe(text); err != nil {
		return nil, err
	}
	in := &t.table.Inputs[k]
	what := "not a number"
	switch {
	case t.table.numeric[k]:
		if in.Kind == data.Boolean {
			what = "none of true, false, 0 and 1"
		}
		v, err = t.table.alone(k, text)
	case in.Kind == data.Time && in.Layout == "":
		what = "not a time such as 2006-01-02T15:04:05Z"
		v, err = time.Parse(time.RFC3339Nano, text)
	default:
		v = text
	}
	if err != nil {
		return nil, fmt.Errorf("serve: body: %s is %s, %s; %s: %w", t.place(), quote(text), what, sendNull, domain.ErrDomain)
	}
	if t.texts[k] == nil {
		t.texts[k] = map[string]any{}
	}
	t.texts[k][text] = v
	return v, nil
}

// owe asks for the memory of a text, once it is worth it.
func (t *tableRows) owe(text string) error {
	if t.owed += textCost + 2*int64(len(text)); t.owed < textPiece {
		return nil
	}
	if t.held+t.owed > t.table.mostTexts {
		return refusal(http.StatusRequestEntityTooLarge, "the different texts of the request take more than %d bytes of memory; send its rows in several requests", t.table.mostTexts)
	}
	if err := t.h.grow(t.owed); err != nil {
		return err
	}
	t.held, t.owed = t.held+t.owed, 0
	return nil
}

// names lists the first of so many names.
func names(first []string, all int) string {
	var b strings.Builder
	for i, name := range first {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name))
	}
	if all > len(first) {
		fmt.Fprintf(&b, ", ... (%d)", all)
	}
	return b.String()
}
