package ops

import (
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// The packers of a W [d, m] that is the first input after x: any numbers, finite frequencies, or frequencies that are
// not negative. packShifted is of finite frequencies that are the second, packColumns of those that no product reads.
var (
	packW           = packerOf(1, nil)
	packFrequencies = packerOf(1, reals)
	packPositive    = packerOf(1, nonNegative)
	packShifted     = packerOf(2, reals)
	packColumns     = packerBy(1, reals, keepMatrix[float32], keepMatrix[float64])
)

// packerOf packs input at. Numbers that are kept are checked here, the others where they are used.
func packerOf(at int, on func(*Op) Domain) *packer {
	return packerBy(at, on, packMatrix[float32], packMatrix[float64])
}

// packerBy is packerOf by functions of the two element types.
func packerBy(at int, on func(*Op) Domain, f32, f64 func(w *tensor.Dense, keep bool) any) *packer {
	return &packer{from: at, n: 1, pack: func(c *call, keep bool) (any, error) {
		if keep && on != nil {
			if err := checkW(on(nil), c.who(), c.in[at]); err != nil {
				return nil, err
			}
		}
		return typed(c.in[at].Dtype(), f32, f64)(c.in[at], keep), nil
	}}
}

// packMatrix packs W, or borrows it for a single call during which it does not change. The product then packs it part
// by part.
func packMatrix[T domain.Float](w *tensor.Dense, keep bool) any {
	pack := simd.Borrow[T]
	if keep {
		pack = simd.Pack[T]
	}
	return pack(data[T](w), w.Shape()[0], w.Shape()[1])
}

// keepMatrix returns the cells of W as they lie, of a copy with keep.
func keepMatrix[T domain.Float](w *tensor.Dense, keep bool) any {
	if keep {
		return slices.Clone(data[T](w))
	}
	return data[T](w)
}

// packedW returns w in its element type, which must be T.
func packedW[T domain.Float](w *Weights) *simd.Weights[T] { return w.of.(*simd.Weights[T]) }

// firstCell returns the address of the first cell, or nil if there is none.
func firstCell(t *tensor.Dense) any {
	switch {
	case t.Shape().TotalSize() == 0:
		return nil
	case t.Dtype() == tensor.Float32:
		return &data[float32](t)[0]
	default:
		return &data[float64](t)[0]
	}
}

// inputRows returns x in the form of package simd.
func inputRows[T domain.Float](c *call) simd.Rows[T] {
	if s, ok := c.x.(*CSR); ok {
		return simd.Rows[T]{Sparse: sparseOf[T](s)}
	}
	return simd.Rows[T]{Dense: cells[T](c, 0)}
}

// rowsIn returns a function for the columns and values of a row; the columns of a dense row are nil.
func rowsIn[T domain.Float](c *call) func(i int) (columns []int32, values []T) {
	if s, ok := c.x.(*CSR); ok {
		v := sparseOf[T](s)
		return func(i int) ([]int32, []T) { return v.Col[v.Ptr[i]:v.Ptr[i+1]], v.Val[v.Ptr[i]:v.Ptr[i+1]] }
	}
	x, d := cells[T](c, 0), c.at('d')
	return func(i int) ([]int32, []T) { return nil, x[i*d : (i+1)*d] }
}

// columnOf returns the column of value t of a row from rowsIn.
func columnOf(columns []int32, t int) int {
	if columns == nil {
		return t
	}
	return int(columns[t])
}

// background is bias + base·W [m], where base is one number for all columns of W or one each; a nil bias is 0.
func background[T domain.Float](w *Weights, base, bias []T) []T {
	p := packedW[T](w)
	d, m := p.Dims()
	out := make([]T, m)
	if len(base) > 1 || d == 1 {
		simd.Affine(out, p, fullRow(base), bias, 1)
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
		p := packedW[T](w)
		d, m := p.Dims()
		ones, sums := make([]T, d), make([]T, m)
		for i := range ones {
			ones[i] = 1
		}
		simd.Affine(sums, p, fullRow(ones), nil, 1)
		w.sums = sums
	})
	return w.sums.([]T)
}

// fullRow is one row that stores every column. Its product reads a W that is not packed directly; a dense row would
// pack it.
func fullRow[T domain.Float](v []T) simd.Rows[T] {
	row := simd.CSR[T]{Rows: 1, Cols: len(v), Ptr: []int{0, len(v)}, Col: make([]int32, len(v)), Val: v}
	for j := range v {
		row.Col[j] = int32(j)
	}
	return simd.Rows[T]{Sparse: &row}
}
