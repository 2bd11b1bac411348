package ops_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// signedParams are random directions [d, q], norms [blocks·m] and roots [blocks].
func signedParams(dt tensor.Dtype, d, q, m, blocks int) (u, norms, roots *tensor.Dense) {
	rng := rand.New(rand.NewPCG(uint64(q), uint64(m)))
	u, norms, roots = tensor.New(tensor.WithShape(d, q), tensor.Of(dt)),
		tensor.New(tensor.WithShape(blocks*m), tensor.Of(dt)), tensor.New(tensor.WithShape(blocks), tensor.Of(dt))
	for _, t := range []*tensor.Dense{u, norms, roots} {
		for i := range t.Shape().TotalSize() {
			setAt(t, i, .2+rng.Float64())
		}
	}
	return u, norms, roots
}

// TestSignedFourier: the features agree with the formula for dense rows, for sparse rows with and without a base, and
// for no rows.
func TestSignedFourier(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		for _, c := range []struct{ n, d, q, m, blocks int }{{5, 3, 7, 7, 2}, {5, 3, 14, 7, 2}, {5, 3, 7, 7, 1},
			{1, 1, 1, 1, 2}, {0, 3, 7, 7, 2}, {0, 3, 14, 7, 2}, {67, 5, 11, 11, 3}} {
			u, norms, roots := signedParams(dt, c.d, c.q, c.m, c.blocks)
			w, err := ops.PackSigned(u, norms, roots, ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			x := tensor.New(tensor.WithShape(c.n, c.d), tensor.Of(dt))
			rng := rand.New(rand.NewPCG(3, 3))
			for i := range c.n * c.d {
				setAt(x, i, float64(rng.IntN(3)-1)*rng.Float64())
			}
			sparse, err := ops.CSROf(x)
			if err != nil {
				t.Fatal(err)
			}
			for what, in := range map[string]ops.Matrix{"dense": x, "sparse": sparse} {
				z, err := ops.SignedFourierInto(nil, in, w, ops.Attr{})
				if err != nil {
					t.Fatal(err)
				}
				if !z.Shape().Eq(tensor.Shape{c.n, 2 * c.m * c.blocks}) {
					t.Fatalf("%+v: features %v", c, z.Shape())
				}
				for i := range c.n {
					for k := range c.m * c.blocks {
						p, b := 0., k/c.m
						for l := range c.d {
							p += at2(x, i, l) * at2(u, l, k%c.q)
						}
						s, cos := math.Sincos(p * at(norms, k))
						scale := at(roots, b) / math.Sqrt(float64(c.m))
						for off, want := range map[int]float64{0: scale * cos, c.m: scale * s} {
							got := at2(z, i, b*2*c.m+k%c.m+off)
							if !(math.Abs(got-want) <= map[tensor.Dtype]float64{tensor.Float64: 1e-14,
								tensor.Float32: 2e-6}[dt]) {
								t.Fatalf("%+v, %s: feature %d of frequency %d in row %d is %v, want %v",
									c, what, off, k, i, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// TestSignedErrors: shapes, types and numbers that do not fit are errors that name the layer and the place.
func TestSignedErrors(t *testing.T) {
	a := ops.Attr{Layer: `layers: GORFLayer "g"`}
	good := func() (u, norms, roots *tensor.Dense) { return signedParams(tensor.Float64, 3, 7, 7, 2) }
	pack := func(u, norms, roots *tensor.Dense) (*ops.Signed, error) { return ops.PackSigned(u, norms, roots, a) }
	for says, c := range map[string]struct {
		edit func(u, norms, roots *tensor.Dense) (a, b, c *tensor.Dense)
		is   error
	}{
		"are nil": {func(u, norms, _ *tensor.Dense) (a, b, c *tensor.Dense) { return u, norms, nil }, ops.ErrShape},
		"norms (13)": {func(u, _, roots *tensor.Dense) (a, b, c *tensor.Dense) {
			return u, vector(make([]float64, 13)...), roots
		}, ops.ErrShape},
		"are (3, 5)": {func(_, norms, roots *tensor.Dense) (a, b, c *tensor.Dense) {
			return rowsOf(5, make([]float64, 15)...), norms, roots
		}, ops.ErrShape},
		"one element type": {func(u, norms, roots *tensor.Dense) (a, b, c *tensor.Dense) {
			return u, norms, tensor.New(tensor.WithShape(2), tensor.Of(tensor.Float32))
		}, ops.ErrDtype},
		"W[1,2] = NaN": {func(u, norms, roots *tensor.Dense) (a, b, c *tensor.Dense) {
			setAt(u, 9, math.NaN())
			return u, norms, roots
		}, ops.ErrDomain},
		"norms[0,8] = +Inf": {func(u, norms, roots *tensor.Dense) (a, b, c *tensor.Dense) {
			setAt(norms, 8, math.Inf(1))
			return u, norms, roots
		}, ops.ErrDomain},
		"roots[0,1] = 0 is not a finite number above 0": {func(u, norms, roots *tensor.Dense) (a, b, c *tensor.Dense) {
			setAt(roots, 1, 0)
			return u, norms, roots
		}, ops.ErrDomain},
	} {
		_, err := pack(c.edit(good()))
		if err == nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), a.Layer) {
			t.Errorf("error %v, want one that says %q and names the layer", err, says)
		}
	}
	w, err := pack(good())
	if err != nil {
		t.Fatal(err)
	}
	huge := rowsOf(3, 1, 1, 1, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64)
	if _, err := ops.SignedFourierInto(nil, huge, w, a); !errors.Is(err, ops.ErrDomain) ||
		!strings.Contains(err.Error(), "row 1") {
		t.Errorf("an overflow: %v", err)
	}
}

// The estimate of exp(-r²/2) - exp(-r²/8) at r = 1 from two blocks: the inner product of the first less the inner
// product of the second.
func ExampleSignedFourierInto() {
	const d, m = 3, 50000
	rng := rand.New(rand.NewPCG(7, 0))
	u, norms := make([]float64, d*m), make([]float64, 2*m)
	for j := range m {
		for i := range d {
			u[i*m+j] = rng.NormFloat64()
		}
		norms[j], norms[m+j] = 1, .5 // for directions of the length of a frequency
	}
	w, err := ops.PackSigned(rowsOf(m, u...), vector(norms...), vector(1, 1), ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.SignedFourierInto(nil, rowsOf(d, 0, 0, 0, 0, 1, 0), w, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	k := 0.
	for j, v := range z.Float64s()[:4*m] {
		if v *= z.Float64s()[4*m+j]; j < 2*m {
			k += v
		} else {
			k -= v
		}
	}
	fmt.Printf("k = %.2f, exactly %.2f\n", k, math.Exp(-.5)-math.Exp(-.125))
	// Output:
	// k = -0.28, exactly -0.28
}
