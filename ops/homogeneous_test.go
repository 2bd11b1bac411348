package ops_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func vector(v ...float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(v))
}

func rowsOf(d int, v ...float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(v)/d, d), tensor.WithBacking(v))
}

// TestHomogeneousColumns: where each number stands, zeros included, in every form.
func TestHomogeneousColumns(t *testing.T) {
	const r0, r1, l = 1.5, -.5, .7
	numbers := func(v float64) []float64 {
		s, c := math.Sincos(2 * l * math.Log(v))
		return []float64{r0 * math.Sqrt(v), math.Sqrt2 * r1 * math.Sqrt(v) * c, math.Sqrt2 * r1 * math.Sqrt(v) * s}
	}
	a, b, zero := numbers(.3), numbers(4), []float64{0, 0, 0}
	minus := []float64{-b[0], -b[1], -b[2]}
	s, c := math.Sincos(2 * l * -4)
	still := []float64{r0, math.Sqrt2 * r1 * c, math.Sqrt2 * r1 * s, r0, math.Sqrt2 * r1, 0}
	for name, tc := range map[string]struct {
		h    ops.Series
		x    []float64
		want [][]float64
	}{
		"non-negative": {ops.Series{}, []float64{.3, 0, 4}, [][]float64{a, zero, b}},
		"sign":         {ops.Series{Negative: domain.SignNegative}, []float64{.3, 0, -4}, [][]float64{a, zero, minus}},
		"split": {ops.Series{Negative: domain.SplitNegative}, []float64{.3, 0, -4},
			[][]float64{a, zero, zero, zero, zero, b}},
		"stationary": {ops.Series{Stationary: true}, []float64{-4, 0}, [][]float64{still}},
	} {
		tc.h.F, tc.h.Gamma = []int{2}, 1
		var want []float64
		for _, w := range tc.want {
			want = append(want, w...)
		}
		z, err := ops.HomogeneousInto(nil, rowsOf(len(tc.x), tc.x...), vector(l), vector(r0, r1), tc.h, ops.Attr{})
		if err != nil {
			t.Fatal(err)
		}
		if len(z.Float64s()) != len(want) || tc.h.Width()*len(tc.x) != len(want) {
			t.Fatalf("%s: %v, want %v", name, z.Float64s(), want)
		}
		for i, w := range want {
			if got := z.Float64s()[i]; !(math.Abs(got-w) <= 1e-14) {
				t.Errorf("%s: column %d is %v, want %v", name, i, got, w)
			}
		}
	}
}

