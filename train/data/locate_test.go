package data

import (
	"errors"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// TestLocateAll: a set of several files knows the file of each row, and its line where the files are tables of text.
func TestLocateAll(t *testing.T) {
	first, second := fileOf(t, "first.csv", "a,b,y\n1,u,p\n2,v,q\n"), fileOf(t, "second.csv", "a,b,y\n\n3,v,p\n4,u,q\n")
	third := fileOf(t, "third.npy", arrayOf("<f8", "False", "(1, 2)", []float64{5, 1}))
	columns := must(must(ReadFrame(t.Context(), Options{}, first)).Learn(ColumnOptions{}))
	cell := domain.NonNegative().Violation("map m", 3, 1, -3)
	for _, c := range []struct {
		o     Options
		files []string
		want  string
	}{
		{Options{Columns: columns}, []string{first, second}, "second.csv:4: map m: x[1,1] = -3 is negative"},
		{Options{Header: HeaderYes, Columns: columns}, []string{second, first}, "first.csv:3: map m: x[1,1] = -3 is negative"},
	} {
		set := must(ReadAll(t.Context(), c.o, c.files...))
		fails(t, set.Locate(cell), domain.ErrDomain, c.want)
		if file, row := set.Place(3); file != c.files[1] || row != 1 {
			t.Errorf("the fourth row is row %d of %s", row, file)
		}
	}
	numbers := fileOf(t, "numbers.csv", "1,0\n2,1\n3,1\n")
	fails(t, must(ReadAll(t.Context(), Options{}, numbers, third)).Locate(cell), domain.ErrDomain, "third.npy: map m: x[0,1] = -3")
}

// TestSetLocate: the file is named once, and cells, rows and bags are counted as in it, however often rows were taken.
func TestSetLocate(t *testing.T) {
	cell := domain.NonNegative().Violation("map m", 2, 1, -3)
	norm := &domain.RowError{Who: "data: a.csv: rows", Row: 1, Norm: 2}
	x := tensor.New(tensor.WithShape(20, 2), tensor.Of(tensor.Float64))
	bags := must(ops.NewBags(x, []int{0, 5, 10, 20}))
	rows, sets := &Set{X: x, Source: "a.csv"}, &Set{X: bags, Source: "a.csv"}
	for _, c := range []struct {
		set  *Set
		err  error
		want string
	}{
		{rows, cell, "a.csv: map m: x[2,1] = -3 is negative"},
		{rows.Take([]int{4, 7, 19}), cell, "a.csv: map m: x[19,1] = -3 is negative"},
		{rows.Take([]int{4, 7, 19}).Take([]int{2, 2, 0}), cell, "a.csv: map m: x[4,1] = -3 is negative"},
		{rows.Take([]int{4, 7, 19}), errors.Join(cell), "a.csv: map m: x[19,1] = -3"},
		{rows.Take([]int{4, 7}), norm, "data: a.csv: rows: row 7 has norm 2"},
		{rows, norm, "data: a.csv: rows: row 1 has norm 2"},
		{rows, domain.ErrShape, "a.csv: shape does not fit"},
		{&Set{X: x}, domain.ErrShape, "shape does not fit"},
		{&Set{X: x}, cell, "map m: x[2,1] = -3 is negative"},
		{rows.Take([]int{4, 7}), &domain.CellError{Who: "map m", Matrix: "W", Row: 3, Value: -2, Reason: "is negative"}, "a.csv: map m: W[3,0] = -2 is negative"},
		{sets.Take([]int{2, 1}), bags.InBag(domain.NonNegative().Violation("map m", 7, 1, -3)), "a.csv: map m: bag 1"},
	} {
		err := c.set.Locate(c.err)
		if !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err, domain.ErrDomain) && !errors.Is(err, domain.ErrShape) {
			t.Errorf("%v became %v, want %s", c.err, err, c.want)
		}
	}
	if err := rows.Locate(nil); err != nil {
		t.Errorf("no error became %v", err)
	}
	if err := cell.(*domain.CellError); err.Row != 2 || err.Who != "map m" {
		t.Errorf("Locate changed the error that it was given: %v", err)
	}
}
