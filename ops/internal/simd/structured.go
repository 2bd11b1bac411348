package simd

import "math"

// Structured is a matrix W [d,m] that need not be formed: its columns are the rows of diag(r) H D₃ H D₂ H D₁, block
// after block of p of them, for x padded with zeros to p, a power of two. It is immutable and safe for concurrent use.
// For few columns W is formed all the same at the first product that is faster with it, see structured_narrow.go.
type Structured[T Float] struct {
	d, p, m int
	signs   []T // [blocks,3,p]
	scale   []T // [blocks·p], the last block padded with zeros
	narrow[T]
}

// NewStructured makes the matrix from signs [blocks,3,p] and norms [m], ⌈m/p⌉ blocks; column j has the norm
// factor·norms[j] for d = p. It keeps signs, which must not change, and copies norms.
func NewStructured[T Float](d, p int, signs, norms []T, factor float64) *Structured[T] {
	m := len(norms)
	s := &Structured[T]{d: d, p: p, m: m, signs: signs, scale: make([]T, (m+p-1)/p*p), narrow: narrowOf[T](d)}
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

// takeRows takes two rows of p numbers from the pool of shared memory.
func (s *Structured[T]) takeRows() (buf *[]T, one, other []T) {
	buf = take[[]T](&poolsOf[T]().shared)
	*buf = grow(*buf, 2*s.p)
	return buf, (*buf)[:s.p], (*buf)[s.p:]
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
	badRow = -1
	k := machineOf[T](active).hadamard
	buf, padded, work := p.takeRows()
	defer poolsOf[T]().shared.Put(buf)
	clear(padded[p.d:])
	for i := lo; i < hi; i++ {
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
			if p.write(i, b*p.p, part) && badRow < 0 {
				badRow = i
			}
		}
	}
	return badRow
}

// GradX writes dP·Wᵀ to dst [n,d]: of each block D₁ H D₂ H D₃ H diag(r), H being symmetric. dp is [n,m].
func (s *Structured[T]) GradX(dst, dp []T, n int) {
	if s.backward {
		s.weights().GradX(dst, dp, n)
		return
	}
	k := machineOf[T](active).hadamard
	forTiles(n, func(lo, hi int) {
		buf, padded, work := s.takeRows()
		defer poolsOf[T]().shared.Put(buf)
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
