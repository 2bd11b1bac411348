package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

// modelExt ends the name of a model file.
const modelExt = ".safetensors"

// lookModel prints what a model file holds: the scaler, the map, the head, the scores of its fit, and the columns that
// it takes.
func lookModel(path string, asJSON bool) error {
	m, err := train.Load(path)
	if err != nil {
		return err
	}
	e, err := notes.Of(m)
	if err != nil {
		return err
	}
	r := new(result)
	r.describe(m)
	if e != nil {
		r.TrainRows, r.TestRows, r.Scores, r.KernelError = e.TrainRows, e.TestRows, e.Scores, e.KernelError
		e.Pairs = nil // which a picture needs
	}
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(struct {
			Scale string `json:"scale"`
			notes.ModelCard
			Classes     data.Classes      `json:"classes,omitempty"`
			Uncertainty bool              `json:"uncertainty"`
			Evaluation  *notes.Evaluation `json:"evaluation,omitempty"`
			Relevance   []relevantColumn  `json:"relevance,omitempty"`
			Columns     *data.Columns     `json:"columns"`
		}{r.Scale, r.ModelCard, m.Classes, m.Uncertainty.HeldOut() > 0, e, r.Relevance, m.Columns})
	}
	fmt.Printf("%s: a model of %d columns\n", program.Shown(filepath.Base(path)), m.Dims())
	r.showModel()
	if m.Classes != nil {
		fmt.Printf("classes      %d: %s\n", len(m.Classes), program.Shown(listOf(m.Classes, 6)))
	} else {
		fmt.Printf("targets      %d\n", m.Head.Features())
	}
	fmt.Printf("uncertainty  %s\n", map[bool]string{true: "learned, for --distribution", false: "not learned"}[m.Uncertainty.HeldOut() > 0])
	r.showScores()
	if m.Columns == nil {
		return nil
	}
	fmt.Println()
	return lookTable("column\tkind\tvalues of the training rows", m.Columns.Inputs, func(in data.Input) string {
		values := listOf(in.Levels, 6)
		if in.Levels == nil {
			c := &data.ColumnLook{Kind: in.Kind}
			if values = fmt.Sprintf("%s to %s", cell(c, in.Least), cell(c, in.Most)); !in.Strict {
				values += fmt.Sprintf(", %s if missing", cell(c, in.Fill))
			}
		}
		return fmt.Sprintf("%s\t%s\t%s", short(in.Name, 24), in.Kind, program.Shown(values))
	})
}
