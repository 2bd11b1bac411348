package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestSkewedInto: the maps that take the logarithm on the way give the bits of the two steps, for dense and sparse
// rows.
func TestSkewedInto(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		x, b := holes(dt, 31, 5, 1), holes(dt, 1, 7, 3)
		if err := b.Reshape(7); err != nil {
			t.Fatal(err)
		}
		w, err := ops.Pack(holes(dt, 5, 7, 2))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*tensor.Dense{entries(dt, .3), entries(dt, .3, .1, 2, 1, .7)} {
			for name, rows := range map[string]ops.Matrix{"dense": x, "sparse": csr(t, x)} {
				u := ops.Matrix(must(ops.LogShiftInto(nil, x, c, ops.Attr{})))
				if s, ok := rows.(*ops.CSR); ok {
					u = must(ops.LogShiftCSR(s, c, ops.Attr{}))
				}
				pair, phase := must(ops.SkewedFourierInto(nil, rows, c, w, ops.Attr{})),
					must(ops.SkewedPhaseInto(nil, rows, c, w, b, ops.Attr{}))
				if want := must(ops.FourierInto(nil, u, w, ops.Attr{})); !same(pair, want) {
					t.Errorf("%v, %s, c of %v: the pair form differs", dt, name, c.Shape())
				}
				if want := must(ops.PhaseInto(nil, u, w, b, ops.Attr{})); !same(phase, want) {
					t.Errorf("%v, %s, c of %v: the phase form differs", dt, name, c.Shape())
				}
			}
		}
	}
}

func TestSkewedIntoErrors(t *testing.T) {
	dt := tensor.Float64
	w := must(ops.Pack(holes(dt, 3, 2, 1)))
	good, c := matrix(dt, 2, 3, 1, 2, 3, 4, 5, 6), entries(dt, .5, .5, .25)
	for _, e := range []struct {
		x, c *tensor.Dense
		is   error
		text string
	}{
		{matrix(dt, 2, 3, 1, 2, 3, 4, 5, -.25), c, ops.ErrDomain, `"hist": x[1,2] = -0.25 is not above -c = -0.25`},
		{good, entries(dt, 1, 2), ops.ErrShape, "c has 2 entries, want 1 or one for each of the 3 dimensions"},
		{holes(dt, 2, 2, 1), c, ops.ErrShape, "x has shape (2, 2), want [n, 3]"},
		{holes(tensor.Float32, 2, 3, 1), c, ops.ErrDtype, "x is float32, W is float64"},
		{good, entries(tensor.Float32, 1), ops.ErrDtype, "x is float64, c is float32"},
	} {
		a := ops.Attr{Layer: `layers: SkewedChi2 "hist"`}
		for _, err := range []error{second(ops.SkewedFourierInto(nil, e.x, e.c, w, a)),
			second(ops.SkewedPhaseInto(nil, e.x, e.c, w, entries(dt, 1, 2), a))} {
			if !errors.Is(err, e.is) || !strings.Contains(err.Error(), e.text) {
				t.Errorf("got %v, want %v with %q", err, e.is, e.text)
			}
		}
	}
}

func second[V any](_ V, err error) error { return err }

// entries is a vector.
func entries(dt tensor.Dtype, v ...float64) *tensor.Dense {
	t := tensor.New(tensor.WithShape(len(v)), tensor.Of(dt))
	for i, e := range v {
		setAt(t, i, e)
	}
	return t
}

// same says whether two contiguous tensors hold the same numbers.
func same(a, b *tensor.Dense) bool {
	if a.Dtype() == tensor.Float32 {
		return slices.Equal(a.Float32s(), b.Float32s())
	}
	return slices.Equal(a.Float64s(), b.Float64s())
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
