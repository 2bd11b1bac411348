package service

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/train/data"
)

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// peek is the next byte that is no blank, which it leaves there.
func (j *jsonRows) peek() (byte, error) {
	for {
		c, err := j.r.ReadByte()
		if err != nil {
			return 0, err
		}
		if !blank(c) {
			return c, j.r.UnreadByte()
		}
		j.at++
	}
}

// next takes the next byte that is no blank, which must be one of want.
func (j *jsonRows) next(want string) (byte, error) {
	c, err := j.peek()
	if err != nil {
		return 0, j.ended(err)
	}
	if strings.IndexByte(want, c) < 0 {
		return 0, j.malformed("%q where one of %s should be", c, want)
	}
	j.at++
	return j.r.ReadByte()
}

// readToken reads what stands up to the next blank, comma or bracket; a text in quotes up to their end.
func (j *jsonRows) readToken() error {
	j.token = j.token[:0]
	for {
		c, err := j.r.ReadByte()
		if err != nil {
			return j.ended(err)
		}
		quoted := len(j.token) > 0 && j.token[0] == '"'
		if !quoted && (c == ',' || c == ']' || c == '}' || blank(c)) {
			break
		}
		if len(j.token) == maxToken {
			return j.malformed("%s has more than %d bytes", j.place(), maxToken)
		}
		j.token = append(j.token, c)
		j.at++
		if quoted && c == '"' {
			return nil
		}
	}
	if err := j.r.UnreadByte(); err != nil {
		return err
	}
	if len(j.token) == 0 {
		return j.malformed("there is no number for %s", j.place())
	}
	return nil
}

// ended explains an end that comes early; other errors stay as they are.
func (j *jsonRows) ended(err error) error {
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	return j.malformed("it ends early")
}

// malformed is an error that names the byte.
func (j *jsonRows) malformed(format string, args ...any) error {
	form := `{"rows": [[1, 2, ...], ...]}`
	if j.table != nil {
		form = fmt.Sprintf(`{"rows": [{%s: ..., ...}, ...]}`, quote(j.table.names[0]))
	}
	return fmt.Errorf("serve: body, byte %d: %s; send %s: %w", j.at, fmt.Sprintf(format, args...), form, data.ErrFormat)
}

// quote is a text for a message, cut where it is long.
func quote(text string) string {
	if len(text) > 40 {
		return strconv.Quote(text[:40]) + "..."
	}
	return strconv.Quote(text)
}
