package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// TestEveryMap: the flags of every map of rows make a spec that builds.
func TestEveryMap(t *testing.T) {
	x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{.6, .8, 0, 1, 1, 0, .8, .6}))
	for _, e := range layers.Entries() {
		if e.Bags {
			continue
		}
		var f recipeFlags
		fs := flag.NewFlagSet(e.Name, flag.ContinueOnError)
		f.register(fs, "last")
		if err := fs.Parse([]string{"-map", e.Name, "-features", "4"}); err != nil {
			t.Fatal(err)
		}
		how, err := f.recipe()
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		spec := how.Spec
		spec.Dims = 2
		if err := spec.FillDefaults(x); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		} else if _, err := spec.Fit(x); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// TestOutputsAreNotInputs: what would overwrite a file that is read is a wrong flag, before any work is done.
func TestOutputsAreNotInputs(t *testing.T) {
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.npy")
	if err := os.WriteFile(rows, []byte("rows"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(rows, link); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fit", "-train", rows, "-save", filepath.Join(dir, ".", "rows.npy")},
		{"fit", "-train", rows, "-save", link},
		{"fit", "-train", dir, "-save", rows},
		{"features", "-in", rows, "-out", dir},
		{"features", "-in", link, "-load", filepath.Join(dir, "link.npy"), "-out", dir},
	} {
		fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
		do := commands[args[0]](fs)
		if err := fs.Parse(args[1:]); err != nil {
			t.Fatal(err)
		}
		if err := do(t.Context()); !errors.Is(err, errUsage) || !strings.Contains(err.Error(), "would overwrite") {
			t.Errorf("%v: %v", args, err)
		}
		if left, err := os.ReadFile(rows); err != nil || string(left) != "rows" {
			t.Fatalf("%v: the file holds %q, %v", args, left, err)
		}
	}
}
