package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestNets: the functions of numbers, and the softmax of rows, against their formulas, of small and huge numbers, in
// place and to a new tensor.
func TestNets(t *testing.T) {
	each := func(f func(x float64) float64) func(row []float64) []float64 {
		return func(row []float64) (z []float64) {
			for _, v := range row {
				z = append(z, f(v))
			}
			return z
		}
	}
	softmax := func(row []float64) []float64 {
		z, sum := each(func(x float64) float64 { return math.Exp(x - slices.Max(row)) })(row), 0.0
		for _, e := range z {
			sum += e
		}
		return each(func(e float64) float64 { return e / sum })(z)
	}
	for name, c := range map[string]struct {
		op   ops.Op
		want func(row []float64) []float64
	}{
		"linear": {ops.Activate(ops.Linear, ops.Attr{}), each(func(x float64) float64 { return x })},
		"relu":   {ops.Activate(ops.ReLU, ops.Attr{}), each(func(x float64) float64 { return math.Max(0, x) })},
		"tanh":   {ops.Activate(ops.Tanh, ops.Attr{}), each(math.Tanh)},
		"sigmoid": {ops.Activate(ops.Sigmoid, ops.Attr{}), each(func(x float64) float64 {
			return 1 / (1 + math.Exp(-x))
		})},
		"softplus": {ops.Activate(ops.Softplus, ops.Attr{}), each(func(x float64) float64 {
			return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
		})},
		"softmax": {ops.Softmax(ops.Attr{}), softmax},
	} {
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			huge, tol, least := 1e300, 1e-15, 0.0
			if dt == tensor.Float32 {
				huge, tol, least = 3e38, 2e-7, 1e-45
			}
			x := matrix(dt, 9, 3, 0, 0, 0, 1, 2, 3, -1, .5, -1e-12, -1e30, 0, 1e30, huge, huge, huge, 40, -40, 800,
				-700, 1e-300, -800, 5, -huge, math.Inf(-1), -1, -2, -3)
			z, inPlace := must(c.op.Into(nil, x)), x.Clone().(*tensor.Dense)
			must(c.op.Into(inPlace, inPlace))
			for i := range 9 {
				row := all(x)[3*i : 3*i+3]
				for j, w := range c.want(row) {
					got := at2(z, i, j)
					if got != w && !(math.Abs(got-w) <= tol*math.Abs(w)+least) || got != at2(inPlace, i, j) {
						t.Errorf("%v, %s of %v is %v in cell %d, in place %v, want %v", dt, name, row, got, j,
							at2(inPlace, i, j), w)
					}
				}
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
