package linear

import (
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// packedRows are the centred features of all rows, divided by √s, in float32, as blocks z [n, D] and their transposes.
// Products with a few columns read both forms in the order of memory. A product of the Hessian need not be exact:
// conjugate gradients make a direction from it, and the line search along it uses the features' own type.
type packedRows struct {
	rows, across []*ops.Weights
	at           []int // where the blocks begin, and their end
}

// pack makes the packed rows if the features are kept and dense, and CacheBytes has room for both forms.
func (l *logistic) pack() error {
	if !l.keep || l.stored() > 0 || 8*int64(l.n)*int64(l.features) > l.o.CacheBytes {
		return nil
	}
	d, unit, p := l.features, 1/math.Sqrt(l.scale), &packedRows{}
	err := l.each(func(at int, block ops.Matrix) error {
		z, err := spread(block)
		if err != nil {
			return err
		}
		n := z.Shape()[0]
		rows, across := make([]float32, n*d), make([]float32, n*d)
		centred := func(cell func(i int) float64) {
			for i := range n {
				for j, m := range l.stats.meanZ {
					v := float32((cell(i*d+j) - m) * unit)
					rows[i*d+j], across[j*n+i] = v, v
				}
			}
		}
		if z.Dtype() == tensor.Float32 {
			v := z.Float32s()
			centred(func(i int) float64 { return float64(v[i]) })
		} else {
			v := z.Float64s()
			centred(func(i int) float64 { return v[i] })
		}
		a, err := ops.Affine(ops.Attr{}).Pack(n, tensor.New(tensor.WithShape(n, d), tensor.WithBacking(rows)))
		if err != nil {
			return err
		}
		b, err := ops.Affine(ops.Attr{}).Pack(d, tensor.New(tensor.WithShape(d, n), tensor.WithBacking(across)))
		p.rows, p.across, p.at = append(p.rows, a), append(p.across, b), append(p.at, at)
		return err
	})
	p.at = append(p.at, l.n)
	if err == nil {
		l.packed = p
	}
	return err
}

// hessian is H p = [Zc | 1]ᵀ C [Zc | 1] p + λ s p for the current curvature C, with p for centred features. The
// intercepts have no penalty.
func (l *logistic) hessian(shift float64, p columns) (columns, error) {
	l.passes++
	rows, k := l.features+1, l.k
	h := newColumns(rows, k)
	var err error
	if l.packed != nil {
		err = l.packedProduct(h, p)
	} else {
		err = l.through(l.raw(p), 1, &h, func(at int, b columns) {
			given.InParallel((len(b.v)/k+255)/256, func(task int) {
				for i := task * 256; i < min(len(b.v)/k, (task+1)*256); i++ {
					l.curve(at+i, b.row(i))
				}
			})
		})
		l.centre(h)
	}
	floats.AddScaled(h.v[:(rows-1)*k], shift, p.v[:(rows-1)*k])
	return h, err
}

// curve multiplies the scores of row i by its curvature c (diag(p) - p pᵀ).
func (l *logistic) curve(i int, u []float64) {
	prob := l.p.row(i)
	mean := floats.Dot(u, prob)
	for j, v := range u {
		u[j] = l.weight[i] * prob[j] * (v - mean)
	}
}

// packedProduct adds [Zc | 1]ᵀ C [Zc | 1] p to h.
func (l *logistic) packedProduct(h, p columns) error {
	d, k, root := l.features, l.k, math.Sqrt(l.scale)
	v := make([]float32, k*d)
	for j := range d {
		for c, x := range p.row(j) {
			v[c*d+j] = float32(x * root)
		}
	}
	left := tensor.New(tensor.WithShape(k, d), tensor.WithBacking(v))
	blocks := len(l.packed.rows)
	products, last, errs := make([]*tensor.Dense, blocks), newColumns(blocks, k), make([]error, blocks)
	given.InParallel(blocks, func(b int) {
		if errs[b] = l.cancelled(); errs[b] != nil {
			return
		}
		scores, err := ops.Affine(ops.Attr{Layer: "train: " + l.who}).Into(nil, left, l.packed.across[b],
			tensor.New(tensor.WithShape(l.packed.at[b+1]-l.packed.at[b]), tensor.Of(tensor.Float32)))
		if err != nil {
			errs[b] = err
			return
		}
		at, n, s, row := l.packed.at[b], l.packed.at[b+1]-l.packed.at[b], scores.Float32s(), make([]float64, k)
		for i := range n {
			for c := range row {
				row[c] = float64(s[c*n+i]) + p.row(d)[c]
			}
			l.curve(at+i, row)
			floats.Add(last.row(b), row)
			for c, x := range row {
				s[c*n+i] = float32(x)
			}
		}
		products[b], errs[b] = ops.Affine(ops.Attr{Layer: "train: " + l.who}).Into(nil, scores, l.packed.rows[b],
			tensor.New(tensor.WithShape(d), tensor.Of(tensor.Float32)))
	})
	for b, product := range products {
		if errs[b] != nil {
			return errs[b]
		}
		for i, x := range product.Float32s() {
			h.v[i%d*k+i/d] += float64(x) * root
		}
		floats.Add(h.row(d), last.row(b))
	}
	return nil
}
