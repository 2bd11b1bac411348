package data

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTSV: a .tsv file has tabs between its fields, and commas in them; a stream reads it too.
func TestTSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.tsv")
	if err := os.WriteFile(path, []byte("a\tb\tclass\n1\t2\tx, y\n3\t4\tz\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := Read(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if set.Rows() != 2 || set.Dims() != 2 || set.Labels[0] != "x, y" || set.Names[1] != "b" {
		t.Errorf("%+v", set)
	}
	s, err := OpenStream(StreamOptions{}, path)
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range s.Blocks(t.Context(), 0) {
		if err != nil || b.Rows() != 2 || b.Labels[1] != "z" {
			t.Errorf("%+v, %v", b, err)
		}
	}
}
