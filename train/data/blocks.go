package data

import (
	"fmt"
	"iter"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// Blocks walks over x, [n, d], float64 or float32, in blocks of size rows: it yields the number of the first row and a
// tensor [b, d] over the same memory. Only the last block may have b < size. It panics when size is below 1 or x is not
// a contiguous matrix.
func Blocks(x *tensor.Dense, size int) iter.Seq2[int, *tensor.Dense] {
	m := mustMatrix("data.Blocks", x)
	if size < 1 {
		panic(fmt.Sprintf("data.Blocks: %d rows a block, want at least 1", size))
	}
	return func(yield func(int, *tensor.Dense) bool) {
		for lo := 0; lo < m.rows; lo += size {
			hi := min(m.rows, lo+size)
			if !yield(lo, m.slice(lo, hi)) {
				return
			}
		}
	}
}

// BlocksOf is Blocks for dense or sparse rows, or for bags: a block of these shares their memory too.
func BlocksOf(x ops.Matrix, size int) iter.Seq2[int, ops.Matrix] {
	if size < 1 {
		panic(fmt.Sprintf("data.BlocksOf: %d rows a block, want at least 1", size))
	}
	return func(yield func(int, ops.Matrix) bool) {
		for lo := 0; lo < x.Shape()[0]; lo += size {
			if !yield(lo, RowRange(x, lo, min(x.Shape()[0], lo+size))) {
				return
			}
		}
	}
}

// RowRange is the rows lo to hi (exclusive) of dense or sparse rows, or of bags, over the same memory. It panics when they are not there or
// x is not contiguous.
func RowRange(x ops.Matrix, lo, hi int) ops.Matrix {
	switch v := x.(type) {
	case *ops.CSR:
		return v.Slice(lo, hi)
	case *ops.Bags:
		return v.Slice(lo, hi)
	}
	return mustMatrix("data.RowRange", x.(*tensor.Dense)).slice(lo, hi)
}

// RowsOf is Rows for dense or sparse rows, or for bags.
func RowsOf(x ops.Matrix, idx []int) ops.Matrix {
	switch v := x.(type) {
	case *ops.CSR:
		return v.Take(idx)
	case *ops.Bags:
		return v.Take(idx)
	}
	return Rows(x.(*tensor.Dense), idx)
}

// Rows copies the rows idx of x, [n, d], float64 or float32, in that order, repeats included. It panics when an index
// is out of range or x is not a contiguous matrix.
func Rows(x *tensor.Dense, idx []int) *tensor.Dense {
	m := mustMatrix("data.Rows", x)
	out := matrix{rows: len(idx), cols: m.cols, single: m.single}
	if m.single {
		out.f32 = make([]float32, len(idx)*m.cols)
	} else {
		out.f64 = make([]float64, len(idx)*m.cols)
	}
	m.copyRows("data.Rows", out, idx)
	return out.slice(0, len(idx))
}

// RowsInto is Rows into the memory of dst, [len(idx), d], of the element type of x. It panics as Rows does, and where dst is of another
// shape or type.
func RowsInto(dst, x *tensor.Dense, idx []int) {
	const who = "data.RowsInto"
	m, out := mustMatrix(who, x), mustMatrix(who, dst)
	if out.rows != len(idx) || out.cols != m.cols || out.single != m.single {
		panic(fmt.Sprintf("%s: dst is %v %v, want %v (%d, %d)", who, dst.Dtype(), dst.Shape(), x.Dtype(), len(idx), m.cols))
	}
	m.copyRows(who, out, idx)
}

// copyRows copies the rows idx of m to dst, of the same width and type.
func (m matrix) copyRows(who string, dst matrix, idx []int) {
	for i, k := range idx {
		if k < 0 || k >= m.rows {
			panic(fmt.Sprintf("%s: row %d of %d", who, k, m.rows))
		}
		to, from := i*m.cols, k*m.cols
		if m.single {
			copy(dst.f32[to:to+m.cols], m.f32[from:])
		} else {
			copy(dst.f64[to:to+m.cols], m.f64[from:])
		}
	}
}

// mustMatrix is matrixOf for functions that have no error to return: what it refuses is the caller's mistake.
func mustMatrix(who string, x *tensor.Dense) matrix {
	m, err := matrixOf(who, x)
	if err != nil {
		panic(err.Error())
	}
	return m
}

// slice is a tensor over the rows [lo, hi).
func (m matrix) slice(lo, hi int) *tensor.Dense {
	rows := hi - lo
	lo, hi = lo*m.cols, hi*m.cols
	var backing any
	if !m.single {
		backing = m.f64[lo:hi:hi]
	} else {
		backing = m.f32[lo:hi:hi]
	}
	return tensor.New(tensor.WithShape(rows, m.cols), tensor.WithBacking(backing))
}
