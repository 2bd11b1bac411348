package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/train/data"
)

// TestTableFlags: the flags of tables as a reader takes them, and those that are wrong.
func TestTableFlags(t *testing.T) {
	parse := func(args ...string) (data.Options, data.ColumnOptions, error) {
		var f tableFlags
		fs := flag.NewFlagSet("tables", flag.ContinueOnError)
		f.register(fs, "last")
		if err := fs.Parse(args); err != nil {
			t.Fatal(err)
		}
		return f.options(data.Regression)
	}
	o, c, err := parse("-label", "u,v", "-header", "no", "-delimiter", "tab", "-drop", "id,x*", "-missing", "fill", "-dates", "cyclic")
	if err != nil || !slices.Equal(o.LabelNames, []string{"u", "v"}) || o.Header != data.HeaderNo || o.Delimiter != '\t' || o.Tell == nil ||
		!slices.Equal(c.Drop, []string{"id", "x*"}) || c.Keep != nil || c.Missing != data.MissingFill || !c.Cyclic {
		t.Errorf("%+v, %+v, %v", o, c, err)
	}
	if o, _, err := parse("-label", "none"); err != nil || o.Label != data.LabelNone || o.LabelNames != nil {
		t.Errorf("%+v, %v", o, err)
	}
	for _, wrong := range [][]string{{"-label", ""}, {"-header", "perhaps"}, {"-delimiter", "::"}, {"-missing", "drop"}, {"-unknown", "new"}, {"-dates", "iso"}, {"-rare", "-1"}} {
		if _, _, err := parse(wrong...); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestNamed: tables of a header have names, those without, arrays and remote files do not ask for columns.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]bool{"a,b,y\n1,u,p\n": true, "1,u,p\n2,v,q\n": false} {
		path := filepath.Join(dir, "t.csv")
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := named(data.Options{}, []string{path}); got != want || err != nil {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	for _, files := range [][]string{{"gs://bucket/t.csv"}, {"x.npy"}, {"x.libsvm"}} {
		if got, err := named(data.Options{}, files); got || err != nil {
			t.Errorf("%q: %v, %v", files, got, err)
		}
	}
}
