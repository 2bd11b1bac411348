package data

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// tableCase is a file as people have it, and what it gives.
type tableCase struct {
	name  string
	file  string // "" is train.csv
	text  string
	read  Options
	learn ColumnOptions
	want  string // as shown writes it
	left  string // names of the columns that are left out
	told  []string

	later     string // a file of later rows, "" for none
	laterFile string // "" is later.csv
	laterRead Options
	laterWant string
	laterTold []string

	err  error // of the rows, or of the later ones
	says []string
}

// TestTablesAsPeopleHaveThem reads every case whole and in blocks of three rows, learns its columns, saves and restores
// them, and reads the later rows by them. Each note must be one that the case names, and each error names its place.
func TestTablesAsPeopleHaveThem(t *testing.T) {
	if len(tableCases) < 60 {
		t.Errorf("%d cases", len(tableCases))
	}
	for _, c := range tableCases {
		t.Run(c.name, func(t *testing.T) {
			path := fileOf(t, cmp.Or(c.file, "train.csv"), c.text)
			var told notes
			c.read.Tell = told.add
			set, err := learned(t, path, c)
			if streamed, other := learnedInBlocks(t, path, c); fmt.Sprint(err) != fmt.Sprint(other) && (err == nil || other == nil || !errors.Is(other, c.err)) {
				t.Errorf("whole: %v, in blocks: %v", err, other)
			} else if err == nil {
				sameSet(t, streamed, set)
			}
			if err == nil && c.later != "" {
				if got := shown(set); got != c.want {
					t.Errorf("the rows are\n%s\nwant\n%s", got, c.want)
				}
				told.check(t, c.told)
				set, err = laterRows(t, set.Columns, c, &told)
				c.want, c.told = c.laterWant, c.laterTold
			}
			switch {
			case c.err != nil:
				fails(t, err, c.err, c.says...)
			case err != nil:
				t.Fatal(err)
			default:
				if got := shown(set); got != c.want {
					t.Errorf("the rows are\n%s\nwant\n%s", got, c.want)
				}
				if got := leftOf(set.Columns); got != c.left {
					t.Errorf("left out are %q, want %q", got, c.left)
				}
			}
			told.check(t, c.told)
		})
	}
}

// notes are what was told.
type notes []string

func (n *notes) add(note string) { *n = append(*n, note) }

// check wants each note to say what was expected, in that order, and forgets them.
func (n *notes) check(t *testing.T, want []string) {
	t.Helper()
	same := len(*n) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = strings.Contains((*n)[i], want[i])
	}
	if !same {
		t.Errorf("told %q, want %q", *n, want)
	}
	*n = nil
}

// learned reads a file whole.
func learned(t *testing.T, path string, c tableCase) (*Set, error) {
	f, err := ReadFrame(t.Context(), c.read, path)
	if err != nil {
		return nil, err
	}
	columns, err := f.Learn(c.learn)
	if err != nil {
		return nil, err
	}
	set, err := columns.Set(f)
	if err == nil {
		set.Columns = restored(t, columns)
		consistent(t, &Set{X: set.X}, Options{Label: LabelNone})
	}
	return set, err
}

// restored are columns that were saved.
func restored(t *testing.T, c *Columns) *Columns {
	t.Helper()
	text := must(json.Marshal(c))
	back := new(Columns)
	mustDo(json.Unmarshal(text, back))
	if again, err := json.Marshal(back); err != nil || !bytes.Equal(text, again) {
		t.Fatalf("%s is restored as %s, %v", text, again, err)
	}
	return back
}

// learnedInBlocks reads a file three rows at a time.
func learnedInBlocks(t *testing.T, path string, c tableCase) (*Set, error) {
	c.read.Tell = nil
	s, err := OpenStream(StreamOptions{Options: c.read, BlockRows: 3}, path)
	if err == nil {
		_, err = s.Learn(t.Context(), c.learn)
	}
	if err != nil {
		return nil, err
	}
	return allBlocks(t, s)
}

// allBlocks are the rows of a stream, as one set.
func allBlocks(t *testing.T, s *Stream) (*Set, error) {
	var all *Set
	var x []float64
	for b, err := range s.Blocks(t.Context(), 0) {
		if err != nil {
			return nil, err
		}
		x = append(x, cells(b)...)
		if all == nil {
			all = &Set{Columns: b.Columns, Names: b.Names, LabelNames: b.LabelNames}
		}
		all.Labels, all.Y, all.IDs = append(all.Labels, b.Labels...), append(all.Y, b.Y...), append(all.IDs, b.IDs...)
	}
	all.X = dense64(len(x)/all.Columns.Dims(), all.Columns.Dims(), x...)
	return all, nil
}

// sameSet wants the same rows of the same columns.
func sameSet(t *testing.T, got, want *Set) {
	t.Helper()
	a := must(json.Marshal(got.Columns))
	if b, err := json.Marshal(want.Columns); err != nil || !bytes.Equal(a, b) {
		t.Errorf("columns\n%s, want\n%s, %v", a, b, err)
	}
	if shown(got) != shown(want) {
		t.Errorf("rows\n%s, want\n%s", shown(got), shown(want))
	}
}

// laterRows reads the later file by the columns. A frame of it and its blocks must give the same rows, or the same kind
// of error.
func laterRows(t *testing.T, columns *Columns, c tableCase, told *notes) (*Set, error) {
	t.Helper()
	path := fileOf(t, cmp.Or(c.laterFile, "later.csv"), c.later)
	o := c.laterRead
	o.Task, o.Columns, o.Tell = c.read.Task, columns, told.add
	set, err := Read(path, o)
	o.Tell = nil
	framed, inFrame := ReadFrame(t.Context(), o, path)
	var ofFrame *Set
	if inFrame == nil {
		ofFrame, inFrame = columns.Set(framed)
	}
	ofBlocks, inBlocks := allBlocks(t, stream(StreamOptions{Options: o, BlockRows: 3}, path))
	if err != nil {
		fails(t, inFrame, c.err)
		fails(t, inBlocks, c.err)
		return nil, err
	}
	mustDo(errors.Join(inFrame, inBlocks))
	sameSet(t, ofFrame, set)
	sameSet(t, ofBlocks, set)
	return set, nil
}

func leftOf(c *Columns) string {
	var names []string
	for _, l := range c.Left {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}
