package service

import (
	"net/http"

	"github.com/bochner-go/bochner/train/data"
)

// table is the columns of a model, as requests send them.
type table struct {
	*data.Columns // its inputs alone, found by name
	names         []string
	at            map[string]int  // columns by name
	known         map[string]bool // other columns of the training rows
	numeric       []bool          // whether a column is of numbers, or of 0 and 1
	mostTexts     int64           // what the texts of a request may take

	// Of arrays, by place: as the model has them, and so that any number will do.
	array, loose *data.Columns
	noArray      error // why there are none
}

// newTable is the table of so many columns; nil where a model has none.
func newTable(c *data.Columns) *table {
	if c == nil {
		return nil
	}
	t := &table{at: map[string]int{}, known: map[string]bool{}, numeric: make([]bool, len(c.Inputs))}
	placed, loose := make([]data.Input, len(c.Inputs)), make([]data.Input, len(c.Inputs))
	for k, in := range c.Inputs {
		in.Place = k
		placed[k], loose[k] = in, data.Input{Name: in.Name, Place: k, Kind: data.Number}
		t.names, t.at[in.Name] = append(t.names, in.Name), k
		t.numeric[k] = in.Kind == data.Number || in.Kind == data.Boolean && in.Levels == nil
		if t.noArray == nil && (in.Kind == data.Category || in.Kind == data.Time) {
			t.noArray = refusal(http.StatusUnsupportedMediaType, "the column %s of the model is a %s, and an array has numbers; send application/json", quote(in.Name), in.Kind)
		}
	}
	for _, l := range c.Left {
		t.known[l.Name] = true
	}
	for _, name := range c.Labels {
		t.known[name] = true
	}
	of := func(in []data.Input, named bool) *data.Columns {
		return &data.Columns{Inputs: in, Named: named, Width: len(in), Unknown: c.Unknown, Cyclic: c.Cyclic}
	}
	t.Columns, t.array, t.loose = of(placed, true), of(placed, false), of(loose, false)
	return t
}

// alone is the number or boolean that a text is, or nil where it marks a missing value. A word among numbers would make
// texts of all of them.
func (t *table) alone(k int, text string) (any, error) {
	in := t.Inputs[k]
	in.Place, in.Gap, in.Strict = 0, true, false
	f, err := data.NewFrame(in.Name)
	if err == nil {
		err = f.Append(text)
	}
	if err != nil {
		return nil, err
	}
	c := &data.Columns{Inputs: []data.Input{in}, Named: true, Width: 1, Unknown: data.UnknownError}
	set, err := c.Set(f)
	if err != nil {
		return nil, err
	}
	x, err := set.Dense()
	if err != nil {
		return nil, err
	}
	if v := x.Float64s(); v[1] == 0 {
		return v[0], nil
	}
	return nil, nil
}
