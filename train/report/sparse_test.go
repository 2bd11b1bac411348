package report

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestSparseRows: kernel matrices and reports agree between sparse and dense rows, in one block of rows and in
// several.
func TestSparseRows(t *testing.T) {
	for _, d := range []int{19, spreadCells/3 - 1} {
		n, rng := 5, rand.New(rand.NewPCG(2, 2))
		x := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64))
		for i := 1; i < n; i++ { // the first row has zeros alone
			for range 5 {
				x.Float64s()[i*d+rng.IntN(d)] = rng.Float64()
			}
		}
		sparse := must(ops.CSROf(x))
		k := spectral.Gaussian{Sigma: 1}
		want := must(spectral.Gram(k, x, nil))
		if got, err := ExactGram(k, sparse); err != nil || !mat.Equal(got, want) {
			t.Errorf("%d columns: another exact matrix, %v", d, err)
		}
		if got, err := ExactGram(k, x); err != nil || !mat.Equal(got, want) {
			t.Errorf("%d columns: another exact matrix of dense rows, %v", d, err)
		}
		draw := func(seed uint64) (Map, error) { return layers.NewFourierLayer(k, d, 4, layers.WithSeed(seed)) }
		m, _ := draw(1)
		a := must(ApproxGram(m, x))
		if b, err := ApproxGram(m, sparse); err != nil || !mat.EqualApprox(a, b, 1e-12) {
			t.Errorf("%d columns: another approximate matrix, %v", d, err)
		}
		tilted := func(x, z []float64) float64 { return k.At(x, z) + .01 }
		r := must(KernelErrorAgainst(tilted, k, draw, sparse, []uint64{1, 2}))
		s := must(KernelErrorAgainst(tilted, k, draw, x, []uint64{1, 2}))
		if math.Abs(r.Mean.RMS-s.Mean.RMS) > 1e-12 || math.Abs(r.ExpectedBias.Mean-s.ExpectedBias.Mean) > 1e-12 {
			t.Errorf("%d columns: %+v, of dense rows %+v", d, r.Mean, s.Mean)
		}
		for i, e := range r.ByDistance {
			near(t, "distance", e.Distance, s.ByDistance[i].Distance, 1e-15)
		}
	}
}

func TestSparseRowsErrors(t *testing.T) {
	row := must(ops.NewCSR(3, 2, []int{0, 1, 1, 2}, []int32{0, 1}, []float64{1, -1}))
	wantErr(t, failed(ExactGram(spectral.ExpSemigroup{Beta: 1}, row)), ErrDomain, "x[2,1] = -1")
	wantErr(t, failed(ExactGram(spectral.Gaussian{Sigma: -1}, row)), ErrParam)
	if g, err := ExactGram(spectral.Gaussian{Sigma: 1}, row.Slice(1, 1)); err != nil || !g.IsEmpty() {
		t.Errorf("no rows: %v, %v", g, err)
	}
	m := must(layers.NewIdentity(2))
	wantErr(t, failed(ApproxGram(m, row.Slice(1, 1))), ErrShape, "at least one row")
	wantErr(t, failed(ApproxGram(m, row.TakeColumns(0, 1, 1))), ErrShape, "x has 1 columns")
	tall := must(ops.NewCSR(20000, 2, make([]int, 20001), nil, []float64{}))
	wantErr(t, failed(ExactGram(spectral.Gaussian{Sigma: 1}, tall)), ErrShape, "20000 rows")
}

// TestSparseLinear: the linear kernel of sparse rows and the inner products of their Identity are those of the dense
// rows, and of a million columns there is no dense copy.
func TestSparseLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n, d, wide = 30, 19, 1 << 20
	x := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64))
	for i := range x.Float64s() {
		if rng.IntN(3) == 0 {
			x.Float64s()[i] = rng.NormFloat64()
		}
	}
	sparse := must(ops.CSROf(x))
	want := must(spectral.Gram(spectral.Linear{}, x, nil))
	cols := slices.Clone(sparse.Columns())
	for i := range cols {
		cols[i] *= wide / d
	}
	far := must(ops.NewCSR(n, wide, sparse.Pointers(), cols, sparse.Float64s()))
	for _, x := range []*ops.CSR{sparse, far} {
		id := must(layers.NewIdentity(x.Cols()))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		exact := must(ExactGram(spectral.Linear{}, x))
		approx := must(ApproxGram(id, x))
		runtime.ReadMemStats(&after)
		if !mat.EqualApprox(exact, want, 1e-12) || !mat.Equal(exact, approx) {
			t.Errorf("%d columns: another matrix", x.Cols())
		}
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(3*8*x.Cols()+1<<20); got > most {
			t.Errorf("%d columns: %d bytes were allocated, want at most %d, some rows", x.Cols(), got, most)
		}
	}
	sparse.Float64s()[7] = math.Inf(1)
	wantErr(t, failed(ExactGram(spectral.Linear{}, sparse)), ErrDomain, "+Inf")
}
