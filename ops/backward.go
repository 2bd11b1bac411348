package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// withBackward is an op with a backward, as both of Gorgonia's machines need it. The backward is one more op, whose
// result is the gradients that are wanted: SymDiff adds it to the gradient graph of the TapeMachine, DoDiff runs it for
// the LispMachine.
type withBackward struct{ *op }

var (
	_ G.SDOp = withBackward{}
	_ G.ADOp = withBackward{}
)

// opOf returns the op of this package that makes n, or nil.
func opOf(n *G.Node) *op {
	switch o := n.Op().(type) {
	case withBackward:
		return o.op
	case *op:
		return o
	}
	return nil
}

// theOutput is an op's output among what its backward reads.
const theOutput = -1

// gradients are the parameters of a backward.
type gradients struct {
	of     any            // the parameters of the op
	shapes []tensor.Shape // of the inputs of the op, nil for one that is absent
	wanted []bool         // for which inputs
	count  int            // how many
}

// backwardOf is the backward of an op with inputs of these shapes. Its inputs are the op's, of which it is given
// the ones that it reads, then the output and the gradient of the output. Its result is the wanted gradients, one after
// another, or a single one in its own shape: they share most of their work, and a Gorgonia op has one result.
func (o *op) backwardOf(shapes []tensor.Shape, out tensor.Shape) Op {
	p := gradients{of: o.params, shapes: shapes, wanted: make([]bool, len(shapes))}
	sig, size, one := &signature{}, 0, pattern(nil)
	for i, s := range append(shapes[:len(shapes):len(shapes)], out, out) {
		sig.in, sig.optional = append(sig.in, []pattern{exactly(s)}), append(sig.optional, true)
		if i < len(shapes) && s != nil && o.wants(i) {
			p.wanted[i], p.count, one = true, p.count+1, exactly(s)
			size += s.TotalSize()
		}
	}
	sig.out = []pattern{{{factor: size}}}
	if p.count == 1 {
		sig.out = []pattern{one}
	}
	d := &decl{kind: "gradients of " + o.kind, sig: sig, names: o.names, unchecked: true, sparse: max(o.sparse, spread),
		forward: o.backward, bind: func(b *Op, v *sizes) {
			if o.bind != nil {
				o.bind(&o.Op, v)
			}
			o.sig.resolve(v, shapes)
		}}
	if o.pack != nil && !o.unpacked {
		d.pack = o.pack
	}
	return Op{decl: d, attr: Attr{Layer: o.attr.Layer}, params: p}
}

// exactly is the pattern of one shape.
func exactly(s tensor.Shape) (p pattern) {
	for _, n := range s {
		p = append(p, dim{factor: n})
	}
	return p
}

// from is where the gradient for input i, a wanted one, begins in the result.
func (p gradients) from(i int) (at int) {
	for k, s := range p.shapes[:i] {
		if p.wanted[k] {
			at += s.TotalSize()
		}
	}
	return at
}

// paramsOf returns the parameters of an op, for its forward and its backward.
func paramsOf[P any](c *call) P {
	if g, ok := c.params.(gradients); ok {
		return g.of.(P)
	}
	return c.params.(P)
}

// outputOf returns the cells of the output of the op, for its backward.
func outputOf[T domain.Float](c *call) []T { return cells[T](c, len(c.in)-2) }

// gradientOf returns the cells of the gradient of the output, for the backward.
func gradientOf[T domain.Float](c *call) []T { return cells[T](c, len(c.in)-1) }

// gradientFor returns the cells that a backward writes the gradient for input i to, nil if it is not wanted.
func gradientFor[T domain.Float](c *call, i int) []T {
	p := c.params.(gradients)
	if i >= len(p.wanted) || !p.wanted[i] || p.shapes[i].TotalSize() == 0 {
		return nil
	}
	return result[T](c)[p.from(i):][:p.shapes[i].TotalSize():p.shapes[i].TotalSize()]
}

// backwardInputs returns the inputs of the backward from the op's own that are present, its output and the gradient of
// that.
func backwardInputs[V any](o *op, in []V, out, grad V) []V {
	all := make([]V, len(o.sig.in)+2)
	for k, i := range o.at {
		if slices.Contains(o.reads, i) {
			all[i] = in[k]
		}
	}
	if all[len(all)-1] = grad; slices.Contains(o.reads, theOutput) {
		all[len(all)-2] = out
	}
	return all
}

// shapesOf returns the shapes of the inputs, nil for those that are absent.
func (o *op) shapesOf(in G.Nodes) []tensor.Shape {
	shapes := make([]tensor.Shape, len(o.sig.in))
	for k, n := range in {
		shapes[o.at[k]] = n.Shape()
	}
	return shapes
}

// SymDiff adds the backward to the graph, and takes its result apart.
func (o withBackward) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	if err := refusal(out); err != nil {
		return nil, err
	}
	nodes, b := make(G.Nodes, len(in)), o.backwardOf(o.shapesOf(in), out.Shape())
	p, all, err := b.params.(gradients), (*G.Node)(nil), error(nil)
	if p.count > 0 {
		if all, err = b.apply(backwardInputs(o.op, in, out, grad)...); err != nil {
			return nil, err
		}
	}
	for k, i := range o.at {
		switch {
		case o.refuses(i):
			nodes[k] = grad // any node: what makes the input refuses before it looks at its gradient
		case p.wanted[i] && p.count == 1:
			nodes[k] = all
		case p.wanted[i]:
			if nodes[k], err = partOf(p.from(i), p.shapes[i]).apply(all); err != nil {
				return nil, err
			}
		}
	}
	return nodes, nil
}

