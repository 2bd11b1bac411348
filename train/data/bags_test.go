package data

import (
	"errors"
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
		{"x1,label,bag\n2,tied,1\n", Options{Label: LabelNone}, []float64{2}, []int{0, 1}, []string{"1"}, nil, nil},
	} {
		s := must(ReadBagsCSV(strings.NewReader(c.text), "f.csv", c.o))
		if !slices.Equal(s.X.(*ops.Bags).Samples().Float64s(), c.x) || !slices.Equal(s.X.(*ops.Bags).Offsets(), c.offs) || !slices.Equal(s.IDs, c.ids) ||
			!slices.Equal(s.Labels, c.labels) || !slices.Equal(s.Y, c.y) || len(s.Names) != s.Dims() || s.Names[0] != "x1" {
			t.Errorf("%q: %+v", c.text, s)
		}
	}
}

func TestReadBagsErrors(t *testing.T) {
	refuses(t, ReadBagsCSV, "f.csv", []badFile{
		{"no header", "1,0,3\n", Options{}, ErrFormat, []string{"f.csv:1", "bag, label"}},
		{"no label", "bag,x1\n", Options{}, ErrFormat, []string{`"label"`, "LabelNone"}},
		{"no features", "bag,label\n1,1\n", Options{}, ErrFormat, []string{"no features"}},
		{"two columns of bags", "bag,label,bag,x\n", Options{}, ErrFormat, []string{"column 1 and column 3"}},
		{"dims", "bag,label,x1\n1,0,2\n", Options{Dims: 2}, domain.ErrShape, []string{"1 features, want 2"}},
		{"label", "bag,label,x1\n1,0,2\n1,1,3\n", Options{}, ErrFormat, []string{"f.csv:3", `bag "1"`, "one label"}},
		{"target", "bag,label,x1\n1,0,2\n1,0.5,3\n", Options{Task: Regression}, ErrFormat, []string{"f.csv:3", "one label"}},
		{"no name of a coordinate", "bag,label,\n1,0,2\n", Options{}, ErrFormat, []string{"f.csv:1", "column 3"}},
		{"no name of a bag", "bag,label,x1\n,0,2\n", Options{}, ErrFormat, []string{"f.csv:2", "no name"}},
		{"empty label", "bag,label,x1\n1,,2\n", Options{}, ErrFormat, []string{"f.csv:2", "label is empty"}},
	})
	if _, err := ReadBags("no such file", Options{}); err == nil {
		t.Error("a file that is not there is read")
	}
}

// TestRealBags: the counts that are published for Musk 1.
func TestRealBags(t *testing.T) {
	s := must(ReadBags(realFile(t, "bags/musk1.csv.gz"), Options{}))
	positive := 0
	for _, l := range s.Labels {
		if l == "1" {
			positive++
		}
	}
	if s.Rows() != 92 || s.X.(*ops.Bags).Samples().Shape()[0] != 476 || s.Dims() != 166 || positive != 47 || len(s.Labels) != 92 {
		t.Errorf("%v, %d positive", s.X, positive)
	}
}

// TestCube: the range of all samples becomes the cube, and what later bags have beyond it the face; of minmax that is left
// outside, which a map of the unit cube refuses with the scaler to take.
func TestCube(t *testing.T) {
	bags := func(x *tensor.Dense, offsets ...int) *ops.Bags { return must(ops.NewBags(x, offsets)) }
	train, later := bags(dense64(3, 3, 1, 7, -2, 2, 7, 0, 5, 7, 2), 0, 2, 3), bags(dense32(2, 3, 3, 7, 0, 9, 7, -6), 0, 1, 2)
	cube, minmax := must(ParseScalers("cube")), must(ParseScalers("minmax"))
	mustDo(errors.Join(cube.Fit(train), minmax.Fit(train)))
	near(t, "scaled", numbers(must(cube.Apply(train))), []float64{0, 0, 0, .25, 0, .5, 1, 0, 1}, 1e-15)
	if got := numbers(must(cube.Apply(later))); !slices.Equal(got, []float64{.5, 0, .5, 1, 0, 0}) {
		t.Errorf("clipped: %v", got)
	}
	fails(t, ops.CheckRows(domain.UnitCube(), "w", must(minmax.Apply(later))), domain.ErrDomain, "w: bag 1: x[0,0] = 2", "the scaler cube")
	fails(t, failed(cube.ApplyInPlace(bags(dense64(3, 3, 1, 2, 3, 4, 5, 6, 1, math.NaN(), 2), 0, 1, 3))), domain.ErrDomain, "bag 1: x[1,1] = NaN")
	fails(t, failed(cube.ApplyInPlace(bags(dense64(1, 1, 1), 0, 1))), domain.ErrShape, "3 columns")
}

// TestSetOfBags: a set of bags is taken, cut into blocks and rounded as one of rows is.
func TestSetOfBags(t *testing.T) {
	s := must(ReadBagsCSV(strings.NewReader("bag,label,x1\na,1,1\nb,0,2\nc,1,3\nb,0,1e300\n"), "f.csv", Options{}))
	if s.Rows() != 3 || s.Dims() != 1 || strings.Join(s.LabelNames, ",") != "label" {
		t.Errorf("%d rows of %d, labels %q", s.Rows(), s.Dims(), strings.Join(s.LabelNames, ","))
	}
	part := s.Take([]int{2, 1})
	if x := part.X.(*ops.Bags); !slices.Equal(part.IDs, []string{"c", "b"}) || !slices.Equal(part.Labels, []string{"1", "0"}) || !slices.Equal(x.Samples().Float64s(), []float64{3, 2, 1e300}) {
		t.Errorf("taken: %+v", part)
	}
	sizes := 0
	for at, block := range Blocks(s.X, 2) {
		sizes += (at + 1) * block.(*ops.Bags).Samples().Shape()[0]
	}
	if sizes != 3+3 {
		t.Errorf("blocks: %d", sizes)
	}
	fails(t, failed(s.As(tensor.Float32)), domain.ErrDomain, "f.csv", "bag 1: x[1,0] = 1e+300")
	single, err := s.Take([]int{0, 2}).As(tensor.Float32)
	if err != nil || single.Dtype() != tensor.Float32 || single.Shape()[0] != 2 {
		t.Errorf("%v, %v", single, err)
	}
	fails(t, failed(s.Dense()), domain.ErrDtype, "no matrix")
}
