package main

import (
	"fmt"
	"os"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/onnx"
)

// export writes the model as an ONNX file, with all outputs that it has.
func (o *options) export(m *train.Model) error {
	if o.onnx == "" {
		return nil
	}
	return onnx.Save(o.onnx, m, onnx.Everything(m))
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
