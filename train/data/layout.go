package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// Header says whether the first line of CSV names the columns.
type Header int

const (
	// HeaderAuto decides by the first lines; see ReadCSV.
	HeaderAuto Header = iota
	// HeaderYes says that the first line names the columns.
	HeaderYes
	// HeaderNo says that the first line is a row.
	HeaderNo
)

// String returns the name that ParseHeader reads.
func (h Header) String() string { return domain.Word(h, "auto", "yes", "no") }

// ParseHeader reads auto, yes or no. Errors: domain.ErrParam for another text.
func ParseHeader(s string) (h Header, err error) {
	err = domain.ParseWord(&h, "data: header", s)
	return h, err
}

// separators are the characters that layoutOf considers as separators.
const separators = ",;\t"

// layout is what the first lines of separated text show.
type layout struct {
	comma   rune
	records [][]string // the first lines that are not blank, with trimmed fields
	told    []string
}

// layoutOf looks at the first lines of s. comma separates the fields; 0: the first lines decide.
func layoutOf(s *source, comma rune) *layout {
	const size = 1 << 16
	head, _ := s.Peek(size) // a failing Peek is left for the parser to meet
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		s.Reader = bufio.NewReaderSize(&carriageReturns{s.Reader}, size)
		head, _ = s.Peek(size)
	}
	if i := bytes.LastIndexByte(head, '\n'); len(head) == size && i >= 0 {
		head = head[:i+1] // whole lines
	}
	l := &layout{comma: comma}
	if comma == 0 {
		if l.comma = separator(head); l.comma != ',' {
			l.told = append(l.told, "fields are separated by "+map[rune]string{';': "semicolons", '\t': "tabs"}[l.comma])
		}
	}
	l.records = sample(head, l.comma)
	return l
}

// sample parses up to 100 lines.
func sample(head []byte, comma rune) (records [][]string) {
	r := csv.NewReader(bytes.NewReader(head))
	r.Comma, r.FieldsPerRecord = comma, -1
	for len(records) < 100 {
		record, err := r.Read()
		if err != nil {
			break
		}
		records = append(records, trimmed(record))
	}
	return records
}

// separator returns the separator of the lines: a comma if the first line has one outside of quotes, else a semicolon,
// else a tab. Another separator wins if it cuts all lines into equally many fields and gives more numbers, since
// numbers such as 1,5 also have commas.
func separator(head []byte) rune {
	best, share := rune(','), -1.0
	for _, c := range separators {
		if first := sample(head, c); len(first) == 0 || len(first[0]) < 2 {
			continue
		} else if s := numberShare(first, c); share < 0 || s > share {
			best, share = c, s
		}
	}
	return best
}

// numberShare is the share of fields that are numbers, and 0 if lines have different numbers of fields.
func numberShare(records [][]string, comma rune) float64 {
	numbers, all := 0, 0
	for _, r := range records {
		if len(r) != len(records[0]) {
			return 0
		}
		for _, f := range r {
			all++
			if _, flaw := numberIn(f, comma); flaw == sound {
				numbers++
			}
		}
	}
	return float64(numbers) / float64(all)
}

// numberIn is number, and also reads a decimal comma unless commas separate fields.
func numberIn(t string, comma rune) (float64, flaw) {
	v, f := number(t)
	if f == noNumber && comma != ',' && strings.Count(t, ",") == 1 && !strings.Contains(t, ".") {
		if v, f := number(strings.Replace(t, ",", ".", 1)); f == sound {
			return v, sound
		}
	}
	return v, f
}

// number is numberIn for a text of the given line.
func (s *source) number(line int, t string) (float64, flaw) {
	v, f := number(t)
	if f != noNumber || !s.commas {
		return v, f
	}
	if v, f = numberIn(t, ';'); f == sound && !s.commaTold {
		s.commaTold = true
		s.tell("line %d has the number %s: commas are treated as decimal points", line, quote(t))
	}
	return v, f
}

