package linear

import (
	"github.com/bochner-go/bochner/ops"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// svmRows are the rows that a fit goes through again and again: features that are kept, or are made anew each time.
type svmRows struct {
	*source
	kept []*tensor.Dense // the blocks, once they have been seen; nil where there is no room
	keep bool

	scores, product *tensor.Dense // of a block
}

// newSVMRows decides whether the features are kept.
func newSVMRows(src *source, cacheBytes int64) (*svmRows, error) {
	if _, err := src.targets(); err != nil {
		return nil, err
	}
	size := int64(8)
	if src.dtype == tensor.Float32 {
		size = 4
	}
	return &svmRows{source: src, keep: int64(src.n)*int64(src.features)*size <= cacheBytes}, nil
}

// each calls f with block after block and where it begins.
func (r *svmRows) each(f func(at int, z *tensor.Dense) error) error {
	at := 0
	if r.kept != nil {
		for _, z := range r.kept {
			if err := r.cancelled(); err != nil {
				return err
			}
			if err := f(at, z); err != nil {
				return err
			}
			at += z.Shape()[0]
		}
		return nil
	}
	var kept []*tensor.Dense
	err := r.source.each(func(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
		if err := checkFinite(r.who, z, y, rows.at); err != nil {
			return err
		}
		if err := f(at, z); err != nil {
			return err
		}
		if at += z.Shape()[0]; r.keep {
			kept = append(kept, z)
			r.dst, r.gather = nil, nil // the block is ours now
		}
		return nil
	})
	if err == nil && r.keep {
		r.kept = kept
	}
	return err
}

// through computes u = [Z | β] w for all rows, block by block, hands f the rows of a block to change, and adds [Z | β]ᵀ u to sum, unless
// sum is nil: one pass over the features for both products.
func (r *svmRows) through(w columns, bias float64, sum *columns, f func(at int, u columns)) error {
	d := r.features
	var packed *ops.Weights
	var intercept *tensor.Dense
	return r.each(func(at int, z *tensor.Dense) error {
		n, dt := z.Shape()[0], z.Dtype()
		if packed == nil {
			var err error
			if packed, err = ops.Pack(floatsOf(dt, w.v[:d*w.k], d, w.k)); err != nil {
				return err
			}
			b := make([]float64, w.k)
			for j, v := range w.row(d) {
				b[j] = v * bias
			}
			intercept = floatsOf(dt, b, w.k)
		}
		if r.scores == nil || !r.scores.Shape().Eq(tensor.Shape{n, w.k}) {
			r.scores = tensor.New(tensor.WithShape(n, w.k), tensor.Of(dt))
		}
		if _, err := ops.AffineInto(r.scores, z, packed, intercept, ops.Attr{Layer: "train: " + r.who}); err != nil {
			return err
		}
		u := newColumns(n, w.k)
		if dt == tensor.Float32 {
			widen(u.v, r.scores.Float32s())
		} else {
			copy(u.v, r.scores.Float64s())
		}
		f(at, u)
		if sum != nil {
			r.addTransposed(*sum, z, u, bias)
		}
		return nil
	})
}

// addTransposed adds [Z | β]ᵀ u of a block to sum.
func (r *svmRows) addTransposed(sum columns, z *tensor.Dense, u columns, bias float64) {
	n, d, k := z.Shape()[0], z.Shape()[1], u.k
	if r.product == nil || !r.product.Shape().Eq(tensor.Shape{d, k}) {
		r.product = tensor.New(tensor.WithShape(d, k), tensor.Of(z.Dtype()))
	}
	if z.Dtype() == tensor.Float32 {
		ut := make([]float32, len(u.v))
		for i, v := range u.v {
			ut[i] = float32(v)
		}
		p := r.product.Float32s()
		fast.Implementation{}.Sgemm(blas.Trans, blas.NoTrans, d, k, n, 1, z.Float32s(), d, ut, k, 0, p, k)
		for i, v := range p {
			sum.v[i] += float64(v)
		}
	} else {
		fast.Implementation{}.Dgemm(blas.Trans, blas.NoTrans, d, k, n, 1, z.Float64s(), d, u.v, k, 1, sum.v[:d*k], k)
	}
	last := sum.row(d)
	for i := range n {
		for j, v := range u.row(i) {
			last[j] += bias * v
		}
	}
}

// scale is s, as of ridge, of weighted rows.
func (r *svmRows) scale(weight []float64) (float64, error) {
	var spread rowSpread
	err := r.each(func(at int, z *tensor.Dense) error {
		n, d := z.Shape()[0], z.Shape()[1]
		if z.Dtype() == tensor.Float32 {
			addSpread(&spread, z.Float32s(), weight[at:at+n], d)
		} else {
			addSpread(&spread, z.Float64s(), weight[at:at+n], d)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return spread.scale(r.who)
}

// floatsOf is a tensor of either element type.
func floatsOf(dt tensor.Dtype, v []float64, shape ...int) *tensor.Dense {
	t := tensor.New(tensor.WithShape(shape...), tensor.Of(dt))
	for i, x := range v {
		given.SetCell(t, i, x)
	}
	return t
}
