package ops_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

func csr(x *tensor.Dense) *ops.CSR { return must(ops.CSROf(x)) }

// TestCSRConversions: there and back, and the parts, hold the cells of the dense matrix; the number of rows and of
// columns may be 0.
func TestCSRConversions(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		x := holes(dt, 7, 5, 1)
		s := csr(x)
		same := func(what string, got *ops.CSR, rows, cols []int) {
			t.Helper()
			d := must(got.Dense(nil))
			var want []float64
			for _, i := range rows {
				for _, j := range cols {
					want = append(want, at2(x, i, j))
				}
			}
			if !slices.Equal(all(d), want) || got.Dtype() != dt || got.Rows() != len(rows) || got.Cols() != len(cols) {
				t.Errorf("%v: %s is %v, %v, want %v", dt, what, got, all(d), want)
			}
		}
		every, cols := []int{0, 1, 2, 3, 4, 5, 6}, []int{0, 1, 2, 3, 4}
		same("x", s, every, cols)
		same("a slice", s.Slice(2, 5), every[2:5], cols)
		same("a slice of a slice", s.Slice(2, 6).Slice(1, 3), every[3:5], cols)
		same("no rows", s.Slice(3, 3), nil, cols)
		same("some rows", s.Take([]int{6, 0, 6}), []int{6, 0, 6}, cols)
		same("some columns", s.TakeColumns(1, 4, 1), every, cols[1:4])
		same("a slice transposed twice", s.Slice(2, 5).Transposed().Transposed(), every[2:5], cols)
		if across := must(s.Slice(2, 5).Transposed().Dense(nil)); at2(across, 4, 1) != at2(x, 3, 4) {
			t.Errorf("%v: the transpose of a slice is %v", dt, all(across))
		}
		same("a clone of a slice", s.Slice(2, 5).Clone().(*ops.CSR), every[2:5], cols)
		if z := s.ZeroValue().(*ops.CSR); z.Stored() != 0 || !z.Shape().Eq(s.Shape()) || s.Stored() == 0 {
			t.Errorf("the zero value is %v of %v", z, s)
		}
		part := s.Slice(2, 5)
		if n := part.Stored(); n != len(part.Clone().(*ops.CSR).Columns()) ||
			!strings.Contains(part.String(), "(3, 5)") {
			t.Errorf("%v stores %d", part, n)
		}
		double, err := s.TakeColumns(0, 5, 2).Dense(nil)
		if err != nil || at2(double, 6, 4) != 2*at2(x, 6, 4) {
			t.Errorf("twice x is %v, %v", double, err)
		}
	}
	s := csr(holes(tensor.Float64, 7, 5, 1))
	single, err := s.As(tensor.Float32, "test")
	if err != nil || single.Dtype() != tensor.Float32 || single.Float64s() != nil ||
		single.Float32s()[0] != float32(s.Float64s()[0]) {
		t.Errorf("as float32: %v, %v", single, err)
	}
	if back, err := single.As(tensor.Float64, "test"); err != nil ||
		back.Float64s()[0] != float64(single.Float32s()[0]) {
		t.Errorf("back: %v, %v", back, err)
	}
}

func TestCSRErrors(t *testing.T) {
	two := []float64{1, 2}
	for name, c := range map[string]struct {
		rows, cols int
		ptr        []int
		col        []int32
		val        any
		sentinel   error
		text       string
	}{
		"type":      {1, 3, []int{0, 1}, []int32{0}, []int{1}, ops.ErrDtype, "[]int"},
		"rows":      {-1, 3, []int{}, nil, two, ops.ErrShape, "-1 rows"},
		"pointers":  {2, 3, []int{0, 2}, []int32{0, 1}, two, ops.ErrShape, "2 row pointers for 2 rows"},
		"lengths":   {1, 3, []int{0, 2}, []int32{0}, two, ops.ErrShape, "1 columns and 2 values"},
		"start":     {1, 3, []int{1, 2}, []int32{0, 1}, two, ops.ErrShape, "from 1 to 2"},
		"end":       {1, 3, []int{0, 1}, []int32{0, 1}, two, ops.ErrShape, "to the 2 values"},
		"falling":   {3, 3, []int{0, 2, 1, 2}, []int32{0, 1}, two, ops.ErrShape, "row 1"},
		"beyond":    {2, 3, []int{0, 9, 2}, []int32{0, 1}, two, ops.ErrShape, "row 0"},
		"column":    {1, 3, []int{0, 2}, []int32{0, 3}, two, ops.ErrShape, "column 3 of 3"},
		"negative":  {1, 3, []int{0, 2}, []int32{-1, 2}, two, ops.ErrShape, "column -1"},
		"unsorted":  {1, 3, []int{0, 2}, []int32{2, 0}, two, ops.ErrShape, "column 0 after column 2"},
		"duplicate": {1, 3, []int{0, 2}, []int32{2, 2}, two, ops.ErrShape, "column 2 after column 2"},
	} {
		x, err := ops.NewCSR(c.rows, c.cols, c.ptr, c.col, c.val)
		if wantErr(t, err, c.sentinel, c.text); x != nil {
			t.Errorf("%s: %v beside the error", name, x)
		}
	}
	x := func(v float64) *ops.CSR { return must(ops.NewCSR(2, 5, []int{0, 0, 1}, []int32{3}, []float64{v})) }
	wantErr(t, second(x(1e300).As(tensor.Float32, "test")), ops.ErrDomain, "x[1,3]")
	wantErr(t, second(x(1e-300).As(tensor.Float32, "test")), ops.ErrDomain, "x[1,3]")
	wantErr(t, second(x(1).As(tensor.Int, "test")), ops.ErrDtype, "test")
	wantErr(t, second(x(1).Dense(rowsOf(4, 1, 2, 3, 4, 5, 6, 7, 8))), ops.ErrShape, "")
	wantErr(t, second(ops.CSROf(vector(1, 2, 3))), ops.ErrShape, "")
}

// TestPartsSparse: sparse parts side by side, and multiplied, are the cells of dense ones, to the bit, also of parts of
// rows and of columns.
func TestPartsSparse(t *testing.T) {
	for _, op := range []func([]float64, ops.Attr) ops.Op{ops.Concat, ops.Kronecker} {
		join := func(scales []float64, parts ...ops.Matrix) (*ops.CSR, error) {
			return op(scales, ops.Attr{}).Sparse(parts[0].(*ops.CSR), parts[1:]...)
		}
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			a, other := csr(holes(dt, 4, 3, 1)), csr(holes(otherType(dt), 4, 3, 1))
			scales, dense := []float64{.3, -2, 0, 1}, []ops.Matrix(nil)
			parts := []ops.Matrix{a.Slice(1, 4), a.Slice(0, 3), a.TakeColumns(1, 2, 1).Slice(1, 4),
				a.TakeColumns(2, 2, 1).Slice(0, 3)}
			for _, p := range parts {
				dense = append(dense, must(p.(*ops.CSR).Dense(nil)))
			}
			for n := 1; n <= len(parts); n++ { // two have no zero scale, three no part without columns
				got := must(must(join(scales[:n], parts[:n]...)).Dense(nil))
				want := must(op(scales[:n], ops.Attr{}).Into(nil, dense[0], dense[1:n]...))
				if !got.Shape().Eq(want.Shape()) || !slices.Equal(all(got), all(want)) {
					t.Errorf("%v: %v, want %v", dt, got, want)
				}
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
}
