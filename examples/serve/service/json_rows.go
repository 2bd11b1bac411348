package service

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// maxToken is the longest number of a body, in bytes. 767 digits are the most that decide on a float64.
const maxToken = 800

// jsonRows reads {"rows": [[1, 2], [3, 4]]} byte by byte. It keeps nothing but the numbers and knows where it is, which
// encoding/json does not tell.
type jsonRows struct {
	r        *bufio.Reader
	at       int // bytes read
	row, col int
	token    []byte
	cells    []float64
	table    *table // whose columns are named in messages; nil: the columns have no names
}

// readJSON reads at most maxRows rows of so many columns. Errors: data.ErrFormat for a body that is not of that form,
// ErrShape for a row of another width and for no rows, ErrDomain for what is no finite number, data.ErrTooLarge for too
// many rows, and any error of r.
func readJSON(r io.Reader, dims, maxRows int) (*tensor.Dense, error) {
	j := &jsonRows{r: bufio.NewReader(r)}
	if err := j.each(maxRows, func() error { return j.numbers(dims) }); err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(j.row, dims), tensor.WithBacking(j.cells)), nil
}

// each reads the body, and each of its rows by read.
func (j *jsonRows) each(maxRows int, read func() error) error {
	if err := j.prefix(); err != nil {
		return err
	}
	for more := true; more; j.row++ {
		if j.row == maxRows {
			return fmt.Errorf("serve: body: more than %d rows: %w", maxRows, data.ErrTooLarge)
		}
		if err := read(); err != nil {
			return err
		}
		c, err := j.next(",]")
		if err != nil {
			return err
		}
		more = c == ','
	}
	return j.suffix()
}

// prefix reads {"rows": [ and looks whether a row follows.
func (j *jsonRows) prefix() error {
	if _, err := j.next("{"); err != nil {
		return err
	}
	if _, err := j.next(`"`); err != nil {
		return err
	}
	key, err := j.r.ReadSlice('"')
	j.at += len(key)
	if err == bufio.ErrBufferFull || err == nil && string(key) != `rows"` {
		return j.malformed("the key %s is not \"rows\"", quote(strings.TrimSuffix(string(key), `"`)))
	}
	if err != nil {
		return j.ended(err)
	}
	if _, err := j.next(":"); err != nil {
		return err
	}
	if _, err := j.next("["); err != nil {
		return err
	}
	c, err := j.peek()
	if err != nil {
		return j.ended(err)
	}
	if c != ']' {
		return nil
	}
	return fmt.Errorf("serve: body: no rows to predict: %w", domain.ErrShape)
}

// suffix reads } and the end.
func (j *jsonRows) suffix() error {
	if _, err := j.next("}"); err != nil {
		return err
	}
	switch c, err := j.peek(); {
	case err == nil:
		return j.malformed("%q after the end of the object", c)
	case err != io.EOF:
		return j.ended(err)
	}
	return nil
}

// numbers reads [1, 2].
func (j *jsonRows) numbers(dims int) error {
	if c, err := j.peek(); err == nil && c == '{' {
		return fmt.Errorf("serve: body: row %d is an object, and the columns of the model have no names; send its %d numbers as [1, 2, ...]: %w", j.row, dims, data.ErrFormat)
	}
	return j.array(dims, "numbers", func() error {
		if err := j.readToken(); err != nil {
			return err
		}
		v, err := j.number()
		j.cells = append(j.cells, v)
		return err
	})
}

// array reads a row of so many cells, each by read.
func (j *jsonRows) array(dims int, cells string, read func() error) error {
	if _, err := j.next("["); err != nil {
		return err
	}
	for j.col = 0; ; j.col++ {
		c, err := j.peek()
		if err != nil {
			return j.ended(err)
		}
		if c == ']' && j.col == 0 {
			return fmt.Errorf("serve: body: row %d is empty, the model takes %d %s: %w", j.row, dims, cells, domain.ErrShape)
		}
		if j.col == dims {
			return fmt.Errorf("serve: body: row %d has more than the %d %s that the model takes: %w", j.row, dims, cells, domain.ErrShape)
		}
		if err := read(); err != nil {
			return err
		}
		if c, err = j.next(",]"); err != nil {
			return err
		}
		if c == ']' {
			break
		}
	}
	if j.col+1 != dims {
		return fmt.Errorf("serve: body: row %d has %d %s, the model takes %d: %w", j.row, j.col+1, cells, dims, domain.ErrShape)
	}
	return nil
}

// number is the number that was read.
func (j *jsonRows) number() (float64, error) {
	if isNumber(j.token) {
		v, err := strconv.ParseFloat(string(j.token), 64)
		if err == nil && (v != 0 || !bytes.ContainsAny(mantissa(j.token), "123456789")) {
			return v, nil
		}
	}
	return 0, j.notNumber(string(j.token))
}

// notNumber says what is wrong with a cell. JSON has no NaN and no infinity, but many programs write them.
func (j *jsonRows) notNumber(text string) error {
	remedy := "drop the row or fill the value in"
	if j.table != nil {
		remedy = sendNull
	}
	v, err := strconv.ParseFloat(text, 64)
	bad := &domain.CellError{Who: "serve: body" + j.column(), Row: j.row, Col: j.col, Value: v, Remedy: remedy}
	switch {
	case isNumber(j.token) && err != nil:
		bad.Reason, bad.Remedy = "(the text "+text+") is too large for float64", "scale the values"
	case isNumber(j.token):
		bad.Reason, bad.Remedy = "(the text "+text+") is not 0 but becomes 0 in float64", "write 0 or scale the values"
	case err == nil && v-v != 0:
		bad.Reason = "is not a finite number"
	case err == nil: // .5, +1, 1_000, 0x1p-2
		return j.malformed("%s is %s, which is no number in JSON", j.place(), text)
	default:
		return fmt.Errorf("serve: body: %s is %s, not a number; %s: %w", j.place(), text, remedy, domain.ErrDomain)
	}
	return bad
}

// column is the name of the column for a message, if it has one.
func (j *jsonRows) column() string {
	if j.table == nil {
		return ""
	}
	return ": column " + quote(j.table.Inputs[j.col].Name)
}

// place is where the cell is.
func (j *jsonRows) place() string {
	if j.table == nil {
		return fmt.Sprintf("x[%d,%d]", j.row, j.col)
	}
	return fmt.Sprintf("row %d%s", j.row, j.column())
}

// mantissa is a number up to its exponent.
func mantissa(text []byte) []byte {
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		return text[:i]
	}
	return text
}

// isNumber says whether a text is a number of RFC 8259, section 6: [-] int [. digits] [e [+-] digits].
func isNumber(t []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(t) && '0' <= t[n] && t[n] <= '9' {
			n++
		}
		t = t[n:]
		return n > 0
	}
	skip := func(c ...byte) bool {
		if len(t) == 0 || bytes.IndexByte(c, t[0]) < 0 {
			return false
		}
		t = t[1:]
		return true
	}
	skip('-')
	if !skip('0') && !digits() || skip('.') && !digits() {
		return false
	}
	if skip('e', 'E') {
		skip('+', '-')
		return digits() && len(t) == 0
	}
	return len(t) == 0
}
