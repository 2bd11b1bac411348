package data

import (
	"math"
	"unicode/utf8"

	"github.com/bochner-go/bochner/ops/domain"
)

// targets collects the label column.
type targets struct {
	s       *source
	y       []float64
	labels  []string
	seen    map[string]string // text of a class -> its canonical spelling, so that each is stored once
	small   [maxSmall]string  // the classes of the numbers 0, 1, 2, ..., which most files have
	known   map[uint64]string // the classes of other numbers, by their bits
	dropped int               // rows that were left out
	doubted bool              // whether a class that looks like a missing value was reported
	names   []string          // names of the columns of a table, or nil
	places  []int             // positions of the labels among them
}

// letGo releases the labels, which belong to a set now.
func (t *targets) letGo() {
	t.y, t.labels = grown([]float64(nil), len(t.y)), grown([]string(nil), len(t.labels)) // nil stays nil
}

func newTargets(s *source) *targets {
	return &targets{s: s, seen: make(map[string]string), known: make(map[uint64]string)}
}

const (
	maxSeen  = 1 << 16 // bounds the maps for files in which every row has its own class
	maxSmall = 64      // the numbers whose classes are found without a map
)

// add takes the trimmed label of the next row, which is at a line, or has that number.
func (t *targets) add(at int, text []byte) error {
	switch {
	case t.s.o.Label == LabelNone && t.s.o.LabelNames == nil:
		return nil
	case len(text) == 0:
		return t.s.failAt(at, ErrFormat, "the label is empty; fill it in, or leave such rows out (Options.DropUnlabelled, --drop-unlabelled)")
	case t.s.o.Task == Regression:
		v, f := t.s.number(at, string(text))
		if f != sound {
			return t.bad(at, "target", string(text), f)
		}
		if lossy(string(text), v) {
			return t.s.lossyCell(at, "the target", string(text))
		}
		t.y = append(t.y, v)
		return nil
	}
	label, ok := t.seen[string(text)]
	if !ok {
		if !utf8.Valid(text) {
			return t.s.notUTF8(at, "the class"+t.column(), string(text))
		}
		var f flaw
		if label, f = canonical(string(text)); f != sound {
			return t.bad(at, "class", string(text), f)
		}
		if len(t.seen) < maxSeen {
			t.seen[string(text)] = label
		}
	}
	if t.s.o.tables() && !t.doubted && isGap(label) {
		t.doubted = true
		t.s.tell("treating %s of %s %d as a class; if it says that the value is missing, leave such rows out (Options.DropUnlabelled, --drop-unlabelled)", quote(label), t.s.unit(), at)
	}
	t.labels = append(t.labels, label)
	return nil
}

// addNumber is add for the text of a finite number.
func (t *targets) addNumber(at int, v float64) error {
	if t.s.o.Task == Regression {
		t.y = append(t.y, v)
		return nil
	}
	class, small := "", v >= 0 && v < maxSmall && v == float64(int(v)) && !math.Signbit(v)
	if small {
		class = t.small[int(v)]
	} else {
		class = t.known[math.Float64bits(v)]
	}
	if class != "" {
		t.labels = append(t.labels, class)
		return nil
	}
	if err := t.add(at, []byte(formatLabel(v))); err != nil {
		return err
	}
	switch class = t.labels[len(t.labels)-1]; {
	case small:
		t.small[int(v)] = class
	case len(t.known) < maxSeen:
		t.known[math.Float64bits(v)] = class
	}
	return nil
}

// lacks says whether a row is to be left out because one of its labels is missing.
func (t *targets) lacks(at int, text []byte) bool {
	if !t.s.o.DropUnlabelled || !isGap(string(text)) {
		return false
	}
	if t.dropped++; t.dropped == 1 {
		t.s.tell("%s %d has no label; such rows are left out", t.s.unit(), at)
	}
	return true
}

// none is the error of a file without rows.
func (t *targets) none(header string) error {
	if t.dropped > 0 {
		return t.s.fail(0, ErrFormat, "none of its %d rows has a label", t.dropped)
	}
	return t.s.fail(0, ErrFormat, "has %sno rows", header)
}

// column names the column of the next label if it is in a table.
func (t *targets) column() string {
	if t.places == nil {
		return ""
	}
	return " in " + columnName(t.names, t.places[len(t.y)%len(t.places)])
}

func (t *targets) bad(at int, what, text string, f flaw) error {
	column := ""
	if len(t.places) > 1 {
		column = t.column()
	}
	if isGap(text) {
		sentinel := ErrFormat
		if f == notFinite {
			sentinel = domain.ErrDomain
		}
		return t.s.failAt(at, sentinel, "the %s %s%s is missing; fill it in, or leave such rows out (Options.DropUnlabelled, --drop-unlabelled)",
			what, quote(text), column)
	}
	if f == noNumber {
		return t.s.failAt(at, ErrFormat, "the %s %s%s is not a number; correct the file, or read it as classification", what, quote(text), column)
	}
	reason, remedy := f.explain(text)
	if f == notFinite {
		reason = quote(text) + " " + reason
	}
	return t.s.failAt(at, domain.ErrDomain, "the %s%s %s; %s", what, column, reason, remedy)
}