// header decides by the fields that are features whether the first line names the columns.
func (l *layout) header(feature func(field int) bool) bool {
	if len(l.records) == 0 {
		return false
	}
	first, rest := l.records[0], l.records[1:]
	var names, numbers, doubtful int
	for j, f := range first {
		if !feature(j) {
			continue
		}
		if _, flaw := numberIn(f, l.comma); flaw != noNumber {
			numbers++
		} else if layoutsOf(f) == nil && !isGap(f) {
			names++
			if !l.numeric(rest, j) {
				doubtful++
			}
		}
	}
	switch run, counted := l.countsUp(first, rest); {
	case run != "" && counted:
		l.told = append(l.told, fmt.Sprintf("the first line, %s, is treated as the names of the columns, because it counts up; if it is a row, say so (Options.Header, --header no)", run))
		return true
	case run != "":
		l.told = append(l.told, fmt.Sprintf("the first line, %s, is treated as a row, though it counts up; if it names the columns, say so (Options.Header, --header yes)", run))
		return false
	case numbers > 0 || names == 0:
		if numbers > 0 && names > doubtful {
			l.told = append(l.told, "the first line is treated as a row, because some of its fields are numbers; if it names the columns, say so (Options.Header, --header yes)")
		}
		return false
	case doubtful < names || len(rest) == 0:
		return true
	}
	// All columns are texts.
	for j, f := range first {
		for i, r := range rest {
			if feature(j) && j < len(r) && r[j] == f && f != "" {
				l.told = append(l.told, fmt.Sprintf("the first line is treated as a row, because its %s is in line %d as well; if it names the columns, say so (Options.Header, --header yes)", quote(f), i+2))
				return false
			}
		}
	}
	l.told = append(l.told, "the first line is treated as the names of the columns, because none of its texts comes again; if it is a row, say so (Options.Header, --header no)")
	return true
}

// numeric says whether all cells of a column that have a value are numbers or times, and there is such a cell.
func (l *layout) numeric(rest [][]string, j int) bool {
	some := false
	for _, r := range rest {
		if j >= len(r) || isGap(r[j]) {
			continue
		}
		if _, flaw := numberIn(r[j], l.comma); flaw == noNumber && layoutsOf(r[j]) == nil {
			return false
		}
		some = true
	}
	return some
}

// countsUp returns the first line for a message if its numbers count up, and "" otherwise: 0, 1, 2 and so on from the
// first field or the second, as pandas writes by default, or years. The other fields must be texts above numbers, or
// the empty name of an index. The numbers are names if there are more than two, or if the rows have a number that is
// not whole.
func (l *layout) countsUp(first []string, rest [][]string) (run string, names bool) {
	if len(rest) == 0 {
		return "", false
	}
	var up []float64
	for j, f := range first {
		v, flaw := number(f)
		switch {
		case flaw == sound && (len(up) == 0 || v == up[len(up)-1]+1):
			up = append(up, v)
		case flaw == sound, f != "" && isGap(f), f == "" && j > 0:
			return "", false
		case f != "" && slices.ContainsFunc(rest, func(r []string) bool { return j < len(r) && r[j] == f }):
			return "", false
		}
	}
	if len(up) < 2 || up[0] != 0 && !(up[0] >= 1900 && up[len(up)-1] <= 2100) {
		return "", false
	}
	return strings.Join(cut(first, 6), ","), len(up) > 2 || fractions(rest)
}

// fractions says whether a row has a number that is not whole.
func fractions(rest [][]string) bool {
	for _, r := range rest {
		for _, f := range r {
			if v, flaw := number(f); flaw == sound && v != math.Trunc(v) {
				return true
			}
		}
	}
	return false
}

// carriageReturns reads lines that end with a carriage return alone, as in old Macintosh files.
type carriageReturns struct{ r io.Reader }

func (c *carriageReturns) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
