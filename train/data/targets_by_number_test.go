package data

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTargetsByNumber: several target columns of a file without names are as many targets of a row, read whole, in
// blocks, and from the rows that a survey keeps.
func TestTargetsByNumber(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("1,2,3,4\n5,6,7,8\n9,10,11,12\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := Options{Task: Regression, LabelNames: []string{"2", "4"}}
	want := []float64{2, 4, 6, 8, 10, 12}
	check := func(how string, s *Set) {
		t.Helper()
		if s.Targets() != 2 || !slices.Equal(s.Y, want) || !slices.Equal(s.LabelNames, o.LabelNames) {
			t.Errorf("%s: %d targets %v, named %q", how, s.Targets(), s.Y, s.LabelNames)
		}
	}
	whole, err := Read(path, o)
	if err != nil {
		t.Fatal(err)
	}
	check("whole", whole)
	for _, kept := range []bool{false, true} {
		stream, err := OpenStream(StreamOptions{Options: o}, path)
		if err != nil {
			t.Fatal(err)
		}
		if kept {
			if _, err := stream.Survey(context.Background(), 2); err != nil {
				t.Fatal(err)
			}
		}
		for block, err := range stream.Blocks(context.Background(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			check("in blocks", block.Set)
		}
	}
}
