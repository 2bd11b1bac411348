package layers

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Part is a layer of a Concat. It maps the columns From to To (exclusive) of the input; Weight is the weight of its
// kernel in the sum.
type Part struct {
	Layer    Layer
	From, To int
	Weight   float64
}

// Concat maps parts of the input, each by a layer of its own, and puts the outputs side by side, scaled by the roots of
// the weights:
//
//	z(x) = [√β₁ z₁(x₁) | √β₂ z₂(x₂) | ...],   z(x)·z(x') ≈ Σ β_p k_p(x_p, x'_p).
//
// This is the feature map of a weighted sum of kernels on several descriptors. Parts may overlap. Li et al. (2010),
// section 6.
type Concat struct {
	group
	parts    []Part
	dims     int
	features int
	grad     bool
}

var _ Layer = (*Concat)(nil)

// NewConcat makes a Concat of parts for an input of dims columns. For a gradient of a leaf input, give WithInputGrad to
// NewConcat and to the layers of the parts. Errors: no part, a layer that is nil, a weight that is negative or not
// finite, two used layers with the same random numbers, see WithSeed (ErrParam); columns that the input does not have
// or that are not as many as the layer takes (ErrShape); different element types (ErrDtype); two layers of the same
// name (ErrName).
func NewConcat(dims int, parts []Part, opts ...Option) (*Concat, error) {
	if err := domain.CheckSize("layers: Concat: rows", 8, dims); err != nil {
		return nil, err
	}
	ls := make([]Layer, len(parts))
	for i, p := range parts {
		ls[i] = p.Layer
	}
	o, err := newOptions("NewConcat", opts, []string{"WithInputGrad"})
	if err != nil {
		return nil, err
	}
	g, err := newGroup("Concat", ls)
	if err != nil {
		return nil, err
	}
	c := &Concat{group: g, parts: append([]Part(nil), parts...), dims: dims, grad: o.inputGrad}
	for i, p := range parts {
		if p.From < 0 || p.To > dims || p.To-p.From != p.Layer.Dims() {
			return nil, fmt.Errorf("layers: Concat: part %d is columns %d to %d of %d, and %q takes %d: %w", i, p.From,
				p.To, dims, p.Layer.Name(), p.Layer.Dims(), ErrShape)
		}
		if !(p.Weight >= 0) || math.IsInf(p.Weight, 1) {
			return nil, fmt.Errorf("layers: Concat: part %d has weight %v, want a finite number of at least 0: %w", i,
				p.Weight, ErrParam)
		}
		c.features += p.Layer.Features()
	}
	if err := drawApart("Concat", ls); err != nil {
		return nil, err
	}
	return c, nil
}

// Parts returns the parts, in order, with their columns and weights.
func (c *Concat) Parts() []Part { return append([]Part(nil), c.parts...) }

// Dims is the number of columns of the whole input.
func (c *Concat) Dims() int { return c.dims }

// Features is the sum of the output columns of the parts.
func (c *Concat) Features() int { return c.features }

// Fwd adds all parts to the graph of x.
func (c *Concat) Fwd(x G.Input) G.Result {
	if domain.IsNil(x) {
		return G.Err(fmt.Errorf("layers: Concat: the input is nil, want a node of shape [n, %d]: %w", c.dims, ErrShape))
	}
	if err := G.CheckOne(x); err != nil {
		return G.Err(err)
	}
	return G.LiftResult(c.fwd(x.Node()))
}

func (c *Concat) fwd(x *G.Node) (*G.Node, error) {
	if x == nil {
		return nil, fmt.Errorf("layers: Concat: the input is no node: %w", ErrShape)
	}
	if x.Dims() != 2 || x.Shape()[1] != c.dims {
		return nil, fmt.Errorf("layers: Concat: x has shape %v, want [n, %d]: %w", x.Shape(), c.dims, ErrShape)
	}
	x, a, err := data(x, c.grad, ops.Attr{Layer: "layers: Concat"})
	if err != nil {
		return nil, err
	}
	outs, scales := make([]*G.Node, len(c.parts)), make([]float64, len(c.parts))
	for i, p := range c.parts {
		part, err := ops.Columns(p.From, p.To, 1, a).Node(x)
		if err != nil {
			return nil, err
		}
		r := p.Layer.Fwd(part)
		if err := r.Err(); err != nil {
			return nil, err
		}
		outs[i], scales[i] = r.Node(), math.Sqrt(p.Weight)
	}
	return ops.Concat(scales, ops.Attr{Layer: a.Layer}).Node(outs...)
}

// Transform maps all parts and writes their outputs side by side to dst. It allocates the output of each part.
func (c *Concat) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) { return c.transform(dst, x) }

// KeepsZeros says whether all parts keep zeros.
func (c *Concat) KeepsZeros() bool { return c.keepZeros() }

// MapCSR maps all parts of sparse rows to sparse rows. Errors: a part that makes the rows dense (ErrParam).
func (c *Concat) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	if err := checkColumns("layers: Concat", x, c.dims); err != nil {
		return nil, err
	}
	outs, scales := make([]ops.Matrix, len(c.parts)), make([]float64, len(c.parts))
	for i, p := range c.parts {
		z, err := mapCSR(p.Layer, x.TakeColumns(p.From, p.To, 1))
		if err != nil {
			return nil, err
		}
		outs[i], scales[i] = z, math.Sqrt(p.Weight)
	}
	return ops.Concat(scales, ops.Attr{Layer: "layers: Concat"}).Sparse(outs[0].(*ops.CSR), outs[1:]...)
}

// TransformCSR is Transform for sparse rows. The columns of each part stay sparse.
func (c *Concat) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return c.transform(dst, x)
}

func (c *Concat) transform(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	if err := checkColumns("layers: Concat", x, c.dims); err != nil {
		return nil, err
	}
	n := x.Shape()[0]
	if dst == nil {
		dst = tensor.New(tensor.WithShape(n, c.features), tensor.Of(c.Dtype()))
	}
	if !dst.Shape().Eq(tensor.Shape{n, c.features}) {
		return nil, fmt.Errorf("layers: Concat: dst has shape %v, want (%d, %d): %w", dst.Shape(), n, c.features,
			ErrShape)
	}
	at := 0
	for _, p := range c.parts {
		part, err := columns(x, p.From, p.To)
		if err != nil {
			return nil, err
		}
		z, err := Apply(p.Layer, nil, part)
		if err != nil {
			return nil, err
		}
		if err := ops.ColumnsInto(dst, at, z, 0, p.Layer.Features(), math.Sqrt(p.Weight)); err != nil {
			return nil, err
		}
		at += p.Layer.Features()
	}
	return dst, nil
}

// columns returns some columns of x, sparse if x is.
func columns(x ops.Matrix, from, to int) (ops.Matrix, error) {
	if s, ok := x.(*ops.CSR); ok {
		return s.TakeColumns(from, to, 1), nil
	}
	part := tensor.New(tensor.WithShape(x.Shape()[0], to-from), tensor.Of(x.Dtype()))
	return part, ops.ColumnsInto(part, 0, x, from, to, 1)
}
