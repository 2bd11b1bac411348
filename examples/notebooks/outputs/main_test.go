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
)

// plain is a picture with a line, 100 by 50.
func plain(at int, c color.Color) text {
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
	return text(base64.StdEncoding.EncodeToString(b.Bytes()) + "\n")
}

func executed(change func(*notebook)) *notebook {
	one := 1
	n := &notebook{Format: 4, Minor: 4, Metadata: map[string]any{"language_info": map[string]any{"version": "go9"}}, Cells: []cell{
		{Type: "markdown", Source: "# Title\n\n$a < b$\n"},
		{Type: "code", Source: "show()", Count: &one, Outputs: []output{
			{Type: "stream", Name: "stdout", Text: "0.25\n"},
			{Type: "execute_result", Data: map[string]text{"image/png": plain(20, color.Black)}},
		}},
	}}
	change(n)
	return n
}

// TestCellsReadTensors: no cell of the notebooks reads a tensor by Data, whose cells the collector may free meanwhile.
func TestCellsReadTensors(t *testing.T) {
	reads := func(n *notebook) (cells []int) {
		for i, c := range n.Cells {
			if c.Type == "code" && strings.Contains(string(c.Source), ".Data()") {
				cells = append(cells, i)
			}
		}
		return cells
	}
	if len(reads(executed(func(n *notebook) { n.Cells[1].Source = "z.Data().([]float64)" }))) != 1 {
		t.Error("a cell with Data is not found")
	}
	paths, err := filepath.Glob("../*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no notebooks", err)
	}
	for _, path := range paths {
		n, err := readNotebook(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range reads(n) {
			t.Errorf("%s: cell %d calls Data; read a tensor by Float64s", path, i)
		}
	}
}

func TestDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*notebook)
		want   string
	}{
		"nothing":      {func(n *notebook) { n.Metadata = nil }, ""},
		"one column":   {func(n *notebook) { n.Cells[1].Outputs[1].Data["image/png"] = plain(20, color.White) }, ""},
		"a faint line": {func(n *notebook) { n.Cells[1].Outputs[1].Data["image/png"] = plain(20, color.Gray{60}) }, ""},
		"another line": {func(n *notebook) { n.Cells[1].Outputs[1].Data["image/png"] = plain(21, color.Black) }, "2.0 % of a picture"},
		"no picture":   {func(n *notebook) { n.Cells[1].Outputs = n.Cells[1].Outputs[:1] }, "2 outputs, executed 1"},
		"text":         {func(n *notebook) { n.Cells[1].Outputs[0].Text = "0.26\n" }, "0.26"},
		"source":       {func(n *notebook) { n.Cells[1].Source = "hide()" }, "another one"},
		"a cell":       {func(n *notebook) { n.Cells = n.Cells[:1] }, "2 cells, executed 1"},
		"a table":      {func(n *notebook) { n.Cells[1].Outputs[1].Data = map[string]text{"text/html": "<p>"} }, "no image/png"},
	} {
		got := strings.Join(executed(func(*notebook) {}).differences(executed(c.change)), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*notebook)
		want   string
	}{
		"complete":     {func(*notebook) {}, ""},
		"not executed": {func(n *notebook) { n.Cells[1].Count = nil }, "cell 1 was not executed"},
		"failed":       {func(n *notebook) { n.Cells[1].Outputs[0].Type = "error" }, "cell 1 failed"},
		"no picture":   {func(n *notebook) { n.Cells[1].Outputs = nil }, "no picture"},
	} {
		err := executed(c.change).complete()
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestWrite: what -write writes equals what was executed, says nothing of the run, and is the same when written again.
func TestWrite(t *testing.T) {
	ours, theirs := t.TempDir(), t.TempDir()
	name := "01_x.ipynb"
	for folder, n := range map[string]*notebook{ours: executed(func(n *notebook) { n.Cells[1].Outputs = nil }), theirs: executed(func(*notebook) {})} {
		if err := n.write(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(ours, theirs, false); err == nil {
		t.Error("missing outputs are no difference")
	}
	var written [2][]byte
	for i := range written {
		if err := run(ours, theirs, true); err != nil {
			t.Fatal(err)
		}
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
	if err := os.Remove(filepath.Join(theirs, name)); err != nil {
		t.Fatal(err)
	}
	if err := run(ours, theirs, false); err == nil {
		t.Error("a notebook that was not executed is no error")
	}
}
