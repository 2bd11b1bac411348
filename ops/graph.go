package ops

import (
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math"
	"reflect"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// op is an Op in a graph. Absent inputs are left out.
//
// Gorgonia merges nodes of equal hash, so everything besides the inputs that changes a result is in kind, params or
// attr.
type op struct {
	Op
	at    []int  // the position of each input among those that are declared
	ranks []int  // of the inputs
	data  []bool // of those declared: which have no gradient because they depend on data alone, see Data
	layer string // of this data, which the error of G.Grad names

	reuses bool          // as Reuse says
	last   *tensor.Dense // the result of the last run, if the op reuses it
}

// Reuse makes the ops of this package in a graph overwrite the results of the last run, so that later runs of a machine
// do not allocate them. It suits a graph that one machine runs many times with inputs of one size, where nobody keeps
// the value of a node beyond the next run. It does not change Gorgonia's own ops.
func Reuse(g *G.ExprGraph) {
	if g == nil {
		return
	}
	for _, n := range g.AllNodes() {
		if o := opOf(n); o != nil {
			o.reuses = true
		}
	}
}

// apply adds the op to the graph of its inputs.
func (o Op) apply(in ...*G.Node) (*G.Node, error) {
	for len(in) > 0 && in[len(in)-1] == nil {
		in = in[:len(in)-1]
	}
	if len(in) > len(o.sig.in) {
		return nil, o.tooMany(len(in))
	}
	c := o.begin()
	defer c.end()
	m := &op{Op: o, data: make([]bool, len(in))}
	var nodes []*G.Node
	for i, n := range in {
		if n == nil {
			continue
		}
		c.shapes[i] = n.Shape()
		m.at, m.ranks, nodes = append(m.at, i), append(m.ranks, n.Dims()), append(nodes, n)
		layer := dataBehind(n)
		if o.decl.data {
			layer = o.who()
		}
		if layer != "" && (o.parts || m.input(i)&o.attr.Frozen != 0) {
			m.data[i], m.layer = true, layer
		}
	}
	if err := c.fit(); err != nil {
		return nil, err
	}
	for i, n := range nodes[1:] {
		if err := o.oneType(m.at[i+1], n.Dtype(), 0, nodes[0].Dtype()); err != nil {
			return nil, err
		}
	}
	m.ranks = append(m.ranks, len(c.size))
	if o.backward.f32 != nil {
		return G.ApplyOp(withBackward{m}, nodes...)
	}
	return G.ApplyOp(m, nodes...)
}

func (o *op) Arity() int           { return len(o.at) }
func (o *op) ReturnsPtr() bool     { return true }
func (o *op) CallsExtern() bool    { return false }
func (o *op) OverwritesInput() int { return -1 }
func (o *op) String() string       { return o.kind }

// Type builds a new type at each call, because Gorgonia puts it into a pool after use.
func (o *op) Type() hm.Type {
	a := hm.TypeVariable('a')
	types := make([]hm.Type, len(o.ranks))
	for i, rank := range o.ranks {
		types[i] = G.TensorType{Dims: rank, Of: a}
	}
	return hm.NewFnType(types...)
}

func (o *op) WriteHash(h hash.Hash) {
	fmt.Fprintf(h, "bochner/ops %s %v %v ", o.kind, o.at, o.ranks)
	writeValue(h, reflect.ValueOf(o.attr))
	if !writeValue(h, reflect.ValueOf(o.params)) {
		fmt.Fprintf(h, "of op %p", o)
	}
}

// writeValue writes a value such that different values have different texts, whatever methods they have: a pointer by
// its address. It returns false if that cannot be, as for a function, of which only the code has an address.
func writeValue(h io.Writer, v reflect.Value) bool {
	if !v.IsValid() {
		fmt.Fprint(h, "nil ")
		return true
	}
	fmt.Fprint(h, v.Type(), " ")
	same := true
	switch v.Kind() {
	case reflect.Bool:
		fmt.Fprint(h, v.Bool(), " ")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(h, v.Int(), " ")
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		fmt.Fprint(h, v.Uint(), " ")
	case reflect.Float32, reflect.Float64:
		fmt.Fprint(h, math.Float64bits(v.Float()), " ")
	case reflect.String:
		fmt.Fprintf(h, "%q ", v.String())
	case reflect.Pointer:
		fmt.Fprint(h, v.Pointer(), " ")
	case reflect.Interface:
		return writeValue(h, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			same = writeValue(h, v.Field(i)) && same
		}
	case reflect.Array, reflect.Slice:
		fmt.Fprint(h, v.Len(), " ")
		for i := range v.Len() {
			same = writeValue(h, v.Index(i)) && same
		}
	default:
		return false
	}
	return same
}

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// DiffWRT is true for inputs that are not frozen. It is also true for data, so that G.Grad for data reaches the op that
// refuses it.
func (o *op) DiffWRT(n int) []bool {
	wrt := make([]bool, n)
	for k := range wrt {
		wrt[k] = k < len(o.at) && (o.wants(o.at[k]) || o.refuses(o.at[k]))
	}
	return wrt
}

// input is the name of input i for Frozen, or 0.
func (o *op) input(i int) Inputs {
	if i < len(o.decl.in) {
		return o.decl.in[i]
	}
	return 0
}

// wants reports whether the gradient for input i is wanted.
func (o *op) wants(i int) bool { return o.input(i)&^o.attr.Frozen != 0 && !o.refuses(i) }

// refuses reports whether input i depends on data alone.
func (o *op) refuses(i int) bool { return i < len(o.data) && o.data[i] }

// wantsAny reports whether the gradient for any input from the given one on is wanted.
func (o *op) wantsAny(from int) bool {
	for _, i := range o.at {
		if i >= from && o.wants(i) {
			return true
		}
	}
	return false
}

// InferShape is the shape that the signature says.
func (o *op) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	if len(ds) != o.Arity() {
		return nil, fmt.Errorf("%s: %d inputs, want %d: %w", o.who(), len(ds), o.Arity(), ErrShape)
	}
	ss, err := G.DimSizersToShapes(ds)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.who(), err)
	}
	c := o.begin()
	defer c.end()
	for k, s := range ss {
		c.shapes[o.at[k]] = s
	}
	if err := c.fit(); err != nil {
		return nil, err
	}
	return c.size.Clone(), nil
}

