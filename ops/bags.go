package ops

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Bags is a batch of n sets of samples, of any sizes: bag i has the rows Offsets()[i] to Offsets()[i+1] of one matrix
// [N, l] of float32 or float64. A set is never empty; the order of its rows means nothing. Nothing here changes a
// sample; Slice and Samples share memory.
//
// It is a Matrix of n rows and l columns, a row of which is a set: what the functions of this library for rows of input
// take for sets.
type Bags struct {
	x       *tensor.Dense
	offsets []int
}

// NewBags makes bags of the rows of x [N, l], which it keeps (a copy, where x is a view), by n+1 offsets from 0 to N,
// which it copies.
//
// Errors: x that is no matrix, a matrix without columns, offsets that do not rise from 0 to N, which an empty bag
// breaks (ErrShape); another element type (ErrDtype). Values are checked where they are used.
func NewBags(x *tensor.Dense, offsets []int) (*Bags, error) {
	if x == nil {
		return nil, fmt.Errorf("ops: Bags: the samples are nil: %w", ErrShape)
	}
	x, err := contiguous(x)
	if err != nil {
		return nil, fmt.Errorf("ops: Bags: %w", err)
	}
	if x.Dims() != 2 || x.Shape()[1] == 0 {
		return nil, fmt.Errorf("ops: Bags: the samples have shape %v, want [N, l] with a column at least: %w",
			x.Shape(), ErrShape)
	}
	if err := checkOffsets("ops: Bags", offsets, x.Shape()[0]); err != nil {
		return nil, err
	}
	return &Bags{x, slices.Clone(offsets)}, nil
}

// checkOffsets wants offsets that rise from 0 to N.
func checkOffsets(who string, offsets []int, samples int) error {
	if len(offsets) == 0 || offsets[0] != 0 {
		return fmt.Errorf("%s: offsets %v, want them to begin with 0: %w",
			who, offsets[:min(len(offsets), 1)], ErrShape)
	}
	for i, lo := range offsets[:len(offsets)-1] {
		switch hi := offsets[i+1]; {
		case hi == lo:
			return fmt.Errorf("%s: bag %d is empty, and a density cannot be estimated from no sample; drop the bag: %w",
				who, i, ErrShape)
		case hi < lo:
			return fmt.Errorf("%s: bag %d has the rows %d to %d; offsets must rise: %w", who, i, lo, hi, ErrShape)
		}
	}
	if last := offsets[len(offsets)-1]; last != samples {
		return fmt.Errorf("%s: the offsets end at %d and there are %d samples: %w", who, last, samples, ErrShape)
	}
	return nil
}

// Len is n, the number of bags.
func (b *Bags) Len() int { return len(b.offsets) - 1 }

// Axes is l, the number of coordinates of a sample.
func (b *Bags) Axes() int { return b.x.Shape()[1] }

// Shape is (n, l): sets and coordinates.
func (b *Bags) Shape() tensor.Shape { return tensor.Shape{b.Len(), b.Axes()} }

// Dims is 2, the length of Shape.
func (b *Bags) Dims() int { return 2 }

// Dtype is tensor.Float32 or tensor.Float64.
func (b *Bags) Dtype() tensor.Dtype { return b.x.Dtype() }

// Samples are all samples, [N, l], bag after bag. The tensor is the bags' own.
func (b *Bags) Samples() *tensor.Dense { return b.x }

// Offsets are where each bag begins in Samples, and then N.
func (b *Bags) Offsets() []int { return slices.Clone(b.offsets) }

// check panics where not all of the bags are there.
func (b *Bags) check(bags ...int) {
	for _, i := range bags {
		if i < 0 || i >= b.Len() {
			panic(fmt.Sprintf("ops: Bags: bag %d of %d", i, b.Len()))
		}
	}
}

// Size is the number of samples of bag i. It panics when there is no such bag.
func (b *Bags) Size(i int) int {
	b.check(i)
	return b.offsets[i+1] - b.offsets[i]
}

// Bag are the samples of bag i, over the same memory. It panics when there is no such bag.
func (b *Bags) Bag(i int) *tensor.Dense {
	b.check(i)
	return Rows(b.x, b.offsets[i], b.offsets[i+1])
}

// BagsOfRows are the rows of x [n, l] as n sets of one sample each.
func BagsOfRows(x *tensor.Dense) (*Bags, error) {
	n := 0
	if x != nil && x.Dims() == 2 {
		n = x.Shape()[0]
	}
	return NewBags(x, singles(n))
}

// singles are the offsets of n sets of one sample each.
func singles(n int) []int {
	offsets := make([]int, n+1)
	for i := range offsets {
		offsets[i] = i
	}
	return offsets
}

// With are the same sets with other samples: x [N, l'], a sample for each, which it keeps.
func (b *Bags) With(x *tensor.Dense) (*Bags, error) { return NewBags(x, b.offsets) }

// Slice is the bags lo to hi (exclusive), over the same memory. It panics when they are not there.
func (b *Bags) Slice(lo, hi int) *Bags {
	checkPart("Bags", lo, hi, b.Len())
	first := b.offsets[lo]
	out := &Bags{x: Rows(b.x, first, b.offsets[hi]), offsets: slices.Clone(b.offsets[lo : hi+1])}
	for i := range out.offsets {
		out.offsets[i] -= first
	}
	return out
}

// Take are the bags idx, in that order, repeats included, as a copy. It panics when one is not there.
func (b *Bags) Take(idx []int) *Bags {
	b.check(idx...)
	out := &Bags{offsets: make([]int, len(idx)+1)}
	for k, i := range idx {
		out.offsets[k+1] = out.offsets[k] + b.Size(i)
	}
	out.x = tensor.New(tensor.WithShape(out.offsets[len(idx)], b.Axes()), tensor.Of(b.Dtype()))
	for k, i := range idx {
		typed(b.Dtype(), copyCells[float32], copyCells[float64])(out.Bag(k), b.Bag(i))
	}
	return out
}

// Axis is coordinate j alone, as bags of one dimension, a copy: of many dimensions the densities of the coordinates can
// still be estimated, one by one. It panics when there is no such coordinate.
func (b *Bags) Axis(j int) *Bags {
	if j < 0 || j >= b.Axes() {
		panic(fmt.Sprintf("ops: Bags: coordinate %d of %d", j, b.Axes()))
	}
	out := &Bags{x: tensor.New(tensor.WithShape(b.x.Shape()[0], 1), tensor.Of(b.Dtype())),
		offsets: slices.Clone(b.offsets)}
	if err := ColumnsInto(out.x, 0, b.x, j, j+1, 1); err != nil {
		panic(err) // shapes that were checked above
	}
	return out
}

// InBag is an error about the rows of Samples as one about the bags: a cell that it names is counted in its bag.
func (b *Bags) InBag(err error) error {
	var cell *domain.CellError
	if !errors.As(err, &cell) || !cell.OfInput() || cell.OfBag {
		return err
	}
	i := sort.SearchInts(b.offsets, cell.Row+1) - 1
	moved := *cell
	moved.OfBag, moved.Bag, moved.Row = true, i, cell.Row-b.offsets[i]
	return &moved
}

// String tells the number of bags and the shape and type of the samples.
func (b *Bags) String() string {
	return fmt.Sprintf("%d bags of %v %v", b.Len(), b.Dtype(), b.x.Shape())
}
