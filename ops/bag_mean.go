package ops

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BagMean is the mean of the rows of each bag, 1/N_i Σ_s z_s: z is [N, D], bag after bag; bag i has the rows offsets[i] to offsets[i+1], which
// are as fixed in a graph as N is; the result is [n, D]. Of the features of a kernel's map these are the features of the mean map of the kernel,
// whose squared distances are the squared maximum mean discrepancy: Gretton et al. (2012), A kernel two-sample test.
//
// Backward: dz_s = g_i/N_i for every sample of bag i. Errors while building: offsets, shapes.
func BagMean(z *G.Node, offsets []int, a Attr) (*G.Node, error) {
	return apply(bagMeanOp{newBagBase("BagMean", "22", offsets, a)}, z)
}

// BagMeanInto writes the means of the bags of rows z [N, D] to dst [n, D], allocated if nil, without a graph. Sums are in float64.
func BagMeanInto(dst, z *tensor.Dense, offsets []int, a Attr) (*tensor.Dense, error) {
	who := a.who("BagMean")
	z, err := contiguous(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", who, err)
	}
	if z.Dims() != 2 {
		return nil, fmt.Errorf("%s: z has shape %v, want [N, D]: %w", who, z.Shape(), ErrShape)
	}
	if err := checkOffsets(who, offsets, z.Shape()[0]); err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, z.Dtype(), len(offsets)-1, z.Shape()[1]); err != nil {
		return nil, err
	}
	if z.Dtype() == tensor.Float32 {
		bagMean(data[float32](dst), data[float32](z), offsets, z.Shape()[1])
	} else {
		bagMean(data[float64](dst), data[float64](z), offsets, z.Shape()[1])
	}
	return dst, nil
}

func bagMean[T domain.Float](dst, z []T, offsets []int, d int) {
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
}

// bagBase is what ops of bags share: their offsets, which are in the hash.
type bagBase struct {
	base
	offsets []int
}

func newBagBase(kind, ranks string, offsets []int, a Attr) bagBase {
	return bagBase{base{kind: fmt.Sprintf("%s of %d bags", kind, len(offsets)-1), ranks: ranks, attr: a}, slices.Clone(offsets)}
}

// WriteHash adds the offsets to the hash.
func (o bagBase) WriteHash(h hash.Hash) {
	o.base.WriteHash(h)
	fmt.Fprint(h, o.offsets)
}

func (o bagBase) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

type bagMeanOp struct{ bagBase }

var (
	_ backwarder = bagMeanOp{}
	_ G.Op       = bagSpread{}
)

func (o bagMeanOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	if err := checkOffsets(o.attr.who("BagMean"), o.offsets, ss[0][0]); err != nil {
		return nil, err
	}
	return tensor.Shape{len(o.offsets) - 1, ss[0][1]}, nil
}

func (o bagMeanOp) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	return result(BagMeanInto(nil, ts[0], o.offsets, o.attr))
}

func (o bagMeanOp) backward(t *tracer, _ []any, _, grad any) []any {
	return []any{t.apply(bagSpread{newBagBase("gradient of BagMean", "22", o.offsets, Attr{})}, grad)}
}

// bagSpread gives every row of a bag its share g_i/N_i.
type bagSpread struct{ bagBase }

func (o bagSpread) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return tensor.Shape{o.offsets[len(o.offsets)-1], ss[0][1]}, nil
}

func (o bagSpread) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	g, d := ts[0], ts[0].Shape()[1]
	if g.Shape()[0] != len(o.offsets)-1 {
		return nil, fmt.Errorf("ops: %s of shape %v: %w", o.kind, g.Shape(), ErrShape)
	}
	out := tensor.New(tensor.WithShape(o.offsets[len(o.offsets)-1], d), tensor.Of(g.Dtype()))
	if g.Dtype() == tensor.Float32 {
		spreadBags(data[float32](out), data[float32](g), o.offsets, d)
	} else {
		spreadBags(data[float64](out), data[float64](g), o.offsets, d)
	}
	return out, nil
}

func spreadBags[T domain.Float](dst, g []T, offsets []int, d int) {
	for i, lo := range offsets[:len(offsets)-1] {
		share := 1 / T(offsets[i+1]-lo)
		for s := lo; s < offsets[i+1]; s++ {
			for j, v := range g[i*d : i*d+d] {
				dst[s*d+j] = share * v
			}
		}
	}
}
