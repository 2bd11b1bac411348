package data

import (
	"errors"
	"testing"
)

// TestErrorFields: an error has its place, its problem and its remedy apart.
func TestErrorFields(t *testing.T) {
	table := fileOf(t, "train.csv", "a,b,y\n1,2,p\n3,x,q\n5,,p\n4,,q\n")
	later := fileOf(t, "later.csv", "a,b,y\n1,2,p\n3,many,q\n")
	c := learnedFrom(t, "a,b,y\n1,2,p\n3,5,q\n4,6,p\n")
	for name, c := range map[string]struct {
		path string
		o    Options
		want Error
	}{
		"line": {fileOf(t, "f.csv", "1,2,p\n3,q\n"), Options{},
			Error{Line: 2, Problem: "the line has 2 fields, line 1 has 3", Remedy: "all lines must have the same number", Err: ErrFormat}},
		"label": {table, Options{LabelNames: []string{"z"}},
			Error{Line: 1, Column: "z", Problem: `the label: no column is named "z"; the columns are "a", "b", "y"`, Err: ErrColumn}},
		"number of a label": {table, Options{LabelNames: []string{"9"}},
			Error{Line: 1, Column: "9", Problem: "the label: there is no column 9; the table has 3", Err: ErrColumn}},
		"cell": {later, Options{Columns: c},
			Error{Line: 3, Column: "b", Problem: `column "b" is "many", not a number`, Remedy: "correct it, or leave it empty if it is missing", Err: ErrFormat}},
		"file": {fileOf(t, "f.npy", "no array"), Options{}, Error{Problem: "does not start with the mark of an .npy file", Err: ErrFormat}},
	} {
		_, err := Read(c.path, c.o)
		var got *Error
		c.want.File = c.path
		if !errors.As(err, &got) || *got != c.want {
			t.Errorf("%s: %#v, want %#v", name, got, c.want)
		} else if !errors.Is(err, ErrFormat) || err.Error() != c.want.Error() {
			t.Errorf("%s: %v, want %v", name, err, &c.want)
		}
	}
}
