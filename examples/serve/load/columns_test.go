package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestObjects: a row has a cell of the kind of each column.
func TestObjects(t *testing.T) {
	text, err := objects(rand.New(rand.NewPCG(1, 0)), 50, []column{{Name: "age", Kind: "number", Range: []float64{-3, 90}}, {Name: "sex", Kind: "category", Levels: []string{"f", "m"}},
		{Name: "child", Kind: "boolean"}, {Name: "day", Kind: "time", Layout: "2006-01-02"}})
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Rows []struct {
			Age      float64
			Sex, Day string
			Child    *bool
		}
	}
	if err := json.Unmarshal(text, &body); err != nil || len(body.Rows) != 50 {
		t.Fatalf("%v: %s", err, text)
	}
	for _, r := range body.Rows {
		if r.Age < -3 || r.Age > 90 || !slices.Contains([]string{"f", "m"}, r.Sex) || r.Child == nil || len(r.Day) != 10 {
			t.Errorf("%+v", r)
		}
	}
}
