package ops_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// TestHomogeneousCSR: sparse rows give the bits of dense ones, and only the numbers of what is stored.
func TestHomogeneousCSR(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		x := holes(dt, 7, 5, 1)
		for j := range 35 {
			setAt(x, j, 2*at(x, j)-at(x, j)*at(x, j)) // of both signs, zeros kept
		}
		for _, h := range []ops.Series{{Gamma: 1, Negative: domain.SignNegative},
			{F: []int{1, 3}, Gamma: 1.5, Negative: domain.SignNegative},
			{F: []int{1}, Gamma: 2, Negative: domain.SplitNegative}} {
			roots := entries(dt, []float64{1, .5, .25}[:len(h.F)+1]...)
			for _, base := range []*tensor.Dense{entries(dt, .8), entries(dt, .8, .5, 1, 2, .3)} {
				t.Run(fmt.Sprint(dt, h, base.Shape()), func(t *testing.T) {
					s := csr(t, x)
					z := must(ops.HomogeneousCSR(s.Slice(1, 6), base, roots, h, ops.Attr{}))
					want := must(ops.HomogeneousInto(nil, x, base, roots, h, ops.Attr{}))
					rows := must(must(ops.CSROf(want)).Slice(1, 6).Dense(nil))
					if got := must(z.Dense(nil)); !same(got, rows) {
						t.Errorf("sparse rows differ: %v, want %v", got, rows)
					}
					if stored, want := z.Stored(), s.Slice(1, 6).Stored()*(2*len(h.F)+1); stored != want {
						t.Errorf("%d entries, want %d", stored, want)
					}
				})
			}
		}
	}
}

func TestHomogeneousCSRErrors(t *testing.T) {
	dt, one, h := tensor.Float64, entries(tensor.Float64, 1), ops.Series{Gamma: 1}
	x := csr(t, matrix(dt, 2, 3, 0, 1, 0, 0, 0, 2))
	large := csr(t, matrix(dt, 1, 2, 0, 1e300))
	for _, e := range []struct {
		err  error
		is   error
		text string
	}{
		{only(ops.HomogeneousCSR(x, one, one, ops.Series{Gamma: 1, Stationary: true}, ops.Attr{})), ops.ErrParam,
			"make them dense"},
		{only(ops.HomogeneousCSR(must(ops.LogShiftCSR(x, one, ops.Attr{})), one, one, h, ops.Attr{})), ops.ErrParam,
			"make them dense"},
		{only(ops.HomogeneousCSR(csr(t, matrix(dt, 2, 3, 0, 1, 0, 0, 0, -2)), one, one, h, ops.Attr{Layer: "layer"})),
			ops.ErrDomain, "layer: x[1,2] = -2 is negative"},
		{only(ops.HomogeneousCSR(large, one, one, ops.Series{Gamma: 4}, ops.Attr{})), ops.ErrDomain,
			"x[0,1] = 1e+300 has features that are not finite"},
		{only(ops.HomogeneousCSR(x, entries(dt, math.NaN()), one, h, ops.Attr{})), ops.ErrDomain,
			"L[0,0] = NaN is not finite"},
		{only(ops.HomogeneousCSR(x, entries(dt, 1, 2), one, h, ops.Attr{})), ops.ErrShape, "L has 2 entries"},
		{only(ops.HomogeneousCSR(x, entries(tensor.Float32, 1), one, h, ops.Attr{})), ops.ErrDtype,
			"x is float64, L float32"},
	} {
		if !errors.Is(e.err, e.is) || !strings.Contains(fmt.Sprint(e.err), e.text) {
			t.Errorf("got %v, want %v with %q", e.err, e.is, e.text)
		}
	}
}

func only(_ *ops.CSR, err error) error { return err }
