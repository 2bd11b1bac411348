package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// HomogeneousCSR is Homogeneous of sparse rows x [n, d], as sparse rows [n, d·Width]: of each entry its numbers are stored, and nothing of
// a cell that is not stored, which is 0 and has zeros. There is none for the stationary form, in which 0 is like any other number, nor
// for an x that LogShiftCSR returned (ErrParam): make them dense. Other errors as for HomogeneousInto.
func HomogeneousCSR(x *CSR, base, roots *tensor.Dense, h Harmonics, a Attr) (*CSR, error) {
	who := a.who("Homogeneous")
	if err := h.check(who); err != nil {
		return nil, err
	}
	if err := given(who, "x", x); err != nil {
		return nil, err
	}
	if !h.keepsZeros(x) {
		return nil, fmt.Errorf("%s: of these sparse rows the map is not sparse; make them dense: %w", who, ErrParam)
	}
	ts, err := sameType(who, x.Dtype(), []string{"L", "the roots"}, base, roots)
	if err != nil {
		return nil, err
	}
	if err := h.fits(who, x.Shape(), ts[0].Shape(), ts[1].Shape()); err != nil {
		return nil, err
	}
	if x.Cols() > maxColumns/h.Width() {
		return nil, fmt.Errorf("%s: %d columns make more than %d; lower the order: %w", who, x.Cols(), maxColumns, ErrShape)
	}
	if err := CheckRows(h.domain(), who, x); err != nil {
		return nil, err
	}
	if x.f32 != nil {
		return wrapped(homogeneousSparse(x.f32, ts, h, who))
	}
	return wrapped(homogeneousSparse(x.f64, ts, h, who))
}

// keepsZeros says whether the cells of x that are not stored are zeros whose features are zeros.
func (h Harmonics) keepsZeros(x *CSR) bool {
	return !h.Stationary && x.zeroBased()
}

// zeroBased says whether the cells that are not stored are zeros.
func (x *CSR) zeroBased() bool {
	if x.f32 != nil {
		return x.f32.base == nil
	}
	return x.f64.base == nil
}

// typeOf is the element type of a tensor, the zero Dtype of nil, which sameType refuses.
func typeOf(t *tensor.Dense) (dt tensor.Dtype) {
	if t != nil {
		dt = t.Dtype()
	}
	return dt
}

// sameType makes tensors contiguous and checks that they are of x's element type.
func sameType(who string, dt tensor.Dtype, names []string, ts ...*tensor.Dense) ([]*tensor.Dense, error) {
	out := make([]*tensor.Dense, len(ts))
	for i, t := range ts {
		c, err := contiguous(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", who, names[i], err)
		}
		if out[i] = c; c.Dtype() != dt {
			return nil, fmt.Errorf("%s: x is %v, %s %v: %w", who, dt, names[i], c.Dtype(), ErrDtype)
		}
	}
	return out, nil
}

// homogeneousSparse maps the entries as one row, each with the L of its column.
func homogeneousSparse[T domain.Float](x *sparse[T], params []*tensor.Dense, h Harmonics, who string) (*sparse[T], error) {
	if err := finiteParams[T](who, params); err != nil {
		return nil, err
	}
	first, end, w := x.Ptr[0], x.Ptr[x.Rows], h.Width()
	m, col, val := scalarMap[T](h, params[0], params[1]), x.Col[first:end], x.Val[first:end]
	if len(m.Base) > 1 {
		each := make([]T, len(col))
		for t, j := range col {
			each[t] = m.Base[j]
		}
		m.Base = each
	}
	z := make([]T, len(val)*w)
	if len(val) > 0 && m.Forward(z, val, 1, len(val)) {
		for i := range x.Rows {
			for t := x.Ptr[i] - first; t < x.Ptr[i+1]-first; t++ {
				if !simd.Within(z[t*w:(t+1)*w], -simd.Largest[T]()) {
					return nil, notFiniteFeatures[T](who, i, int(col[t]), val[t])
				}
			}
		}
	}
	stored := 2*len(h.F) + 1 // of an entry: those of the other sign are not
	out := &sparse[T]{CSR: simd.CSR[T]{Rows: x.Rows, Cols: x.Cols * w, Ptr: make([]int, x.Rows+1), Col: make([]int32, len(val)*stored), Val: z[:0]}}
	for i, p := range x.Ptr {
		out.Ptr[i] = (p - first) * stored
	}
	for t, v := range val {
		from := 0
		if w > stored && v < 0 {
			from = stored
		}
		out.Val = append(out.Val, z[t*w+from:t*w+from+stored]...) // never ahead of what is read
		for k := range stored {
			out.Col[t*stored+k] = col[t]*int32(w) + int32(from+k)
		}
	}
	return out, nil
}
