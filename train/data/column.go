package data

import (
	"math"
	"strings"
	"time"
)

// Column holds cells of a column: numbers while all its cells are numbers, and otherwise texts.
type Column struct {
	Numbers []float64 // NaN is a missing value; nil for texts
	Times   bool      // whether the numbers are days since 1970
	Texts   *Texts    // nil for numbers
}

// Texts holds cells of text by the numbers of the distinct texts.
type Texts struct {
	Codes    []int32 // -1 is a missing value
	Distinct []string
	at       map[string]int32
}

// Add takes a cell, "" for a missing value.
func (t *Texts) Add(text string) {
	if text == "" {
		t.Codes = append(t.Codes, -1)
		return
	}
	code, ok := t.at[text]
	if !ok {
		if t.at == nil {
			t.at = map[string]int32{}
		}
		code, text = int32(len(t.Distinct)), strings.Clone(text)
		t.at[text], t.Distinct = code, append(t.Distinct, text)
	}
	t.Codes = append(t.Codes, code)
}

// Len returns the number of cells.
func (c *Column) Len() int {
	if c.Texts != nil {
		return len(c.Texts.Codes)
	}
	return len(c.Numbers)
}

// skipped says whether the reader left the column out, as a label or an ID.
func (c *Column) skipped() bool { return c.Numbers == nil && c.Texts == nil }

// gap says whether cell i is missing.
func (c *Column) gap(i int) bool {
	if c.Texts != nil {
		return c.Texts.Codes[i] < 0
	}
	return math.IsNaN(c.Numbers[i])
}

// text is cell i as text, "" for a gap.
func (c *Column) text(i int) string {
	switch {
	case c.gap(i):
		return ""
	case c.Texts != nil:
		return c.Texts.Distinct[c.Texts.Codes[i]]
	}
	return c.format(c.Numbers[i])
}

// format is the text of a number of the column.
func (c *Column) format(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case c.Times:
		return dayTime(v).Format(time.RFC3339Nano)
	}
	return formatLabel(v)
}

// add takes the text of a cell. A number that float64 cannot hold is kept as text; Learn and Columns report it.
func (c *Column) add(t string, read func(string) (float64, flaw)) {
	v, f := cellNumber(t, read)
	if f != sound && isGap(t) {
		v, f = math.NaN(), sound
	}
	if f == sound {
		c.addNumber(v)
		return
	}
	c.toTexts()
	c.Texts.Add(t)
}

// addNumber takes a number, NaN for a gap.
func (c *Column) addNumber(v float64) {
	if c.Texts != nil {
		c.Texts.Add(c.format(v))
	} else {
		c.Numbers = append(roomy(c.Numbers), v)
	}
}

// toTexts turns numbers into texts, spelt as in NewClasses.
func (c *Column) toTexts() {
	if c.Texts != nil {
		return
	}
	texts := &Texts{Codes: make([]int32, 0, len(c.Numbers))}
	for _, v := range c.Numbers {
		texts.Add(c.format(v))
	}
	*c = Column{Texts: texts}
}

// join appends the cells of another column.
func (c *Column) join(d *Column) {
	if c.skipped() {
		return
	}
	if d.Texts != nil || c.Times != d.Times {
		c.toTexts()
	}
	for i := range d.Len() {
		c.addCell(d, i)
	}
}

// addCell appends cell i of a column of the same kind, or of any to texts.
func (c *Column) addCell(d *Column, i int) {
	if c.Texts != nil {
		c.Texts.Add(d.text(i))
	} else {
		c.Numbers = append(c.Numbers, d.Numbers[i])
	}
}

// take copies the cells idx.
func (c *Column) take(idx []int) Column {
	out := Column{Times: c.Times}
	switch {
	case c.skipped():
		return out
	case c.Texts != nil:
		out.Texts = &Texts{Codes: make([]int32, 0, len(idx))}
	default:
		out.Numbers = make([]float64, 0, len(idx))
	}
	for _, i := range idx {
		out.addCell(c, i)
	}
	return out
}
