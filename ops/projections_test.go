package ops_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// writtenOut is the W [d, m] of signs and norms by its formula, from the Hadamard matrix.
func writtenOut(d int, signs, norms *tensor.Dense, rho float64) *tensor.Dense {
	p, m := signs.Shape()[1], norms.Shape()[0]
	h := func(i, j int) float64 { return float64(1 - 2*(bits.OnesCount(uint(i&j))%2)) }
	w := tensor.New(tensor.WithShape(d, m), tensor.Of(tensor.Float64))
	for i := range d {
		for j := range m {
			row, first := j%p, j/p*3
			v := 0.0
			for a := range p {
				for b := range p {
					v += h(row, a) * at2(signs, first+2, a) * h(a, b) * at2(signs, first+1, b) * h(b, i) * at2(signs,
						first, i)
				}
			}
			w.Float64s()[i*m+j] = math.Exp(-rho) * math.Pow(float64(p), -1.5) * at(norms, j) * v
		}
	}
	return w
}

// TestStructuredFourier: the features, in both forms, agree with the formula.
func TestStructuredFourier(t *testing.T) {
	for _, c := range []struct{ n, d, p, m int }{{1, 1, 1, 1}, {5, 3, 4, 7}, {2, 16, 16, 16}, {7, 13, 16, 37},
		{3, 17, 32, 5}, {3, 49, 64, 3}} {
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			signs := uniform(dt, 3*((c.m+c.p-1)/c.p), c.p, 1)
			for i, v := range all(signs) {
				setAt(signs, i, 2*math.Round(v)-1)
			}
			x, rho, norms, b := holes(dt, c.n, c.d, 1), entries(dt, .25), uniform(dt, 1, c.m, 2), uniform(dt, 1, c.m, 3)
			norms, b = entries(dt, all(norms)...), entries(dt, all(b)...)
			w := writtenOut(c.d, signs, norms, .25)
			projection := func(i, j int) (p float64) {
				for l := range c.d {
					p += at2(x, i, l) * at2(w, l, j)
				}
				return p
			}
			o, in := ops.StructuredFourier(ops.Attr{}), []ops.Matrix{signs, norms, rho}
			agrees(t, c, o, x, in, 2*c.m, func(i, j int) float64 {
				s, cos := math.Sincos(projection(i, j%c.m))
				return [2]float64{cos, s}[j/c.m] / math.Sqrt(float64(c.m))
			})
			agrees(t, c, o, x, append(in, b), c.m, func(i, j int) float64 {
				return math.Sqrt(2/float64(c.m)) * math.Cos(projection(i, j)+at(b, j))
			})
		}
	}
}

// agrees compares the features of dense rows, and of the same rows sparse, with a formula.
func agrees(t *testing.T, what any, o ops.Op, x *tensor.Dense, in []ops.Matrix, cols int, want func(i, j int) float64) {
	t.Helper()
	tol := map[tensor.Dtype]float64{tensor.Float64: 1e-14, tensor.Float32: 2e-6}[x.Dtype()]
	for _, rows := range []ops.Matrix{x, csr(x)} {
		z := must(o.Into(nil, rows, in...))
		if !z.Shape().Eq(tensor.Shape{x.Shape()[0], cols}) {
			t.Fatalf("%+v, %T: features %v", what, rows, z.Shape())
		}
		for i := range x.Shape()[0] {
			for j := range cols {
				if w := want(i, j); !(math.Abs(at2(z, i, j)-w) <= tol*(1+math.Abs(w))) {
					t.Fatalf("%+v, %T, %v: feature [%d,%d] is %v, want %v", what, rows, x.Dtype(), i, j, at2(z, i, j), w)
				}
			}
		}
	}
}

