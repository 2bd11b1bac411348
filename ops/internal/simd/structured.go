package simd

import (
	"math"
	"sync"
)

// Structured is a matrix W [d,m] that need not be formed: its columns are the rows of diag(r) H D₃ H D₂ H D₁, block
// after block of p of them, for x padded with zeros to p, a power of two. It is immutable and safe for concurrent use.
// For few columns W is formed all the same at the first product that is faster with it, see denseFor.
type Structured[T Float] struct {
	d, p, m int
	signs   []T // [blocks,3,p]
	scale   []T // [blocks·p], the last block padded with zeros

	forward, backward bool // whether W is formed for xW and for dP·Wᵀ, and
	forming           sync.Once
	formed            *Weights[T] // W itself once it is
}

// NewStructured makes the matrix from signs [blocks,3,p] and norms [m], ⌈m/p⌉ blocks; column j has the norm
// factor·norms[j] for d = p. It keeps signs, which must not change, and copies norms.
func NewStructured[T Float](d, p int, signs, norms []T, factor float64) *Structured[T] {
	m := len(norms)
	s := &Structured[T]{d: d, p: p, m: m, signs: signs, scale: make([]T, (m+p-1)/p*p)}
	s.forward, s.backward = denseFor[T](d)
	factor *= math.Pow(float64(p), -1.5)
	for j, r := range norms {
		s.scale[j] = T(float64(r) * factor)
	}
	return s
}

// Dims returns d and m.
func (s *Structured[T]) Dims() (d, m int) { return s.d, s.m }

// Scale are the norms times p^(-3/2)·factor.
func (s *Structured[T]) Scale() []T { return s.scale[:s.m] }

// block is block b: its signs D₁, D₂ and D₃, its scale, and how many columns it has.
func (s *Structured[T]) block(b int) (d1, d2, d3, scale []T, cols int) {
	p := s.p
	signs := s.signs[3*b*p:]
	return signs[:p], signs[p : 2*p], signs[2*p : 3*p], s.scale[b*p : b*p+p], min(p, s.m-b*p)
}

// row is row i with zeros up to the length of dst, of which the first d numbers may be overwritten and the others are
// zeros: the row where it lies, if it needs none.
func (x Rows[T]) row(dst []T, i, d int) []T {
	if x.Sparse != nil {
		clear(dst[:d])
		x.Sparse.AddRow(dst, i)
		return dst
	}
	in := x.dense(i, d)
	if d == len(dst) {
		return in
	}
	copy(dst, in)
	return dst
}

// dense is row i where it lies, nothing of a sparse one.
func (x Rows[T]) dense(i, d int) []T {
	if x.Sparse != nil {
		return nil
	}
	return x.Dense[i*d : (i+1)*d]
}

// projection is xW, plus bias where there is one, under an epilogue, on its way over the cores.
type projection[T Float] struct {
	*Structured[T]
	x    Rows[T]
	bias []T
	output[T]
}

// Project is of Operator.
func (s *Structured[T]) Project(out output[T], x Rows[T], bias []T, n int) (badRow int) {
	if s.forward {
		return s.projectDense(out, x, bias, n)
	}
	return s.projectFast(out, x, bias, n)
}

// projectFast is Project by transforms.
func (s *Structured[T]) projectFast(out output[T], x Rows[T], bias []T, n int) (badRow int) {
	return shareCopy(&poolsOf[T]().projections, n, tileRows, projection[T]{s, x, bias, out})
}

// do computes rows lo to hi, each block by block of columns; a part is finished while it is in cache.
func (p *projection[T]) do(lo, hi int) (badRow int) {
	k := machineOf[T](active).hadamard
	pool, buf := takeShared[T](2 * p.p)
	defer pool.Put(buf)
	padded, work := (*buf)[:p.p], (*buf)[p.p:]
	clear(padded[p.d:])
	return eachRow(lo, hi, func(i int) (bad bool) {
		in := p.x.row(padded, i, p.d)
		for b := 0; b*p.p < p.Structured.m; b++ {
			d1, d2, d3, norms, cols := p.block(b)
			from := in
			for t, signs := range [...][]T{d1, d2, d3} {
				if b == 0 && i+1 < hi {
					prefetchPart(p.x.dense(i+1, p.d), t, 3)
				}
				k.transform(work, from, signs)
				from = work
			}
			part := work[:cols]
			vecProduct(part, part, norms[:cols], 1)
			if p.bias != nil {
				vecAdd(part, p.bias[b*p.p:])
			}
			bad = p.write(i, b*p.p, part) || bad
		}
		return bad
	})
}

