package service

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// columnCard is what /model tells of a column of the rows.
type columnCard struct {
	Name    string       `json:"name"`
	Kind    data.Kind    `json:"kind"`
	Levels  []string     `json:"levels,omitempty"`  // of a category; of a boolean the words for 0 and 1, if it has some
	Unknown data.Unknown `json:"unknown,omitempty"` // of a category: what another level is
	Range   []float64    `json:"range,omitempty"`   // of a number in the training rows
	Layout  string       `json:"layout,omitempty"`  // of a time, as package time has it
	Missing bool         `json:"missing"`           // whether null is taken
	example any
}

// newColumnCards describes the columns of a model, and names its targets if there are several.
func newColumnCards(m *train.Model) (columns []columnCard, targets []string) {
	if m.Columns == nil {
		return nil, nil
	}
	for _, in := range m.Columns.Inputs {
		c := columnCard{Name: in.Name, Kind: in.Kind, Levels: in.Levels, Missing: !in.Strict}
		switch in.Kind {
		case data.Number:
			c.Range, c.example = []float64{in.Least, in.Most}, json.Number(fmt.Sprintf("%.4g", in.Fill))
		case data.Boolean:
			if c.example = in.Fill == 1; in.Levels != nil {
				c.example = in.Levels[int(in.Fill)]
			}
		case data.Category:
			if c.Unknown = m.Columns.Unknown; len(in.Levels) > 0 {
				c.example = in.Levels[max(0, int(in.Fill))]
			}
		case data.Time:
			if c.Layout = in.Layout; c.Layout == "" {
				c.Layout = time.RFC3339
			}
			c.example = time.UnixMilli(int64(in.Fill * 864e5)).UTC().Format(c.Layout)
		}
		columns = append(columns, c)
	}
	if m.Classes == nil && len(m.Columns.Labels) > 1 {
		targets = m.Columns.Labels
	}
	return columns, targets
}

// Values says in few words what the cells of a column are.
func (c columnCard) Values() string {
	const most = 12
	switch {
	case c.Levels != nil:
		list := strings.Join(c.Levels[:min(most, len(c.Levels))], ", ")
		if len(c.Levels) > most {
			list += fmt.Sprintf(", ... %d levels", len(c.Levels))
		}
		return list
	case c.Kind == data.Number:
		return fmt.Sprintf("%.4g to %.4g", c.Range[0], c.Range[1])
	case c.Kind == data.Boolean:
		return "false, true"
	}
	return c.Layout
}

// exampleObject is a row of the columns, cut where there are more than most.
func exampleObject(columns []columnCard, most int) (string, error) {
	var row []string
	for _, c := range columns[:min(most, len(columns))] {
		name, err := json.Marshal(c.Name)
		if err != nil {
			return "", err
		}
		cell, err := json.Marshal(c.example)
		if err != nil {
			return "", err
		}
		row = append(row, fmt.Sprintf("%s: %s", name, cell))
	}
	if len(columns) > most {
		row = append(row, fmt.Sprintf("... %d columns", len(columns)))
	}
	return "{" + strings.Join(row, ", ") + "}", nil
}

// exampleCommand is a command of a shell that sends an object to a server at an address.
func exampleCommand(columns []columnCard, address string) (string, error) {
	row, err := exampleObject(columns, mostExample)
	if err != nil {
		return "", err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "0" {
		host, port = "HOST", "PORT"
	} else if host == "" {
		host = "localhost"
	}
	body := strings.ReplaceAll(fmt.Sprintf(`{"rows": [%s]}`, row), "'", `'\''`)
	return fmt.Sprintf("curl http://%s/predict -H 'Content-Type: application/json' \\\n  -d '%s'", net.JoinHostPort(host, port), body), nil
}
