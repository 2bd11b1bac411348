package layers

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// affine is zA + b with learnable A and b, or what an op makes of it.
type affine struct{ sparseMapper }

// newAffine makes the layer of A, row-major, b = 0, and the op output, which may be nil.
func newAffine(b *base, weights []float64, tuned bool, output func(a ops.Attr) ops.Op) *affine {
	l := &affine{newSparseMapper(b, ops.Domain{})}
	b.add("W", tuned, weights, b.dims, b.features)
	b.add("b", tuned, make([]float64, b.features))
	l.forward = func(f *flow, dst *tensor.Dense, z value) value {
		y := l.scores(f, dst, z)
		if output == nil {
			return y
		}
		return f.do(output(l.attr()), y.dense(), y)
	}
	return l
}

// PackHead makes h keep a second copy of A in the layout that products read, for a head that serves predictions: a
// request of few rows need not wait until A is copied. The copy takes the memory of A, with its columns padded to whole
// vectors. Calls that may change A drop the copy: SetParams, SetWeights, Params, Fwd and the losses. Scores are bit for
// bit the same with and without it. PackHead leaves heads of other packages as they are. Errors: h is nil (ErrParam).
func PackHead(h Head) error {
	if domain.IsNil(h) {
		return fmt.Errorf("layers: PackHead: the head is nil; make it by NewHead: %w", ErrParam)
	}
	if l, ok := h.(interface{ pack() error }); ok {
		return l.pack()
	}
	return nil
}

func (l *affine) pack() error {
	w, err := ops.Affine(l.attr()).Pack(l.dims, l.param("W"))
	if err == nil {
		l.packed.Store(w) // while nobody else can change A
	}
	return err
}

// Params returns W, which is the A of zA + b, and b; a HuberHead also has delta. The tensors are the layer's own.
func (l *affine) Params() []Param {
	l.packed.Store(nil)
	return l.base.Params()
}

func (l *affine) String() string { return l.text(l.dt.String()) }

// scores returns zA + b, in a graph or without one. Unless PackHead was called it keeps no copy of A, which a solver
// may change between two runs.
func (l *affine) scores(f *flow, dst *tensor.Dense, z value) value {
	z, a := f.begin(l.base, z, l.attr())
	if !l.params[0].Tuned {
		a.Frozen |= ops.W | ops.B
	}
	w := f.param(l.base, "W")
	if f.graph != nil {
		l.packed.Store(nil)
	} else if packed := l.packed.Load(); packed != nil {
		w = value{rows: packed}
	}
	return f.do(ops.Affine(a), dst, z, w, f.param(l.base, "b"))
}

// SetWeights copies w, row-major [Dims, Features], and b, one number for each output, into the parameters W and b,
// rounded to their element type. Other parameters stay. Errors: another number of weights or intercepts (ErrShape).
func (l *affine) SetWeights(w, b []float64) error {
	if len(w) != l.dims*l.features || len(b) != l.features {
		return fmt.Errorf("%s: %d weights and %d intercepts, want %d and %d: %w", l.who(), len(w), len(b),
			l.dims*l.features, l.features, ErrShape)
	}
	values := map[string]*tensor.Dense{}
	for _, p := range l.params {
		values[p.Name] = p.Value
	}
	values["W"] = newTensor(l.dt, append([]float64(nil), w...), l.dims, l.features)
	values["b"] = newTensor(l.dt, append([]float64(nil), b...), l.features)
	return l.SetParams(values)
}
