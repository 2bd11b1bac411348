package ops_test

import (
	"errors"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestConcatCSR: sparse matrices side by side are what ColumnsInto makes of them, to the bit, also of parts of rows and of columns.
func TestConcatCSR(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		a, err := ops.CSROf(tensor.New(tensor.WithShape(4, 3), tensor.WithBacking([]float64{0, 1, 0, 2, 0, 3, 0, 0, 0, -4, 5, .1})))
		if err != nil {
			t.Fatal(err)
		}
		if a, err = a.As(dt, "test"); err != nil {
			t.Fatal(err)
		}
		parts, scales := []*ops.CSR{a.Slice(1, 4), a.TakeColumns(1, 2, 1).Slice(1, 4), a.Slice(0, 3), a.TakeColumns(2, 2, 1).Slice(0, 3)}, []float64{.3, 0, -2, 1}
		got, err := ops.Concat(scales, ops.Attr{}).Sparse(parts[0], parts[1], parts[2], parts[3])
		if err != nil {
			t.Fatal(err)
		}
		want, at := tensor.New(tensor.WithShape(3, 7), tensor.Of(dt)), 0
		for i, p := range parts {
			if p.Cols() == 0 {
				continue
			}
			if err := ops.ColumnsInto(want, at, p, 0, p.Cols(), scales[i]); err != nil {
				t.Fatal(err)
			}
			at += p.Cols()
		}
		dense, err := got.Dense(nil)
		if err != nil || !dense.Eq(want) {
			t.Errorf("%v: %v, want %v, err %v", dt, dense, want, err)
		}
		wide := must(ops.NewCSR(1, 1<<30+1, []int{0, 0}, nil, []float64{}))
		other, err := a.As(map[tensor.Dtype]tensor.Dtype{tensor.Float64: tensor.Float32, tensor.Float32: tensor.Float64}[dt], "test")
		if dt == tensor.Float32 && err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			err  error
			want error
		}{
			"no part": {second(ops.Concat(nil, ops.Attr{}).Sparse(a)), ops.ErrShape},
			"scales":  {second(ops.Concat([]float64{1}, ops.Attr{}).Sparse(a, a)), ops.ErrShape},
			"rows":    {second(ops.Concat([]float64{1, 1}, ops.Attr{}).Sparse(a, a.Slice(0, 1))), ops.ErrShape},
			"type":    {second(ops.Concat([]float64{1, 1}, ops.Attr{}).Sparse(a, other)), ops.ErrDtype},
			"nil":     {second(ops.Concat([]float64{1, 1}, ops.Attr{}).Sparse(a, nil)), ops.ErrShape},
			"dense":   {second(ops.Concat([]float64{1, 1}, ops.Attr{}).Sparse(a, want)), ops.ErrShape},
			"columns": {second(ops.Concat([]float64{1, 1}, ops.Attr{}).Sparse(wide, wide)), ops.ErrShape},
		} {
			if !errors.Is(c.err, c.want) {
				t.Errorf("%s: %v, want %v", name, c.err, c.want)
			}
		}
	}
}