// TestSignedFourier: the features agree with the formula.
func TestSignedFourier(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		for _, c := range []struct{ n, d, q, m, blocks int }{{5, 3, 7, 7, 2}, {5, 3, 14, 7, 2}, {5, 3, 7, 7, 1},
			{1, 1, 1, 1, 2}, {67, 5, 11, 11, 3}} {
			x, u := holes(dt, c.n, c.d, 3), uniform(dt, c.d, c.q, 4)
			norms := entries(dt, all(uniform(dt, 1, c.blocks*c.m, 5))...)
			roots := entries(dt, all(uniform(dt, 1, c.blocks, 6))...)
			in, cols := []ops.Matrix{u, norms, roots}, 2*c.m*c.blocks
			agrees(t, c, ops.SignedFourier(ops.Attr{}), x, in, cols, func(i, j int) float64 {
				p, b, wave := 0., j/(2*c.m), j/c.m%2
				k := b*c.m + j%c.m
				for l := range c.d {
					p += at2(x, i, l) * at2(u, l, k%c.q)
				}
				s, cos := math.Sincos(p * at(norms, k))
				return at(roots, b) / math.Sqrt(float64(c.m)) * [2]float64{cos, s}[wave]
			})
		}
	}
}

// TestMaclaurin: the features agree with the formula.
func TestMaclaurin(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		w, degrees, scales := products(dt)
		for _, n := range []int{1, 11} {
			x := holes(dt, n, 3, 7)
			agrees(t, n, ops.Maclaurin(ops.Attr{}), x, []ops.Matrix{w, degrees, scales}, 7, func(i, k int) float64 {
				want := at(scales, k) / math.Sqrt(7)
				for j := range int(at(degrees, k)) {
					p := 0.
					for l := range 3 {
						p += at2(x, i, l) * at2(w, l, j*7+k)
					}
					want *= p
				}
				return want
			})
		}
	}
}

// TestMaclaurinAtZero: where a projection is 0 the gradient is the product of the other factors, and no division makes
// it NaN.
func TestMaclaurinAtZero(t *testing.T) {
	g := G.NewGraph()
	x := leaf(g, "x", rowsOf(2, 1, 1))
	// the factors x₁ - x₂ and x₁ + x₂
	w, degree, scale := leaf(g, "W", rowsOf(2, 1, 1, -1, 1)), leaf(g, "degrees", vector(2)), leaf(g, "scales", vector(3))
	z := must(ops.Maclaurin(ops.Attr{}).Node(x, w, degree, scale))
	grads := slopes(t, z, x)
	if dx := grads[0]; dx[0] != 6 || dx[1] != -6 ||
		z.Value().(*tensor.Dense).Float64s()[0] != 0 {
		t.Errorf("the derivative of 3(x₁²-x₂²) at (1, 1) is %v, of the value %v", dx, z.Value())
	}
}

// tensored is the sketch by its definition, without a transform: every tuple of p coordinates adds the product of its
// numbers, times their signs, to the bucket that its buckets sum to.
func tensored(x []float64, buckets, signs *tensor.Dense, m int) []float64 {
	z := make([]float64, m)
	p, d := buckets.Shape()[0], len(x)
	for tuple := range int(math.Pow(float64(d), float64(p))) {
		product, bucket := 1., 0
		for j := range p {
			i := tuple % d
			tuple /= d
			product *= x[i] * at2(signs, j, i)
			bucket += int(at2(buckets, j, i))
		}
		z[bucket%m] += product
	}
	return z
}

// TestTensorSketch: the features agree with the definition, for odd and even numbers of columns, and for one.
func TestTensorSketch(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		for _, c := range []struct{ n, p, m int }{{5, 1, 7}, {5, 2, 8}, {11, 3, 7}, {3, 3, 1}, {2, 2, 2}, {1, 4, 30}} {
			buckets, signs := sketches(dt, c.p, c.m)
			x := holes(dt, c.n, 3, 7)
			o, in := ops.TensorSketch(c.m, .5, .3, ops.Attr{}), []ops.Matrix{buckets, signs}
			agrees(t, c, o, x, in, c.m, func(i, j int) float64 {
				row := []float64{0, 0, 0, math.Sqrt(.3)}
				for l := range 3 {
					row[l] = math.Sqrt(.5) * at2(x, i, l)
				}
				return tensored(row, buckets, signs, c.m)[j]
			})
		}
	}
}
