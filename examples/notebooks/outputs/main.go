// Command outputs keeps the outputs that the notebooks of this repository carry. Without a flag it compares the outputs
// of the executed notebooks in a folder, which run.sh writes, with the outputs in the repository, and exits with 1 when
// they differ: cells, text and tables must be equal, and a picture must have the same size and at most one pixel in a
// hundred that looks different, as rounding may move a line by one.
//
//	go run ./examples/notebooks/outputs [-write] [examples/notebooks/executed]
//
// With -write it copies the outputs into the repository's notebooks: without the times and the versions of a run, and
// with the pictures in 256 colours, a third of the size.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/picture"
)

func main() {
	write := flag.Bool("write", false, "copy the outputs into the notebooks of the repository")
	flag.Parse()
	executed := "examples/notebooks/executed"
	if flag.NArg() > 0 {
		executed = flag.Arg(0)
	}
	if err := run("examples/notebooks", executed, *write); err != nil {
		fmt.Fprintln(os.Stderr, "outputs:", err)
		os.Exit(1)
	}
}

// run compares the notebooks of a folder with executed ones, or takes over their outputs.
func run(folder, executed string, write bool) error {
	paths, err := filepath.Glob(filepath.Join(folder, "[0-9]*.ipynb"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("there is no notebook in %s; run from the root of the repository", folder)
	}
	different := 0
	for _, path := range paths {
		var ours, theirs notebook
		if err := ours.read(path); err != nil {
			return err
		}
		if err := theirs.read(filepath.Join(executed, filepath.Base(path))); err != nil {
			return err
		}
		if err := theirs.complete(); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		if write {
			if err := theirs.write(path); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			continue
		}
		for _, d := range ours.differences(theirs) {
			fmt.Printf("%s: %s\n", filepath.Base(path), d)
			different++
		}
	}
	if err == nil && different > 0 {
		err = fmt.Errorf("%d differences; if they are meant, take them over with -write", different)
	}
	return err
}

// notebook is a Jupyter notebook of format 4: https://nbformat.readthedocs.io/en/latest/format_description.html.
type notebook struct {
	Cells    []map[string]any `json:"cells"`
	Metadata any              `json:"metadata"`
	Format   int              `json:"nbformat"`
	Minor    int              `json:"nbformat_minor"`
}

// read reads a notebook without what changes from run to run.
func (n *notebook) read(path string) error {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, n)
	}
	if err == nil && n.Format != 4 {
		err = fmt.Errorf("notebook format %d, want 4", n.Format)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	n.Metadata = map[string]any{
		"kernelspec":    map[string]any{"display_name": "Go (bochner)", "language": "go", "name": "bochner"},
		"language_info": map[string]any{"file_extension": ".go", "name": "go"},
	}
	for _, c := range n.Cells {
		c["metadata"] = struct{}{}
		delete(c, "id")
	}
	return nil
}

// textOf is a string that a file holds as a string or as a list of lines.
func textOf(v any) string {
	if lines, ok := v.([]any); ok {
		return fmt.Sprint(lines...) // which puts no blanks between strings
	}
	return fmt.Sprint(v)
}

// outputs are those of a cell.
func outputs(cell map[string]any) (out []map[string]any) {
	list, _ := cell["outputs"].([]any)
	for _, o := range list {
		out = append(out, o.(map[string]any))
	}
	return out
}

// dataOf is the data of an output by media type.
func dataOf(output map[string]any) map[string]any {
	data, _ := output["data"].(map[string]any)
	return data
}

// complete wants every cell executed, none failed, and a picture.
func (n *notebook) complete() error {
	pictures := 0
	for i, c := range n.Cells {
		if c["cell_type"] == "code" && c["execution_count"] == nil {
			return fmt.Errorf("cell %d was not executed", i)
		}
		for _, o := range outputs(c) {
			if o["output_type"] == "error" {
				return fmt.Errorf("cell %d failed", i)
			}
			if dataOf(o)["image/png"] != nil {
				pictures++
			}
		}
	}
	if pictures == 0 {
		return fmt.Errorf("there is no picture in it")
	}
	return nil
}

// differences lists what is not the same in an executed notebook.
func (n *notebook) differences(executed notebook) (out []string) {
	if len(n.Cells) != len(executed.Cells) {
		return []string{fmt.Sprintf("%d cells, executed %d", len(n.Cells), len(executed.Cells))}
	}
	for i, c := range n.Cells {
		e := executed.Cells[i]
		if c["cell_type"] != e["cell_type"] || textOf(c["source"]) != textOf(e["source"]) {
			out = append(out, fmt.Sprintf("cell %d is another one", i))
			continue
		}
		ours, theirs := outputs(c), outputs(e)
		if len(ours) != len(theirs) {
			out = append(out, fmt.Sprintf("cell %d has %d outputs, executed %d", i, len(ours), len(theirs)))
			continue
		}
		for j, o := range ours {
			if d := difference(o, theirs[j]); d != "" {
				out = append(out, fmt.Sprintf("cell %d: %s", i, d))
			}
		}
	}
	return out
}

// difference says what differs in an output, or nothing.
func difference(ours, theirs map[string]any) string {
	for _, key := range []string{"output_type", "name", "text"} {
		if a, b := textOf(ours[key]), textOf(theirs[key]); a != b {
			return fmt.Sprintf("%s\n%s\nexecuted\n%s", key, a, b)
		}
	}
	a, b := dataOf(ours), dataOf(theirs)
	if len(a) != len(b) {
		return fmt.Sprintf("%d media types, executed %d", len(a), len(b))
	}
	for media, v := range a {
		w, ok := b[media]
		switch {
		case !ok:
			return "no " + media
		case media == "image/png":
			p, err := decode(v)
			q, err2 := decode(w)
			if err != nil || err2 != nil {
				return fmt.Sprint(err, err2)
			}
			if d := picture.Difference(p, q); d != "" {
				return d
			}
		case textOf(v) != textOf(w):
			return fmt.Sprintf("%s\n%s\nexecuted\n%s", media, textOf(v), textOf(w))
		}
	}
	return ""
}

// decode decodes an image/png.
func decode(v any) (image.Image, error) {
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(textOf(v)))
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}

// write writes the notebook with smaller pictures.
func (n *notebook) write(path string) error {
	for _, c := range n.Cells {
		for _, o := range outputs(c) {
			v, ok := dataOf(o)["image/png"]
			if !ok {
				continue
			}
			img, err := decode(v)
			if err != nil {
				return err
			}
			small, err := picture.Small(img)
			if err != nil {
				return err
			}
			dataOf(o)["image/png"] = []string{base64.StdEncoding.EncodeToString(small)}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(n); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
