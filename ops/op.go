package ops

import (
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math"
	"reflect"
	"slices"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// op is an operation of a graph. Every op of this package is a value of this type, with its own shape, forward and, if
// it has one, backward. What all ops share is written here and in backward.go.
//
// Gorgonia merges nodes of equal hash, so everything besides the inputs that changes a result is in kind, params or
// attr.
type op struct {
	kind   string
	params any      // the parameters of the result; immutable once the op is made
	in     []Inputs // the names of the inputs, 0 for one without a gradient; nil if none has a gradient
	ranks  string   // the ranks of the inputs, then of the result: "222" for (matrix, matrix) -> matrix
	attr   Attr
	data   []bool // which inputs depend on data alone; nil: those that attr names
	sparse bool   // whether the first input may be a CSR, if its gradient is not wanted
	spread bool   // whether any input may be a CSR, which is made dense

	// shape is the shape of the result for inputs of the right ranks.
	shape shaper
	// forward computes the result. x is the first input; in are all inputs, contiguous and of one element type, with
	// in[0] nil if x is a CSR. It is nil for an op that has fill.
	forward func(x Matrix, in []*tensor.Dense) (Matrix, error)
	// fill writes the result to out, which has its shape and is all zeros; if whole is set, and all inputs have cells,
	// out is not cleared and fill writes all of its cells.
	fill  func(out *tensor.Dense, x Matrix, in []*tensor.Dense) error
	whole bool
	// backward gives the tracer the gradients for the inputs. It is nil for the ops that backwards consist of.
	backward func(t *tracer)
}

// shaper returns the shape of a result for the shapes of the inputs.
type shaper func(in []tensor.Shape) (tensor.Shape, error)

func (o *op) Arity() int           { return len(o.ranks) - 1 }
func (o *op) ReturnsPtr() bool     { return true }
func (o *op) CallsExtern() bool    { return false }
func (o *op) OverwritesInput() int { return -1 }
func (o *op) String() string       { return o.kind }

// Type builds a new type at each call, because Gorgonia puts it into a pool after use.
func (o *op) Type() hm.Type {
	a := hm.TypeVariable('a')
	types := make([]hm.Type, len(o.ranks))
	for i := range types {
		types[i] = G.TensorType{Dims: o.rank(i), Of: a}
	}
	return hm.NewFnType(types...)
}

// rank is the rank of input i, or of the result after the last.
func (o *op) rank(i int) int { return int(o.ranks[i] - '0') }

func (o *op) WriteHash(h hash.Hash) {
	fmt.Fprintf(h, "bochner/ops %s %s %v ", o.kind, o.ranks, o.data)
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
	for i := range wrt {
		wrt[i] = o.wants(i) || o.refuses(i)
	}
	return wrt
}

// name is the name of input i, or 0.
func (o *op) name(i int) Inputs {
	if i < len(o.in) {
		return o.in[i]
	}
	return 0
}

// wants reports whether the gradient for input i is wanted.
func (o *op) wants(i int) bool {
	return o.name(i)&^o.attr.Frozen != 0 && !o.refuses(i)
}

// refuses reports whether input i depends on data alone.
func (o *op) refuses(i int) bool {
	if o.data != nil {
		return i < len(o.data) && o.data[i]
	}
	return o.name(i)&o.attr.refused != 0
}

func (o *op) who() string { return o.attr.who(o.kind) }

// InferShape checks the ranks of the inputs and leaves the rest to the op.
func (o *op) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	if len(ds) != o.Arity() {
		return nil, fmt.Errorf("%s: %d inputs, want %d: %w", o.who(), len(ds), o.Arity(), ErrShape)
	}
	ss, err := G.DimSizersToShapes(ds)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.who(), err)
	}
	for i, s := range ss {
		if err := o.checkRank(i, s); err != nil {
			return nil, err
		}
	}
	return o.shape(ss)
}

func (o *op) checkRank(i int, s tensor.Shape) error {
	if s.Dims() == o.rank(i) {
		return nil
	}
	return fmt.Errorf("%s: input %d has shape %v, want %d dimensions: %w", o.who(), i, s, o.rank(i), ErrShape)
}

