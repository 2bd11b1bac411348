package service

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/modelfile"
)

// card is what /model and the page say about a model.
type card struct {
	File    string    `json:"file"`
	SHA256  string    `json:"sha256"`
	Written time.Time `json:"written"`
	notes.ModelCard
	Kernel      string            `json:"kernel"` // its formula
	Source      string            `json:"source"`
	Columns     []columnCard      `json:"columns,omitempty"` // of the rows, if they have names
	Inputs      string            `json:"inputs"`            // the domain of the scaled rows
	Seed        *uint64           `json:"seed,omitempty"`    // nil for a map that draws nothing
	Scaler      string            `json:"scaler"`
	Outputs     int               `json:"outputs"`
	Targets     []string          `json:"targets,omitempty"` // names, if there are several
	Classes     []string          `json:"classes,omitempty"`
	Uncertainty *uncertaintyCard  `json:"uncertainty,omitempty"`
	Evaluation  *notes.Evaluation `json:"evaluation"` // null for a file without one
	MaxRows     int               `json:"max_rows"`   // of a request
	MaxBody     int64             `json:"max_body_bytes"`
	Version     string            `json:"version"` // of the library that serves it
}

func newCard(l *loaded, e *notes.Evaluation, sum string) (card, error) {
	m := l.model
	entry, err := layers.Lookup(m.Spec.Map)
	if err != nil {
		return card{}, err
	}
	on, err := m.Spec.Domain()
	if err != nil {
		return card{}, err
	}
	c := card{File: l.file.Name(), SHA256: sum, Written: l.file.ModTime().UTC(), ModelCard: notes.ModelOf(m),
		Kernel: entry.Formula, Source: entry.Paper, Columns: newColumnCards(m), Inputs: on.String(), Scaler: m.Scaler.Name(),
		Outputs: m.Head.Features(), Classes: m.Classes, Uncertainty: newUncertaintyCard(m), MaxRows: l.maxRows,
		MaxBody: l.maxBody, Version: modelfile.Version}
	if m.Columns != nil && m.Classes == nil && len(m.Columns.Labels) > 1 {
		c.Targets = m.Columns.Labels
	}
	if entry.Sampled {
		c.Seed = &m.Spec.Seed
	}
	if e != nil {
		short := *e
		short.Pairs = nil // the page draws them
		c.Evaluation = &short
	}
	return c, nil
}

// columnCard is a column of the rows.
type columnCard struct {
	Name    string       `json:"name"`
	Kind    data.Kind    `json:"kind"`
	Levels  []string     `json:"levels,omitempty"`  // of a category; of a boolean the words for 0 and 1, if it has some
	Unknown data.Unknown `json:"unknown,omitempty"` // of a category: what another level is
	Range   []float64    `json:"range,omitempty"`   // of a number in the training rows
	Layout  string       `json:"layout,omitempty"`  // of a time, as in package time
	Missing bool         `json:"missing"`           // whether null is accepted
	example string       // a cell in JSON
}

func newColumnCards(m *train.Model) (columns []columnCard) {
	if m.Columns == nil {
		return nil
	}
	for _, in := range m.Columns.Inputs {
		c := columnCard{Name: in.Name, Kind: in.Kind, Levels: in.Levels, Missing: !in.Strict, example: "null"}
		switch in.Kind {
		case data.Number:
			c.Range, c.example = []float64{in.Least, in.Most}, fmt.Sprintf("%.4g", in.Fill)
		case data.Boolean:
			if c.example = strconv.FormatBool(in.Fill == 1); in.Levels != nil {
				c.example = inJSON(in.Levels[int(in.Fill)])
			}
		case data.Category:
			if c.Unknown = m.Columns.Unknown; len(in.Levels) > 0 {
				c.example = inJSON(in.Levels[max(0, int(in.Fill))])
			}
		case data.Time:
			if c.Layout = in.Layout; c.Layout == "" {
				c.Layout = time.RFC3339
			}
			c.example = inJSON(time.UnixMilli(int64(in.Fill * 864e5)).UTC().Format(c.Layout))
		}
		columns = append(columns, c)
	}
	return columns
}

