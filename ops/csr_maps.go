package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The arithmetic of the maps on dense or sparse rows x [n, d], which are of W's width and type.

func pair[T domain.Float](dst *tensor.Dense, x Matrix, w *Weights, p *simd.Weights[T], scale float64) (badRow int) {
	if s, ok := x.(*CSR); ok {
		return simd.PairCSR(data[T](dst), sparseOf[T](s).CSR, background(s, w, p, nil), p, scale)
	}
	return simd.Pair(data[T](dst), data[T](x.(*tensor.Dense)), x.Shape()[0], p, scale)
}

func phase[T domain.Float](dst *tensor.Dense, x Matrix, b *tensor.Dense, w *Weights, p *simd.Weights[T], scale float64) (badRow int) {
	if s, ok := x.(*CSR); ok {
		return simd.PhaseCSR(data[T](dst), sparseOf[T](s).CSR, background(s, w, p, data[T](b)), p, scale)
	}
	return simd.Phase(data[T](dst), data[T](x.(*tensor.Dense)), data[T](b), x.Shape()[0], p, scale)
}

func affine[T domain.Float](dst *tensor.Dense, x Matrix, b *tensor.Dense, w *Weights, p *simd.Weights[T]) {
	if s, ok := x.(*CSR); ok {
		p.AffineCSR(data[T](dst), sparseOf[T](s).CSR, background(s, w, p, data[T](b)))
		return
	}
	p.Affine(data[T](dst), data[T](x.(*tensor.Dense)), data[T](b), x.Shape()[0])
}

func exponential[T domain.Float](dst *tensor.Dense, x Matrix, w *Weights, p *simd.Weights[T], scale float64) {
	if s, ok := x.(*CSR); ok {
		simd.ExpCSR(data[T](dst), sparseOf[T](s).CSR, background(s, w, p, nil), p, scale)
		return
	}
	simd.Exp(data[T](dst), data[T](x.(*tensor.Dense)), x.Shape()[0], p, scale)
}

// background is bias + base·W [m] of sparse rows, the bias itself where they have no base; a nil bias is 0.
func background[T domain.Float](x *CSR, w *Weights, p *simd.Weights[T], bias []T) []T {
	base := sparseOf[T](x).base
	if base == nil {
		return bias
	}
	d, m := p.Dims()
	out := make([]T, m)
	if len(base) > 1 || d == 1 {
		p.AffineCSR(out, fullRow(base), bias)
		return out
	}
	copy(out, bias)
	for j, sum := range columnSums(w, p) {
		out[j] += base[0] * sum
	}
	return out
}

// columnSums are those of W, added up when they are first asked for.
func columnSums[T domain.Float](w *Weights, p *simd.Weights[T]) []T {
	w.summed.Do(func() {
		d, m := p.Dims()
		ones, sums := make([]T, d), make([]T, m)
		for i := range ones {
			ones[i] = 1
		}
		p.AffineCSR(sums, fullRow(ones), nil)
		w.sums = sums
	})
	return w.sums.([]T)
}

// fullRow is one row that stores every column: its product reads a W that is not packed as it lies, where a dense row would pack it.
func fullRow[T domain.Float](v []T) simd.CSR[T] {
	row := simd.CSR[T]{Rows: 1, Cols: len(v), Ptr: []int{0, len(v)}, Col: make([]int32, len(v)), Val: v}
	for j := range v {
		row.Col[j] = int32(j)
	}
	return row
}

// mixed is values for an op whose first input may be sparse; that of a sparse x is nil among the tensors. wantsX is whether the gradient
// for x is asked for, which there is for dense rows alone.
func (b base) mixed(in []G.Value, wantsX bool) (x Matrix, ts []*tensor.Dense, err error) {
	var s *CSR
	if len(in) > 0 {
		s, _ = in[0].(*CSR)
	}
	if s == nil {
		if ts, err = b.values(in); err != nil {
			return nil, nil, err
		}
		return ts[0], ts, nil
	}
	if wantsX {
		return nil, nil, fmt.Errorf("%s: x is sparse, which is for data, and its gradient is asked for; leave WithInputGrad out, freeze the input, or make x dense: %w",
			b.attr.who(b.kind), ErrParam)
	}
	if ts, err = b.valuesFrom(1, in); err != nil {
		return nil, nil, err
	}
	if len(ts) > 1 && ts[1].Dtype() != s.Dtype() {
		return nil, nil, fmt.Errorf("%s: input 1 is %v, x is %v: %w", b.attr.who(b.kind), ts[1].Dtype(), s.Dtype(), ErrDtype)
	}
	return s, ts, nil
}

// gradWCSR is xᵀ·dP of sparse rows.
func gradWCSR(x *CSR, dp G.Value) (G.Value, error) {
	g, err := contiguous(dp)
	if err != nil {
		return nil, fmt.Errorf("ops: gradW: %w", err)
	}
	if g.Dims() != 2 || g.Shape()[0] != x.Rows() || g.Dtype() != x.Dtype() {
		return nil, fmt.Errorf("ops: gradW of %v and %v %v: %w", x, g.Dtype(), g.Shape(), ErrShape)
	}
	m := g.Shape()[1]
	dw := tensor.New(tensor.WithShape(x.Cols(), m), tensor.Of(g.Dtype()))
	if x.f32 != nil {
		simd.GradWCSR(data[float32](dw), x.f32.CSR, x.f32.columnBase(), data[float32](g), m)
	} else {
		simd.GradWCSR(data[float64](dw), x.f64.CSR, x.f64.columnBase(), data[float64](g), m)
	}
	return dw, nil
}

// columnBase is base with a number for each column, or nil.
func (s *sparse[T]) columnBase() []T {
	if len(s.base) != 1 {
		return s.base
	}
	v := make([]T, s.Cols)
	for j := range v {
		v[j] = s.base[0]
	}
	return v
}

// sparseResult is result for a sparse value.
func sparseResult(x *CSR, err error) (G.Value, error) {
	if err != nil {
		return nil, err
	}
	return x, nil
}
