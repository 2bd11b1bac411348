package ops_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestHDD: each coefficient by its formula, with exact zeros of p = 0, in both precisions and from a column-major
// tensor.
func TestHDD(t *testing.T) {
	cells := []float64{0, 1, .3, 5e-324, 2, 1e300, 1e-300, 7, 0, 0, 0, 0}
	lambda, roots := []float64{.2, 1.7}, []float64{.6, .3}
	phi := []float64{1, -.5, 1, .3, 1, .8, 1, -.2}
	want := func(row []float64, j, wave, b int) (sum float64) {
		for v, p := range row {
			if p > 0 {
				ln := math.Log(p*0x1p600) - 600*math.Ln2 // package math's assembly has no logarithm of denormal numbers
				if p > 1 {
					ln = math.Log(p)
				}
				s, c := math.Sincos(lambda[j] * ln)
				sum += phi[2*v+b] * roots[j] * math.Sqrt(p) * [2]float64{c, s}[wave]
			}
		}
		return sum
	}
	z := must(ops.HDDInto(nil, rowsOf(4, cells...), vector(lambda...), vector(roots...), rowsOf(2, phi...), false,
		ops.Attr{}))
	for i, got := range z.Float64s() {
		row, j, wave, b := i/8, i/4%2, i/2%2, i%2
		if w := want(cells[4*row:4*row+4], j, wave, b); !(math.Abs(got-w) <= 1e-14*(math.Abs(w)+1)) ||
			row == 2 && got != 0 {
			t.Errorf("row %d, frequency %d, wave %d, basis %d: %v, want %v", row, j, wave, b, got, w)
		}
	}
	even := must(ops.HDDInto(nil, rowsOf(4, .25, 0, 4, 1), vector(0), vector(.5), rowsOf(2, phi...), true, ops.Attr{}))
	if v := even.Float64s(); len(v) != 2 || !(math.Abs(v[0]-1.75) < 1e-15) {
		t.Errorf("cosines only: %v", v)
	}
	low := tensor.New(tensor.WithShape(1, 4), tensor.WithBacking([]float32{0, 1e-45, .3, 2}))
	f := must(ops.HDDInto(nil, low, entries(tensor.Float32, lambda...), entries(tensor.Float32, roots...),
		matrix32(4, 2, phi...), false, ops.Attr{}))
	for i, got := range f.Float32s() {
		if w := want([]float64{0, float64(float32(1e-45)), .3, 2}, i/4, i/2%2,
			i%2); !(math.Abs(float64(got)-w) <= 1e-6) {
			t.Errorf("float32: %d is %v, want %v", i, got, w)
		}
	}
	none := tensor.New(tensor.WithShape(0, 4), tensor.Of(tensor.Float64))
	if z := must(ops.HDDInto(nil, none, vector(lambda...), vector(roots...), rowsOf(2, phi...), false,
		ops.Attr{})); !z.Shape().Eq(tensor.Shape{0, 8}) {
		t.Errorf("no densities: %v", z.Shape())
	}
}

func matrix32(n, d int, v ...float64) *tensor.Dense {
	t := entries(tensor.Float32, v...)
	if err := t.Reshape(n, d); err != nil {
		panic(err)
	}
	return t
}

// TestHDDAtZero: the gradient at p = 0 is 0, and next to it, where the slope grows as p^{-1/2}, the true one.
func TestHDDAtZero(t *testing.T) {
	v := []float64{0, 5e-324, 1e-300, 1e-12, 1, 1e12, 1e300}
	g := G.NewGraph()
	node := func(name string, value *tensor.Dense) *G.Node {
		return G.NewTensor(g, G.Float64, value.Dims(), G.WithShape(value.Shape()...), G.WithName(name),
			G.WithValue(value))
	}
	ones := make([]float64, len(v))
	for i := range ones {
		ones[i] = 1
	}
	p := node("p", rowsOf(len(v), v...))
	z := must(ops.HDD(p, node("lambda", vector(.66)), node("r", vector(.8)), node("basis", rowsOf(1, ones...)), false,
		ops.Attr{}))
	grads, err := G.Grad(G.Must(G.Sum(z)), p)
	if err != nil {
		t.Fatal(err)
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	for i, got := range grads[0].Value().(*tensor.Dense).Float64s() {
		if v[i] == 0 {
			if got != 0 {
				t.Errorf("the gradient at 0 is %v", got)
			}
			continue
		}
		ln := math.Log(v[i]*0x1p600) - 600*math.Ln2
		if v[i] > 1 {
			ln = math.Log(v[i])
		}
		s, c := math.Sincos(.66 * ln)
		if want := .8 / math.Sqrt(v[i]) * ((c+s)/2 + .66*(c-s)); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("the gradient at %v is %v, want %v", v[i], got, want)
		}
	}
}

func TestHDDErrors(t *testing.T) {
	p, phi := rowsOf(2, .5, 1, 1, 2), rowsOf(3, 1, 1, 1, 1, 1, 1)
	hdd := func(p, l, r, phi *tensor.Dense) error {
		return second(ops.HDDInto(nil, p, l, r, phi, false, ops.Attr{Layer: "f"}))
	}
	for i, c := range []struct {
		err, is error
		says    string
	}{
		{hdd(rowsOf(2, .5, 1, -1, 2), vector(1), vector(1), phi), ops.ErrDomain, "f: x[1,0] = -1 is negative"},
		{hdd(rowsOf(2, .5, 1, 1, math.Inf(1)), vector(1), vector(1), phi), ops.ErrDomain, "x[1,1] = +Inf"},
		{hdd(p, vector(math.NaN()), vector(1), phi), ops.ErrDomain, "λ ln p of row 0"},
		{hdd(rowsOf(2, 1, 1, 1e9, 2), vector(math.MaxFloat64), vector(1), phi), ops.ErrDomain, "λ ln p of row 1"},
		{hdd(p, vector(1, 2), vector(1), phi), ops.ErrShape, "2 frequencies λ and 1 roots"},
		{hdd(rowsOf(1, 1), vector(1), vector(1), phi), ops.ErrShape, "p is (1, 1) and Φ (2, 3)"},
		{hdd(p, entries(tensor.Float32, 1), vector(1), phi), ops.ErrDtype, "λ float32"},
		{second(ops.HDDInto(rowsOf(2, 1, 2), p, vector(1), vector(1), phi, false, ops.Attr{})), ops.ErrShape,
			"dst has shape"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%d: %v, want %q", i, c.err, c.says)
		}
	}
}

// Two densities on four points. Squared distances of their embeddings are, with one frequency, an estimate of the total
// variation, and the coefficients may be differentiated for the densities, for the frequency, and for the samples that
// KDE makes densities of.
func ExampleHDD() {
	// a function a point: √4 there, times the weight 1/4
	basis := tensor.New(tensor.WithShape(4, 4), tensor.Of(tensor.Float64))
	for i := range 4 {
		basis.Float64s()[5*i] = .5
	}
	p := tensor.New(tensor.WithShape(2, 4), tensor.WithBacking([]float64{0, 1, 1, 2, 1, 1.5, 1, .5}))
	z, err := ops.HDDInto(nil, p, vector(.5), vector(1), basis, false, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, v := 0.0, z.Float64s()
	for i := range 8 {
		sum += (v[i] - v[8+i]) * (v[i] - v[8+i])
	}
	fmt.Printf("exact %.3f, at the median frequency %.3f\n", (1+.5+0+1.5)/4, sum)
	// Output: exact 0.750, at the median frequency 0.516
}
