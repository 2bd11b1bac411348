package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// write makes a repository of files.
func write(t *testing.T, files ...txtar.File) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range files {
		path := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// files are the files of an archive in testdata.
func files(t *testing.T, name string) []txtar.File {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return a.Files
}

func expect(t *testing.T, said []string, err error, want string) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	if got := strings.Join(said, "\n") + "\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestGuides: commands that a reader cannot run are named with what is wrong, and no others.
func TestGuides(t *testing.T) {
	root := write(t, files(t, "guides.txtar")...)
	said, err := checkGuides(root, "", []string{"right.md"})
	expect(t, said, err, "\n")
	want, err := os.ReadFile(filepath.Join(root, "wrong.txt"))
	if err != nil {
		t.Fatal(err)
	}
	said, err = checkGuides(root, "", []string{"wrong.md"})
	expect(t, said, err, string(want))
	if _, err := checkGuides(root, "", []string{"none.md"}); err == nil {
		t.Error("no error for guides without a command")
	}
	if said, err := checkGuides(root, ".", []string{"wrong.md"}); err != nil || len(said) != 10 {
		t.Errorf("unbuilt: %d are wrong (%v), want the first 10", len(said), err)
	}
}

// TestNotebooks: a line that is added to a cell is named with what is wrong with it.
func TestNotebooks(t *testing.T) {
	all := files(t, "notebooks.txtar")
	cells, repository := all[len(all)-4:], slices.Clip(all[:len(all)-4])
	for _, c := range []struct {
		cell int // the one to add a line to
		line string
		want string
	}{
		{0, "", ""},
		{2, "down(1)", "cell 2:13: not enough arguments in call to down\n" +
			"\thave (number)\n\twant (int, func(interface{}) int)"},
		{4, "dwon(1, nil)", "cell 4:4: undefined: dwon"},
		{4, "n.x", "cell 4:4: n.x undefined (type untyped int has no field or method x)"},
		{4, "x = n", "cell 4:4: cannot use n (untyped int constant 3) as string value in assignment"},
		{4, "for i := range n {}", "cell 4:4: cannot range over n (untyped int constant 3): requires go1.22 or later"},
		{4, "bound.Same(1)", "cell 4:4: implicit function instantiation requires go1.18 or later"},
		{3, "if x {", "cell 3:4: expected '}', found 'EOF'"},
		{1, `import "example.com/m/free"`, "cell 1:8: gokernel/kernel/imports.go does not have example.com/m/free"},
		{1, `import "absent"`, "cell 1:8: could not import absent (there is no package absent)"},
	} {
		type cell map[string]any
		list := []cell{{"cell_type": "markdown", "source": []string{"no Go"}}}
		for i, f := range cells {
			source := strings.TrimSuffix(string(f.Data), "\n")
			if i+1 == c.cell {
				source += "\n" + c.line
			}
			list = append(list, cell{"cell_type": "code", "source": strings.SplitAfter(source, "\n")})
		}
		text, err := json.Marshal(map[string]any{"cells": list})
		if err != nil {
			t.Fatal(err)
		}
		said, err := checkNotebooks(write(t, append(repository, txtar.File{Name: "n/1.ipynb", Data: text})...), "n")
		if c.want != "" {
			c.want = "n/1.ipynb: " + c.want
		}
		expect(t, said, err, c.want+"\n")
	}
	if _, err := checkNotebooks(write(t, repository...), "n"); err == nil {
		t.Error("no error for a folder without a notebook")
	}
}
