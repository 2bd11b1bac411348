package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

const sendNull = "send null where a value is missing"

// rowReader reads {"rows": [[1, 2], [3, 4]]} token by token, so that errors name the row and the column, and memory
// holds little more than the numbers. Its methods end the reading at the first error, which each returns.
type rowReader struct {
	*json.Decoder
	text     []byte
	columns  []string // their names; nil: they have none
	remedy   string   // for a missing value
	form     string   // of a body
	row, col int
}

func newRowReader(text []byte, columns []string) *rowReader {
	j := &rowReader{Decoder: json.NewDecoder(bytes.NewReader(text)), text: text, columns: columns,
		remedy: "drop the row or fill the value in", form: `{"rows": [[1, 2, ...], ...]}`}
	if columns != nil {
		j.remedy, j.form = sendNull, fmt.Sprintf(`{"rows": [{%s: ..., ...}, ...]}`, quote(columns[0]))
	}
	j.UseNumber()
	return j
}

// readNumbers reads at most most rows of dims numbers. Errors: data.ErrFormat for a body that is not of that form,
// ErrShape for a row of another width and for no rows, ErrDomain for a cell that is not a finite number,
// data.ErrTooLarge for too many rows.
func readNumbers(text []byte, dims, most int) (*tensor.Dense, error) {
	j := newRowReader(text, nil)
	var cells []float64
	err := j.each(most, func(begin json.Delim) {
		if begin == '{' {
			try.Fail("serve: body: row %d is an object, and the columns of the model have no names; send its "+
				"%d numbers as [1, 2, ...]: %w", j.row, dims, data.ErrFormat)
		}
		j.array(dims, "numbers", func(cell json.Token) {
			n, ok := cell.(json.Number)
			if !ok {
				try.Fail("serve: body: %s is %s, not a number; %s: %w", j.place(), show(cell), j.remedy,
					domain.ErrDomain)
			}
			cells = append(cells, j.number(string(n)))
		})
	})
	if err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(j.row, dims), tensor.WithBacking(cells)), nil
}

// each reads the body. It calls read after the bracket that begins a row.
func (j *rowReader) each(most int, read func(begin json.Delim)) error {
	return try.Catch(func() {
		for _, want := range []json.Token{json.Delim('{'), "rows", json.Delim('[')} {
			j.want(want)
		}
		for ; j.More(); j.row++ {
			if j.row == most {
				try.Fail("serve: body: more than %d rows: %w", most, data.ErrTooLarge)
			}
			j.col = 0
			t := j.next()
			begin, ok := t.(json.Delim)
			if !ok {
				j.malformed("%s where a row should be", show(t))
			}
			read(begin)
		}
		for _, end := range "]}" {
			j.want(json.Delim(end))
		}
		if _, err := j.Token(); err != io.EOF {
			j.malformed("there is more after the end of the object")
		}
		if j.row == 0 {
			try.Fail("serve: body: no rows to predict: %w", domain.ErrShape)
		}
	})
}

// array reads the rest of a row of so many cells, each by read.
func (j *rowReader) array(dims int, cells string, read func(json.Token)) {
	for j.col = 0; ; j.col++ {
		t := j.next()
		if t == json.Delim(']') {
			break
		}
		if j.col == dims {
			try.Fail("serve: body: row %d has more than the %d %s that the model takes: %w", j.row, dims, cells,
				domain.ErrShape)
		}
		read(t)
	}
	if j.col != dims {
		try.Fail("serve: body: row %d has %d %s, the model takes %d: %w", j.row, j.col, cells, dims, domain.ErrShape)
	}
}

// next returns the next token.
func (j *rowReader) next() json.Token {
	t, err := j.Token()
	if err != nil {
		j.explain(err)
	}
	if text, ok := t.(string); ok && strings.ContainsRune(text, utf8.RuneError) {
		j.malformed("the text %s has a byte that is not UTF-8, or half of a \\u pair", quote(text))
	}
	return t
}

// want reads a token that must be this one.
func (j *rowReader) want(want json.Token) {
	if t := j.next(); t != want {
		j.malformed("%s where %s should be", show(t), show(want))
	}
}

// show is a token for a message.
func show(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case string:
		return quote(t)
	}
	return fmt.Sprint(t)
}

