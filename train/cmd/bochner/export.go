package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/onnx"
)

type exportCmd struct {
	Model string `arg:"" help:"Model file of bochner fit."`
	ONNX  string `name:"onnx" help:"Write the model to this ONNX file, with its scores, classes and, after --distribution, probabilities or standard deviations."`
	Spec  string `help:"Write the model to this file without the weights of its map, which are drawn again from the seed."`
}

// Run writes the model.
func (c *exportCmd) Run() error {
	if c.ONNX == "" && c.Spec == "" {
		return program.Usage("export needs --onnx or --spec, the file to write")
	}
	outputs := []program.File{{Flag: "--onnx", Path: c.ONNX}, {Flag: "--spec", Path: c.Spec}}
	if err := program.CheckFiles([]program.File{{Flag: "MODEL", Path: c.Model}}, outputs); err != nil {
		return err
	}
	m, err := train.Load(c.Model)
	if err != nil {
		return err
	}
	if c.Spec != "" {
		if err := m.SaveSpec(c.Spec); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "model:", c.Spec)
	}
	if c.ONNX == "" {
		return nil
	}
	if ofBags(m.Spec.Map) {
		return errors.New("--onnx: an ONNX file takes rows, and no sets of samples")
	}
	if err := onnx.Save(c.ONNX, m, onnx.Everything(m)); err != nil {
		return err
	}
	if m.Columns != nil {
		fmt.Fprintf(os.Stderr, "%s takes the numbers of a row in this order: %s, as its metadata say; "+
			"encode of examples/onnx/predict.js makes them of the columns of the table\n", c.ONNX, listOf(m.Columns.Names(), 40))
	}
	fmt.Fprintln(os.Stderr, "ONNX:", c.ONNX)
	return nil
}
