package data

import (
	"fmt"
	"strings"
)

// Error is an error about the content of a file. A number that is refused is a domain.CellError instead.
type Error struct {
	File    string // "" if it is not known
	Line    int    // from 1; 0 for the file as a whole and for formats without lines
	Column  string // the column that is missing, under ErrColumn or domain.ErrParam, or that the error is about; else ""
	Problem string // what is wrong
	Remedy  string // what to do about it; "" if the problem says it
	Err     error  // such as ErrFormat, which the text leaves to errors.Is
}

// Error names the file and the line, the problem and the remedy.
func (e *Error) Error() string {
	text := whereIn(e.File, e.Line) + ": " + e.Problem
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// whereIn names the file, if it is known, and, from 1, the line; line 0 is the whole file.
func whereIn(file string, line int) string {
	switch {
	case file == "":
		return "data"
	case line == 0:
		return "data: " + file
	}
	return fmt.Sprintf("data: %s:%d", file, line)
}

// newError makes an Error. What follows the last semicolon of the format is the remedy.
func newError(file string, line int, sentinel error, format string, args ...any) *Error {
	const mark = "\x00" // quote escapes it
	if i := strings.LastIndex(format, "; "); i >= 0 {
		format = format[:i] + mark + format[i+2:]
	}
	e := &Error{File: file, Line: line, Err: sentinel}
	e.Problem, e.Remedy, _ = strings.Cut(fmt.Sprintf(format, args...), mark)
	return e
}

// missingColumn is the error for a name or a number that no column has.
type missingColumn struct{ name, text string }

func (e *missingColumn) Error() string { return e.text }
