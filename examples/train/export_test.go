package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestONNX: a model is exported as it is fitted and when it is loaded, as the same file.
func TestONNX(t *testing.T) {
	dir := files(t)
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	saved := clitest.Run(t, dir, "-features 64 -head ridge -distribution -save model -onnx one.onnx -json -train last.csv -test test.csv")
	if !strings.HasSuffix(saved.Stderr, "model: model\nONNX: one.onnx\n") {
		t.Errorf("stderr %q", saved.Stderr)
	}
	saved.Object(t)
	if alone := clitest.Run(t, dir, "-load model -onnx two.onnx"); alone.Stderr != "ONNX: two.onnx\n" || alone.Stdout != "" {
		t.Errorf("stderr %q, stdout %q", alone.Stderr, alone.Stdout)
	}
	clitest.Run(t, dir, "-load model -test test.csv -onnx three.onnx").OK(t)
	one := read("one.onnx")
	if !bytes.Equal(one, read("two.onnx")) || !bytes.Equal(one, read("three.onnx")) {
		t.Error("the files differ")
	}
	for _, name := range []string{"probabilities", "label"} {
		if !bytes.Contains(one, []byte(name)) {
			t.Errorf("there is no output %s", name)
		}
	}
}

// TestONNXOfATable: the program says which numbers the file of a table's model takes, and in which order.
func TestONNXOfATable(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	rows.WriteString("age,region,active,label\n")
	for i := range 60 {
		age := ""
		if i%10 > 0 {
			age = strconv.Itoa(20 + i)
		}
		rows.WriteString(strings.Join([]string{age, []string{"north", "south", "east"}[i%3], []string{"yes", "no"}[i%2],
			[]string{"a", "b"}[i/30]}, ",") + "\n")
	}
	clitest.File(t, dir, "t.csv", rows.String())
	const order = "m.onnx takes the numbers of a row in this order: " +
		"age, age=(missing), region=east, region=north, region=south, active; "
	for _, args := range []string{"-train t.csv -features 16 -head ridge -save m -onnx m.onnx", "-load m -onnx m.onnx"} {
		if r := clitest.Run(t, dir, args).OK(t); !strings.Contains(r.Stderr, order) {
			t.Errorf("%s: stderr %q", args, r.Stderr)
		}
	}
}

// TestONNXErrors: flags that go against each other, and files that cannot be written, before any work.
func TestONNXErrors(t *testing.T) {
	dir := files(t)
	clitest.Run(t, dir, "-features 64 -head ridge -save model -train last.csv -test test.csv").OK(t)
	for args, says := range map[string]string{
		"-train last.csv -onnx no/such/model.onnx":              "-onnx no/such/model.onnx: cannot be written",
		"-load model -onnx no/such/model.onnx":                  "-onnx no/such/model.onnx: cannot be written",
		"-load model -onnx m.onnx -json":                        "need -test",
		"-load model -onnx m.onnx -predict test.csv -out p.csv": "give one of them",
		"-task bags -onnx m.onnx":                               "no sets of samples",
	} {
		if r := clitest.Run(t, dir, args); r.Status == 0 || !strings.Contains(r.Stderr, says) {
			t.Errorf("%s: exit status %d, stderr %q, want %q", args, r.Status, r.Stderr, says)
		}
		if _, err := os.Stat(filepath.Join(dir, "m.onnx")); err == nil {
			t.Errorf("%s: a file is left", args)
		}
	}
}