// Do computes the result. It never wraps a nil *tensor.Dense in a non-nil Value.
func (o *op) Do(in ...G.Value) (G.Value, error) {
	if len(in) != o.Arity() {
		return nil, fmt.Errorf("%s: %d inputs, want %d: %w", o.who(), len(in), o.Arity(), ErrShape)
	}
	c := o.begin()
	defer c.end()
	for k, v := range in {
		m, ok := v.(Matrix)
		if !ok {
			return nil, fmt.Errorf("%s: %s: want a dense tensor, got %T: %w", o.who(), o.name(o.at[k]), v, ErrDtype)
		}
		if err := c.add(o.at[k], m); err != nil {
			return nil, err
		}
		if _, sparse := v.(*CSR); sparse && o.wants(o.at[k]) {
			return nil, fmt.Errorf("%s: x is sparse, which is for data, and its gradient is asked for; leave "+
				"WithInputGrad out, freeze the input, or make x dense: %w", o.who(), ErrParam)
		}
	}
	if err := c.fit(); err != nil {
		return nil, err
	}
	if _, ok := c.x.(*CSR); ok && c.staysSparse() && !o.wantsAny(1) {
		s, err := c.sparseResult()
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	if err := c.ready(); err != nil {
		return nil, err
	}
	if o.value != nil {
		v, err := o.value(c)
		if err != nil {
			return nil, err
		}
		return v.(G.Value), nil
	}
	out := o.last
	if out == nil || out.Dtype() != c.x.Dtype() || !out.Shape().Eq(c.size) {
		out = unwritten(c.x.Dtype(), c.size.Clone()...)
		if o.reuses {
			o.last = out
		}
	}
	return out, c.fill(out)
}

// Constant returns the number v as a node of element type dt. Its name contains the type: Gorgonia merges constants of
// the same name, and would name this one by its value alone.
func Constant(v float64, dt tensor.Dtype) *G.Node {
	name := G.WithName(fmt.Sprintf("%v %v", dt, v))
	if dt == tensor.Float32 {
		return G.NewConstant(float32(v), name)
	}
	return G.NewConstant(v, name)
}
