package simd

import "math"

// Rows are the rows x of a product, dense ones [n,d] or sparse ones.
type Rows[T Float] struct {
	Dense  []T
	Shift  []T // [d], or one number for all columns: dense rows stand for ln(x + Shift), with Weights
	Sparse *CSR[T]
}

// Part is rows lo to hi-1 of d columns, over the same memory.
func (x Rows[T]) Part(lo, hi, d int) Rows[T] {
	if x.Sparse != nil {
		part := x.Sparse.Part(lo, hi)
		x.Sparse = &part
		return x
	}
	x.Dense = x.Dense[lo*d : hi*d]
	return x
}

// Operator is a matrix W [d,m] that rows are multiplied with: Weights or Structured.
type Operator[T Float] interface {
	Dims() (d, m int)
	// Project writes the projections xW + bias of n rows under an epilogue, and returns the first row that the epilogue
	// cannot map, or -1. Rows of the output may not overlap.
	Project(out output[T], x Rows[T], bias []T, n int) (badRow int)
}

var (
	_ Operator[float64] = (*Weights[float64])(nil)
	_ Operator[float64] = (*Structured[float64])(nil)
)

// The maps of the projections p = xW + bias of n rows; a nil bias is none. They return the first row whose projection
// is not finite, or -1. The logarithms of a shift are taken of a block of x on its way into the product.

// Affine writes p to dst [n,m].
func Affine[T Float](dst []T, w Operator[T], x Rows[T], bias []T, n int) {
	_, m := w.Dims()
	w.Project(output[T]{dst: dst, ld: m, m: m}, x, bias, n)
}

// Phase writes scale·cos(p) to dst [n,m].
func Phase[T Float](dst []T, w Operator[T], x Rows[T], bias []T, n int, scale float64) (badRow int) {
	_, m := w.Dims()
	return w.Project(output[T]{dst: dst, ld: m, m: m, epilogue: phaseMap, scale: scale}, x, bias, n)
}

// Pair writes scale·[cos(p) | sin(p)] to dst, 2m columns in rows that are ld apart.
func Pair[T Float](dst []T, ld int, w Operator[T], x Rows[T], bias []T, n int, scale float64) (badRow int) {
	_, m := w.Dims()
	return w.Project(output[T]{dst: dst, ld: ld, m: m, epilogue: pairMap, scale: scale}, x, bias, n)
}

// Exp writes scale·exp(-p) to dst [n,m]. A projection that overflows to +Inf gives the 0 that it should.
func Exp[T Float](dst []T, w Operator[T], x Rows[T], n int, scale float64) {
	_, m := w.Dims()
	w.Project(output[T]{dst: dst, ld: m, m: m, epilogue: expMap, scale: scale}, x, nil, n)
}

// ExpLess writes scale·exp(p - less_i) for each row i to dst [n,m]. The bad row is the first whose result is not finite.
func ExpLess[T Float](dst []T, w Operator[T], x Rows[T], less []T, n int, scale float64) (badRow int) {
	_, m := w.Dims()
	return w.Project(output[T]{dst: dst, ld: m, m: m, epilogue: expLessMap, scale: scale, less: less}, x, nil, n)
}

// A map of several blocks of pairs is, for directions U [d,q] and norms [blocks,m],
//
//	z = [scale_b·cos(p_b) | scale_b·sin(p_b)] for each block b,   p_b = norms_b ∘ (x·U_b),
//
// where each block has m columns U_b of its own, q = blocks·m, or all have the same, q = m < blocks·m. Rows of z are
// blocks·2m long. With directions of its own a block is a Pair, of norms_b ∘ U_b.

// Blocks writes the map of blocks with shared directions w [d,m] to dst.
func Blocks[T Float](dst []T, w Operator[T], x Rows[T], n int, norms []T, scales []float64) (badRow int) {
	_, m := w.Dims()
	out := output[T]{dst: dst, ld: 2 * len(scales) * m, m: m, epilogue: blocksMap, norms: norms, scales: scales}
	return w.Project(out, x, nil, n)
}

