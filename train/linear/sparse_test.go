package linear

import (
	"slices"
	"testing"

	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
)

// TestSparseBlocks: blocks of which a sixteenth at most is not 0 have the sums of their definition, with weights and
// with a large column in two rows of three. Blocks with more, or with a fuller column, are summed as dense ones.
func TestSparseBlocks(t *testing.T) {
	const n, d = 600, 400
	x := sparseRows(n, d, 1)
	for j := range d {
		x.Float64s()[j*d+j] = 1 // none is 0 throughout
	}
	for i := range n {
		if x.Float64s()[i*d+7] = 0; i%3 > 0 {
			x.Float64s()[i*d+7] = 1e6 + float64(i%5)
		}
	}
	_, y, _ := trial.Overlapping(t, n, 3, 3)
	for _, weights := range [][]float64{nil, trial.ClassTimes} {
		s, w := RidgeStats{ClassWeights: weights}, slices.Repeat([]float64{1}, n)
		for i := range w {
			if weights != nil {
				w[i] = weights[given.ArgMax(y.RawRowView(i))]
			}
		}
		for _, lo := range []int{0, 200} {
			xs, ys := trial.RowsOf(x, y, lo, 200+2*lo)
			ok(t, s.Add(xs, ys))
		}
		if e := sumsApart(&s, weighted(trial.MatOf(x), y, w)); !(e < 1e-12) {
			t.Errorf("weights %v: the sums are off by %.2g", weights, e)
		}
	}
	sparse := func(x *mat.Dense) bool {
		n, d := x.Dims()
		b := &ridgeBlock{z: x.RawMatrix().Data}
		b.n, b.mass, b.meanZ = n, float64(n), make([]float64, d)
		return sparsely(b) != nil
	}
	full, dense := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		full.Set(i, 3, 1)
		for j := range d/16 + 1 {
			dense.Set(i, (i+j)%d, 1)
		}
	}
	if !sparse(trial.MatOf(x)) || sparse(full) || sparse(dense) {
		t.Errorf("sparse: %v, with a full column %v, with many cells %v", sparse(trial.MatOf(x)), sparse(full), sparse(dense))
	}
}
