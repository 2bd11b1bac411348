package ops

import (
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// The arithmetic of the maps on dense or sparse rows x [n, d], which are of W's width and type.

func pair[T domain.Float](dst *tensor.Dense, x Matrix, w *Weights, scale float64) (badRow int) {
	p := packed[T](w)
	if s, ok := x.(*CSR); ok {
		return simd.PairCSR(data[T](dst), sparseOf[T](s).CSR, background[T](s, w, nil), p, scale)
	}
	return simd.Pair(data[T](dst), data[T](x.(*tensor.Dense)), x.Shape()[0], p, scale)
}

func phase[T domain.Float](dst *tensor.Dense, x Matrix, b *tensor.Dense, w *Weights, scale float64) (badRow int) {
	p := packed[T](w)
	if s, ok := x.(*CSR); ok {
		return simd.PhaseCSR(data[T](dst), sparseOf[T](s).CSR, background(s, w, data[T](b)), p, scale)
	}
	return simd.Phase(data[T](dst), data[T](x.(*tensor.Dense)), data[T](b), x.Shape()[0], p, scale)
}

// affine is xW + b; a nil b is 0.
func affine[T domain.Float](dst *tensor.Dense, x Matrix, b *tensor.Dense, w *Weights) {
	p, bias := packed[T](w), []T(nil)
	if b != nil {
		bias = data[T](b)
	}
	if s, ok := x.(*CSR); ok {
		p.AffineCSR(data[T](dst), sparseOf[T](s).CSR, background(s, w, bias))
		return
	}
	p.Affine(data[T](dst), data[T](x.(*tensor.Dense)), bias, x.Shape()[0])
}

func exponential[T domain.Float](dst *tensor.Dense, x Matrix, w *Weights, scale float64) {
	p := packed[T](w)
	if s, ok := x.(*CSR); ok {
		simd.ExpCSR(data[T](dst), sparseOf[T](s).CSR, background[T](s, w, nil), p, scale)
		return
	}
	simd.Exp(data[T](dst), data[T](x.(*tensor.Dense)), x.Shape()[0], p, scale)
}

// background is bias + base·W [m] for sparse rows with a base, else the bias; a nil bias is 0.
func background[T domain.Float](x *CSR, w *Weights, bias []T) []T {
	base, p := sparseOf[T](x).base, packed[T](w)
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
	for j, sum := range columnSums[T](w) {
		out[j] += base[0] * sum
	}
	return out
}

// columnSums returns the sums of the columns of W, which it computes at the first call.
func columnSums[T domain.Float](w *Weights) []T {
	w.summed.Do(func() {
		p := packed[T](w)
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

// fullRow is one row that stores every column. Its product reads a W that is not packed directly; a dense row would
// pack it.
func fullRow[T domain.Float](v []T) simd.CSR[T] {
	row := simd.CSR[T]{Rows: 1, Cols: len(v), Ptr: []int{0, len(v)}, Col: make([]int32, len(v)), Val: v}
	for j := range v {
		row.Col[j] = int32(j)
	}
	return row
}

// columnBase returns base with a number for each column, or nil.
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