// inJSON is a text in JSON, which every text has.
func inJSON(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// Values describes the cells of a column in a few words.
func (c columnCard) Values() string {
	const most = 12
	switch n := len(c.Levels); {
	case n > most:
		return fmt.Sprintf("%s, ... %d levels", strings.Join(c.Levels[:most], ", "), n)
	case n > 0:
		return strings.Join(c.Levels, ", ")
	case c.Kind == data.Number:
		return fmt.Sprintf("%.4g to %.4g", c.Range[0], c.Range[1])
	case c.Kind == data.Boolean:
		return "false, true"
	}
	return c.Layout
}

// Example is a row of the model, cut after most columns.
func (c card) Example(most int) string {
	var cells []string
	for _, column := range c.Columns[:min(most, len(c.Columns))] {
		cells = append(cells, inJSON(column.Name)+": "+column.example)
	}
	n, begin, end := len(c.Columns), "{", "}"
	if c.Columns == nil {
		n, begin, end = c.InputDim, "[", "]"
		cells = strings.Split(strings.Repeat("0.5,", min(most, n)), ",")[:min(most, n)]
	}
	if n > most {
		cells = append(cells, fmt.Sprintf("... %d columns", n))
	}
	return begin + strings.Join(cells, ", ") + end
}

// uncertaintyCard describes where the uncertainty of a model comes from.
type uncertaintyCard struct {
	HeldOut     int       `json:"held_out_rows"`         // that intervals or sets come from
	MostLevel   float64   `json:"most_level"`            // the largest level that so many rows allow
	Posterior   bool      `json:"posterior,omitempty"`   // whether targets have standard deviations
	Noise       []float64 `json:"noise_std,omitempty"`   // the standard deviation of the noise of each target
	Calibration string    `json:"calibration,omitempty"` // of probabilities: the method
	Laplace     string    `json:"laplace,omitempty"`     // the covariance of the Laplace approximation
	Sets        string    `json:"sets,omitempty"`        // how classes are scored
}

func newUncertaintyCard(m *train.Model) *uncertaintyCard {
	u, c := m.Uncertainty, &uncertaintyCard{HeldOut: m.Uncertainty.HeldOut()}
	if c.HeldOut == 0 {
		return nil
	}
	if m.Classes != nil {
		c.Calibration, c.Sets = u.Calibration.Method(), u.Sets.Method()
	}
	c.MostLevel = float64(c.HeldOut) / float64(c.HeldOut+1)
	if u.Posterior != nil {
		c.Posterior = true
		for _, v := range u.Posterior.Noise {
			c.Noise = append(c.Noise, math.Sqrt(v))
		}
	}
	if u.Laplace != nil {
		c.Laplace = string(u.Laplace.Covariance)
	}
	return c
}

// Text is the card in a few words.
func (c *uncertaintyCard) Text() string {
	what := "intervals"
	if c.Sets != "" {
		how := c.Calibration
		if c.Laplace != "" {
			how += " after a Laplace approximation (" + c.Laplace + ")"
		}
		what = fmt.Sprintf("probabilities calibrated by %s; sets of classes", how)
	}
	if c.Posterior {
		const most = 8
		noise := fmt.Sprintf("%.4g", c.Noise[:min(most, len(c.Noise))])
		if len(c.Noise) > most {
			noise += fmt.Sprintf(" ... %d targets", len(c.Noise))
		}
		what = "standard deviations, of the noise " + noise + "; " + what
	}
	return fmt.Sprintf("%s up to the level %s, from %d held-out rows", what, digits(c.MostLevel), c.HeldOut)
}

// digits writes a level with as many digits as show how far below 1 it is, never a larger number.
func digits(level float64) string {
	places := 2 - int(math.Floor(math.Log10(1-level)))
	scale := math.Pow(10, float64(places))
	return strconv.FormatFloat(math.Floor(level*scale)/scale, 'f', -1, 64)
}
