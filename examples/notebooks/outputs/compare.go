package main

import (
	"fmt"

	"github.com/bochner-go/bochner/examples/internal/picture"
)

// differences lists what is not the same in an executed notebook.
func (n *notebook) differences(executed *notebook) (out []string) {
	if len(n.Cells) != len(executed.Cells) {
		return []string{fmt.Sprintf("%d cells, executed %d", len(n.Cells), len(executed.Cells))}
	}
	for i, c := range n.Cells {
		e := executed.Cells[i]
		switch {
		case c.Type != e.Type || c.Source != e.Source:
			out = append(out, fmt.Sprintf("cell %d is another one", i))
		case len(c.Outputs) != len(e.Outputs):
			out = append(out, fmt.Sprintf("cell %d has %d outputs, executed %d", i, len(c.Outputs), len(e.Outputs)))
		default:
			for j, o := range c.Outputs {
				if d := o.difference(e.Outputs[j]); d != "" {
					out = append(out, fmt.Sprintf("cell %d: %s", i, d))
				}
			}
		}
	}
	return out
}

// difference says what differs in an output, or nothing.
func (o output) difference(e output) string {
	if o.Type != e.Type || o.Name != e.Name || len(o.Data) != len(e.Data) {
		return "another kind of output"
	}
	if o.Text != e.Text {
		return fmt.Sprintf("text\n%s\nexecuted\n%s", o.Text, e.Text)
	}
	for media, v := range o.Data {
		w, ok := e.Data[media]
		switch {
		case !ok:
			return "no " + media
		case media != "image/png" && v != w:
			return fmt.Sprintf("%s\n%s\nexecuted\n%s", media, v, w)
		case media == "image/png":
			if d := pictureDifference(v, w); d != "" {
				return d
			}
		}
	}
	return ""
}

func pictureDifference(v, w text) string {
	a, err := v.picture()
	if err != nil {
		return err.Error()
	}
	b, err := w.picture()
	if err != nil {
		return err.Error()
	}
	return picture.Difference(a, b)
}
