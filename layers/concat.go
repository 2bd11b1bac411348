package layers

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Part is a layer of a Concat or a Product. It maps the columns From to To (exclusive) of the input; Weight is the
// weight of its kernel in the sum, or a factor of the product.
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
// This is the feature map of a weighted sum of kernels on several descriptors, Product of their product. Parts
// may overlap. Li et al. (2010), section 6.
type Concat struct{ *parallel }

// NewConcat makes a Concat of parts for an input of dims columns. For a gradient of a leaf input, give WithInputGrad to
// NewConcat and to the layers of the parts. Errors: no part, a layer that is nil, a weight that is negative or not
// finite, two used layers with the same random numbers, see WithSeed (ErrParam); columns that the input does not have
// or that are not as many as the layer takes (ErrShape); different element types (ErrDtype); two layers of the same
// name (ErrName).
func NewConcat(dims int, parts []Part, opts ...Option) (*Concat, error) {
	return newParallel[Concat](false, dims, parts, opts)
}

// Product maps parts of the input, each by a layer of its own, and multiplies each column of one part by each column of
// the others, scaled by the roots of the weights:
//
//	z(x) = √β₁ z₁(x₁) ⊗ √β₂ z₂(x₂) ⊗ ...,   z(x)·z(x') ≈ Π β_p k_p(x_p, x'_p).
//
// This is the feature map of a product of kernels, an interaction of several descriptors, where Concat adds them up.
// Parts may overlap. The columns of the last part run fastest. Vedaldi and Zisserman (2012), equations (7) and (13).
//
// The parts draw different random numbers, so E Π k̂_p = Π E k̂_p: the product is unbiased if all parts are. With the
// variances v_p of the parts its variance is Π (k_p² + v_p) - Π k_p², which falls with the widths of the parts, not
// with their product.
//
// The widths multiply: two parts of 64 columns make 4096, and 3 columns of each of 10 make 59049. Use it for a few
// parts. For many columns use one map of a kernel that is a product itself, such as Gaussian, SkewedChi2 or
// Exponentiated: it has any width, and its error falls with all of it.
type Product struct{ *parallel }

// NewProduct makes a Product of parts for an input of dims columns. For a gradient of a leaf input, give WithInputGrad
// to NewProduct and to the layers of the parts. Errors: as for NewConcat; a weight of 0 (ErrParam); more than 2³¹ - 1
// features (ErrShape).
func NewProduct(dims int, parts []Part, opts ...Option) (*Product, error) {
	return newParallel[Product](true, dims, parts, opts)
}

// parallel is the common part of Concat and Product.
type parallel struct {
	group
	parts   []Part
	product bool
}

func newParallel[L ~struct{ *parallel }](product bool, dims int, parts []Part, opts []Option) (*L, error) {
	kind := reflect.TypeFor[L]().Name()
	who := "layers: " + kind
	if err := domain.CheckSize(who+": rows", 8, dims); err != nil {
		return nil, err
	}
	ls := mapped(parts, func(p Part) Layer { return p.Layer })
	o, err := newOptions("New"+kind, opts, []string{"WithInputGrad"})
	if err != nil {
		return nil, err
	}
	g, err := newGroup(kind, ls)
	if err != nil {
		return nil, err
	}
	c := &parallel{g, slices.Clone(parts), product}
	c.dims, c.inputGrad, c.forward = dims, o.inputGrad, c.through
	widths, want := make([]int, len(parts)), "of at least 0"
	if product {
		want = "above 0; 1 leaves a kernel as it is"
	}
	for i, p := range parts {
		if p.From < 0 || p.To > dims || p.To-p.From != p.Layer.Dims() {
			return nil, fmt.Errorf("%s: part %d is columns %d to %d of %d, and %q takes %d: %w", who, i, p.From,
				p.To, dims, p.Layer.Name(), p.Layer.Dims(), ErrShape)
		}
		if !(p.Weight >= 0) || math.IsInf(p.Weight, 1) || product && p.Weight == 0 {
			return nil, fmt.Errorf("%s: part %d has weight %v, want a finite number %s: %w", who, i, p.Weight, want,
				ErrParam)
		}
		widths[i] = p.Layer.Features()
	}
	if c.features, err = width(who, product, widths); err != nil {
		return nil, err
	}
	if err := drawApart(kind, ls); err != nil {
		return nil, err
	}
	c.rows = groupRows(c.features)
	return &L{c}, nil
}

// width returns how many columns parts of these widths make, side by side or multiplied.
func width(who string, product bool, parts []int) (all int, err error) {
	if product {
		all = 1
	}
	for _, m := range parts {
		switch {
		case !product:
			all += m
		case m > 0 && all > maxProduct/m:
			return 0, fmt.Errorf("%s: parts of %v features make more than %d together; use fewer or narrower parts, "+
				"or one map of a kernel of all their columns: %w", who, parts, maxProduct, ErrShape)
		default:
			all *= m
		}
	}
	return all, nil
}

// maxProduct is the largest number of features of a Product, as ops.Kronecker has no more columns.
const maxProduct = 1<<31 - 1

// Parts returns the parts, in order, with their columns and weights.
func (c *parallel) Parts() []Part { return append([]Part(nil), c.parts...) }

// through maps all parts and puts their outputs together, in a graph or without one.
func (c *parallel) through(f *flow, dst *tensor.Dense, x value) value {
	x, a := f.begin(c.base, x, c.attr())
	outs, scales := make([]value, len(c.parts)), make([]float64, len(c.parts))
	for i, p := range c.parts {
		of := f.do(ops.Columns(p.From, p.To, 1, a), nil, x)
		if f.err == nil {
			outs[i] = f.layer(p.Layer, nil, of)
			if cell := domain.InputCell(f.err); cell != nil {
				cell.Col += p.From
				f.err = cell
			}
		}
		scales[i] = math.Sqrt(p.Weight)
	}
	op := ops.Concat
	if c.product {
		op = ops.Kronecker
	}
	return f.do(op(scales, c.attr()), dst, outs[0], outs[1:]...)
}

// signs returns the signs of the features.
func (c *parallel) signs() (all []float64) {
	for i, p := range c.parts {
		s, before := SignatureOf(p.Layer), all
		if s == nil {
			s = slices.Repeat([]float64{1}, p.Layer.Features())
		}
		if !c.product || i == 0 {
			all = append(all, s...)
			continue
		}
		all = nil
		for _, sign := range before {
			for _, v := range s {
				all = append(all, sign*v)
			}
		}
	}
	return all
}

// spec returns the Spec of the parts together, without what is the default of all parts.
func (c *parallel) spec() (Spec, error) {
	f := parallelForm{product: c.product}
	list := func(of func(Part) float64, usual float64) []float64 {
		all := mapped(c.parts, of)
		if slices.ContainsFunc(all, func(v float64) bool { return v != usual }) {
			return all
		}
		return nil
	}
	f.From = list(func(p Part) float64 { return float64(p.From) }, 0)
	f.To = list(func(p Part) float64 { return float64(p.To) }, float64(c.dims))
	f.Weights = list(func(p Part) float64 { return p.Weight }, 1)
	return c.specOf(f, c.dims)
}

// columns returns some columns of x, sparse if x is.
func columns(x ops.Matrix, from, to int) (ops.Matrix, error) {
	if s, ok := x.(*ops.CSR); ok {
		return s.TakeColumns(from, to, 1), nil
	}
	part := tensor.New(tensor.WithShape(x.Shape()[0], to-from), tensor.Of(x.Dtype()))
	return part, ops.ColumnsInto(part, 0, x, from, to, 1)
}