// part is where one gradient lies among all of them.
type part struct {
	from  int
	shape tensor.Shape
}

// partOf takes one gradient out of the vector of all of them, without a copy. This is safe, because the parts do not
// overlap and nothing else reads the vector.
func partOf(from int, shape tensor.Shape) Op {
	return Op{params: part{from, shape}, decl: &decl{kind: "part from the gradients", unchecked: true,
		sig:   &signature{in: parse("s->s").in, optional: []bool{false}, out: []pattern{exactly(shape)}},
		value: func(c *call) (Matrix, error) { return cellsFrom(c.in[0], from, shape.Clone()), nil }}}
}

// cellsFrom returns cells of a contiguous tensor from one on as a tensor of this shape, over its memory.
func cellsFrom(t *tensor.Dense, from int, shape tensor.Shape) *tensor.Dense {
	return typed(t.Dtype(), cellRange[float32], cellRange[float64])(t, from, shape)
}

func cellRange[T domain.Float](t *tensor.Dense, from int, shape tensor.Shape) *tensor.Dense {
	to := from + shape.TotalSize()
	if from == to { // a tensor without cells has no backing
		return tensor.New(tensor.WithShape(shape...), tensor.Of(t.Dtype()))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data[T](t)[from:to:to]))
}

// DoDiff adds to the gradients of the inputs. The LispMachine calls it for every op, wanted or not.
func (o withBackward) DoDiff(_ G.ExecutionContext, in G.Nodes, out *G.Node) error {
	if !o.wantsAny(0) {
		return nil
	}
	grad, err := out.Grad()
	if err != nil {
		return fmt.Errorf("ops: %v: the output has no gradient: %w", o, err)
	}
	values := make([]G.Value, len(in))
	for k, n := range in {
		values[k] = n.Value()
	}
	b := o.backwardOf(o.shapesOf(in), out.Shape())
	m, given := &op{Op: b}, []G.Value(nil)
	for i, v := range backwardInputs(o.op, values, out.Value(), grad) {
		if v != nil {
			m.at, given = append(m.at, i), append(given, v)
		}
	}
	all, err := m.Do(given...)
	if err != nil {
		return err
	}
	p := b.params.(gradients)
	for k, n := range in {
		if i := o.at[k]; p.wanted[i] {
			if err := accumulate(n, cellsFrom(all.(*tensor.Dense), p.from(i), p.shapes[i])); err != nil {
				return fmt.Errorf("ops: %v: gradient for %s: %w", o, o.name(i), err)
			}
		}
	}
	return nil
}

// accumulate adds g to the gradient of n in place; Gorgonia offers other packages no other way.
func accumulate(n *G.Node, g *tensor.Dense) error {
	have, err := n.Grad()
	if err != nil {
		return err
	}
	sum, ok := have.(tensor.Tensor)
	if !ok {
		return errors.New("it is not a tensor")
	}
	_, err = tensor.Add(sum, g, tensor.UseUnsafe())
	return err
}

// gradientsXWB returns the memory of the gradients for x, W and b, the first inputs, nil for those that are not wanted.
func gradientsXWB[T domain.Float](c *call) simd.Gradients[T] {
	return simd.Gradients[T]{DX: gradientFor[T](c, 0), DW: gradientFor[T](c, 1), DB: gradientFor[T](c, 2)}
}

// ofProduct writes the gradients that have memory from dP [n, m], the gradient of P = xW + b: dx = dP·Wᵀ, dW = xᵀ·dP
// and the column sums db. There is none for a sparse x.
func ofProduct[T domain.Float](c *call, w *simd.Weights[T], to simd.Gradients[T], dp []T) error {
	return ofRows(c.at('n'), inputRows[T](c), nil, w, to, dp)
}

// ofRows is ofProduct for n rows x, to whose columns base is added, where it is not nil, if they are sparse.
func ofRows[T domain.Float](n int, x simd.Rows[T], base []T, w *simd.Weights[T], to simd.Gradients[T], dp []T) error {
	d, m := w.Dims()
	if to.DX != nil {
		w.GradX(to.DX, dp, n)
	}
	if to.DW != nil && x.Sparse != nil {
		simd.GradWCSR(to.DW, *x.Sparse, base, dp, m)
	} else if to.DW != nil {
		simd.GradW(to.DW, x.Dense, dp, n, d, m)
	}
	if to.DB != nil {
		simd.ColSum(to.DB, dp, n)
	}
	return nil
}

// ofSlopes is ofProduct for the dP of slopes. For dense rows dP is computed block by block of rows, in cache, and never
// stored; for sparse rows it is, because dW takes one pass over all rows.
func ofSlopes[T domain.Float](c *call, w *simd.Weights[T], to simd.Gradients[T], dp simd.Slopes[T]) error {
	n := c.at('n')
	if to.DX == nil && to.DW == nil && to.DB == nil {
		return nil
	}
	if _, ok := c.x.(*CSR); ok {
		_, m := w.Dims()
		all := scratch[T](c, n*m)
		dp.Write(all, n, m)
		return ofProduct(c, w, to, all)
	}
	w.Backward(to, cells[T](c, 0), n, dp)
	return nil
}

// scratch returns memory with arbitrary cells.
func scratch[T domain.Float](c *call, cells int) []T { return data[T](unwritten(c.x.Dtype(), cells)) }
