package data

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

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
