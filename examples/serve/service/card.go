package service

import (
	"os"
	"time"

	"github.com/bochner-go/bochner/examples/internal/notes"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
)

// card is what /model tells of a model and what the page shows.
type card struct {
	File     string        `json:"file"`
	SHA256   string        `json:"sha256"`
	Written  time.Time     `json:"written"`
	Map      string        `json:"map"`
	Parts    []string      `json:"parts,omitempty"` // the layers of a tree
	Kernel   string        `json:"kernel"`          // its formula
	Source   string        `json:"source"`
	Params   layers.Values `json:"params"`
	InputDim int           `json:"input_dim"`         // columns of the matrix
	Columns  []columnCard  `json:"columns,omitempty"` // of the rows, where they have names
	Inputs   string        `json:"inputs"`            // what they may be, once scaled
	Features int           `json:"features"`
	Sampler  string        `json:"sampler,omitempty"` // empty for a map that has none
	Seed     *uint64       `json:"seed,omitempty"`    // nil for a map that draws nothing
	Dtype    string        `json:"dtype"`
	Tuned    string        `json:"tuned"`
	Scaler   string        `json:"scaler"`
	Head     string        `json:"head"`
	Outputs  int           `json:"outputs"`
	Targets  []string      `json:"targets,omitempty"` // names of several
	Classes  []string      `json:"classes,omitempty"`
	// Uncertainty is what ?distribution=true answers by; nil for a model that has not learned it.
	Uncertainty *uncertaintyCard  `json:"uncertainty,omitempty"`
	Evaluation  *notes.Evaluation `json:"evaluation"` // null for a file that says nothing of it
	MaxRows     int               `json:"max_rows"`   // of a request
	MaxBody     int64             `json:"max_body_bytes"`
	Version     string            `json:"version"` // of the library that serves it
}

// newCard describes a model and what is known of it.
func newCard(m *train.Model, e *notes.Evaluation, file os.FileInfo, sum string, maxRows int, o *options) (card, error) {
	entry, err := layers.Lookup(m.Spec.Map)
	if err != nil {
		return card{}, err
	}
	on, err := m.Spec.Domain()
	if err != nil {
		return card{}, err
	}
	c := card{File: file.Name(), SHA256: sum, Written: file.ModTime().UTC(), Map: m.Spec.Map, Kernel: entry.Formula, Source: entry.Paper, Params: m.Spec.Params,
		InputDim: m.Dims(), Inputs: on.String(), Features: m.Map.Features(), Dtype: m.Map.Dtype().String(), Tuned: m.Spec.Tune,
		Scaler: m.Scaler.Name(), Head: m.Head.Kind(), Outputs: m.Head.Features(), Classes: m.Classes, MaxRows: maxRows, MaxBody: o.maxBody, Version: train.Version}
	c.Columns, c.Targets = newColumnCards(m)
	c.Uncertainty = newUncertaintyCard(m)
	if c.Tuned == "" {
		c.Tuned = "frozen"
	}
	if m.Spec.Tuned() && c.Tuned == "frozen" {
		c.Tuned = "parts"
	}
	for _, part := range m.Spec.Parts {
		c.Parts = append(c.Parts, part.Map)
	}
	if entry.Sampled {
		c.Seed = &m.Spec.Seed
		if c.Sampler, err = m.Spec.SamplerName(); err != nil {
			return card{}, err
		}
	}
	if e != nil {
		short := *e
		short.Pairs = nil // the page draws them
		c.Evaluation = &short
	}
	return c, nil
}
