package data

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

func TestReadBags(t *testing.T) {
	for _, c := range []struct {
		text   string
		o      Options
		x      []float64
		offs   []int
		ids    []string
		labels []string
		y      []float64
	}{
		{"bag,label,x1,x2\na,+1,1,2\nb,0,3,4\na,1.0,5,6\n", Options{}, []float64{1, 2, 5, 6, 3, 4}, []int{0, 2, 3}, []string{"a", "b"}, []string{"1", "0"}, nil},
		{"x1,bag,label\n7,a,2.5\n", Options{Task: Regression}, []float64{7}, []int{0, 1}, []string{"a"}, nil, []float64{2.5}},
		{"bag,x1\n2,7\n1,8\n1,9\n", Options{Label: LabelNone}, []float64{7, 8, 9}, []int{0, 1, 3}, []string{"2", "1"}, nil, nil},
		{"x1,label,bag\n2,7,1\n", Options{Label: LabelNone}, []float64{2, 7}, []int{0, 1}, []string{"1"}, nil, nil},
	} {
		s, err := ReadBagsCSV(strings.NewReader(c.text), "f.csv", c.o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.Bags.Samples().Float64s(), c.x) || !slices.Equal(s.Bags.Offsets(), c.offs) || !slices.Equal(s.IDs, c.ids) ||
			!slices.Equal(s.Labels, c.labels) || !slices.Equal(s.Y, c.y) || len(s.Names) != s.Bags.Dims() || s.Names[0] != "x1" {
			t.Errorf("%q: %+v", c.text, s)
		}
	}
}

func TestReadBagsErrors(t *testing.T) {
	for _, c := range []struct {
		text     string
		o        Options
		sentinel error
		says     []string
	}{
		{"", Options{}, ErrFormat, []string{"is empty"}},
		{"bag,label,x1\n", Options{}, ErrFormat, []string{"no samples"}},
		{"1,0,3\n", Options{}, ErrFormat, []string{"f.csv:1", `"bag"`}},
		{"bag,x1\n", Options{}, ErrFormat, []string{`"label"`, "LabelNone"}},
		{"bag,label\n1,1\n", Options{}, ErrFormat, []string{"no coordinate"}},
		{"bag,label,bag,x\n", Options{}, ErrFormat, []string{"twice"}},
		{"bag,label,x1\n1,0,2\n", Options{Dims: 2}, domain.ErrShape, []string{"1 coordinates, want 2"}},
		{"bag,label,x1\n1,0,2\n1,1,3\n", Options{}, ErrFormat, []string{"f.csv:3", `bag "1"`, "one label"}},
		{"bag,label,x1\n1,0,2\n1,0.5,3\n", Options{Task: Regression}, ErrFormat, []string{"f.csv:3", "one label"}},
		{"bag,label,x1\n,0,2\n", Options{}, ErrFormat, []string{"f.csv:2", "no name"}},
		{"bag,label,x1\n1,0,oops\n", Options{}, ErrFormat, []string{"f.csv:2", `column 3 ("x1")`, "oops"}},
		{"bag,label,x1\n1,0,2\n2,0,NaN\n", Options{}, domain.ErrDomain, []string{"f.csv:3", "x[1,0] = NaN"}},
		{"bag,label,x1\n1,0\n", Options{}, ErrFormat, []string{"f.csv:2", "fields"}},
		{"bag,label,x1\n1,,2\n", Options{}, ErrFormat, []string{"f.csv:2", "label is empty"}},
		{"bag,label,x1\n1,0,2\n1,0,2\n", Options{MaxCells: 1}, ErrFormat, []string{"1 cells"}},
	} {
		_, err := ReadBagsCSV(strings.NewReader(c.text), "f.csv", c.o)
		fails(t, err, c.sentinel, append(c.says, "f.csv")...)
	}
	if _, err := ReadBags("no such file", Options{}); err == nil {
		t.Error("a file that is not there is read")
	}
}

// TestRealBags: the counts that are published for Musk 1.
func TestRealBags(t *testing.T) {
	s, err := ReadBags(realFile(t, "bags/musk1.csv.gz"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	positive := 0
	for _, l := range s.Labels {
		if l == "1" {
			positive++
		}
	}
	if s.Bags.Len() != 92 || s.Bags.Samples().Shape()[0] != 476 || s.Bags.Dims() != 166 || positive != 47 || len(s.Labels) != 92 {
		t.Errorf("%v, %d positive", s.Bags, positive)
	}
}

func TestCube(t *testing.T) {
	train, err := ops.NewBags(dense64(3, 3, 1, 7, -2, 2, 7, 0, 5, 7, 2), []int{0, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	var c Cube
	if _, err := c.Apply(train); err == nil {
		t.Error("a cube that is not fitted scales")
	}
	if err := c.Fit(train); err != nil {
		t.Fatal(err)
	}
	got, err := c.Apply(train)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "scaled", got.Samples().Float64s(), []float64{0, 0, 0, .25, 0, .5, 1, 0, 1}, 1e-15)
	if got.Len() != 2 || train.Samples().Float64s()[0] != 1 {
		t.Errorf("%v, and the bags that came in now begin with %v", got, train.Samples().Float64s()[0])
	}
	beyond, err := ops.NewBags(dense32(2, 3, 3, 7, 0, 9, 7, -6), []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Apply(beyond)
	fails(t, err, domain.ErrDomain, "data: Cube", "x[1,0] = 2", "clip")
	c.Clip = true
	if got, err = c.Apply(beyond); err != nil {
		t.Fatal(err)
	}
	if v := got.Samples().Float32s(); !slices.Equal(v, []float32{.5, 0, .5, 1, 0, 0}) {
		t.Errorf("clipped: %v", v)
	}
	again := Cube{Clip: true}
	if err := again.Range.SetState(c.Range.State()); err != nil {
		t.Fatal(err)
	}
	if again, err := again.Apply(beyond); err != nil || !slices.Equal(again.Samples().Float32s(), got.Samples().Float32s()) {
		t.Errorf("another cube of the same state: %v, %v", again, err)
	}
	bad, _ := ops.NewBags(dense64(1, 3, 1, math.NaN(), 2), []int{0, 1})
	_, err = c.Apply(bad)
	fails(t, err, domain.ErrDomain, "x[0,1] = NaN")
	narrow, _ := ops.NewBags(tensor.New(tensor.WithShape(1, 1), tensor.Of(tensor.Float64)), []int{0, 1})
	_, err = c.Apply(narrow)
	fails(t, err, domain.ErrShape, "3 columns")
}