// eachBlock is the epilogue of shared directions. The first block comes last: it may stand over the projections.
func (o *output[T]) eachBlock(row []T, lo int, p []T) (bad bool) {
	hi := lo + len(p)
	for b := len(o.scales) - 1; b >= 0; b-- {
		at := 2 * b * o.m
		cos, sin := row[at+lo:at+hi], row[at+o.m+lo:at+o.m+hi]
		vecProduct(cos, p, o.norms[b*o.m+lo:b*o.m+hi], 1)
		bad = vecSinCos(sin, cos, cos, o.scales[b]) || bad
	}
	return bad
}

// Cos writes scale·cos(p) to dst, both [n,m].
func Cos[T Float](dst, p []T, n, m int, scale float64) (badRow int) {
	return findBad(n, tileRows, func(lo, hi int) (badRow int) {
		return eachRow(lo, hi, func(i int) bool { return vecCos(dst[i*m:i*m+m], p[i*m:i*m+m], scale) })
	})
}

// epilogue is what a forward does to its projection, a segment of a row at a time, while the segment is in cache.
type epilogue int

const (
	identity     epilogue = iota // p
	phaseMap                     // scale·cos(p)
	pairMap                      // scale·[cos(p) | sin(p)]
	expMap                       // scale·exp(-p)
	expLessMap                   // scale·exp(p - less_i)
	phaseGradMap                 // -scale·sin(p)·grad
	blocksMap                    // [scale_b·cos(norms_b∘p) | scale_b·sin(norms_b∘p)] for each block b
)

// output is where a product and its epilogue write: m columns of projections in rows that are ld apart, and for the
// pair m more to their right.
type output[T Float] struct {
	dst   []T
	ld, m int
	epilogue
	scale float64
	grad  matrix[T] // of the output, for phaseGradMap
	less  []T       // [n], for expLessMap

	norms  []T       // [blocks,m], and
	scales []float64 // [blocks], for blocksMap
}

// below is the output from row lo on.
func (o output[T]) below(lo int) output[T] {
	if o.dst = o.dst[lo*o.ld:]; o.less != nil {
		o.less = o.less[lo:]
	}
	return o
}

// finish applies the epilogue to columns lo to hi of row i, where the projections are, and tells whether one of them
// was not finite, for the maps that have no value there.
func (o *output[T]) finish(i, lo, hi int) (bad bool) {
	return o.write(i, lo, o.dst[i*o.ld+lo:i*o.ld+hi])
}

// write is finish for projections p that belong to row i from column lo on and may lie elsewhere.
func (o *output[T]) write(i, lo int, p []T) (bad bool) {
	row, hi := o.dst[i*o.ld:], lo+len(p)
	to := row[lo:hi]
	switch o.epilogue {
	case phaseMap:
		return vecCos(to, p, o.scale)
	case pairMap:
		return vecSinCos(row[o.m+lo:o.m+hi], to, p, o.scale)
	case expMap:
		vecExp(to, p, o.scale, -1)
	case expLessMap:
		scale := o.scale * math.Exp(-float64(o.less[i]))
		if scale < 0x1p-60 { // which vectors do not take
			for j, v := range p {
				to[j] = v - o.less[i]
			}
			p, scale = to, o.scale
		}
		vecExp(to, p, scale, 1)
		return !vecWithin(to, 0)
	case phaseGradMap:
		cosSlopes(to, p, o.grad.row(i, hi)[lo:], o.scale)
	case blocksMap:
		return o.eachBlock(row, lo, p)
	default:
		copy(to, p)
	}
	return false
}

// finishRows is finish for columns 0 to hi of rows r0 to r1, and returns the first bad row, or -1.
func (o *output[T]) finishRows(r0, r1, hi int) (badRow int) {
	if o.epilogue == identity {
		return -1
	}
	return eachRow(r0, r1, func(i int) bool { return o.finish(i, 0, hi) })
}
