package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// plain is a picture with a line, 100 by 50.
func plain(at int, c color.Color) string {
	img := image.NewRGBA(image.Rect(0, 0, 100, 50))
	for y := range 50 {
		for x := range 100 {
			img.Set(x, y, color.White)
		}
		img.Set(at, y, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// executed is an executed notebook of one cell, changed by replacing texts.
func executed(t *testing.T, replace ...string) (n notebook) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "01_x.ipynb")
	text := strings.NewReplacer(replace...).Replace(`{"nbformat": 4, "nbformat_minor": 4, "metadata": {"version": "go9"}, "cells": [
 {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "\n", "$a < b$\n"]},
 {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "show()", "outputs": [
  {"output_type": "stream", "name": "stdout", "text": ["0.25\n"]},
  {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"image/png": "PNG"}}]}]}`)
	clitest.OK(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "PNG", plain(20, color.Black))), 0o600))
	clitest.OK(t, n.read(path))
	return n
}

// TestCellsReadTensors: no cell of the notebooks reads a tensor by Data, whose cells the collector may free meanwhile.
func TestCellsReadTensors(t *testing.T) {
	paths, err := filepath.Glob("../*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no notebooks", err)
	}
	for _, path := range paths {
		var n notebook
		clitest.OK(t, n.read(path))
		for i, c := range n.Cells {
			if c["cell_type"] == "code" && strings.Contains(textOf(c["source"]), ".Data()") {
				t.Errorf("%s: cell %d calls Data; read a tensor by Float64s", path, i)
			}
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"go9", "go10", ""},
		{"PNG", plain(20, color.White), ""}, // one column
		{"PNG", plain(20, color.Gray{60}), ""},
		{"PNG", plain(21, color.Black), "2.0 % of a picture"},
		{"0.25", "0.26", "0.26"},
		{"show()", "hide()", "another one"},
		{`"image/png"`, `"text/html"`, "no image/png"},
		{`{"output_type": "stream", "name": "stdout", "text": ["0.25\n"]},`, "", "2 outputs, executed 1"},
	} {
		n := executed(t)
		got := strings.Join(n.differences(executed(t, c.from, c.to)), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%.40s: %q, want %q", c.to, got, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"go9", "go9", ""},
		{`"execution_count": 1, "metadata": {}, "source"`, `"execution_count": null, "source"`, "cell 1 was not executed"},
		{"stream", "error", "cell 1 failed"},
		{`"image/png"`, `"text/html"`, "no picture"},
	} {
		n := executed(t, c.from, c.to)
		err := n.complete()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.to, err, c.want)
		}
	}
}

// TestWrite: what -write writes equals what was executed, says nothing of the run, and is the same when written again.
func TestWrite(t *testing.T) {
	ours, theirs := t.TempDir(), t.TempDir()
	name := "01_x.ipynb"
	for folder, n := range map[string]notebook{ours: executed(t, "0.25", "0.26"), theirs: executed(t)} {
		clitest.OK(t, n.write(filepath.Join(folder, name)))
	}
	if err := run(ours, theirs, false); err == nil {
		t.Error("another output is not a difference")
	}
	var written [2][]byte
	for i := range written {
		clitest.OK(t, run(ours, theirs, true))
		var err error
		if written[i], err = os.ReadFile(filepath.Join(ours, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(ours, theirs, false); err != nil {
		t.Errorf("after -write: %v", err)
	}
	if !bytes.Equal(written[0], written[1]) {
		t.Error("written twice, the bytes differ")
	}
	if bytes.Contains(written[0], []byte("go9")) || !bytes.Contains(written[0], []byte(`$a < b$`)) {
		t.Errorf("written:\n%s", written[0])
	}
	if err := run(t.TempDir(), theirs, false); err == nil {
		t.Error("a folder without notebooks is no error")
	}
	clitest.OK(t, os.Remove(filepath.Join(theirs, name)))
	if err := run(ours, theirs, false); err == nil {
		t.Error("a notebook that was not executed is no error")
	}
}
