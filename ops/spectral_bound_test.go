package ops_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func spectralBound(c float64) build {
	return func(a ops.Attr, in ...*G.Node) (*G.Node, error) { return ops.SpectralBound(in[0], c, a) }
}

// TestSpectralBound: against gonum's singular values, of wide, tall and square matrices, of tiny and huge numbers, of both
// element types, in place and to a new tensor. Matrices within the bound and zeros stay as they are.
func TestSpectralBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, shape := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {5, 5}, {3, 70}, {150, 90}} {
		for _, size := range []float64{1, 1e-200, 1e200} {
			d, m := shape[0], shape[1]
			cells := make([]float64, d*m)
			for i := range cells {
				cells[i] = rng.NormFloat64()
			}
			var svd mat.SVD
			svd.Factorize(mat.NewDense(d, m, append([]float64(nil), cells...)), mat.SVDNone)
			sigma := svd.Values(nil)[0] * size
			for i := range cells {
				cells[i] *= size
			}
			w := tensor.New(tensor.WithShape(d, m), tensor.WithBacking(cells))
			for _, share := range []float64{.3, 1.7} {
				z := must(ops.SpectralBoundInto(nil, w, share*sigma, ops.Attr{}))
				copied := w.Clone().(*tensor.Dense)
				must(ops.SpectralBoundInto(copied, copied, share*sigma, ops.Attr{}))
				for i, v := range cells {
					want := v * math.Min(1, share)
					if got := at(z, i); math.Abs(got-want) > 1e-13*math.Abs(want) || got != at(copied, i) || share > 1 && got != v {
						t.Fatalf("%v of size %v, bound %v σ: %v, in place %v, want %v", shape, size, share, got, at(copied, i), want)
					}
				}
			}
			if size != 1 {
				continue
			}
			f := make([]float32, len(cells))
			for i, v := range cells {
				f[i] = float32(v)
			}
			z := must(ops.SpectralBoundInto(nil, tensor.New(tensor.WithShape(d, m), tensor.WithBacking(f)), sigma/2, ops.Attr{}))
			for i, v := range f {
				if got := at(z, i); math.Abs(got-float64(v)/2) > 1e-6*math.Abs(float64(v)) {
					t.Fatalf("%v in float32: %v, want %v", shape, got, v/2)
				}
			}
		}
	}
	zero := tensor.New(tensor.WithShape(3, 4), tensor.Of(tensor.Float64))
	for i := range 12 {
		if v := at(must(ops.SpectralBoundInto(nil, zero, 1, ops.Attr{})), i); v != 0 {
			t.Errorf("a zero became %v", v)
		}
	}
	for _, c := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := ops.SpectralBoundInto(nil, zero, c, ops.Attr{}); !errors.Is(err, ops.ErrParam) {
			t.Errorf("bound %v: %v", c, err)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		zero.Float64s()[5] = v
		if _, err := ops.SpectralBoundInto(nil, zero, 1, ops.Attr{}); !errors.Is(err, ops.ErrDomain) {
			t.Errorf("%v in W: %v", v, err)
		}
	}
}

// BenchmarkSpectralBound is of a layer of 784 columns and 512 features.
func BenchmarkSpectralBound(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 9))
	w := tensor.New(tensor.WithShape(784, 512), tensor.Of(tensor.Float64))
	for i := range w.Float64s() {
		w.Float64s()[i] = .1 * (rng.Float64() - .5)
	}
	for b.Loop() {
		must(ops.SpectralBoundInto(nil, w, 1, ops.Attr{}))
	}
}
