package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func TestBags(t *testing.T) {
	x := rowsOf(2, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60)
	b, err := ops.NewBags(x, []int{0, 1, 4, 6})
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got *ops.Bags, offsets []int, want ...float64) {
		t.Helper()
		if !slices.Equal(got.Offsets(), offsets) || !slices.Equal(got.Samples().Float64s(), want) ||
			got.Len() != len(offsets)-1 {
			t.Errorf("%s: %v, %v of %v", what, got, got.Samples().Float64s(), got.Offsets())
		}
	}
	same("Slice", b.Slice(1, 2), []int{0, 3}, 2, 20, 3, 30, 4, 40)
	same("Take", b.Take([]int{2, 0, 0}), []int{0, 2, 3, 4}, 5, 50, 6, 60, 1, 10, 1, 10)
	same("Axis", b.Axis(1), []int{0, 1, 4, 6}, 10, 20, 30, 40, 50, 60)
	if got := b.Slice(2, 2); got.Len() != 0 || !got.Samples().Shape().Eq(tensor.Shape{0, 2}) || b.Take(nil).Len() != 0 {
		t.Errorf("no bags: %v", got)
	}
	if got := b.Bag(1); !got.Shape().Eq(tensor.Shape{3, 2}) || got.Float64s()[5] != 40 || b.Size(1) != 3 ||
		b.Axes() != 2 || b.Dtype() != tensor.Float64 {
		t.Errorf("bag 1 is %v", got)
	}
	if s := b.String(); s != "3 bags of float64 (6, 2)" {
		t.Errorf("String: %s", s)
	}
	one := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float32{.5, .25}))
	if f, err := ops.NewBags(one, []int{0, 1, 2}); err != nil || f.Take([]int{1}).Samples().Float32s()[0] != .25 {
		t.Errorf("float32: %v, %v", f, err)
	}
	if view, err := x.Slice(G.S(0, 6, 2), nil); err != nil {
		t.Error(err)
	} else if v, err := ops.NewBags(view.(*tensor.Dense), []int{0, 3}); err != nil || v.Samples().Float64s()[2] != 3 {
		t.Errorf("a view: %v, %v", v, err)
	}
}

func TestBagsErrors(t *testing.T) {
	x := rowsOf(2, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		x       *tensor.Dense
		offsets []int
		is      error
		says    string
	}{
		{nil, []int{0}, ops.ErrShape, "nil"},
		{vector(1, 2), []int{0, 2}, ops.ErrShape, "want [N, l]"},
		{tensor.New(tensor.WithShape(2, 1), tensor.Of(tensor.Int)), []int{0, 2}, ops.ErrDtype, "int"},
		{x, nil, ops.ErrShape, "begin with 0"},
		{x, []int{1, 3}, ops.ErrShape, "begin with 0"},
		{x, []int{0, 2, 2, 3}, ops.ErrShape, "bag 1 is empty"},
		{x, []int{0, 2, 1, 3}, ops.ErrShape, "bag 1 has the rows 2 to 1"},
		{x, []int{0, 2}, ops.ErrShape, "end at 2 and there are 3"},
	} {
		if _, err := ops.NewBags(c.x, c.offsets); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.offsets, err, c.says)
		}
	}
	for _, v := range []float64{-1e-300, 1 + 2e-16} {
		err := ops.CheckRows(domain.UnitCube(), "f", rowsOf(2, 0, 1, .5, v))
		if !errors.Is(err, ops.ErrDomain) || !strings.Contains(err.Error(), "x[1,1]") ||
			!strings.Contains(err.Error(), "outside the unit cube") || domain.UnitCube().Contains(v) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if err := ops.CheckRows(domain.UnitCube(), "f", rowsOf(2, 0, 1, .5, .25)); err != nil {
		t.Error(err)
	}
}
