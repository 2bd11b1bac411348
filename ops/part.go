package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// part is one gradient out of the vector of all of them, without a copy: the parts of a vector do not overlap, and nothing else reads it.
type part struct {
	base
	from       int
	rows, cols int // of a vector: rows
}

var _ G.Op = part{}

func newPart(from int, shape tensor.Shape) part {
	o := part{base{kind: fmt.Sprintf("part from %d of shape %v", from, shape), ranks: fmt.Sprint("1", shape.Dims())}, from, shape[0], 1}
	if shape.Dims() == 2 {
		o.cols = shape[1]
	}
	return o
}

func (o part) shape() tensor.Shape {
	if o.ranks == "11" {
		return tensor.Shape{o.rows}
	}
	return tensor.Shape{o.rows, o.cols}
}

func (o part) InferShape(...G.DimSizer) (tensor.Shape, error) { return o.shape(), nil }

func (o part) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	to := o.from + o.rows*o.cols
	if size := ts[0].Shape().TotalSize(); to > size {
		return nil, fmt.Errorf("ops: %s of a vector of %d: %w", o.kind, size, ErrShape)
	}
	if ts[0].Dtype() == tensor.Float32 {
		return partOf[float32](o, ts[0], to), nil
	}
	return partOf[float64](o, ts[0], to), nil
}

func partOf[T domain.Float](o part, all *tensor.Dense, to int) *tensor.Dense {
	if o.from == to { // a tensor without cells has no backing
		return tensor.New(tensor.WithShape(o.shape()...), tensor.Of(all.Dtype()))
	}
	return tensor.New(tensor.WithShape(o.shape()...), tensor.WithBacking(data[T](all)[o.from:to:to]))
}
