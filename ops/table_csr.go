package ops

import (
	"errors"
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// errZeros marks tables of which a zero has numbers, so that their features are not sparse.
var errZeros = errors.New("the numbers of a zero are not zeros")

func isZeroError(err error) bool { return errors.Is(err, errZeros) }

// TableCSR is Table of sparse rows x [n, d], as sparse rows [n, d·w]: of each entry its numbers are stored that are not 0. There is none where
// the numbers of a cell that is not stored are not 0 in some column, nor for an x that LogShiftCSR returned (ErrParam): make them dense.
// Other errors as for TableInto.
func TableCSR(x *CSR, knots, tables *tensor.Dense, s Tables, a Attr) (*CSR, error) {
	who := a.who("Table")
	if err := s.check(who); err != nil {
		return nil, err
	}
	if err := given(who, "x", x); err != nil {
		return nil, err
	}
	ts, err := sameType(who, x.Dtype(), []string{"the knots", "the tables"}, knots, tables)
	if err != nil {
		return nil, err
	}
	if err := s.fits(who, x.Shape(), ts[0].Shape(), ts[1].Shape()); err != nil {
		return nil, err
	}
	if x.Cols() > maxColumns/s.Width {
		return nil, fmt.Errorf("%s: %d columns make more than %d: %w", who, x.Cols(), maxColumns, ErrShape)
	}
	if err := CheckRows(a.Domain, who, x); err != nil {
		return nil, err
	}
	r, err := newTableReader(who, ts[0], ts[1], s)
	if err != nil {
		return nil, err
	}
	if err := r.keepsZeros(who, x); err != nil {
		return nil, err
	}
	if x.f32 != nil {
		return wrap(tableSparse(r, x.f32)), nil
	}
	return wrap(tableSparse(r, x.f64)), nil
}

// keepsZeros wants the cells that are not stored to be zeros, and their numbers too.
func (r *tableReader) keepsZeros(who string, x *CSR) error {
	bad := x.f32 != nil && x.f32.base != nil || x.f64 != nil && x.f64.base != nil
	for j := 0; j < x.Cols() && !bad; j++ {
		low, high, t, _ := r.column(j, 0)
		for k, v := range low {
			bad = bad || v+t*(high[k]-v) != 0
		}
	}
	if bad {
		return fmt.Errorf("%s: of these sparse rows the map is not sparse; make them dense: %w: %w", who, errZeros, ErrParam)
	}
	return nil
}

func tableSparse[T domain.Float](r *tableReader, x *sparse[T]) *sparse[T] {
	w := r.Width
	out := x.empty(x.Rows, x.Cols*w, (x.Ptr[x.Rows]-x.Ptr[0])*min(w, 3))
	for i := range x.Rows {
		for e := x.Ptr[i]; e < x.Ptr[i+1]; e++ {
			j := int(x.Col[e])
			low, high, t, _ := r.column(j, float64(x.Val[e]))
			for k, a := range low {
				if v := T(a + t*(high[k]-a)); v != 0 {
					out.Col, out.Val = append(out.Col, int32(j*w+k)), append(out.Val, v)
				}
			}
		}
		out.Ptr[i+1] = len(out.Val)
	}
	return out
}
