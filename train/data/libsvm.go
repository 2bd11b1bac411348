package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// libsvm collects the rows sparsely, so that memory is proportional to the bytes read until the width is known.
type libsvm struct {
	*source
	targets *targets
	no      int       // of the line
	done    int       // rows that were taken
	long    []byte    // a line that did not fit the buffer
	values  []float64 // the values, row after row
	zeros   int       // of them, which sparse rows leave out
	columns []int32   // the column of each, from 0
	ends    []int     // where each row ends in values
	dims    int       // highest index so far
	whole   bool      // whether the file is read at once
}

func newLIBSVM(s *source) (rows, error) {
	if s.o.tables() || s.o.LabelNames != nil {
		return nil, s.fail(0, domain.ErrParam, "is LIBSVM text, whose columns have no names and whose label is first; write CSV to choose columns")
	}
	return &libsvm{source: s, targets: newTargets(s), dims: s.o.Dims}, nil
}

func (p *libsvm) more(most int) (int, error) {
	p.whole = p.done == 0 && most == math.MaxInt
	for len(p.ends) < most {
		line, err := p.line()
		if err == io.EOF {
			if p.done+len(p.ends) == 0 {
				return 0, p.targets.none("")
			}
			break
		}
		if err != nil {
			return 0, p.wrap(err)
		}
		p.no++
		if err := p.row(line); err != nil {
			return 0, err
		}
	}
	return len(p.ends), nil
}

// line returns the next line, however long; it is valid until the next call.
func (p *libsvm) line() ([]byte, error) {
	b, err := p.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		p.long = p.long[:0]
		for err == bufio.ErrBufferFull && len(p.long) <= maxLine {
			p.long = append(p.long, b...)
			b, err = p.ReadSlice('\n')
		}
		p.long = append(p.long, b...)
		if b = p.long; len(b) > maxLine {
			return nil, fmt.Errorf("a line is longer than %d bytes: %w", maxLine, ErrFormat)
		}
	}
	if err == io.EOF && len(b) > 0 {
		err = nil // the last line may lack its newline
	}
	return b, err
}

// row parses one line.
func (p *libsvm) row(line []byte) error {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	label, rest := token(trimBlanks(line))
	if len(label) == 0 {
		return nil
	}
	if bytes.IndexByte(label, ':') >= 0 {
		return p.fail(p.no, ErrFormat, "%s stands where the label of the row is expected", quote(string(label)))
	}
	if bytes.IndexByte(label, ',') >= 0 && p.o.Label != LabelNone {
		return p.fail(p.no, ErrFormat, "the label %s has a comma: files with several labels a row are not supported", quote(string(label)))
	}
	if p.o.Label != LabelNone && p.targets.lacks(p.no, label) {
		return nil
	}
	if err := p.targets.add(p.no, label); err != nil {
		return err
	}
	if most := len(rest)/len(" 1:1") + 1; min(cap(p.values), cap(p.columns))-len(p.values) < most {
		p.reserve(most)
	}
	last := 0
	for rest = trimBlanks(rest); len(rest) > 0; rest = trimBlanks(rest) {
		index, value, length, err := p.feature(last, rest)
		if err != nil {
			return err
		}
		last, rest = index, rest[length:]
		p.columns = append(p.columns, int32(index-1))
		p.values = append(p.values, value+0) // -0 is 0, as in sparse rows
		if value == 0 {
			p.zeros++
		}
	}
	p.dims = max(p.dims, last)
	p.ends = append(p.ends, len(p.values))
	return nil
}

// reserve makes room for a number of values, or for all values that are expected in the file.
func (p *libsvm) reserve(values int) {
	if p.whole {
		values = max(values, p.expected(len(p.values)))
	}
	values = max(values, len(p.values))
	p.values, p.columns = grown(p.values, values), grown(p.columns, values)
}

// roomy returns s with room for one more element. It doubles a full slice: append grows long ones by a quarter, and
// would copy each value four times on the way.
func roomy[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return grown(s, len(s)+1)
}

// grown returns s with room for n more elements. Unlike slices.Grow it writes no zeros to memory that comes with them.
func grown[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return append(make([]T, 0, len(s)+n), s...)
}

// trimBlanks cuts the blanks off the start of b.
func trimBlanks(b []byte) []byte {
	i := 0
	for i < len(b) && blank(b[i]) {
		i++
	}
	return b[i:]
}

// token cuts b before its first blank.
func token(b []byte) (tok, rest []byte) {
	i := 0
	for i < len(b) && !blank(b[i]) {
		i++
	}
	return b[:i], b[i:]
}

