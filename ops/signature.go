package ops

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gorgonia.org/tensor"
)

// signature is the shapes of the inputs and of the result of an op, parsed from text such as "nd,dm->n2m": the inputs
// by commas, then the result. A letter is a size, the same wherever it stands; n is the number of rows.
//
//	n2m      a matrix of n rows and 2m columns
//	d(Bm)    a matrix of d rows and B·m columns
//	p(d+1)   a matrix of p rows and d+1 columns
//	1|d      a vector of one entry, or of d
//	m?       a vector that may be absent
//	_        any size
//
// The result has one shape. Where the last input may be absent it may have two, the second if that input is given; else
// it may have one for each alternative of the first input. Parameters of an op fix letters before any input does.
type signature struct {
	in       [][]pattern // the alternatives of each input
	optional []bool
	out      []pattern
}

// pattern is a shape of sizes.
type pattern []dim

// dim is factor·(the product of the letters) + plus.
type dim struct {
	factor  int
	letters string
	plus    int
}

// parse reads a signature. It panics if the text has none.
func parse(text string) *signature {
	in, out, ok := strings.Cut(text, "->")
	if !ok {
		panic("ops: signature " + text + " has no result")
	}
	s := &signature{out: patterns(out)}
	for one := range strings.SplitSeq(in, ",") {
		required := strings.TrimSuffix(one, "?")
		s.in, s.optional = append(s.in, patterns(required)), append(s.optional, required != one)
	}
	return s
}

func patterns(text string) (all []pattern) {
	for one := range strings.SplitSeq(text, "|") {
		var p pattern
		for one != "" {
			var d dim
			d, one = parseDim(one)
			p = append(p, d)
		}
		all = append(all, p)
	}
	return all
}

// parseDim reads the first size of a text.
func parseDim(text string) (d dim, rest string) {
	inner, rest, group := text, "", strings.HasPrefix(text, "(")
	if group {
		inner, rest, _ = strings.Cut(text[1:], ")")
	}
	digits := inner[:len(inner)-len(strings.TrimLeft(inner, "0123456789"))]
	d.factor, inner = 1, inner[len(digits):]
	if digits != "" {
		d.factor, _ = strconv.Atoi(digits)
	}
	if group {
		var plus string
		if d.letters, plus, group = strings.Cut(inner, "+"); group {
			d.plus, _ = strconv.Atoi(plus)
		}
		return d, rest
	}
	if inner != "" {
		d.letters, inner = inner[:1], inner[1:]
	} else if digits == "" {
		panic("ops: signature: no size at " + text)
	}
	return d, inner
}

// sizes holds the size of each letter plus 1, or 0 where it is not known.
type sizes [128]int

func (s *sizes) set(letter byte, size int) { s[letter] = size + 1 }

// at is the size of a letter that is known.
func (s *sizes) at(letter byte) int { return s[letter] - 1 }

// product returns the number of a dim if all letters are known; else the product of those that are, and the first of
// how many that are not.
func (s *sizes) product(d dim) (known int, unknown byte, open int) {
	known = d.factor
	for i := range len(d.letters) {
		if v := s[d.letters[i]]; v > 0 {
			known *= v - 1
		} else if open++; open == 1 {
			unknown = d.letters[i]
		}
	}
	if open == 0 {
		known += d.plus
	}
	return known, unknown, open
}

// match compares a shape with a pattern, and sets letters that follow. open says that some do not follow yet.
func (s *sizes) match(p pattern, shape tensor.Shape) (fits, open bool) {
	if len(p) != shape.Dims() {
		return false, false
	}
	for i, d := range p {
		if d.letters == "_" {
			continue
		}
		switch known, unknown, letters := s.product(d); {
		case letters == 0 && known != shape[i]:
			return false, false
		case letters == 1:
			rest := shape[i] - d.plus
			if known == 0 || rest < 0 || rest%known != 0 {
				return false, false
			}
			s.set(unknown, rest/known)
		case letters > 1:
			open = true
		}
	}
	return true, open
}

// resolve sets the letters from the shapes of the inputs, nil for one that is absent. It returns the first input that
// does not fit, or -1. The others set letters all the same, for the message.
func (s *signature) resolve(v *sizes, shapes []tensor.Shape) (bad int) {
	bad = -1
	for range len(s.in) + 1 { // a product may wait for what a later input says
		waits := false
		for i, shape := range shapes {
			if shape == nil || len(s.in[i]) > 1 {
				continue
			}
			fits, open := v.match(s.in[i][0], shape)
			if !fits && bad < 0 {
				bad = i
			}
			waits = waits || open
		}
		if !waits || bad >= 0 {
			break
		}
	}
	for i, shape := range shapes {
		if bad < 0 && shape != nil && len(s.in[i]) > 1 && s.alternative(v, i, shape) < 0 {
			bad = i
		}
	}
	return bad
}

// alternative sets the letters by the first alternative of input i that fits, and returns it, or -1.
func (s *signature) alternative(v *sizes, i int, shape tensor.Shape) int {
	for k, p := range s.in[i] {
		with := *v
		if fits, open := with.match(p, shape); fits && !open {
			*v = with
			return k
		}
	}
	return -1
}

// result is the pattern of the result.
func (s *signature) result(v *sizes, shapes []tensor.Shape) pattern {
	last := len(s.in) - 1
	switch {
	case len(s.out) == 1:
		return s.out[0]
	case !s.optional[last]:
		return s.out[max(0, s.alternative(v, 0, shapes[0]))]
	case shapes[last] != nil:
		return s.out[1]
	}
	return s.out[0]
}

// shape appends the sizes of a pattern whose letters are all known.
func (s *sizes) shape(to tensor.Shape, p pattern) tensor.Shape {
	for _, d := range p {
		v, _, _ := s.product(d)
		to = append(to, v)
	}
	return to
}

// want describes an input for a message, with the letters that are known as numbers.
func (s *signature) want(v *sizes, i int) string {
	var all []string
	for _, p := range s.in[i] {
		var parts []string
		for _, d := range p {
			parts = append(parts, v.text(d))
		}
		if one := "[" + strings.Join(parts, ", ") + "]"; !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return strings.Join(all, " or ")
}

func (s *sizes) text(d dim) string {
	known, _, open := s.product(d)
	switch {
	case open == 0:
		return strconv.Itoa(known)
	case d.letters == "_":
		return "any"
	}
	var parts []string
	if d.factor != 1 {
		parts = append(parts, strconv.Itoa(d.factor))
	}
	for _, l := range d.letters {
		if s[l] == 0 {
			parts = append(parts, string(l))
		} else {
			parts = append(parts, strconv.Itoa(s.at(byte(l))))
		}
	}
	text := strings.Join(parts, "·")
	if d.plus != 0 {
		text += fmt.Sprint("+", d.plus)
	}
	return text
}
