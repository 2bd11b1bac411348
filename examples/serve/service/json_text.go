package service

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxText is the longest text of a body, in bytes.
const maxText = 1 << 16

// readText reads a text in quotes, the next byte that is no blank, into the token, without them and without escapes.
func (j *jsonRows) readText() error {
	if _, err := j.next(`"`); err != nil {
		return err
	}
	begin := j.at
	for j.token = j.token[:0]; ; {
		c, err := j.readByte()
		switch {
		case err != nil:
			return err
		case c == '"':
			if !utf8.Valid(j.token) {
				return j.malformed("the text %s is not UTF-8", quote(string(j.token)))
			}
			return nil
		case len(j.token) >= maxText:
			return j.malformed("the text that begins at byte %d has more than %d bytes", begin, maxText)
		case c < ' ':
			return j.malformed("the byte %#02x in a text; write it as \\u%04x", c, c)
		case c == '\\':
			err = j.escape()
		default:
			j.token = append(j.token, c)
		}
		if err != nil {
			return err
		}
	}
}

// readByte takes the next byte.
func (j *jsonRows) readByte() (byte, error) {
	c, err := j.r.ReadByte()
	if err != nil {
		return 0, j.ended(err)
	}
	j.at++
	return c, nil
}

// escape reads what follows a backslash (RFC 8259, section 7).
func (j *jsonRows) escape() error {
	c, err := j.readByte()
	if err != nil {
		return err
	}
	if c != 'u' {
		i := bytes.IndexByte([]byte(`"\/bfnrt`), c)
		if i < 0 {
			return j.malformed("%q after a backslash", c)
		}
		j.token = append(j.token, "\"\\/\b\f\n\r\t"[i])
		return nil
	}
	r, err := j.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		for _, want := range []byte(`\u`) {
			if c, err = j.readByte(); err != nil {
				return err
			}
			if c != want {
				return j.malformed(`\u%04x, half of a character, stands alone`, r)
			}
		}
		low, err := j.hex()
		if err != nil {
			return err
		}
		first := r
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return j.malformed(`\u%04x\u%04x is no character`, first, low)
		}
	}
	j.token = utf8.AppendRune(j.token, r)
	return nil
}

// hex reads the four digits of \u.
func (j *jsonRows) hex() (rune, error) {
	var digits [4]byte
	for i := range digits {
		var err error
		if digits[i], err = j.readByte(); err != nil {
			return 0, err
		}
	}
	v, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return 0, j.malformed(`\u%s: want four hexadecimal digits`, digits)
	}
	return rune(v), nil
}
