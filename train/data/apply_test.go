package data

import (
	"slices"
	"testing"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
)

// TestApplyLeavesItsInput: every scaler returns new rows, of dense rows, of a view, of sparse rows and of bags, which
// are those of ApplyInPlace, and x stays as it is.
func TestApplyLeavesItsInput(t *testing.T) {
	wide := dense64(4, 3, 9, 1, 8, 9, 4, 2, 9, 2, 6, 9, 0, 4)
	view := must(wide.Slice(nil, tensor.S(1, 3)))
	rows := dense64(4, 2, 1, 8, 4, 2, 2, 6, 0, 4)
	sparse := must(ops.NewCSR(4, 2, []int{0, 2, 4, 6, 7}, []int32{0, 1, 0, 1, 0, 1, 1}, []float64{1, 8, 4, 2, 2, 6, 4}))
	for _, list := range allScalers {
		for name, x := range map[string]ops.Matrix{"dense": rows, "view": view.(*tensor.Dense), "sparse": sparse, "bags": must(ops.NewBags(dense64(4, 2, 1, 8, 4, 2, 2, 6, 0, 4), []int{0, 1, 4}))} {
			if name == "sparse" && list != "" && list != "none" && list[0] != 'l' {
				continue // zeros would move
			}
			own := rows.Clone().(*tensor.Dense)
			s := must(ParseScalers(list))
			mustDo(s.Fit(rows))
			before := numbers(x)
			z, err := s.Apply(x)
			if err != nil {
				t.Errorf("%s of %s: %v", list, name, err)
				continue
			}
			if !slices.Equal(numbers(x), before) {
				t.Errorf("%s of %s changes its input", list, name)
			}
			if err := s.ApplyInPlace(own); err != nil || !slices.Equal(numbers(z), own.Float64s()) {
				t.Errorf("%s of %s: %v, in place %v, %v", list, name, numbers(z), own.Float64s(), err)
			}
		}
	}
}

// numbers are the numbers of x, row by row.
func numbers(x ops.Matrix) []float64 {
	if b, ok := x.(*ops.Bags); ok {
		x = b.Samples()
	}
	return slices.Clone(must(ops.Copy(nil, x, ops.Attr{})).Float64s())
}
