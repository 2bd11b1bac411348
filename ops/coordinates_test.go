package ops_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestHomogeneousAtZero: the gradient at 0 is 0, by definition; next to it, down to denormal numbers, it is the
// derivative, which grows as v^{γ/2-1}, and at huge numbers it is small and not lost. The stationary form has a
// derivative at 0.
func TestHomogeneousAtZero(t *testing.T) {
	h := ops.Series{F: []int{1}, Gamma: 1, Negative: domain.SignNegative}
	v := []float64{0, math.Copysign(0, -1), 5e-324, 1e-300, 1e-12, 1, 1e12, 1e300, -1e-300, -1e-12, -1e300}
	g := G.NewGraph()
	x, l, r := leaf(g, "x", rowsOf(len(v), v...)), leaf(g, "L", vector(.66)), leaf(g, "r", vector(.8, .5))
	z := must(ops.Homogeneous(h, ops.Attr{}).Node(x, l, r))
	grads := slopes(t, z, x, l, r)
	for i, got := range grads[0] {
		u := math.Abs(v[i])
		// d/dv of r₀√v + √2 r₁ √v (cos θ + sin θ), θ = L ln v, where package math's assembly has no logarithm of
		// denormal numbers
		ln := math.Log(u*0x1p600) - 600*math.Ln2
		if u > 1 {
			ln = math.Log(u)
		}
		s, c := math.Sincos(.66 * ln)
		want := (.8/2 + math.Sqrt2*.5*((c+s)/2+.66*(c-s))) / math.Sqrt(u)
		if u == 0 {
			want = 0
		}
		if !(math.Abs(got-want) <= 1e-12/math.Max(1e-170, math.Sqrt(u))) || u == 0 && got != 0 {
			t.Errorf("the derivative at %v is %v, want %v", v[i], got, want)
		}
	}
	for _, d := range grads[1:] {
		for _, got := range d {
			if got-got != 0 {
				t.Errorf("a gradient of a parameter is %v", got)
			}
		}
	}
	h.Stationary = true
	g = G.NewGraph()
	x = leaf(g, "x", rowsOf(1, 0))
	z = must(ops.Homogeneous(h, ops.Attr{}).Node(x, leaf(g, "L", vector(.66)), leaf(g, "r", vector(.8, .5))))
	if got, want := slopes(t, z, x)[0][0], math.Sqrt2*.5*.66; !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("the derivative of the stationary form at 0 is %v, want %v", got, want)
	}
}

// two columns: knots 0, 1, 2, 2 (the last repeated) with the numbers (0, 0), (3, 5), (4, 1) in u, and -1, 0, 1, 3 with
// (2, 1), (0, 0), (-1, 0), (5, 7).
var (
	tableKnots   = rowsOf(4, 0, 1, 2, 2, -1, 0, 1, 3)
	tableNumbers = rowsOf(8, 0, 0, 3, 5, 4, 1, 4, 1, 2, 1, 0, 0, -1, 0, 5, 7)
)

// TestTable: the numbers and derivatives between the knots, at them, and outside, in u = x and u = √x, constant and
// rising.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		s     ops.Tables
		x     [2]float64
		z, dx [2]float64 // of the first number of each column
	}{
		{ops.Tables{Power: 1}, [2]float64{0, 0}, [2]float64{0, 0}, [2]float64{3, -1}},
		{ops.Tables{Power: 1}, [2]float64{.5, -.25}, [2]float64{1.5, .5}, [2]float64{3, -2}},
		// a knot takes the slope of the interval above
		{ops.Tables{Power: 1}, [2]float64{1, 1}, [2]float64{3, -1}, [2]float64{1, 3}},
		{ops.Tables{Power: 1}, [2]float64{2, 3}, [2]float64{4, 5}, [2]float64{0, 0}},
		{ops.Tables{Power: 1}, [2]float64{-1, -7}, [2]float64{0, 2}, [2]float64{0, 0}},
		{ops.Tables{Power: 1, Rise: true}, [2]float64{2, 3}, [2]float64{4, 5}, [2]float64{2, 5. / 3}},
		{ops.Tables{Power: 1, Rise: true}, [2]float64{7, -7}, [2]float64{14, 14}, [2]float64{2, -2}},
		{ops.Tables{Power: 1, Rise: true}, [2]float64{-1, 0}, [2]float64{0, 0}, [2]float64{0, -1}},
		// a slope without bound counts as 0
		{ops.Tables{Power: .5}, [2]float64{0, 0}, [2]float64{0, 0}, [2]float64{0, 0}},
		{ops.Tables{Power: .5}, [2]float64{.25, -.25}, [2]float64{1.5, 1}, [2]float64{3, -2}},
		{ops.Tables{Power: .5, Rise: true}, [2]float64{16, -16}, [2]float64{8, 8}, [2]float64{2. / 8, -2. / 8}},
		{ops.Tables{Power: 2, Rise: true}, [2]float64{.5, 0}, [2]float64{.75, 0}, [2]float64{3, 0}},
		{ops.Tables{Power: .75}, [2]float64{math.Pow(1.5, 4./3), 0}, [2]float64{3.5, 0},
			[2]float64{.75 * math.Pow(1.5, -1./3), 0}},
	} {
		c.s.Points, c.s.Width = 4, 2
		x := rowsOf(2, c.x[:]...)
		z, err := ops.Table(c.s, ops.Attr{}).Into(nil, x, tableKnots, tableNumbers)
		if err != nil {
			t.Fatal(err)
		}
		dx := tableGradient(t, x, c.s)
		for j := range 2 {
			if got := z.Float64s()[2*j]; math.Abs(got-c.z[j]) > 1e-12 {
				t.Errorf("%+v at %v: %v, want %v", c.s, c.x[j], got, c.z[j])
			}
			if math.Abs(dx[j]-c.dx[j]) > 1e-12 {
				t.Errorf("%+v at %v: derivative %v, want %v", c.s, c.x[j], dx[j], c.dx[j])
			}
		}
	}
}

