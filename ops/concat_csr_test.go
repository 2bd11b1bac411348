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
		got, err := ops.ConcatCSR(scales, ops.Attr{}, parts...)
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
		other, err := a.As(map[tensor.Dtype]tensor.Dtype{tensor.Float64: tensor.Float32, tensor.Float32: tensor.Float64}[dt], "test")
		if dt == tensor.Float32 && err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			err  error
			want error
		}{
			"no part": {second(ops.ConcatCSR(nil, ops.Attr{})), ops.ErrShape},
			"scales":  {second(ops.ConcatCSR([]float64{1}, ops.Attr{}, a, a)), ops.ErrShape},
			"rows":    {second(ops.ConcatCSR([]float64{1, 1}, ops.Attr{}, a, a.Slice(0, 1))), ops.ErrShape},
			"type":    {second(ops.ConcatCSR([]float64{1, 1}, ops.Attr{}, a, other)), ops.ErrDtype},
			"nil":     {second(ops.ConcatCSR([]float64{1, 1}, ops.Attr{}, a, nil)), ops.ErrShape},
		} {
			if !errors.Is(c.err, c.want) {
				t.Errorf("%s: %v, want %v", name, c.err, c.want)
			}
		}
	}
}
