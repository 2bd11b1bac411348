package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/onnx"
)

// export writes the model as an ONNX file, with all outputs that it has.
func (o *options) export(m *train.Model) error {
	if o.onnx == "" {
		return nil
	}
	if err := onnx.Save(o.onnx, m, onnx.Everything(m)); err != nil {
		return err
	}
	if m.Columns != nil {
		fmt.Fprintf(os.Stderr, "%s takes the numbers of a row in this order: %s; "+
			"encode of examples/onnx/predict.js makes them of the columns of the table\n", o.onnx, inOrder(m.Columns.Names()))
	}
	return nil
}

// mostInOrder is how many names of columns are told; the metadata of the file have all.
const mostInOrder = 40

// inOrder lists names.
func inOrder(names []string) string {
	if more := len(names) - mostInOrder; more > 0 {
		return fmt.Sprintf("%s and %d more, which the metadata name", strings.Join(names[:mostInOrder], ", "), more)
	}
	return strings.Join(names, ", ")
}

// exportSaved writes a saved model as an ONNX file.
func exportSaved(o *options) error {
	m, err := train.Load(o.load)
	if err == nil {
		err = o.export(m)
	}
	if err == nil {
		fmt.Fprintln(os.Stderr, "ONNX:", o.onnx)
	}
	return err
}
