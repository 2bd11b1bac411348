package ops_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

var sketchOf7 = ops.Sketch{Columns: 7, Slope: .5, Offset: .3}

// sketches are p count sketches of three columns and the constant in m buckets.
func sketches(dt tensor.Dtype, p, m int) (buckets, signs *tensor.Dense) {
	buckets, signs = tensor.New(tensor.WithShape(p, 4), tensor.Of(dt)),
		tensor.New(tensor.WithShape(p, 4), tensor.Of(dt))
	for i := range 4 * p {
		setAt(buckets, i, float64((3*i+i*i)%m))
		setAt(signs, i, float64(1-2*(i*i%3)))
	}
	return buckets, signs
}

// sketchNode is the op on x with p sketches.
func sketchNode(p int) func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	return func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		g, dt := in[0].Graph(), in[0].Dtype()
		buckets, signs := sketches(dt, p, 7)
		return ops.TensorSketch(in[0], G.NewMatrix(g, dt, G.WithShape(p, 4), G.WithName("buckets"),
			G.WithValue(buckets)),
			G.NewMatrix(g, dt, G.WithShape(p, 4), G.WithName("signs"), G.WithValue(signs)), sketchOf7, a)
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

// TestTensorSketch: the features agree with the definition for dense rows, for sparse rows with and without a base, and
// for no rows. Odd and even numbers of columns are covered, and one.
func TestTensorSketch(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		for _, c := range []struct{ n, p, m int }{{5, 1, 7}, {5, 2, 8}, {11, 3, 7}, {3, 3, 1}, {2, 2, 2}, {0, 2, 7},
			{1, 4, 30}} {
			s := ops.Sketch{Columns: c.m, Slope: .5, Offset: .3}
			buckets, signs := sketches(dt, c.p, c.m)
			f, err := ops.PackSketches(buckets, signs, s, ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			x := holes(dt, c.n, 3, 7)
			shifted, err := ops.LogShiftCSR(csr(t, positive(x)), tensor.New(tensor.WithShape(1),
				tensor.WithBacking(one(dt))), ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			full, err := shifted.Dense(nil)
			if err != nil {
				t.Fatal(err)
			}
			for what, in := range map[string]struct {
				given ops.Matrix
				cells *tensor.Dense
			}{"dense": {x, x}, "sparse": {csr(t, x), x}, "sparse with a base": {shifted, full}} {
				z, err := ops.TensorSketchInto(nil, in.given, f, ops.Attr{})
				if err != nil {
					t.Fatal(err)
				}
				if !z.Shape().Eq(tensor.Shape{c.n, c.m}) {
					t.Fatalf("%+v: features %v", c, z.Shape())
				}
				for i := range c.n {
					row := []float64{0, 0, 0, math.Sqrt(.3)}
					for l := range 3 {
						row[l] = math.Sqrt(.5) * at2(in.cells, i, l)
					}
					for b, want := range tensored(row, buckets, signs, c.m) {
						if got := at2(z, i, b); !(math.Abs(got-want) <= map[tensor.Dtype]float64{tensor.Float64: 1e-14,
							tensor.Float32: 1e-6}[dt]*(1+math.Abs(want))) {
							t.Fatalf("%v, %+v, %s: feature [%d,%d] is %v, want %v", dt, c, what, i, b, got, want)
						}
					}
				}
			}
		}
	}
}

// TestTensorSketchErrors: what does not fit together, and what no draw gives.
func TestTensorSketchErrors(t *testing.T) {
	a := ops.Attr{Layer: `layers: TensorSketchLayer "t"`}
	buckets, signs := sketches(tensor.Float64, 2, 7)
	bad := func(m *tensor.Dense, at int, v float64) *tensor.Dense {
		c := m.Clone().(*tensor.Dense)
		c.Float64s()[at] = v
		return c
	}
	pack := func(buckets, signs *tensor.Dense, s ops.Sketch) error {
		_, err := ops.PackSketches(buckets, signs, s, a)
		return err
	}
	good, err := ops.PackSketches(buckets, signs, sketchOf7, a)
	if err != nil {
		t.Fatal(err)
	}
	into := func(dst, x *tensor.Dense) error { _, err := ops.TensorSketchInto(dst, x, good, a); return err }
	for says, c := range map[string]struct{ err, is error }{
		"a sketch of 0 columns": {pack(buckets, signs, ops.Sketch{Slope: 1}), ops.ErrParam},
		"(1 x·x' + -0.1)^p": {pack(buckets, signs,
			ops.Sketch{Columns: 7, Slope: 1, Offset: -.1}), ops.ErrParam},
		"the signs (2, 3)": {pack(buckets, rowsOf(3, 1, 1, 1, 1, 1, 1), sketchOf7),
			ops.ErrShape},
		"the signs float32": {pack(buckets,
			tensor.New(tensor.WithShape(2, 4), tensor.Of(tensor.Float32)), sketchOf7), ops.ErrDtype},
		"buckets[1,2] = 7 is no whole number from 0 to 6": {pack(bad(buckets, 6, 7), signs, sketchOf7), ops.ErrDomain},
		"buckets[0,1] = NaN": {pack(bad(buckets, 1, math.NaN()), signs, sketchOf7),
			ops.ErrDomain},
		"signs[1,0] = 0.5 is neither 1 nor -1": {pack(buckets, bad(signs, 4, .5), sketchOf7), ops.ErrDomain},
		"x has shape (2, 2), want [n, 3]":      {into(nil, rowsOf(2, 1, 2, 3, 4)), ops.ErrShape},
		"x is float32, W is float64": {into(nil,
			tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Float32))), ops.ErrDtype},
		"x[1,0] = +Inf": {into(nil, rowsOf(3, 1, 2, 3, math.Inf(1), 4, 5)),
			ops.ErrDomain},
		"the features of row 1 are not finite in float64": {into(nil, rowsOf(3, 1, 2, 3, 1e200, 1e200, 1e200)),
			ops.ErrDomain},
		"dst has shape (1, 6), want a contiguous (1, 7)": {into(rowsOf(6, make([]float64, 6)...), rowsOf(3, 1, 2, 3)),
			ops.ErrShape},
	} {
		if c.err == nil || !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), says) ||
			!strings.Contains(c.err.Error(), a.Layer) {
			t.Errorf("%v, want %v with %q", c.err, c.is, says)
		}
	}
	g := G.NewGraph()
	x := G.NewMatrix(g, tensor.Float64, G.WithShape(1, 3), G.WithName("x"), G.WithValue(rowsOf(3, 1, 2, 3)))
	h := G.NewMatrix(g, tensor.Float64, G.WithShape(2, 4), G.WithName("h"), G.WithValue(buckets))
	if _, err := ops.TensorSketch(x, h, h, ops.Sketch{}, a); !errors.Is(err, ops.ErrParam) {
		t.Errorf("a sketch of no columns in a graph: %v", err)
	}
	if _, err := ops.TensorSketch(h, h, h, sketchOf7, a); !errors.Is(err, ops.ErrShape) {
		t.Errorf("four columns for sketches of three: %v", err)
	}
}
