package ops

import (
	"errors"
	"math"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestUnitLaplaceKeepsDirections: rows whose features all underflow have the unit row that a common shift of the
// projection gives, in both element types.
func TestUnitLaplaceKeepsDirections(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		x := tensor.New(tensor.WithShape(3, 1), tensor.Of(dt))
		w := tensor.New(tensor.WithShape(1, 2), tensor.Of(dt))
		set := func(t *tensor.Dense, v ...float64) {
			for i, c := range v {
				if t.Dtype() == tensor.Float32 {
					t.Float32s()[i] = float32(c)
				} else {
					t.Float64s()[i] = c
				}
			}
		}
		set(x, 1024, 0, math.MaxFloat32)
		set(w, 100, 100+1./1024)
		if dt == tensor.Float64 {
			set(x, 1024, 0, math.MaxFloat64)
		}
		p, err := Pack(w)
		if err != nil {
			t.Fatal(err)
		}
		z, err := UnitLaplaceInto(nil, x, p, Attr{})
		if err != nil {
			t.Fatal(err)
		}
		v := Float64s(z)
		for i, want := range []float64{1 / math.Sqrt(1+math.Exp(-2)), math.Exp(-1) / math.Sqrt(1+math.Exp(-2)),
			math.Sqrt(.5), math.Sqrt(.5), math.Sqrt(.5), math.Sqrt(.5)} {
			if math.Abs(v[i]-want) > 1e-2 { // of the projection 102400, whose rounding in float32 is 1/128
				t.Errorf("%v: feature %d is %v, want %v", dt, i, v[i], want)
			}
		}
	}
}

// TestSemigroupOpErrors: wrong shapes, types and numbers are errors that say what is wrong.
func TestSemigroupOpErrors(t *testing.T) {
	f := func(rows, cols int, v ...float64) *tensor.Dense {
		return tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(v))
	}
	vec := func(v ...float64) *tensor.Dense {
		return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(v))
	}
	x, waves := f(1, 2, 1, 2), Waves{[]float64{1}, []float64{1}}
	sparse, err := CSROf(x)
	if err != nil {
		t.Fatal(err)
	}
	into := func(_ *tensor.Dense, err error) error { return err }
	rows := func(_ *CSR, err error) error { return err }
	for _, c := range []struct {
		err, target error
		says        string
	}{
		{DampInto(x, vec(1), f(2, 1, 1, 1), Root, Attr{}), ErrShape, "as many rows"},
		{DampInto(x, vec(1, 1, 1), f(1, 1, 1), Root, Attr{}), ErrShape, "s has 3 entries"},
		{DampInto(x, vec(-1), f(1, 1, 1), Root, Attr{}), ErrDomain, "scale[0,0] = -1"},
		{DampInto(x, vec(math.NaN()), f(1, 1, 1), Log1p, Attr{}), ErrDomain, "scale"},
		{DampInto(x, vec(1), f(1, 1, 1), Exponent(7), Attr{}), ErrParam, "Exponent(7)"},
		{DampInto(f(1, 1, -1), vec(1), f(1, 1, 1), Root, Attr{}), ErrDomain, "x[0,0] = -1"},
		{into(ScaleColumnsInto(nil, f(1, 1, 1e300), vec(1e300), Attr{})), ErrDomain,
			"x[0,0] = 1e+300 is not finite in float64 in the unit"},
		{into(ScaleColumnsInto(nil, x, vec(1, 2, 3), Attr{})), ErrShape, "s has 3 entries"},
		{into(ScaleColumnsInto(nil, x, vec(math.Inf(1)), Attr{})), ErrDomain, "scale[0,0] = +Inf"},
		{rows(ScaleColumnsCSR(sparse, vec(1e308), Attr{})), ErrDomain, "x[0,1] = 2 is not finite"},
		{into(LogWavesInto(nil, x, Waves{}, Attr{})), ErrParam, "frequencies []"},
		{into(LogWavesInto(nil, x, Waves{[]float64{-1}, []float64{1}}, Attr{})), ErrParam, "above 0"},
		{into(LogWavesInto(nil, f(1, 1, math.MaxFloat64), waves, Attr{})), ErrDomain, "x[0,0]"},
		{into(LogWavesInto(nil, f(1, 1, -1), waves, Attr{})), ErrDomain, "negative"},
		{rows(LogWavesCSR(sparse, Waves{}, Attr{})), ErrParam, "frequencies []"},
	} {
		if !errors.Is(c.err, c.target) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("error %v, want one that wraps %q and says %q", c.err, c.target, c.says)
		}
	}
}

// TestDampSparse: sparse rows damp as dense ones do, in a graph too, and the exponent of a row of numbers that are tiny
// or huge is right.
func TestDampSparse(t *testing.T) {
	v := []float64{0, 3, 0, 1e-300, 2, 1e300}
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking(v))
	s := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float64{.5, 2, 1e-299}))
	sparse, err := CSROf(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Exponent{Root, Log1p} {
		var want [2]float64
		for i := range v {
			u := 2 * s.Float64s()[i%3] * v[i]
			if f == Root {
				want[i/3] += math.Sqrt(u) / 2
			} else {
				want[i/3] += math.Log1p(u) / 2
			}
		}
		for _, m := range []Matrix{x, sparse} {
			z := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{1, 1}))
			if err := DampInto(m, s, z, f, Attr{}); err != nil {
				t.Fatal(err)
			}
			for i, e := range want {
				if got := -math.Log(z.Float64s()[i]); math.Abs(got-e) > 1e-13*(1+e) {
					t.Errorf("%v of %T: row %d has the exponent %v, want %v", f, m, i, got, e)
				}
			}
		}
	}
	g := G.NewGraph()
	z, err := Damp(G.NewMatrix(g, G.Float64, G.WithShape(2, 3), G.WithName("x"), G.WithValue(sparse)),
		G.NewVector(g, G.Float64, G.WithShape(3), G.WithName("s"), G.WithValue(s)),
		G.NewMatrix(g, G.Float64, G.WithShape(2, 1), G.WithName("z"),
			G.WithValue(tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{1, 1})))), Root,
		Attr{Frozen: X})
	if err != nil {
		t.Fatal(err)
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	if got := z.Value().(*tensor.Dense).Float64s()[0]; math.Abs(got-math.Exp(-math.Sqrt(12)/2)) > 1e-15 {
		t.Errorf("in a graph of sparse rows: %v", got)
	}
}