// tableGradient is the derivative of the first number of each column.
func tableGradient(t *testing.T, x *tensor.Dense, s ops.Tables) []float64 {
	t.Helper()
	g := G.NewGraph()
	in := leaf(g, "x", x)
	z := must(ops.Table(s, ops.Attr{}).Node(in, leaf(g, "knots", tableKnots), leaf(g, "table", tableNumbers)))
	grads := must(G.Backpropagate(G.Nodes{z}, G.Nodes{leaf(g, "g", rowsOf(4, 1, 0, 1, 0))}, G.Nodes{in}))
	run(t, g)
	return grads[0].Value().(*tensor.Dense).Float64s()
}

// TestTableCSR: sparse rows give the numbers that are not 0, of a part of the rows too; where a zero has numbers there
// is an error, and a graph makes the rows dense.
func TestTableCSR(t *testing.T) {
	o := ops.Table(ops.Tables{Points: 4, Width: 2, Power: 1}, ops.Attr{Frozen: ops.X})
	x := rowsOf(2, 0, 0, .5, 0, 0, 1, 0, -3)
	csr := must(ops.CSROf(x))
	want := must(o.Into(nil, x, tableKnots, tableNumbers))
	z, err := o.Sparse(csr, tableKnots, tableNumbers)
	if err != nil {
		t.Fatal(err)
	}
	if dense, err := z.Dense(nil); err != nil || z.Stored() != 5 || !slices.Equal(dense.Float64s(), want.Float64s()) {
		t.Errorf("%v, %v; want %v", z, err, want)
	}
	if z, err = o.Sparse(csr.Slice(1, 3), tableKnots, tableNumbers); err != nil || z.Stored() != 3 {
		t.Errorf("a part: %v, %v", z, err)
	}
	filled := tableNumbers.Clone().(*tensor.Dense)
	filled.Float64s()[1] = .5 // the second number of a 0 in the first column
	if _, err := o.Sparse(csr, tableKnots, filled); !errors.Is(err, ops.ErrParam) ||
		!strings.Contains(err.Error(), "make them dense") {
		t.Errorf("numbers of a zero: %v", err)
	}
	if z, err := o.Into(nil, csr, tableKnots, filled); err != nil || z.Float64s()[1] != .5 {
		t.Errorf("the number of a zero is %v, %v", z, err)
	}
}

// TestUnitLaplaceKeepsDirections: rows whose features all underflow have the unit row that a common shift of the
// projection gives, in both element types, dense and sparse.
func TestUnitLaplaceKeepsDirections(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		most := map[tensor.Dtype]float64{tensor.Float32: math.MaxFloat32, tensor.Float64: math.MaxFloat64}[dt]
		x, w := matrix(dt, 3, 1, 1024, 0, most), matrix(dt, 1, 2, 100, 100+1./1024)
		for _, rows := range []ops.Matrix{x, csr(x)} {
			v := all(must(ops.UnitLaplace(ops.Attr{}).Into(nil, rows, w)))
			for i, want := range []float64{1 / math.Sqrt(1+math.Exp(-2)), math.Exp(-1) / math.Sqrt(1+math.Exp(-2)),
				math.Sqrt(.5), math.Sqrt(.5), math.Sqrt(.5), math.Sqrt(.5)} {
				if math.Abs(v[i]-want) > 1e-2 { // of the projection 102400, whose rounding in float32 is 1/128
					t.Errorf("%v, %T: feature %d is %v, want %v", dt, rows, i, v[i], want)
				}
			}
		}
	}
}

// TestDampSparse: sparse rows damp as dense ones do, and the exponent of a row of numbers that are tiny
// or huge is right.
func TestDampSparse(t *testing.T) {
	v := []float64{0, 3, 0, 1e-300, 2, 1e300}
	x, s := rowsOf(3, v...), vector(.5, 2, 1e-299)
	sparse := csr(x)
	for _, f := range []ops.Exponent{ops.Root, ops.Log1p} {
		var want [2]float64
		for i := range v {
			u := 2 * s.Float64s()[i%3] * v[i]
			if f == ops.Root {
				want[i/3] += math.Sqrt(u) / 2
			} else {
				want[i/3] += math.Log1p(u) / 2
			}
		}
		for _, m := range []ops.Matrix{x, sparse} {
			z := rowsOf(1, 1, 1)
			if _, err := ops.Damp(f, ops.Attr{}).Into(z, m, s, z); err != nil {
				t.Fatal(err)
			}
			for i, e := range want {
				if got := -math.Log(z.Float64s()[i]); math.Abs(got-e) > 1e-13*(1+e) {
					t.Errorf("%v of %T: row %d has the exponent %v, want %v", f, m, i, got, e)
				}
			}
		}
	}
}
