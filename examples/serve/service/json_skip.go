package service

// maxDepth is how deep the values of keys may nest that are not looked at.
const maxDepth = 64

// skip reads a value that is not looked at.
func (j *jsonRows) skip(depth int) error {
	c, err := j.peek()
	switch {
	case err != nil:
		return j.ended(err)
	case c == '"':
		return j.readText()
	case c != '[' && c != '{':
		if err := j.readToken(); err != nil {
			return err
		}
		if !isNumber(j.token) && !isWord(j.token) {
			return j.malformed("%s is no value in JSON", quote(string(j.token)))
		}
		return nil
	case depth == maxDepth:
		return j.malformed("values nest deeper than %d", maxDepth)
	}
	if c == '[' {
		return j.list("[]", func() error { return j.skip(depth + 1) })
	}
	return j.list("{}", func() error {
		if err := j.key(); err != nil {
			return err
		}
		return j.skip(depth + 1)
	})
}

// list reads what read reads, separated by commas, in brackets.
func (j *jsonRows) list(brackets string, read func() error) error {
	begin, end := brackets[:1], brackets[1:]
	if _, err := j.next(begin); err != nil {
		return err
	}
	if c, err := j.peek(); err == nil && c == end[0] {
		_, err = j.next(end)
		return err
	}
	for {
		if err := read(); err != nil {
			return err
		}
		if c, err := j.next("," + end); err != nil || c == end[0] {
			return err
		}
	}
}

// key reads "key": into the token.
func (j *jsonRows) key() error {
	if err := j.readText(); err != nil {
		return err
	}
	_, err := j.next(":")
	return err
}

// isWord says whether a token is one of the words that JSON has.
func isWord(token []byte) bool {
	t := string(token)
	return t == "null" || t == "true" || t == "false"
}
