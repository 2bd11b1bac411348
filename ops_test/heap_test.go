package ops_test

import (
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/blas"
	"gorgonia.org/tensor"
)

// TestHeap: with the caller's dst, Transform returns that dst, and that of a frozen random map allocates nothing. The homogeneous maps and
// what is made of them, the maps whose rows are brought to a length, a map that is being tuned and so packs its weights anew, and the BLAS of the generic path allocate some objects,
// whatever the number of rows.
func TestHeap(t *testing.T) {
	forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
		d := v.dims(5)
		l := v.build(t, d, 7, 1, tuned(p))
		count := func(n int) float64 {
			x, dst := v.rows(n, d, 1), matrix(tensor.Float64, n, l.Features(), 0)
			return testing.AllocsPerRun(10, func() {
				if z, err := l.Transform(dst, x); err != nil || z != dst {
					t.Fatalf("dst is not what is returned, err %v", err)
				}
			})
		}
		if some := count(1000); p == layers.Frozen && v.form != fitted && v.random(d) != nil && !lifted(v.kernel, v.values) && v.way() == "" && blas.ISA() != "generic" && some > 0 {
			t.Errorf("%v: %v allocations", l, some)
		}
		if few, many := count(3), count(1000); few > 96 || many > few+5 {
			t.Errorf("%v: %v allocations for 3 rows, %v for 1000", l, few, many)
		}
	})
}

// TestDst: a dst of another shape, or one that is not contiguous, is an error that names the layer.
func TestDst(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		l, x := v.build(t, v.dims(5), 7, 1), v.rows(3, v.dims(5), 1)
		wide := matrix(tensor.Float64, 3, l.Features()+2, 0)
		part := slice(t, wide, all, between(1, 1+l.Features()))
		for _, dst := range []*tensor.Dense{wide, matrix(tensor.Float64, 2, l.Features(), 0), part} {
			_, err := l.Transform(dst, x)
			wantErr(t, err, layers.ErrShape, l.Name(), "dst")
		}
	})
}
