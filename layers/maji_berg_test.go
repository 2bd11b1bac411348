package layers_test

import (
	"context"
	"math"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
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

// TestMajiBergKernel: the dense encoding has the closed form as its inner products, and so has the sparse encoding
// under H⁻¹, to 1e-12. The rows are the sample, larger values, the borders, and a column of zeros. The sparse encoding
// has two numbers other than 0 a column.
func TestMajiBergKernel(t *testing.T) {
	const d = 5
	sample := histograms(tensor.Float64, 29, d, 1)
	for i := range 29 {
		sample.Float64s()[i*d+3] = 0
	}
	for _, bins := range []int{1, 2, 7, 64} {
		l := must(layers.NewMajiBergLayer(layers.MajiBerg{Bins: bins}, sample))
		r := l.Ranges()
		x := mapped(histograms(tensor.Float64, 31, d, 2), func(v float64) float64 { return 1.3 * v })
		for j := range d {
			x.Float64s()[j], x.Float64s()[d+j] = r[j], r[j]*2/7
		}
		s := must(l.Sparse())
		z, sz := must(l.Transform(nil, x)), must(s.Transform(nil, x))
		var h mat.Cholesky
		regulariser := mat.NewSymDense(bins, nil)
		regulariser.CopySym(l.Regulariser())
		if !h.Factorize(regulariser) {
			t.Fatal("H is not positive definite")
		}
		for a := range 31 {
			for b := range 31 {
				want, got, folded := 0.0, inner(z, a, b), 0.0
				for j := range d {
					want += piecewise(x.Float64s()[a*d+j], x.Float64s()[b*d+j], r[j], bins)
					part := func(i int) *mat.VecDense {
						at := (i*d + j) * bins
						return mat.NewVecDense(bins, sz.Float64s()[at:at+bins])
					}
					var solved mat.VecDense
					must(0, h.SolveVecTo(&solved, part(b)))
					folded += mat.Dot(part(a), &solved)
				}
				if math.Abs(got-want) > 1e-12 || math.Abs(folded-want) > 1e-12 {
					t.Fatalf("%d bins, rows %d and %d: %v dense, %v sparse under H⁻¹, want %v", bins, a, b, got, folded,
						want)
				}
			}
		}
		csr := must(s.MapCSR(must(ops.CSROf(x))))
		if csr.Stored() > 2*31*d || !slices.Equal(must(csr.Dense(nil)).Float64s(), sz.Float64s()) {
			t.Errorf("%d bins: %d numbers of %d cells", bins, csr.Stored(), 31*d)
		}
		most := (r[0]+r[1]+r[2]+r[4])/float64(bins)/4 + 1e-12
		if e := gramError(spectral.Intersection{}, l, sample).Max; e > most {
			t.Errorf("%d bins: error %v, more than a quarter of a bin a column", bins, e)
		}
	}
}

// TestMajiBergWeights: ridge on the dense encoding and its weights on the sparse one are one function, and vᵀHv is wᵀw:
// the solution of the system with the regulariser, which is solved beside.
func TestMajiBergWeights(t *testing.T) {
	const n, d, bins, lambda = 97, 3, 7, 1e-3
	x := histograms(tensor.Float64, n, d, 1)
	y := mat.NewDense(n, 2, nil)
	for i := range n {
		y.Set(i, 0, math.Sin(5*x.Float64s()[i*d]))
		y.Set(i, 1, x.Float64s()[i*d+1]*x.Float64s()[i*d+2])
	}
	l := must(layers.NewMajiBergLayer(layers.MajiBerg{Bins: bins}, x))
	fit := must(linear.FitRidge(context.Background(), l, data.Pairs{X: x, Y: y},
		linear.RidgeOptions{Lambdas: []float64{lambda}}))
	v, s := must(l.SparseWeights(fit.W)), must(l.Sparse())
	h := l.Regulariser()

	var a, b mat.Dense
	z, sz := matOf(must(l.Transform(nil, x))), matOf(must(s.Transform(nil, x)))
	a.Mul(z, fit.W)
	b.Mul(sz, v)
	if !mat.EqualApprox(&a, &b, 1e-12) {
		t.Error("the two encodings predict otherwise")
	}
	for target := range 2 {
		ww, vv := 0.0, 0.0
		for j := range d {
			w, v := fit.W.ColView(target).(*mat.VecDense).SliceVec(j*bins, (j+1)*bins),
				v.ColView(target).(*mat.VecDense).SliceVec(j*bins, (j+1)*bins)
			ww += mat.Dot(w, w)
			vv += mat.Inner(v, h, v)
		}
		if math.Abs(ww-vv) > 1e-12*ww {
			t.Errorf("wᵀw = %v, vᵀHv = %v", ww, vv)
		}
	}
	// (Sᵀ S + λ s H) v = Sᵀ y of centred columns, with the s of the dense encoding.
	for _, m := range []*mat.Dense{z, sz, y} {
		_, cols := m.Dims()
		for j := range cols {
			mean := mat.Sum(m.ColView(j)) / n
			for i := range n {
				m.Set(i, j, m.At(i, j)-mean)
			}
		}
	}
	scale := mat.Norm(z, 2) * mat.Norm(z, 2) / n
	var system, right, solved mat.Dense
	system.Mul(sz.T(), sz)
	right.Mul(sz.T(), y)
	for i := range d * bins {
		for j := range d * bins {
			if i/bins == j/bins {
				system.Set(i, j, system.At(i, j)+lambda*scale*h.At(i%bins, j%bins))
			}
		}
	}
	must(0, solved.Solve(&system, &right))
	if !mat.EqualApprox(&solved, v, 1e-9) {
		t.Error("the weights do not solve the system with the regulariser")
	}
}

// matOf is a matrix over a copy of a tensor.
func matOf(t *tensor.Dense) *mat.Dense {
	return mat.NewDense(t.Shape()[0], t.Shape()[1], slices.Clone(t.Float64s()))
}