// explain ends with an error of encoding/json at its place. JSON has no NaN and no infinity, but many programs write
// them.
func (j *rowReader) explain(err error) {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		j.malformed("it ends early")
	}
	word := strings.TrimLeft(string(j.text[j.InputOffset():min(j.InputOffset()+100, int64(len(j.text)))]), " \t\r\n:")
	if end := strings.IndexAny(word, " \t\r\n,[]{}\""); end >= 0 {
		word = word[:end]
	}
	inNumber := strings.HasSuffix(err.Error(), "in numeric literal")
	switch v, no := strconv.ParseFloat(word, 64); {
	case !inNumber && !strings.HasSuffix(err.Error(), "looking for beginning of value"):
	case no == nil && v-v != 0:
		j.bad(v, "is not a finite number", j.remedy)
	case word != "":
		j.malformed("%s is %s, which is not a value in JSON", j.place(), quote(word))
	}
	j.malformed("%v", err)
}

// number is the number that a token is.
func (j *rowReader) number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	switch {
	case err != nil:
		j.bad(v, "(the text "+quote(text)+") is too large for float64", "scale the values")
	case v == 0 && strings.ContainsAny(mantissa, "123456789"):
		j.bad(v, "(the text "+quote(text)+") is not 0 but becomes 0 in float64", "write 0 or scale the values")
	}
	return v
}

// bad ends with the error of a number.
func (j *rowReader) bad(v float64, reason, remedy string) {
	who := "serve: body"
	if j.columns != nil {
		who += ": column " + quote(j.columns[j.col])
	}
	try.Do(&domain.CellError{Who: who, Row: j.row, Col: j.col, Value: v, Reason: reason, Remedy: remedy})
}

// place says where the cell is.
func (j *rowReader) place() string {
	if j.col >= len(j.columns) {
		return fmt.Sprintf("x[%d,%d]", j.row, j.col)
	}
	return fmt.Sprintf("row %d: column %s", j.row, quote(j.columns[j.col]))
}

// malformed ends with an error that names the byte.
func (j *rowReader) malformed(format string, args ...any) {
	try.Fail("serve: body, byte %d: %s; send %s: %w", j.InputOffset(), fmt.Sprintf(format, args...), j.form,
		data.ErrFormat)
}

// rows reads the rows of a body, and returns notes on what is unlike the training rows.
func (l *loaded) rows(text []byte, array bool) (x *tensor.Dense, notes []string, err error) {
	switch dims := l.model.Dims(); {
	case l.table != nil && array:
		x, notes, err = l.table.readArray(text, l.maxRows)
	case l.table != nil:
		x, notes, err = l.table.read(text, l.maxRows)
	case array:
		x, err = readNPY(text, l.maxRows*dims, data.Options{Dims: dims})
	default:
		x, err = readNumbers(text, dims, l.maxRows)
	}
	if errors.Is(err, data.ErrTooLarge) {
		err = refusal(http.StatusRequestEntityTooLarge, "the body has more than %d rows; send them in several requests",
			l.maxRows)
	}
	return x, notes, err
}

// readNPY reads an array that has no more than the given number of cells.
func readNPY(text []byte, cells int, o data.Options) (*tensor.Dense, error) {
	o.Label, o.MaxCells, o.MaxWindow = data.LabelNone, cells, maxWindow
	set, err := data.ReadNPY(bytes.NewReader(text), "body", o)
	if err != nil {
		return nil, err
	}
	return set.Dense()
}

// mostRows bounds the number of rows of a body: each cell has a byte at least, unless it is compressed.
func (l *loaded) mostRows(text []byte, array bool) int64 {
	cells := int64(l.model.Dims())
	if l.table != nil {
		cells = int64(len(l.table.Inputs))
	}
	gzip, zstd := []byte("\x1f\x8b"), []byte("\x28\xb5\x2f\xfd")
	if array && (bytes.HasPrefix(text, gzip) || bytes.HasPrefix(text, zstd)) {
		return int64(l.maxRows)
	}
	if !array {
		cells *= 2 // a digit and a comma
	}
	return min(int64(l.maxRows), int64(len(text))/cells+1)
}
