package data

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// flaw says what keeps a text from being a usable number.
type flaw uint8

const (
	sound     flaw = iota
	noNumber       // text
	notFinite      // NaN or an infinity, spelt out
	overflows      // decimal, above float64
	vanishes       // decimal, not 0, but 0 in float64
	missing        // no value, or NaN
)

// number reads a decimal number. It allocates nothing when t is short and sound.
func number(t string) (float64, flaw) {
	if v, length := decimal(t); length == len(t) && length > 0 {
		return v, sound
	}
	if digits := strings.TrimLeft(t, "+-"); digits == "" || strings.IndexByte("0123456789.iInN", digits[0]) < 0 {
		return 0, noNumber
	}
	v, err := strconv.ParseFloat(t, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		if strings.ContainsAny(t, "xX") {
			return 0, noNumber
		}
		return v, overflows
	case err != nil:
		if len(t) == 4 && (t[0] == '-' || t[0] == '+') && strings.EqualFold(t[1:], "nan") { // as C prints it
			return math.NaN(), notFinite
		}
		return 0, noNumber
	case v-v != 0:
		return v, notFinite
	case strings.ContainsAny(t, "xX_"):
		return 0, noNumber
	case v == 0 && !zeroText(t):
		return v, vanishes
	}
	return v, sound
}

// zeroText says whether a decimal number has no digit but 0 before its exponent.
func zeroText(t string) bool {
	i := strings.IndexAny(t, "123456789eE")
	return i < 0 || t[i]|0x20 == 'e'
}

// canonical is the canonical spelling of a class: numbers of the same value have the same one, and other text stays as
// it is.
func canonical(t string) (string, flaw) {
	digits := strings.TrimLeft(t, "+-")
	if digits != "" && len(t)-len(digits) <= 1 && strings.Trim(digits, "0123456789") == "" {
		// An integer stays exact, however long.
		digits = strings.TrimLeft(digits, "0")
		if digits == "" {
			return "0", sound
		}
		if t[0] == '-' {
			return "-" + digits, sound
		}
		return digits, sound
	}
	v, f := number(t)
	switch f {
	case noNumber:
		return t, sound
	case sound:
		return formatLabel(v), sound
	default:
		return "", f
	}
}

// formatLabel is the class of a number.
func formatLabel(v float64) string {
	if v == 0 {
		return "0" // not -0
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// badCell is the error for the text t of x[row,col], which is at a line, or has that number; column names the place in
// the terms of the file.
func (s *source) badCell(at int, column string, row, col int, t string) error {
	v, f := number(t)
	switch {
	case t == "" && s.byRow:
		v, f = math.NaN(), missing
	case t == "":
		return s.failAt(at, ErrFormat, "%s is empty; drop the row or fill the value in", column)
	case f == noNumber || f == sound: // the text of a column of texts
		return s.failAt(at, ErrFormat, "%s: %s is not a number; drop the row or fill the value in", column, quote(t))
	}
	reason, remedy := f.explain(t)
	who := whereIn(s.name, at)
	if s.byRow {
		who = whereIn(s.name, 0)
	}
	return &domain.CellError{Who: who + ": " + column, Row: row, Col: col, Value: v, Reason: reason, Remedy: remedy}
}

// lossyCell is the error for a whole number that float64 may round.
func (s *source) lossyCell(at int, what, text string) error {
	return s.failAt(at, domain.ErrDomain, "%s is the integer %s, which is 2^53 or more in absolute value, where float64 rounds; write it with a decimal point if that is meant", what, quote(text))
}

// notUTF8 is the error for a text that is not UTF-8.
func (s *source) notUTF8(at int, what, text string) error {
	return s.failAt(at, ErrFormat, "%s, %s, is not UTF-8; save the file as UTF-8 (iconv -f latin1 -t utf-8)", what, quote(text))
}

// reasons say what is wrong with a number.
var reasons = map[flaw]string{
	notFinite: "is not a finite number",
	overflows: "is too large for float64",
	vanishes:  "is not 0 but becomes 0 in float64",
	missing:   "is a missing value, or no number",
}

// explain gives the reason and the remedy for a number that float64 cannot hold.
func (f flaw) explain(t string) (reason, remedy string) {
	reason = reasons[f]
	switch f {
	case overflows:
		return "(the text " + quote(t) + ") " + reason, "scale the values in the file"
	case vanishes:
		return "(the text " + quote(t) + ") " + reason, "write 0 or scale the values in the file"
	}
	return reason, "drop the row or fill the value in"
}

// quote quotes a token for a message and shortens a long one.
func quote(t string) string {
	if len(t) > 40 {
		return strconv.Quote(t[:40]) + "..."
	}
	return strconv.Quote(t)
}