func blank(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') }

// feature parses index:value at the start of b, which is so long; last is the index before it in the row, 0 at its
// start.
func (p *libsvm) feature(last int, b []byte) (index int, value float64, length int, err error) {
	i := 0
	for ; i < len(b) && b[i]-'0' <= 9 && index <= maxIndex; i++ {
		index = 10*index + int(b[i]-'0')
	}
	if i == len(b) || b[i] != ':' || index <= last || index > maxIndex || p.o.Dims > 0 && index > p.o.Dims {
		tok, _ := token(b)
		return 0, 0, 0, p.badFeature(last, index, tok)
	}
	i++
	value, n := decimal(b[i:])
	if end := i + n; n > 0 && (end == len(b) || end < len(b) && blank(b[end])) {
		return index, value, end, nil
	}
	tok, _ := token(b[i:])
	value, f := number(string(tok))
	if f != sound {
		return 0, 0, 0, p.badCell(p.no, fmt.Sprintf("feature %d", index), p.done+len(p.ends), index-1, string(tok))
	}
	return index, value, i + len(tok), nil
}

// badFeature says why tok, with that index, is not a valid index:value after the index last.
func (p *libsvm) badFeature(last, index int, tok []byte) error {
	colon, text := bytes.IndexByte(tok, ':'), quote(string(tok))
	switch {
	case colon < 0:
		return p.fail(p.no, ErrFormat, "%s is not index:value", text)
	case index > maxIndex:
		return p.fail(p.no, ErrFormat, "%s: the index is above the largest one allowed, %d", text, maxIndex)
	case string(tok[:colon]) == "qid":
		return p.fail(p.no, ErrFormat, "%s: ranking files are not supported; remove the qid tokens", text)
	case colon == 0:
		return p.fail(p.no, ErrFormat, "%s lacks its index", text)
	case index == 0 || len(bytes.Trim(tok[:colon], "0123456789")) > 0:
		if v, f := number(string(tok[:colon])); f == sound && v <= 0 {
			return p.fail(p.no, ErrFormat, "%s: the index is below 1; indices count from 1: add 1 to each if they count from 0", text)
		}
		return p.fail(p.no, ErrFormat, "%s: the index is not a whole number", text)
	case index == last:
		return p.fail(p.no, ErrFormat, "%s: index %d stands twice in the row", text, index)
	case index < last:
		return p.fail(p.no, ErrFormat, "%s follows index %d; indices must increase within a row: sort them", text, last)
	}
	return p.fail(p.no, domain.ErrShape, "%s: the index is beyond the %d features asked for", text, p.o.Dims)
}

func (p *libsvm) inHand() (stored, d int) { return len(p.values) - p.zeros, p.dims }

func (p *libsvm) fixed() bool { return false }

// take makes a set of the rows, sparse or dense.
func (p *libsvm) take(d int, sparse bool) (*Set, error) {
	n := len(p.ends)
	if d == 0 {
		return nil, p.fail(0, ErrFormat, "has no features: no row names an index; if all are 0, say how many features there are (Options.Dims)")
	}
	defer p.letGo()
	made := n
	if sparse {
		made = 1 // a few numbers for each column
	}
	if err := p.allow(made, d); err != nil {
		return nil, err
	}
	if !sparse && len(p.values) == n*d && cap(p.values)-n*d <= n*d/8 { // no row has a gap
		return p.set(denseOf(p.values, n, d), p.targets), nil
	}
	p.dropZeros()
	x, err := ops.NewCSR(n, d, append([]int{0}, p.ends...), p.columns, p.values)
	if err != nil || sparse {
		return p.set(x, p.targets), err
	}
	dense, err := x.Dense(nil)
	return p.set(dense, p.targets), err
}

// dropZeros leaves out the values that are 0.
func (p *libsvm) dropZeros() {
	if p.zeros == 0 {
		return
	}
	k, kept := 0, 0
	for i, end := range p.ends {
		for ; k < end; k++ {
			if p.values[k] != 0 {
				p.values[kept], p.columns[kept] = p.values[k], p.columns[k]
				kept++
			}
		}
		p.ends[i] = kept
	}
	p.values, p.columns, p.zeros = p.values[:kept], p.columns[:kept], 0
}

// letGo releases the rows, which belong to a set now, and makes room for as many if more follow.
func (p *libsvm) letGo() {
	p.done += len(p.ends)
	if p.whole {
		p.values, p.columns = nil, nil
	} else {
		p.values, p.columns = make([]float64, 0, len(p.values)), make([]int32, 0, len(p.columns))
	}
	p.ends, p.zeros = p.ends[:0], 0
	p.targets.letGo()
}
