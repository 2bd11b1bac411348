package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// waveSlope is the derivative of √u (cos θ + sin θ), θ = L ln u, and 0 at 0. Package math's assembly has no logarithm
// of denormal numbers.
func waveSlope(u, l float64) float64 {
	if u == 0 {
		return 0
	}
	ln := math.Log(u*0x1p600) - 600*math.Ln2
	if u > 1 {
		ln = math.Log(u)
	}
	s, c := math.Sincos(l * ln)
	return ((c+s)/2 + l*(c-s)) / math.Sqrt(u)
}

// TestSlopesAtZero: the gradient of roots and waves at 0 is 0, by definition; next to it, down to denormal numbers, it
// is the derivative, which grows as v^{-1/2}, and at huge numbers it is small and not lost. The stationary form has a
// derivative at 0.
func TestSlopesAtZero(t *testing.T) {
	v := []float64{0, math.Copysign(0, -1), 5e-324, 1e-300, 1e-12, 1, 1e12, 1e300, -1e-300, -1e-12, -1e300}
	h := ops.Series{F: []int{1}, Gamma: 1, Negative: domain.SignNegative}
	series := func(v ...float64) ([]float64, [][]float64) {
		g := G.NewGraph()
		x, l, r := leaf(g, "x", rowsOf(len(v), v...)), leaf(g, "L", vector(.66)), leaf(g, "r", vector(.8, .5))
		grads := slopes(t, must(ops.Homogeneous(h, ops.Attr{}).Node(x, l, r)), x, l, r)
		return grads[0], grads[1:]
	}
	dx, others := series(v...)
	for i, got := range dx { // of r₀√v + √2 r₁ √v (cos θ + sin θ)
		u, want := math.Abs(v[i]), 0.
		if u > 0 {
			want = .8/2/math.Sqrt(u) + math.Sqrt2*.5*waveSlope(u, .66)
		}
		if !(math.Abs(got-want) <= 1e-12/math.Max(1e-170, math.Sqrt(u))) || u == 0 && got != 0 {
			t.Errorf("the derivative at %v is %v, want %v", v[i], got, want)
		}
	}
	for _, got := range slices.Concat(others...) {
		if got-got != 0 {
			t.Errorf("a gradient of a parameter is %v", got)
		}
	}
	h.Stationary = true
	if dx, _ := series(0); !(math.Abs(dx[0]-math.Sqrt2*.5*.66) <= 1e-15) {
		t.Errorf("the derivative of the stationary form at 0 is %v, want %v", dx[0], math.Sqrt2*.5*.66)
	}

	g, v := G.NewGraph(), v[:8]
	p := leaf(g, "p", rowsOf(len(v), v...))
	z := must(ops.HDD(false, ops.Attr{}).Node(p, leaf(g, "lambda", vector(.66)), leaf(g, "r", vector(.8)),
		leaf(g, "basis", matrix(tensor.Float64, len(v), 1, 1))))
	for i, got := range slopes(t, z, p)[0] {
		if want := .8 * waveSlope(v[i], .66); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("the gradient of a density of %v is %v, want %v", v[i], got, want)
		}
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

// TestDamp: rows of every length, dense and sparse, have the exponent of the formula, for one scale and for one each,
// also of numbers that are tiny or huge.
func TestDamp(t *testing.T) {
	check := func(x, s *tensor.Dense) {
		t.Helper()
		n, d := x.Shape()[0], x.Shape()[1]
		for _, f := range []ops.Exponent{ops.Root, ops.Log1p} {
			for _, m := range []ops.Matrix{x, csr(x)} {
				z := matrix(tensor.Float64, n, 1, 1)
				must(ops.Damp(f, ops.Attr{}).Into(z, m, s, z))
				for i := range n {
					want := 0.0
					for j := range d {
						u := 2 * at(s, j%s.Shape()[0]) * at2(x, i, j)
						if f == ops.Root {
							want += math.Sqrt(u) / 2
						} else {
							want += math.Log1p(u) / 2
						}
					}
					if got := -math.Log(at(z, i)); !(math.Abs(got-want) <= 1e-13*(1+want)) {
						t.Errorf("%v of %T, %d columns: row %d has the exponent %v, want %v", f, m, d, i, got, want)
					}
				}
			}
		}
	}
	check(rowsOf(3, 0, 3, 0, 1e-300, 2, 1e300), vector(.5, 2, 1e-299))
	for _, d := range []int{1, 5, 32, 33, 256, 300, 1025} {
		x, s := uniform(tensor.Float64, 3, d, 1), entries(tensor.Float64, all(uniform(tensor.Float64, 1, d, 2))...)
		check(x, s)
		check(x, vector(1.7))
	}
}
