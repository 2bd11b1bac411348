package ops_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// randomMatrix is normal numbers, the same for the same seed.
func randomMatrix(dt tensor.Dtype, n, d int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
	for i := range n * d {
		if dt == tensor.Float32 {
			x.Float32s()[i] = float32(rng.NormFloat64())
		} else {
			x.Float64s()[i] = rng.NormFloat64()
		}
	}
	return x
}

// coefficients are those on two functions at v points.
func coefficients(p *G.Node, v int, a ops.Attr) (*G.Node, error) {
	basis := G.NewMatrix(p.Graph(), p.Dtype(), G.WithShape(v, 2), G.WithName("basis"),
		G.WithValue(randomMatrix(p.Dtype(), v, 2, 1)))
	return ops.Coefficients(p, basis, a)
}

// TestBagMean: the mean of the rows of each bag, in both element types, of views and of no bags.
func TestBagMean(t *testing.T) {
	x := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 5, 8, 9}))
	want := []float64{1, 2, 5.5, 7}
	if got := must(ops.BagMeanInto(nil, x, []int{0, 1, 3}, ops.Attr{})); !slices.Equal(got.Float64s(), want) {
		t.Errorf("%v, want %v", got, want)
	}
	turned := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 3, 8, 2, 5, 9}))
	if err := turned.T(); err != nil {
		t.Fatal(err)
	}
	if got := must(ops.BagMeanInto(nil, turned, []int{0, 1, 3}, ops.Attr{})); !slices.Equal(got.Float64s(), want) {
		t.Errorf("a transpose: %v, want %v", got, want)
	}
	big := tensor.New(tensor.WithShape(1<<17, 1), tensor.Of(tensor.Float32))
	for i := range big.Float32s() {
		big.Float32s()[i] = .1
	}
	if got := must(ops.BagMeanInto(nil, big, []int{0, 1 << 17}, ops.Attr{})); got.Float32s()[0] != .1 {
		t.Errorf("the mean of 2^17 times .1 is %v in float32", got)
	}
	if got := must(ops.BagMeanInto(nil, tensor.New(tensor.WithShape(0, 2), tensor.Of(tensor.Float64)), []int{0},
		ops.Attr{})); got.Shape()[0] != 0 {
		t.Errorf("no bags: %v", got.Shape())
	}
}

// TestCoefficients: k functions side by side have the coefficients of each, side by side, and a whole basis keeps
// distances.
func TestCoefficients(t *testing.T) {
	p, basis := randomMatrix(tensor.Float64, 5, 6, 1), randomMatrix(tensor.Float64, 3, 2, 2)
	got := must(ops.CoefficientsInto(nil, p, basis, ops.Attr{})).Float64s()
	for i := range 5 {
		for k := range 2 {
			for j := range 2 {
				want := 0.0
				for v := range 3 {
					want += p.Float64s()[i*6+k*3+v] * basis.Float64s()[v*2+j]
				}
				if math.Abs(got[i*4+k*2+j]-want) > 1e-14 {
					t.Errorf("coefficient %d of function %d of row %d is %v, want %v", j, k, i, got[i*4+k*2+j], want)
				}
			}
		}
	}
}

func TestBagMeanErrors(t *testing.T) {
	g := G.NewGraph()
	z := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2), G.WithName("z"))
	x, basis := randomMatrix(tensor.Float64, 3, 4, 1), randomMatrix(tensor.Float64, 3, 2, 1)
	nan := randomMatrix(tensor.Float64, 3, 3, 1)
	nan.Float64s()[4] = math.NaN()
	for i, c := range []struct {
		err, is error
		says    string
	}{
		{second(ops.BagMean(z, []int{0, 2}, ops.Attr{})), ops.ErrShape, "end at 2 and there are 3"},
		{second(ops.BagMean(z, []int{0, 1, 1, 3}, ops.Attr{})), ops.ErrShape, "bag 1 is empty"},
		{second(ops.BagMeanInto(nil, x, []int{0, 2}, ops.Attr{Layer: "l"})), ops.ErrShape, "l: the offsets end at 2"},
		{second(ops.BagMeanInto(x, x, []int{0, 3}, ops.Attr{})), ops.ErrShape, "dst has shape (3, 4)"},
		{second(ops.CoefficientsInto(nil, x, basis, ops.Attr{})), ops.ErrShape, "or a multiple of V"},
		{second(ops.CoefficientsInto(nil, nan, basis, ops.Attr{})), ops.ErrDomain, "x[1,1] = NaN"},
		{second(ops.CoefficientsInto(nil, nan, randomMatrix(tensor.Float32, 3, 2, 1), ops.Attr{})), ops.ErrDtype,
			"float32"},
		{second(coefficients(z, 3, ops.Attr{})), ops.ErrShape, "or a multiple of V"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%d: %v, want %q", i, c.err, c.says)
		}
	}
}