// Do computes the result. It never wraps a nil *tensor.Dense in a non-nil Value.
func (o *op) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.read(in)
	if err != nil {
		return nil, err
	}
	var out Matrix
	if o.forward != nil {
		out, err = o.forward(x, ts)
	} else {
		out, err = o.filled(x, ts)
	}
	if err != nil {
		return nil, err
	}
	return out.(G.Value), nil
}

// filled is Do for an op that has fill.
func (o *op) filled(x Matrix, in []*tensor.Dense) (*tensor.Dense, error) {
	shapes := shapesOf(x, in)
	shape, err := o.shape(shapes)
	if err != nil {
		return nil, err
	}
	empty := slices.ContainsFunc(shapes, func(s tensor.Shape) bool { return s.TotalSize() == 0 })
	var out *tensor.Dense
	if o.whole && !empty {
		out = unwritten(x.Dtype(), shape...)
	} else {
		out = tensor.New(tensor.WithShape(shape...), tensor.Of(x.Dtype()))
	}
	return out, o.fill(out, x, in)
}

// shapesOf returns the shapes of the inputs of forward.
func shapesOf(x Matrix, in []*tensor.Dense) []tensor.Shape {
	ss := make([]tensor.Shape, len(in))
	for i, t := range in {
		if ss[i] = x.Shape(); i > 0 {
			ss[i] = t.Shape()
		}
	}
	return ss
}

// read makes the inputs of Do contiguous and checks their ranks and element types.
func (o *op) read(in []G.Value) (x Matrix, ts []*tensor.Dense, err error) {
	if len(in) != o.Arity() {
		return nil, nil, fmt.Errorf("%s: %d inputs, want %d: %w", o.who(), len(in), o.Arity(), ErrShape)
	}
	ts = make([]*tensor.Dense, len(in))
	for i, v := range in {
		if s, ok := v.(*CSR); ok && (o.spread || o.sparse && i == 0) {
			if o.wants(i) {
				return nil, nil, fmt.Errorf("%s: x is sparse, which is for data, and its gradient is asked for; "+
					"leave WithInputGrad out, freeze the input, or make x dense: %w", o.who(), ErrParam)
			}
			if !o.spread {
				x = s
				continue
			}
			if v, err = s.Dense(nil); err != nil {
				return nil, nil, err
			}
		}
		t, err := contiguous(v)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: input %d: %w", o.who(), i, err)
		}
		if err := o.checkRank(i, t.Shape()); err != nil {
			return nil, nil, err
		}
		if ts[i] = t; x == nil {
			x = t
		}
		if t.Dtype() != x.Dtype() {
			return nil, nil, fmt.Errorf("%s: input %d is %v, input 0 is %v: %w",
				o.who(), i, t.Dtype(), x.Dtype(), ErrDtype)
		}
	}
	return x, ts, nil
}

// apply adds an op to the graph of its inputs.
func apply(o *op, in ...*G.Node) (*G.Node, error) {
	for i, n := range in {
		if n == nil {
			return nil, fmt.Errorf("ops: %v: input %d is nil: %w", o, i, ErrShape)
		}
	}
	if o.backward != nil {
		return G.ApplyOp(withBackward{o}, in...)
	}
	return G.ApplyOp(o, in...)
}

// The shapes of ops whose result has the shape of the first input.

func likeFirst(in []tensor.Shape) (tensor.Shape, error) { return in[0].Clone(), nil }

// likeAll checks that all inputs have the same shape.
func likeAll(kind string) shaper {
	return func(in []tensor.Shape) (tensor.Shape, error) {
		for _, s := range in {
			if !s.Eq(in[0]) {
				return nil, misfit(kind, in)
			}
		}
		return in[0].Clone(), nil
	}
}

// misfit is the error for inputs whose shapes do not fit together.
func misfit(kind string, in []tensor.Shape) error {
	return fmt.Errorf("ops: %s of shapes %v: %w", kind, in, ErrShape)
}

// typed returns the instance of a generic function for an element type.
func typed[F any](dt tensor.Dtype, f32, f64 F) F {
	if dt == tensor.Float32 {
		return f32
	}
	return f64
}
