package layers_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// piecewise is the kernel of the map in closed form: min(x, z) in different bins, h (j + ab) in the same.
func piecewise(x, z, r float64, bins int) float64 {
	if x, z = math.Min(x, r), math.Min(z, r); r == 0 {
		return 0
	}
	h := r / float64(bins)
	j := math.Min(math.Floor(x/h), float64(bins-1))
	if j != math.Min(math.Floor(z/h), float64(bins-1)) {
		return math.Min(x, z)
	}
	return h * (j + (x/h-j)*(z/h-j))
}

// TestMajiBerg: inner products of the dense encoding are the closed form, to 1e-12. The weights v of the sparse
// encoding give the values of the weights w of the dense one, and vᵀHv is wᵀw, whatever w is. The rows are the sample,
// larger values, the borders, and a column of zeros. The sparse encoding has two numbers other than 0 a column.
func TestMajiBerg(t *testing.T) {
	const n, d = 31, 5
	sample, rng := histograms(tensor.Float64, 29, d, 1), rand.New(rand.NewPCG(1, 0))
	for i := range 29 {
		sample.Float64s()[i*d+3] = 0
	}
	for _, bins := range []int{1, 2, 7, 64} {
		l := must(layers.NewMajiBergLayer(layers.MajiBerg{Bins: bins}, sample))
		r, s := l.Ranges(), must(l.Sparse())
		x := mapped(histograms(tensor.Float64, n, d, 2), func(v float64) float64 { return 1.3 * v })
		cells := x.Float64s()
		for j := range d {
			cells[j], cells[d+j] = r[j], r[j]*2/7
		}
		z, sparse := must(l.Transform(nil, x)), must(s.Transform(nil, x))
		for a := range n {
			for b := range n {
				want := 0.
				for j := range d {
					want += piecewise(cells[a*d+j], cells[b*d+j], r[j], bins)
				}
				if got := inner(z, a, b); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%d bins, rows %d and %d: %v, want %v", bins, a, b, got, want)
				}
			}
		}
		csr := must(s.MapCSR(must(ops.CSROf(x))))
		if csr.Stored() > 2*n*d || !slices.Equal(must(csr.Dense(nil)).Float64s(), sparse.Float64s()) {
			t.Errorf("%d bins: %d numbers of %d cells", bins, csr.Stored(), n*d)
		}
		most := (r[0]+r[1]+r[2]+r[4])/float64(bins)/4 + 1e-12
		if e := gramError(spectral.Intersection{}, l, sample).Max; e > most {
			t.Errorf("%d bins: error %v, more than a quarter of a bin a column", bins, e)
		}
		w := mat.NewDense(d*bins, 1, nil)
		for i := range d * bins {
			w.Set(i, 0, rng.NormFloat64())
		}
		v, penalty := must(l.SparseWeights(w)), 0.
		for j := range d {
			part := v.ColView(0).(*mat.VecDense).SliceVec(j*bins, (j+1)*bins)
			penalty += mat.Inner(part, l.Regulariser(), part)
		}
		var dense, folded mat.Dense
		dense.Mul(mat.NewDense(n, d*bins, z.Float64s()), w)
		folded.Mul(mat.NewDense(n, d*bins, sparse.Float64s()), v)
		if ww := mat.Dot(w.ColView(0), w.ColView(0)); !mat.EqualApprox(&dense, &folded, 1e-12) ||
			math.Abs(penalty-ww) > 1e-12*ww {
			t.Errorf("%d bins: the encodings have other values, or vᵀHv = %v is not wᵀw = %v", bins, penalty, ww)
		}
	}
}
