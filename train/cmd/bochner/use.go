package main

import (
	"fmt"

	"github.com/alecthomas/kong"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

// modelFlags are what evaluate and predict are asked alike: a model, rows for it, and a level.
type modelFlags struct {
	Model string   `arg:"" help:"Model file of bochner fit."`
	Files []string `arg:"" help:"${files}."`
	CSV   csvFlags `embed:"" group:"Tables"`

	Distribution bool    `group:"Output" help:"Add intervals of targets, or probabilities and sets of classes (default false)."`
	Level        float64 `group:"Output" default:"0.9" help:"With --distribution: the probability that an interval or a set covers (default 0.9)."`
}

// open checks the flags and the file to write, and loads the model. bags says whether its rows are sets of samples.
func (u modelFlags) open(g given, node *kong.Node, out program.File) (m *train.Model, read data.Options, bags bool,
	err error) {
	if read, err = u.CSV.options(u.Files); err != nil {
		return nil, read, false, err
	}
	switch {
	case g["level"] != nil && !u.Distribution:
		err = program.Usage("--level does nothing without --distribution")
	case !(u.Level > 0 && u.Level < 1):
		err = program.Usage("--level %v: want a probability between 0 and 1", u.Level)
	default:
		inputs := append(program.Files("FILES", u.Files...), program.File{Flag: "MODEL", Path: u.Model})
		err = program.CheckFiles(inputs, []program.File{out})
	}
	if err == nil {
		m, err = train.Load(u.Model)
	}
	if err != nil {
		return nil, read, false, err
	}
	bags = ofBags(m.Spec.Map)
	switch name := g.first(node, []string{"Tables"}); {
	case u.Distribution && m.Uncertainty.HeldOut() == 0:
		err = fmt.Errorf("%s: the model has not learned its uncertainty; fit it with --distribution", u.Model)
	case bags && name != "":
		err = program.Usage("--%s does not apply to a model of sets of samples, whose files name the columns", name)
	}
	return m, read, bags, err
}
