package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

// isUsage says that an error is a wrong flag.
func isUsage(err error) bool {
	var u *program.UsageError
	return errors.As(err, &u)
}

// TestFlags: what the flags say of files and of the recipe, and those that are wrong.
func TestFlags(t *testing.T) {
	parse := func(args ...string) *recipeFlags {
		f, fs := new(recipeFlags), flag.NewFlagSet("flags", flag.ContinueOnError)
		f.register(fs, "last")
		if err := fs.Parse(args); err != nil {
			t.Fatal(err)
		}
		return f
	}
	o, err := parse("-label", "u,v", "-task", "regression", "-header", "no", "-delimiter", "tab").options()
	if err != nil || !slices.Equal(o.LabelNames, []string{"u", "v"}) || o.Task != data.Regression ||
		o.Header != data.HeaderNo || o.Delimiter != '\t' || o.Tell == nil {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := parse("-label", "none").options(); err != nil || o.Label != data.LabelNone || o.LabelNames != nil {
		t.Errorf("%+v, %v", o, err)
	}
	r, err := parse("-recipe", `{"scale":"l1","columns":{"drop":["id"],"missing":"fill"},"spec":{"map":"chi2","params":{"order":2}}}`).how()
	if err != nil || r.Scale != "l1" || r.Columns.Drop[0] != "id" || r.Columns.Missing != data.MissingFill || r.Spec.Params.Number("order") != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, wrong := range [][]string{{"-label", ""}, {"-task", "cluster"}, {"-header", "perhaps"}, {"-delimiter", "::"}} {
		if _, err := parse(wrong...).options(); !isUsage(err) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for _, wrong := range []string{"{", `{"map":"gaussian"}`, `{"spec":{"features":"many"}}`} {
		if _, err := parse("-recipe", wrong).how(); !isUsage(err) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := parse("-load", "m", "-recipe", "{}").reads(t.Context()); !isUsage(err) {
		t.Errorf("a model and a recipe: %v", err)
	}
}

// write writes a file and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOutputsAreNotInputs: what would overwrite a file that is read is a wrong flag, before any work is done.
func TestOutputsAreNotInputs(t *testing.T) {
	dir := t.TempDir()
	rows := write(t, dir, "rows.npy", "rows")
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
		if err := do(t.Context()); !isUsage(err) || !strings.Contains(err.Error(), "would overwrite") {
			t.Errorf("%v: %v", args, err)
		}
		if left, err := os.ReadFile(rows); err != nil || string(left) != "rows" {
			t.Fatalf("%v: the file holds %q, %v", args, left, err)
		}
	}
}

// TestNamed: tables of a header have names, those without, arrays and remote files do not ask for columns.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	with, without := write(t, dir, "with.csv", "a,b,y\n1,u,p\n"), write(t, dir, "without.csv", "1,u,p\n2,v,q\n")
	for file, want := range map[string]bool{
		with: true, without: false, "gs://bucket/t.csv": false, "x.npy": false, "x.libsvm": false,
	} {
		if got, err := named(data.Options{}, []string{file}); got != want || err != nil {
			t.Errorf("%q: %v, %v", file, got, err)
		}
	}
}