// TestHomogeneousAtZero: the gradient at 0 is 0, by definition; next to it, down to denormal numbers, it is the
// derivative, which grows as v^{γ/2-1}, and at huge numbers it is small and not lost.
func TestHomogeneousAtZero(t *testing.T) {
	h := ops.Series{F: []int{1}, Gamma: 1, Negative: domain.SignNegative}
	v := []float64{0, math.Copysign(0, -1), 5e-324, 1e-300, 1e-12, 1, 1e12, 1e300, -1e-300, -1e-12, -1e300}
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(1, len(v)), G.WithName("x"), G.WithValue(rowsOf(len(v), v...)))
	l := G.NewVector(g, G.Float64, G.WithShape(1), G.WithName("L"), G.WithValue(vector(.66)))
	r := G.NewVector(g, G.Float64, G.WithShape(2), G.WithName("r"), G.WithValue(vector(.8, .5)))
	z, err := ops.Homogeneous(x, l, r, h, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	grads, err := G.Grad(G.Must(G.Sum(z)), x, l, r)
	if err != nil {
		t.Fatal(err)
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	for i, got := range grads[0].Value().(*tensor.Dense).Float64s() {
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
		for _, got := range d.Value().(*tensor.Dense).Float64s() {
			if got-got != 0 {
				t.Errorf("a gradient of a parameter is %v", got)
			}
		}
	}
}

// TestHomogeneousAccuracy: over all numbers from 1e-300 to 1e300 the map is within 1e-12 of the amplitude √2 r v^{γ/2}.
// The phase f L ln v is up to 690·f·L; its rounding, 4.4e-16 of it at most, is what limits f L to about 3. The oracle
// has ln v and the phase in about 100 bits.
func TestHomogeneousAccuracy(t *testing.T) {
	const l = 2 * math.Pi / 13.8
	phases := map[[2]float64][2]float64{} // sine and cosine by f and v
	for _, gamma := range []float64{.5, 1, 1.9, 2} {
		h := ops.Series{F: []int{1, 2, 3, 5}, Gamma: gamma}
		var v []float64
		for e := -300.0; e <= 300; e += .37 {
			v = append(v, math.Pow(10, e))
		}
		z, err := ops.HomogeneousInto(nil, rowsOf(1, v...), vector(l), vector(1, 1, 1, 1, 1), h, ops.Attr{})
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range v {
			size := bigPower(u, gamma/2)
			row := z.Float64s()[i*h.Width():][:h.Width()]
			if !(math.Abs(row[0]-size) <= 1e-12*size) {
				t.Errorf("γ = %v: the constant of %v is %v, want %v", gamma, u, row[0], size)
			}
			for j, f := range h.F {
				at := [2]float64{float64(f), u}
				phase, ok := phases[at]
				if !ok {
					phase[0], phase[1] = bigPhase(at[0], l, u)
					phases[at] = phase
				}
				s, c := phase[0], phase[1]
				amplitude := math.Sqrt2 * size
				if e := math.Hypot(row[2*j+1]-amplitude*c, row[2*j+2]-amplitude*s) / amplitude; !(e <= 1e-12) {
					t.Errorf("γ = %v: harmonic %d of %v is off by %.2g of its amplitude", gamma, f, u, e)
				}
			}
		}
	}
}

func TestHomogeneousErrors(t *testing.T) {
	h := ops.Series{F: []int{1}, Gamma: 1}
	x, l, r := rowsOf(3, .1, .2, .3, .4, 0, .6), vector(.7), vector(1, 1)
	for _, c := range []struct {
		x, l, r *tensor.Dense
		h       ops.Series
		is      error
		says    string
	}{
		{rowsOf(3, .1, .2, .3, .4, -.2, .6), l, r, h, ops.ErrDomain,
			"x[1,1] = -0.2 is negative; the kernel is defined for histograms"},
		{rowsOf(3, .1, .2, math.NaN(), .4, 0, .6), l, r, h, ops.ErrDomain, "x[0,2] = NaN is not a finite number"},
		{rowsOf(3, .1, .2, math.Inf(1), .4, 0, .6), l, r, ops.Series{F: h.F, Gamma: 1, Stationary: true},
			ops.ErrDomain, "x[0,2] = +Inf"},
		{rowsOf(3, .1, .2, math.Inf(-1), .4, 0, .6), l, r, ops.Series{F: h.F, Gamma: 1, Negative: domain.SplitNegative},
			ops.ErrDomain, "x[0,2] = -Inf"},
		{rowsOf(3, .1, .2, .3, .4, 1e300, .6), l, r, ops.Series{F: h.F, Gamma: 3}, ops.ErrDomain,
			"x[1,1] = 1e+300 has features that are not finite in float64; scale the data"},
		{x, vector(math.NaN()), r, h, ops.ErrDomain, "L[0,0] = NaN is not finite"},
		{x, l, vector(1, math.Inf(1)), h, ops.ErrDomain, "roots[0,1] = +Inf is not finite"},
		{x, vector(1, 2), r, h, ops.ErrShape, "L has 2 entries, want 1 or one for each of the 3 dimensions"},
		{x, l, vector(1), h, ops.ErrShape, "1 roots, want 2"},
		{vector(1, 2, 3), l, r, h, ops.ErrShape, "want [n, d]"},
		{x, l, tensor.New(tensor.WithShape(2), tensor.Of(tensor.Float32)), h, ops.ErrDtype, "the roots float32"},
		{x, l, r, ops.Series{F: []int{1}}, ops.ErrParam, "degree 0"},
		{x, l, r, ops.Series{F: []int{1}, Gamma: 1, Negative: 3}, ops.ErrParam, "Negative(3)"},
		{x, l, r, ops.Series{F: []int{0}, Gamma: 1}, ops.ErrParam, "harmonics [0]"},
		{x, l, r, ops.Series{F: []int{2, 1}, Gamma: 1}, ops.ErrParam, "harmonics [2 1]"},
	} {
		_, err := ops.HomogeneousInto(nil, c.x, c.l, c.r, c.h, ops.Attr{Layer: `layers: probe "here"`})
		graph := func() error {
			g := G.NewGraph()
			var nodes []*G.Node
			for i, v := range []*tensor.Dense{c.x, c.l, c.r} {
				nodes = append(nodes, G.NewTensor(g, v.Dtype(), v.Dims(), G.WithShape(v.Shape()...),
					G.WithName(fmt.Sprint("in", i)), G.WithValue(v)))
			}
			if _, err := ops.Homogeneous(nodes[0], nodes[1], nodes[2], c.h,
				ops.Attr{Layer: `layers: probe "here"`}); err != nil {
				return err
			}
			m := G.NewTapeMachine(g)
			defer m.Close()
			return m.RunAll()
		}()
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `"here"`) {
			t.Errorf("want %v with %q, got %v", c.is, c.says, err)
		}
		// Gorgonia finds some shapes and types wrong itself, in its own words.
		if graph == nil || c.is == ops.ErrDomain && !strings.Contains(graph.Error(), c.says) {
			t.Errorf("want a graph to fail with %q, got %v", c.says, graph)
		}
	}
}