// GradX writes dP·Wᵀ to dst [n,d]: of each block D₁ H D₂ H D₃ H diag(r), H being symmetric. dp is [n,m].
func (s *Structured[T]) GradX(dst, dp []T, n int) {
	if s.backward {
		s.weights().GradX(dst, dp, n)
		return
	}
	k := machineOf[T](active).hadamard
	forTiles(n, func(lo, hi int) {
		pool, buf := takeShared[T](2 * s.p)
		defer pool.Put(buf)
		padded, work := (*buf)[:s.p], (*buf)[s.p:]
		for i := lo; i < hi; i++ {
			for b := 0; b*s.p < s.m; b++ {
				d1, d2, d3, scale, cols := s.block(b)
				g := dp[i*s.m+b*s.p:]
				if cols < s.p {
					clear(padded[copy(padded, g[:cols]):])
					g = padded
				}
				k.transform(work, g[:s.p], scale)
				k.transform(work, work, d3)
				k.transform(work, work, d2)
				in := dst[i*s.d : i*s.d+s.d]
				if b == 0 {
					vecProduct(in, work, d1, 1)
					continue
				}
				vecProduct(work, work, d1, 1)
				vecAdd(in, work)
			}
		}
	})
}

// Up to so many columns of x the kernels of dense products are faster than transforms, for xW and for dP·Wᵀ. Measured
// with 10000 rows and 512 frequencies: how many times as long as the dense product the transforms take on one core with
// AVX-512, and with AVX2, for the pair form xW → [cos | sin], for the projection xW alone and for dP·Wᵀ:
//
//	              float32                          float64
//	columns  16       32       48       64        16       32       48       64       80
//	pair     4.9 4.2  3.7 3.0  2.6 2.0  2.4 1.7   2.4 2.1  1.7 1.3  1.2 1.1  1.0 .91  .83 .69
//	xW       7.2 6.0  3.4 2.6  2.0 1.4  1.6 1.1   4.8 4.9  2.7 2.1  1.6 1.3  1.3 1.0  1.0 .81
//	dP·Wᵀ    7.9 8.0  2.8 1.5  1.5 .93  1.2 .77   3.1 2.4  1.6 1.3  1.4 .95  .96 .72  .69 .54
//
// In plain Go they are slower in most cases, and W is not formed there. The limits are the same for all kernels, so
// that results are too.
const (
	denseForward32 = 64
	denseForward64 = 48
	denseBackward  = 32
)

// denseFor says whether W [d,m] is formed for xW and for dP·Wᵀ.
func denseFor[T Float](d int) (forward, backward bool) {
	most := denseForward64
	if sizeof[T]() == 4 {
		most = denseForward32
	}
	fast := active != generic
	return fast && d <= most, fast && d <= denseBackward
}

// weights is W, formed when it is first asked for, by transforms of the unit vectors. Their sums are whole numbers and
// exact, so that a cell of W has one rounding, of its product with the scale. Its memory is d·m numbers, and as many
// again from the first product with Wᵀ on.
func (s *Structured[T]) weights() *Weights[T] {
	s.forming.Do(func() {
		w, unit := make([]T, s.d*s.m), make([]T, s.d*s.d)
		for i := range s.d {
			unit[i*s.d+i] = 1
		}
		s.projectFast(output[T]{dst: w, ld: s.m, m: s.m}, Rows[T]{Dense: unit}, nil, s.d)
		s.formed = Pack(w, s.d, s.m)
	})
	return s.formed
}

// spread is how many sparse rows are written out at a time for a product with a W that is formed.
const spread = 1024

// projectDense is Project by the product with W. Sparse rows are spread out, which gives the same bits as the same rows
// made dense.
func (s *Structured[T]) projectDense(out output[T], x Rows[T], bias []T, n int) (badRow int) {
	w := s.weights()
	if x.Sparse == nil {
		return w.Project(out, x, bias, n)
	}
	pool, buf := takeShared[T](min(n, spread) * s.d)
	defer pool.Put(buf)
	badRow = -1
	for lo := 0; lo < n; lo += spread {
		rows := min(spread, n-lo)
		dense := (*buf)[:rows*s.d]
		forTiles(rows, func(from, to int) {
			for i := from; i < to; i++ {
				x.row(dense[i*s.d:(i+1)*s.d], lo+i, s.d)
			}
		})
		if bad := w.Project(out.below(lo), Rows[T]{Dense: dense}, bias, rows); bad >= 0 && badRow < 0 {
			badRow = lo + bad
		}
	}
	return badRow
}
