package data

import (
	"fmt"
	"iter"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Blocks iterates over x [n, d], dense or sparse rows or ops.Bags, in blocks of size rows. It yields the number of the
// first row and a block over the same memory. Only the last block may have fewer rows. It panics when size is below 1,
// and when x is dense and not a contiguous matrix of float64 or float32.
func Blocks(x ops.Matrix, size int) iter.Seq2[int, ops.Matrix] {
	mustRows("data: Blocks", x)
	if size < 1 {
		panic(fmt.Sprintf("data: Blocks: %d rows a block, want at least 1", size))
	}
	return func(yield func(int, ops.Matrix) bool) {
		for lo := 0; lo < x.Shape()[0]; lo += size {
			if !yield(lo, RowRange(x, lo, min(x.Shape()[0], lo+size))) {
				return
			}
		}
	}
}

// RowRange returns the rows lo to hi (exclusive) of dense or sparse rows, or of ops.Bags, over the same memory. It
// panics when they are out of range or x is not contiguous.
func RowRange(x ops.Matrix, lo, hi int) ops.Matrix {
	const who = "data: RowRange"
	if n := mustRows(who, x); lo < 0 || hi < lo || hi > n {
		panic(fmt.Sprintf("%s: rows %d to %d of %d", who, lo, hi, n))
	}
	switch v := x.(type) {
	case *ops.CSR:
		return v.Slice(lo, hi)
	case *ops.Bags:
		return v.Slice(lo, hi)
	}
	return ops.Rows(x.(*tensor.Dense), lo, hi)
}

// Rows copies the rows idx of x, dense or sparse rows of float64 or float32, or ops.Bags, in that order, repeats
// included. It panics when an index is out of range, and when x is dense and not a contiguous matrix.
func Rows(x ops.Matrix, idx []int) ops.Matrix {
	const who = "data: Rows"
	mustIndex(who, mustRows(who, x), idx)
	switch v := x.(type) {
	case *ops.CSR:
		return v.Take(idx)
	case *ops.Bags:
		return v.Take(idx)
	}
	m := mustMatrix(who, x.(*tensor.Dense))
	if m.single {
		return tensor.New(tensor.WithShape(len(idx), m.cols), tensor.WithBacking(takeRows(m.f32, idx, m.cols)))
	}
	return tensor.New(tensor.WithShape(len(idx), m.cols), tensor.WithBacking(takeRows(m.f64, idx, m.cols)))
}

// RowsInto is Rows of a dense x into the memory of dst, [len(idx), d], with the element type of x. It panics as Rows
// does, and when dst has another shape or type.
func RowsInto(dst, x *tensor.Dense, idx []int) {
	const who = "data: RowsInto"
	m, out := mustMatrix(who, x), mustMatrix(who, dst)
	if out.rows != len(idx) || out.cols != m.cols || out.single != m.single {
		panic(fmt.Sprintf("%s: dst is %v %v, want %v (%d, %d)", who, dst.Dtype(), dst.Shape(), x.Dtype(), len(idx), m.cols))
	}
	mustIndex(who, m.rows, idx)
	if m.single {
		appendRows(out.f32[:0], m.f32, idx, m.cols)
	} else {
		appendRows(out.f64[:0], m.f64, idx, m.cols)
	}
}

// appendRows appends the rows idx of k elements.
func appendRows[T any](to, from []T, idx []int, k int) []T {
	for _, i := range idx {
		to = append(to, from[i*k:(i+1)*k]...)
	}
	return to
}

// takeRows copies the rows idx of k elements.
func takeRows[T any](from []T, idx []int, k int) []T {
	return appendRows(make([]T, 0, len(idx)*k), from, idx, k)
}

// pick is takeRows, and nil of nil. It panics when an index is out of range.
func pick[T any](from []T, idx []int, k int) []T {
	if from == nil {
		return nil
	}
	mustIndex("data: Set.Take", len(from)/k, idx)
	return takeRows(from, idx, k)
}

// mustRows returns the number of rows of x, dense, sparse or ops.Bags. It panics for anything else.
func mustRows(who string, x ops.Matrix) int {
	switch v := x.(type) {
	case *ops.CSR, *ops.Bags:
		if !domain.IsNil(x) {
			return x.Shape()[0]
		}
	case *tensor.Dense:
		return mustMatrix(who, v).rows
	}
	panic(fmt.Sprintf("%s: x is %T and nil, or no rows; give a *tensor.Dense, a *ops.CSR or a *ops.Bags", who, x))
}

// mustIndex panics unless idx are numbers of n rows.
func mustIndex(who string, n int, idx []int) {
	for _, k := range idx {
		if k < 0 || k >= n {
			panic(fmt.Sprintf("%s: row %d of %d", who, k, n))
		}
	}
}

// mustMatrix is matrixOf for functions that return no error: it panics.
func mustMatrix(who string, x *tensor.Dense) matrix {
	m, err := matrixOf(who, x)
	if err != nil {
		panic(err.Error())
	}
	return m
}
