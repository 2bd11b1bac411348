package ops

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// base is what all ops share. It is a comparable value: every field that changes a result is in it, and so in the hash,
// because Gorgonia merges nodes of equal hash.
type base struct {
	kind  string // the op's name and its own parameters
	ranks string // the ranks of the inputs, then that of the output: "222" for (matrix, matrix) -> matrix
	attr  Attr
}

func (b base) Arity() int           { return len(b.ranks) - 1 }
func (b base) ReturnsPtr() bool     { return true }
func (b base) CallsExtern() bool    { return false }
func (b base) OverwritesInput() int { return -1 }
func (b base) String() string       { return b.kind }

// Type is built anew for each call: Gorgonia puts it into a pool after use.
func (b base) Type() hm.Type {
	a := hm.TypeVariable('a')
	types := make([]hm.Type, len(b.ranks))
	for i, r := range b.ranks {
		types[i] = G.TensorType{Dims: int(r - '0'), Of: a}
	}
	return hm.NewFnType(types...)
}

func (b base) WriteHash(h hash.Hash) {
	fmt.Fprintf(h, "bochner/ops %s %s %+v", b.kind, b.ranks, b.attr)
}

func (b base) Hashcode() uint32 {
	h := fnv.New32a()
	b.WriteHash(h)
	return h.Sum32()
}

// DiffWRT is true for the inputs that are not frozen, and for data, so that G.Grad for them comes to the op that
// refuses it.
func (b base) DiffWRT(n int) []bool {
	wrt := make([]bool, n)
	for i := range wrt {
		wrt[i] = b.wants(i) || b.refuses(i)
	}
	return wrt
}

// wants says whether the gradient for input i is wanted. Only the first eight inputs can be frozen.
func (b base) wants(i int) bool { return i >= 8 || b.attr.Frozen&(1<<i) == 0 }

// refuses says whether input i is made of data alone.
func (b base) refuses(i int) bool { return i < 8 && b.attr.refused&(1<<i) != 0 }

// shapes are the input shapes of InferShape, of the ranks that the op has.
func (b base) shapes(ds []G.DimSizer) ([]tensor.Shape, error) {
	if len(ds) != b.Arity() {
		return nil, fmt.Errorf("%s: %d inputs, want %d: %w", b.attr.who(b.kind), len(ds), b.Arity(), ErrShape)
	}
	ss, err := G.DimSizersToShapes(ds)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.attr.who(b.kind), err)
	}
	for i, s := range ss {
		if s.Dims() != int(b.ranks[i]-'0') {
			return nil, fmt.Errorf("%s: input %d has shape %v, want %c dimensions: %w", b.attr.who(b.kind), i, s, b.ranks[i], ErrShape)
		}
	}
	return ss, nil
}

// values reads the inputs of Do: tensors of one element type and of the right ranks, contiguous and row-major.
func (b base) values(in []G.Value) ([]*tensor.Dense, error) { return b.valuesFrom(0, in) }

// valuesFrom is values without the inputs before the first, which stay nil.
func (b base) valuesFrom(first int, in []G.Value) ([]*tensor.Dense, error) {
	if len(in) != b.Arity() {
		return nil, fmt.Errorf("%s: %d inputs, want %d: %w", b.attr.who(b.kind), len(in), b.Arity(), ErrShape)
	}
	ts := make([]*tensor.Dense, len(in))
	for i := first; i < len(in); i++ {
		t, err := contiguous(in[i])
		if err != nil {
			return nil, fmt.Errorf("%s: input %d: %w", b.attr.who(b.kind), i, err)
		}
		if t.Dims() != int(b.ranks[i]-'0') {
			return nil, fmt.Errorf("%s: input %d has shape %v, want %c dimensions: %w", b.attr.who(b.kind), i, t.Shape(), b.ranks[i], ErrShape)
		}
		if ts[i] = t; t.Dtype() != ts[first].Dtype() {
			return nil, fmt.Errorf("%s: input %d is %v, input %d is %v: %w", b.attr.who(b.kind), i, t.Dtype(), first, ts[first].Dtype(), ErrDtype)
		}
	}
	return ts, nil
}

// result turns what a forward returns into what Do returns. A nil *tensor.Dense must not become a non-nil Value.
func result(t *tensor.Dense, err error) (G.Value, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

// apply adds an op to the graph of its inputs.
func apply(op G.Op, in ...*G.Node) (*G.Node, error) {
	for i, n := range in {
		if n == nil {
			return nil, fmt.Errorf("ops: %v: input %d is nil: %w", op, i, ErrShape)
		}
	}
	if o, ok := op.(backwarder); ok {
		op = withBackward{o}
	}
	return G.ApplyOp(op, in...)
}
