package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestActivate: each function against its formula, of small and huge numbers, in place and to a new tensor.
func TestActivate(t *testing.T) {
	cells := []float64{0, 1, -1, 1e-300, -1e-12, 40, -40, 800, -800, 1e300, -1e300, .5}
	for f, want := range map[ops.Activation]func(x float64) float64{
		ops.Linear:   func(x float64) float64 { return x },
		ops.ReLU:     func(x float64) float64 { return math.Max(0, x) },
		ops.Tanh:     math.Tanh,
		ops.Sigmoid:  func(x float64) float64 { return (1 + math.Tanh(x/2)) / 2 },
		ops.Softplus: func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
	} {
		x := rowsOf(4, cells...)
		z := must(ops.Activate(f, ops.Attr{}).Into(nil, x))
		must(ops.Activate(f, ops.Attr{}).Into(x, x))
		for i, v := range cells {
			w := want(v)
			if f == ops.Sigmoid && v < -30 { // whose formula above has no digits there
				w = math.Exp(v)
			}
			if got := at(z, i); math.Abs(got-w) > 1e-15*math.Abs(w) || got != at(x, i) {
				t.Errorf("%v of %v is %v, in place %v, want %v", f, v, got, at(x, i), w)
			}
		}
	}
}

// TestNormalise: rows of either norm, of tiny, huge and no numbers, and NaN.
func TestNormalise(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		least, most := 1e-300, 1e300
		if dt == tensor.Float32 {
			least, most = 1e-37, 3e38
		}
		for n, third := range map[ops.Norm]float64{ops.L1: 3. / 7, ops.L2: .6} {
			x := matrix(dt, 4, 2, 3, -4, 3*least, -4*least, .75*most, -most, 0, 0)
			z := must(ops.Normalise(n, ops.Attr{}).Into(nil, x))
			for i := range 3 {
				if got := at(z, 2*i); math.Abs(got-third) > 1e-6 {
					t.Errorf("%v, %v: row %d starts with %v, want %v", dt, n, i, got, third)
				}
			}
			if at(z, 6) != 0 || at(z, 7) != 0 {
				t.Errorf("a row of zeros is %v, %v", at(z, 6), at(z, 7))
			}
		}
	}
	row := []float64{3, 4}
	if z := ops.L2.Of(row, row); z[0] != .6 || z[1] != .8 {
		t.Errorf("Of is %v", z)
	}
}

// TestHuber: a parabola up to δ, a line beyond.
func TestHuber(t *testing.T) {
	for r, want := range map[float64]float64{0: 0, 1: .5, -2: 2, 3: 4, -10: 18, 1e300: 2e300} {
		if got := ops.HuberLoss(r, 2); math.Abs(got-want) > 1e-15*want {
			t.Errorf("the loss of %v is %v, want %v", r, got, want)
		}
	}
}

// TestSoftmax: the function against its formula, of small and huge numbers, to a new tensor, in place and from a
// transpose.
func TestSoftmax(t *testing.T) {
	const n, k = 6, 3
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		tol, huge := 1e-15, 1e300
		if dt == tensor.Float32 {
			tol, huge = 1e-7, 3e38
		}
		cells := []float64{0, 0, 0, 1, 2, 3, -1e30, 0, 1e30, huge, huge, huge, -700, 1e-300, -800, 5, -huge,
			math.Inf(-1)}
		x := matrix(dt, n, k, cells...)
		o, want := ops.Softmax(ops.Attr{}), []float64(nil)
		for i := range n {
			row := []float64{at(x, k*i), at(x, k*i+1), at(x, k*i+2)}
			top, sum := slices.Max(row), 0.0
			for _, v := range row {
				sum += math.Exp(v - top)
			}
			for _, v := range row {
				want = append(want, math.Exp(v-top)/sum)
			}
		}
		inPlace := x.Clone().(*tensor.Dense)
		for name, z := range map[string]*tensor.Dense{
			"new":         must(o.Into(nil, x)),
			"in place":    must(o.Into(inPlace, inPlace)),
			"a transpose": must(o.Into(nil, transposed(x))),
		} {
			for j, w := range want {
				if got := at(z, j); !(math.Abs(got-w) <= tol*(1+math.Abs(w))) {
					t.Errorf("%v, %s: cell %d is %v, want %v", dt, name, j, got, w)
				}
			}
		}
	}
}
