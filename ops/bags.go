package ops

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Bags is a batch of n sets of samples of any sizes. Set i is the rows Offsets()[i] to Offsets()[i+1] of one matrix [N,
// l] of float32 or float64. A set is never empty, and the order of its rows has no meaning. No method changes a sample;
// Slice and Samples share memory.
//
// Bags is a Matrix of n rows and l columns in which a row is a set. Layers that map sets take it as their rows of
// input. The Into functions for dense or sparse rows refuse it (ErrDtype).
type Bags struct {
	x       *tensor.Dense
	offsets []int
}

// NewBags makes bags from the rows of x [N, l] and n+1 offsets from 0 to N. It keeps x, or a copy of a view, and copies
// the offsets.
//
// Errors: an x that is nil, no matrix or without columns, offsets that do not rise from 0 to N, as with an
// empty bag (ErrShape); another element type (ErrDtype). The functions that use the values check them.
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

// checkOffsets checks that the offsets rise from 0 to N.
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
			return fmt.Errorf("%s: bag %d has the rows %d to %d; offsets must not decrease: %w", who, i, lo, hi, ErrShape)
		}
	}
	if last := offsets[len(offsets)-1]; last != samples {
		return fmt.Errorf("%s: the offsets end at %d and there are %d samples: %w", who, last, samples, ErrShape)
	}
	return nil
}

// Len returns n, the number of bags.
func (b *Bags) Len() int { return len(b.offsets) - 1 }

// Axes returns l, the number of coordinates of a sample.
func (b *Bags) Axes() int { return b.x.Shape()[1] }

// Shape returns (n, l).
func (b *Bags) Shape() tensor.Shape { return tensor.Shape{b.Len(), b.Axes()} }

// Dims returns 2, the length of Shape.
func (b *Bags) Dims() int { return 2 }

// Dtype returns tensor.Float32 or tensor.Float64.
func (b *Bags) Dtype() tensor.Dtype { return b.x.Dtype() }

// Samples returns all samples [N, l], bag after bag. The tensor is the bags' own.
func (b *Bags) Samples() *tensor.Dense { return b.x }

// Offsets returns a copy of the n+1 offsets: the first row of each bag in Samples, then N.
func (b *Bags) Offsets() []int { return slices.Clone(b.offsets) }

// check panics unless b has all of these bags.
func (b *Bags) check(bags ...int) {
	for _, i := range bags {
		if i < 0 || i >= b.Len() {
			panic(fmt.Sprintf("ops: Bags: bag %d of %d", i, b.Len()))
		}
	}
}

// Size returns the number of samples of bag i. It panics if there is no such bag.
func (b *Bags) Size(i int) int {
	b.check(i)
	return b.offsets[i+1] - b.offsets[i]
}

// Bag returns the samples of bag i, over the same memory. It panics if there is no such bag.
func (b *Bags) Bag(i int) *tensor.Dense {
	b.check(i)
	return Rows(b.x, b.offsets[i], b.offsets[i+1])
}

// BagsOfRows returns the rows of x [n, l] as n bags of one sample each. Errors are as for NewBags.
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

// With returns bags of the same sizes with other samples x [N, l'], which it keeps. Errors are as for NewBags.
func (b *Bags) With(x *tensor.Dense) (*Bags, error) { return NewBags(x, b.offsets) }

// Slice returns the bags lo to hi (exclusive), over the same memory. It panics if they are out of range.
func (b *Bags) Slice(lo, hi int) *Bags {
	checkPart("Bags", lo, hi, b.Len())
	first := b.offsets[lo]
	out := &Bags{x: Rows(b.x, first, b.offsets[hi]), offsets: slices.Clone(b.offsets[lo : hi+1])}
	for i := range out.offsets {
		out.offsets[i] -= first
	}
	return out
}

// Take returns a copy of the bags idx, in that order, with repeats. It panics if an index is out of range.
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

// Axis returns a copy of coordinate j alone, as bags of one dimension. With many dimensions the densities of single
// coordinates can still be estimated. It panics if there is no such coordinate.
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

// InBag turns an error about a cell of Samples into an error that names the bag and the row in the bag. It returns any
// other error unchanged.
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

// String returns the number of bags and the shape and type of the samples.
func (b *Bags) String() string {
	return fmt.Sprintf("%d bags of %v %v", b.Len(), b.Dtype(), b.x.Shape())
}

// BagMean is the mean of the rows of each bag of z, 1/N_i Σ_s z_s. z is [N, D]; bag i has the rows offsets[i] to
// offsets[i+1], which are fixed in the graph; the result is [n, D]. For features of a kernel it is the feature map of
// the mean embedding, whose squared distances are the squared maximum mean discrepancy. Gretton et al. (2012), A kernel
// two-sample test.
//
// Backward: dz_s = g_i/N_i for every row s of bag i. Errors while building: offsets, shapes.
func BagMean(offsets []int, a Attr) Op {
	return Op{decl: &bagMean, attr: a, params: slices.Clone(offsets)}
}

var bagMean = decl{kind: "BagMean", sig: parse("ND->nD"), names: []string{"z"}, in: []Inputs{X}, unchecked: true,
	check: func(c *call) error {
		offsets := c.params.([]int)
		c.set('n', len(offsets)-1)
		return checkOffsets(c.who(), offsets, c.at('N'))
	},
	forward:  kernel{meansOfBags[float32], meansOfBags[float64]},
	backward: kernel{spreadBags[float32], spreadBags[float64]}}

// meansOfBags sums in float64.
func meansOfBags[T domain.Float](c *call) error {
	dst, z, d, offsets := result[T](c), cells[T](c, 0), c.at('D'), c.params.([]int)
	sum := make([]float64, d)
	for i, lo := range offsets[:len(offsets)-1] {
		clear(sum)
		for s := lo; s < offsets[i+1]; s++ {
			for j, v := range z[s*d : s*d+d] {
				sum[j] += float64(v)
			}
		}
		for j, v := range sum {
			dst[i*d+j] = T(v / float64(offsets[i+1]-lo))
		}
	}
	return nil
}

// spreadBags gives g_i/N_i to every row of bag i.
func spreadBags[T domain.Float](c *call) error {
	dst, g, d, offsets := gradientFor[T](c, 0), gradientOf[T](c), c.at('D'), paramsOf[[]int](c)
	for i, lo := range offsets[:len(offsets)-1] {
		share := 1 / T(offsets[i+1]-lo)
		for s := lo; s < offsets[i+1]; s++ {
			for j, v := range g[i*d : i*d+d] {
				dst[s*d+j] = share * v
			}
		}
	}
	return nil
}
