package main

import (
	"fmt"

	"github.com/alecthomas/kong"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

// modelUse is what evaluate and predict are asked alike: a model, rows for it, a file to write, and a level.
type modelUse struct {
	model        string
	files        []string
	csv          csvFlags
	out          program.File
	distribution bool
	level        float64
}

// open checks the flags and loads the model. bags says whether its rows are sets of samples.
func (u modelUse) open(g given, node *kong.Node) (m *train.Model, read data.Options, bags bool, err error) {
	if read, err = u.csv.options(u.files); err != nil {
		return nil, read, false, err
	}
	switch {
	case g["level"] != nil && !u.distribution:
		err = program.Usage("--level does nothing without --distribution")
	case !(u.level > 0 && u.level < 1):
		err = program.Usage("--level %v: want a probability between 0 and 1", u.level)
	default:
		inputs := append(program.Files("FILES", u.files...), program.File{Flag: "MODEL", Path: u.model})
		err = program.CheckFiles(inputs, []program.File{u.out})
	}
	if err == nil {
		m, err = train.Load(u.model)
	}
	if err != nil {
		return nil, read, false, err
	}
	bags = ofBags(m.Spec.Map)
	switch name := g.first(node, []string{"Tables"}); {
	case u.distribution && m.Uncertainty == nil:
		err = fmt.Errorf("%s: the model has not learned its uncertainty; fit it with --distribution", u.model)
	case bags && name != "":
		err = program.Usage("--%s does not apply to a model of sets of samples, whose files name the columns", name)
	}
	return m, read, bags, err
}
