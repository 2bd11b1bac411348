package main

import (
	"encoding/json"
	"math/rand/v2"
	"time"
)

// column is what the card of a server tells of a column with a name.
type column struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"`
	Levels []string  `json:"levels"`
	Range  []float64 `json:"range"`
	Layout string    `json:"layout"`
}

// cell draws a cell.
func (c column) cell(rng *rand.Rand) any {
	switch {
	case len(c.Levels) > 0:
		return c.Levels[rng.IntN(len(c.Levels))]
	case len(c.Range) == 2:
		return c.Range[0] + rng.Float64()*(c.Range[1]-c.Range[0])
	case c.Kind == "boolean":
		return rng.IntN(2) == 1
	case c.Layout != "":
		return time.Unix(rng.Int64N(2e9), 0).UTC().Format(c.Layout)
	}
	return nil
}

// objects is a body of so many rows that name their cells.
func objects(rng *rand.Rand, rows int, columns []column) ([]byte, error) {
	all := make([]map[string]any, rows)
	for i := range all {
		all[i] = map[string]any{}
		for _, c := range columns {
			all[i][c.Name] = c.cell(rng)
		}
	}
	return json.Marshal(map[string]any{"rows": all})
}
