package ops_test

import (
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestConcatSparse: sparse matrices side by side are the cells of dense ones, to the bit, also of parts of rows and of
// columns.
func TestConcatSparse(t *testing.T) {
	join := func(scales []float64, parts ...ops.Matrix) (*ops.CSR, error) {
		return ops.Concat(scales, ops.Attr{}).Sparse(parts[0].(*ops.CSR), parts[1:]...)
	}
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		a, other := csr(t, holes(dt, 4, 3, 1)), csr(t, holes(otherType(dt), 4, 3, 1))
		scales, dense := []float64{.3, 0, -2, 1}, []ops.Matrix(nil)
		parts := []ops.Matrix{a.Slice(1, 4), a.TakeColumns(1, 2, 1).Slice(1, 4), a.Slice(0, 3),
			a.TakeColumns(2, 2, 1).Slice(0, 3)}
		for _, p := range parts {
			dense = append(dense, must(p.(*ops.CSR).Dense(nil)))
		}
		got := must(must(join(scales, parts...)).Dense(nil))
		if want := must(ops.Concat(scales, ops.Attr{}).Into(nil, dense[0], dense[1:]...)); !got.Eq(want) {
			t.Errorf("%v: %v, want %v", dt, got, want)
		}
		wide := must(ops.NewCSR(1, 1<<30+1, []int{0, 0}, nil, []float64{}))
		for says, err := range map[string]error{
			"no scales":                   second(join(nil, a)),
			"2 inputs, want 1":            second(join([]float64{1}, a, a)),
			"input 1 has shape (1, 3)":    second(join([]float64{1, 1}, a, a.Slice(0, 1))),
			"input 1 is nil":              second(join([]float64{1, 1}, a, (*ops.CSR)(nil))),
			"more than 2147483647 column": second(join([]float64{1, 1}, wide, wide)),
		} {
			wantErr(t, err, ops.ErrShape, says)
		}
		wantErr(t, second(join([]float64{1, 1}, a, other)), ops.ErrDtype, "give both one type")
		wantErr(t, second(join([]float64{1, 1}, parts[0], dense[0])), ops.ErrParam, "make them dense")
	}
}
