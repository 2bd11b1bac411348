package linear

import (
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// through computes u = [Z | β] w for all rows, block by block, and hands f the rows of u in a block to change. Unless
// sum is nil, it then adds [Z | β]ᵀ u to sum: one pass over the features for both products.
func through(r *rows.Kept, w columns, bias float64, sum *columns, f func(at int, u columns)) error {
	intercept := make([]float64, w.k)
	for j, v := range w.row(r.Features) {
		intercept[j] = v * bias
	}
	affine := ops.Affine(ops.Attr{Layer: "train: " + r.Who})
	var packed *ops.Weights // of dense features
	return r.Each(func(at int, block ops.Matrix) error {
		u := newColumns(block.Shape()[0], w.k)
		switch z := block.(type) {
		case *ops.CSR:
			for i := range z.Rows() {
				copy(u.row(i), intercept)
			}
			addSparseProduct(u, z, w)
		case *tensor.Dense:
			var err error
			if packed == nil {
				weights := floatsOf(z.Dtype(), w.v[:r.Features*w.k], r.Features, w.k)
				if packed, err = affine.Pack(r.Features, weights); err != nil {
					return err
				}
			}
			scores, err := affine.Into(nil, z, packed, floatsOf(z.Dtype(), intercept, w.k))
			if err != nil {
				return err
			}
			given.Cells(u.v, scores, 0)
		}
		f(at, u)
		if sum != nil {
			addTransposed(*sum, block, u, bias)
		}
		return nil
	})
}

// addTransposed adds [Z | β]ᵀ u of a block to sum.
func addTransposed(sum columns, block ops.Matrix, u columns, bias float64) {
	switch z := block.(type) {
	case *ops.CSR:
		addSparseTransposed(sum, z, u)
	case *tensor.Dense:
		n, d, k := z.Shape()[0], z.Shape()[1], u.k
		if z.Dtype() == tensor.Float64 {
			factor.Product(blas.Trans, blas.NoTrans, d, k, n, 1, z.Float64s(), u.v, 1, sum.v[:d*k])
			break
		}
		narrow, product := floatsOf(tensor.Float32, u.v, n, k).Float32s(), make([]float32, d*k)
		fast.Implementation{}.Sgemm(blas.Trans, blas.NoTrans, d, k, n, 1, z.Float32s(), d, narrow, k, 0, product, k)
		for i, v := range product {
			sum.v[i] += float64(v)
		}
	}
	last := sum.row(block.Shape()[1])
	for i := range len(u.v) / u.k {
		for j, v := range u.row(i) {
			last[j] += bias * v
		}
	}
}

// transposed is [Z | β]ᵀ u.
func (p *newton) transposed(u columns) (columns, error) {
	sum := newColumns(p.Features+1, u.k)
	err := p.Each(func(at int, z ops.Matrix) error {
		addTransposed(sum, z, columns{u.k, u.v[at*u.k : (at+z.Shape()[0])*u.k]}, p.bias)
		return nil
	})
	return sum, err
}

// spread returns the mean of the weighted rows, and s of ridge regression.
func (p *newton) spread() (mean []float64, scale float64, err error) {
	var spread rowSpread
	err = p.Each(func(at int, z ops.Matrix) error {
		spread.addMatrix(z, p.weight[at:at+z.Shape()[0]])
		return nil
	})
	if err == nil {
		scale, err = spread.scale(p.who)
	}
	return spread.meanZ, scale, err
}

// floatsOf makes a tensor of either element type.
func floatsOf(dt tensor.Dtype, v []float64, shape ...int) *tensor.Dense {
	t := tensor.New(tensor.WithShape(shape...), tensor.Of(dt))
	given.SetCells(t, 0, v)
	return t
}

// packedRows are the centred features of all rows, divided by √s, in float32, as blocks z [n, D] and their transposes.
// Products with a few columns read both forms in the order of memory. A product of the Hessian need not be exact:
// conjugate gradients make a direction from it, and the line search along it uses the features' own type.
type packedRows struct {
	rows, across []*ops.Weights
	at           []int   // where the blocks begin, and their end
	root         float64 // √s
}

// packRows makes the packed rows if the features are kept and dense, and cacheBytes has room for both forms.
func packRows(r *rows.Kept, mean []float64, scale float64, cacheBytes int64) (*packedRows, error) {
	if !r.Keeps || r.Stored() > 0 || 8*int64(r.N)*int64(r.Features) > cacheBytes {
		return nil, nil
	}
	d, p := r.Features, &packedRows{root: math.Sqrt(scale)}
	err := r.Each(func(at int, block ops.Matrix) error {
		z, err := given.Dense(block)
		if err != nil {
			return err
		}
		n := z.Shape()[0]
		centred, rows, across := centre(make([]float64, n*d), d, z, 0, mean), make([]float32, n*d), make([]float32, n*d)
		for i, v := range centred {
			x := float32(v * (1 / p.root))
			rows[i], across[i%d*n+i/d] = x, x
		}
		a, err := ops.Affine(ops.Attr{}).Pack(n, tensor.New(tensor.WithShape(n, d), tensor.WithBacking(rows)))
		if err != nil {
			return err
		}
		b, err := ops.Affine(ops.Attr{}).Pack(d, tensor.New(tensor.WithShape(d, n), tensor.WithBacking(across)))
		p.rows, p.across, p.at = append(p.rows, a), append(p.across, b), append(p.at, at)
		return err
	})
	p.at = append(p.at, r.N)
	return p, err
}

// through computes u = [Zc | 1] w block by block, hands f the rows of u in a block to change, and adds [Zc | 1]ᵀ u to
// sum.
func (p *packedRows) through(r *rows.Kept, w, sum columns, f func(at int, u columns)) error {
	d, k, blocks := r.Features, w.k, len(p.rows)
	v := make([]float32, k*d)
	for i, x := range w.v[:d*k] {
		v[i%k*d+i/k] = float32(x * p.root)
	}
	left := tensor.New(tensor.WithShape(k, d), tensor.WithBacking(v))
	affine := ops.Affine(ops.Attr{Layer: "train: " + r.Who})
	products, last, errs := make([]*tensor.Dense, blocks), newColumns(blocks, k), make([]error, blocks)
	given.InParallel(blocks, func(b int) {
		if errs[b] = r.Cancelled(); errs[b] != nil {
			return
		}
		n := p.at[b+1] - p.at[b]
		scores, err := affine.Into(nil, left, p.across[b], tensor.New(tensor.WithShape(n), tensor.Of(tensor.Float32)))
		if err != nil {
			errs[b] = err
			return
		}
		s, u := scores.Float32s(), newColumns(n, k)
		for i := range n {
			for c, x := range w.row(d) {
				u.v[i*k+c] = float64(s[c*n+i]) + x
			}
		}
		f(p.at[b], u)
		for i := range n {
			floats.Add(last.row(b), u.row(i))
			for c, x := range u.row(i) {
				s[c*n+i] = float32(x)
			}
		}
		zero := tensor.New(tensor.WithShape(d), tensor.Of(tensor.Float32))
		products[b], errs[b] = affine.Into(nil, scores, p.rows[b], zero)
	})
	for b, product := range products {
		if errs[b] != nil {
			return errs[b]
		}
		for i, x := range product.Float32s() {
			sum.v[i%d*k+i/d] += float64(x) * p.root
		}
		floats.Add(sum.row(d), last.row(b))
	}
	return nil
}

// centre puts rows lo, lo+1, ... of z less the point at into the rows of dst, which are stride apart.
func centre(dst []float64, stride int, z *tensor.Dense, lo int, at []float64) []float64 {
	if z.Dtype() == tensor.Float32 {
		subtract(dst, stride, z.Float32s()[lo*len(at):], at)
	} else {
		subtract(dst, stride, z.Float64s()[lo*len(at):], at)
	}
	return dst
}

// subtract is centre for the rows of z, which may be those of dst.
func subtract[T domain.Float](dst []float64, stride int, z []T, at []float64) {
	d := len(at)
	given.InParallel(len(dst)/stride, func(i int) {
		to, from := dst[i*stride:][:d], z[i*d:][:d]
		for j, m := range at {
			to[j] = float64(from[j]) - m
		}
	})
}

// gramSum is Zcᵀ C Zc v over blocks of rows, for the features Zc less their means and the weights C of the rows.
// Dense blocks are centred. Sparse ones stay as they are: with m the means,
//
//	Zc v = Z v - 1 mᵀv,    Zcᵀ t = Zᵀ t - m 1ᵀt.
type gramSum struct {
	mean        []float64
	out, v      columns   // [D, k]
	zc, t       []float64 // scratch
	shift, sums []float64 // mᵀv, and 1ᵀt of the sparse rows; nil: there were none
}

// add adds a block with its weights; nil: all are 1.
func (g *gramSum) add(z ops.Matrix, weight []float64) {
	g.centre(z)
	g.addCentred(z, weight)
}

// addCentred is add for the block that was centred last.
func (g *gramSum) addCentred(z ops.Matrix, weight []float64) {
	k, d, n := g.v.k, len(g.mean), z.Shape()[0]
	if k == 0 {
		return
	}
	g.t = slices.Grow(g.t[:0], n*k)[:n*k]
	clear(g.t)
	t := columns{k, g.t}
	if x, sparse := z.(*ops.CSR); sparse {
		if g.shift == nil {
			g.shift = make([]float64, k)
			for j, m := range g.mean {
				floats.AddScaled(g.shift, m, g.v.row(j))
			}
		}
		addSparseProduct(t, x, g.v)
		for i := range n {
			floats.Sub(t.row(i), g.shift)
		}
	} else {
		factor.Product(blas.NoTrans, blas.NoTrans, n, k, d, 1, g.zc, g.v.v, 1, g.t)
	}
	for i, w := range weight {
		floats.Scale(w, t.row(i))
	}
	g.addTransposed(z, t)
}

// centre puts dense features less their means into zc.
func (g *gramSum) centre(z ops.Matrix) {
	if x, dense := z.(*tensor.Dense); dense {
		g.zc = slices.Grow(g.zc[:0], x.DataSize())[:x.DataSize()]
		centre(g.zc, len(g.mean), x, 0, g.mean)
	}
}

// addTransposed adds Zcᵀ t of a block: of zc, or of Z if the block is sparse.
func (g *gramSum) addTransposed(z ops.Matrix, t columns) {
	x, sparse := z.(*ops.CSR)
	if !sparse {
		d, n := len(g.mean), z.Shape()[0]
		factor.Product(blas.Trans, blas.NoTrans, d, t.k, n, 1, g.zc, t.v, 1, g.out.v)
		return
	}
	if g.sums == nil {
		g.sums = make([]float64, t.k)
	}
	for i := range x.Rows() {
		floats.Add(g.sums, t.row(i))
	}
	addSparseTransposed(g.out, x, t)
}

// finish takes the means out of the sum of sparse blocks.
func (g *gramSum) finish() {
	if g.sums != nil {
		g.out.centre(g.mean, g.sums)
	}
}

// The products of features that stay sparse. They cost operations in proportion to the entries, sum in float64, and add
// up every number in the order of the rows, whatever GOMAXPROCS is.

// addSparseProduct adds Z w to u, with u [n, k] and w [D, k] or more rows.
func addSparseProduct(u columns, z *ops.CSR, w columns) {
	if z.Dtype() == tensor.Float32 {
		sparseProduct(u, z, z.Float32s(), w)
	} else {
		sparseProduct(u, z, z.Float64s(), w)
	}
}

func sparseProduct[T domain.Float](u columns, z *ops.CSR, values []T, w columns) {
	ptr, cols, k := z.Pointers(), z.Columns(), u.k
	given.InParallel(z.Rows(), func(i int) {
		row := u.row(i)
		for t := ptr[i]; t < ptr[i+1]; t++ {
			v, at := float64(values[t]), int(cols[t])*k
			for c, x := range w.v[at : at+k] {
				row[c] += v * x
			}
		}
	})
}

// addSparseTransposed adds Zᵀ u to sum, with u [n, k] and sum [D, k] or more rows.
func addSparseTransposed(sum columns, z *ops.CSR, u columns) {
	if z.Dtype() == tensor.Float32 {
		sparseTransposed(sum, z, z.Float32s(), u)
	} else {
		sparseTransposed(sum, z, z.Float64s(), u)
	}
}

// sparseTransposed gives each task some columns of Z.
func sparseTransposed[T domain.Float](sum columns, z *ops.CSR, values []T, u columns) {
	ptr, cols, k, d := z.Pointers(), z.Columns(), u.k, z.Cols()
	tasks := min(8, d, 1+z.Stored()*k>>14)
	given.InParallel(tasks, func(task int) {
		from, to := int32(task*d/tasks), int32((task+1)*d/tasks)
		for i := range z.Rows() {
			row, x := cols[ptr[i]:ptr[i+1]], u.row(i)
			at, _ := slices.BinarySearch(row, from)
			for ; at < len(row) && row[at] < to; at++ {
				v, j := float64(values[ptr[i]+at]), int(row[at])*k
				out := sum.v[j : j+k]
				for c, y := range x {
					out[c] += v * y
				}
			}
		}
	})
}
