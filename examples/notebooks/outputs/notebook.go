package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/picture"
)

// notebook is a Jupyter notebook of format 4: https://nbformat.readthedocs.io/en/latest/format_description.html.
type notebook struct {
	Cells    []cell         `json:"cells"`
	Metadata map[string]any `json:"metadata"`
	Format   int            `json:"nbformat"`
	Minor    int            `json:"nbformat_minor"`
}

type cell struct {
	Type string
	// Source and the text of outputs are lists of lines in a file.
	Source  text
	Outputs []output
	Count   *int
}

type output struct {
	Type string          `json:"output_type"`
	Name string          `json:"name,omitempty"` // of a stream
	Text text            `json:"text,omitempty"`
	Data map[string]text `json:"data,omitempty"` // by media type; a picture in base64
}

// MarshalJSON writes what the format asks of the kind of cell.
func (c cell) MarshalJSON() ([]byte, error) {
	out := map[string]any{"cell_type": c.Type, "metadata": struct{}{}, "source": c.Source}
	if c.Type == "code" {
		out["outputs"], out["execution_count"] = c.outputs(), c.Count
	}
	return marshal(out)
}

// UnmarshalJSON keeps what this program knows of.
func (c *cell) UnmarshalJSON(data []byte) error {
	var in struct {
		Type    string   `json:"cell_type"`
		Source  text     `json:"source"`
		Outputs []output `json:"outputs"`
		Count   *int     `json:"execution_count"`
	}
	err := json.Unmarshal(data, &in)
	*c = cell{in.Type, in.Source, in.Outputs, in.Count}
	return err
}

// outputs are the cell's outputs with the fields that the format requires.
func (c cell) outputs() []map[string]any {
	out := []map[string]any{}
	for _, o := range c.Outputs {
		one := map[string]any{"output_type": o.Type}
		switch o.Type {
		case "stream":
			one["name"], one["text"] = o.Name, o.Text
		case "execute_result":
			one["execution_count"] = c.Count
			fallthrough
		default:
			one["data"], one["metadata"] = o.Data, struct{}{}
		}
		out = append(out, one)
	}
	return out
}

// text is a string that a file holds as a string or as a list of lines.
type text string

// MarshalJSON writes a list of lines; of one line, the line.
func (t text) MarshalJSON() ([]byte, error) {
	lines := strings.SplitAfter(string(t), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return marshal(lines)
}

// UnmarshalJSON reads both forms.
func (t *text) UnmarshalJSON(data []byte) error {
	var lines []string
	if json.Unmarshal(data, &lines) == nil {
		*t = text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// marshal is json.Marshal with <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func readNotebook(path string) (*notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := new(notebook)
	if err := json.Unmarshal(data, n); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if n.Format != 4 {
		return nil, fmt.Errorf("%s: notebook format %d, want 4", path, n.Format)
	}
	return n, nil
}

func (n *notebook) write(path string) error {
	data, err := marshal(n)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", " "); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// complete wants every cell executed, none failed, and a picture.
func (n *notebook) complete() error {
	pictures := 0
	for i, c := range n.Cells {
		if c.Type == "code" && c.Count == nil {
			return fmt.Errorf("cell %d was not executed", i)
		}
		for _, o := range c.Outputs {
			if o.Type == "error" {
				return fmt.Errorf("cell %d failed", i)
			}
			if _, ok := o.Data["image/png"]; ok {
				pictures++
			}
		}
	}
	if pictures == 0 {
		return errors.New("there is no picture in it")
	}
	return nil
}

// tidy leaves out what changes from run to run, and makes the pictures smaller.
func (n *notebook) tidy() error {
	n.Metadata = map[string]any{
		"kernelspec":    map[string]any{"display_name": "Go (bochner)", "language": "go", "name": "bochner"},
		"language_info": map[string]any{"file_extension": ".go", "name": "go"},
	}
	for i, c := range n.Cells {
		for _, o := range c.Outputs {
			in, ok := o.Data["image/png"]
			if !ok {
				continue
			}
			img, err := in.picture()
			if err != nil {
				return fmt.Errorf("cell %d: %w", i, err)
			}
			small, err := picture.Small(img)
			if err != nil {
				return err
			}
			o.Data["image/png"] = text(base64.StdEncoding.EncodeToString(small))
		}
	}
	return nil
}

// picture decodes an image/png.
func (t text) picture() (image.Image, error) {
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(t)))
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}
