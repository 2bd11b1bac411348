package simd

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// CSR is a sparse matrix in compressed sparse rows: row i holds Val[t] in column Col[t] for Ptr[i] <= t < Ptr[i+1].
// Columns increase within a row; what is not stored is 0. Rows i to j are the same slices with Ptr[i : j+1], so Ptr
// need not begin at 0.
type CSR[T Float] struct {
	Rows, Cols int
	Ptr        []int
	Col        []int32
	Val        []T
}

// check panics where the slices do not hold a matrix: kernels have no bounds checks.
func (x CSR[T]) check() {
	if len(x.Ptr) != x.Rows+1 || x.Ptr[0] < 0 || x.Ptr[x.Rows] > len(x.Col) || x.Ptr[x.Rows] > len(x.Val) {
		panic("simd: CSR: the row pointers do not fit the entries")
	}
	for i := range x.Rows {
		last := int32(-1)
		for _, j := range x.Col[x.Ptr[i]:x.Ptr[i+1]] {
			if j <= last || int(j) >= x.Cols {
				panic("simd: CSR: the columns of a row do not increase, or there are fewer")
			}
			last = j
		}
	}
}

// Transposed is the transpose, of the rows that x has.
func (x CSR[T]) Transposed() CSR[T] {
	col, _ := x.Entries()
	t := CSR[T]{Rows: x.Cols, Cols: x.Rows, Ptr: make([]int, x.Cols+1), Col: make([]int32, len(col)),
		Val: make([]T, len(col))}
	for _, j := range col {
		t.Ptr[j+1]++
	}
	for j := range x.Cols {
		t.Ptr[j+1] += t.Ptr[j]
	}
	next := append([]int(nil), t.Ptr...)
	for i := range x.Rows {
		for k := x.Ptr[i]; k < x.Ptr[i+1]; k++ {
			at := next[x.Col[k]]
			t.Col[at], t.Val[at] = int32(i), x.Val[k]
			next[x.Col[k]]++
		}
	}
	return t
}

// Part is rows lo to hi-1, over the same memory.
func (x CSR[T]) Part(lo, hi int) CSR[T] {
	x.Rows, x.Ptr = hi-lo, x.Ptr[lo:hi+1:hi+1]
	return x
}

// Entries returns the columns and the values of all rows.
func (x CSR[T]) Entries() (col []int32, val []T) {
	first, end := x.Ptr[0], x.Ptr[x.Rows]
	return x.Col[first:end], x.Val[first:end]
}

// AddRow adds row i to dst [cols].
func (x CSR[T]) AddRow(dst []T, i int) {
	for k := x.Ptr[i]; k < x.Ptr[i+1]; k++ {
		dst[x.Col[k]] += x.Val[k]
	}
}

// GradWCSR writes (x + 1·baseᵀ)ᵀ·dP to dst [d,m]: what GradW does for the dense rows whose cell (i, j) is base[j], or
// the only number of base, more than the cell of x. A nil base is 0. dp is [n,m]. Rows of dst for columns without
// entries cost no product.
func GradWCSR[T Float](dst []T, x CSR[T], base, dp []T, m int) {
	dst = dst[:x.Cols*m]
	if base != nil {
		sum := make([]T, m)
		ColSum(sum, dp, x.Rows)
		forTiles(x.Cols, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				vecMultiple(dst[j*m:j*m+m], sum, base[j%len(base)])
			}
		})
	}
	ks := kernelsOf[T](active, m)
	multiplyCSR(ks, x.Transposed(), matrix[T]{v: dp, ld: m}, nil, m, nil, base != nil, output[T]{dst: dst, ld: m, m: m})
}

// multiplyCSRGeneric is the product row by row in plain Go, the reference of the kernels.
func multiplyCSRGeneric[T Float](x CSR[T], b matrix[T], n int, bias []T, add bool, out output[T]) (badRow int) {
	return findBad(x.Rows, tileRows, func(lo, hi int) (badRow int) {
		for i := lo; i < hi; i++ {
			row := out.dst[i*out.ld : i*out.ld+n]
			if !add {
				clear(row)
				copy(row, bias)
			}
			for t := x.Ptr[i]; t < x.Ptr[i+1]; t++ {
				v, from := x.Val[t], b.v[int(x.Col[t])*b.ld:]
				for j, w := range from[:n] {
					row[j] += v * w
				}
			}
		}
		return out.finishRows(lo, hi, n)
	})
}

// rowFunc is a kernel for one sparse row and some numbers of panels of B that are `width` wide:
//
//	C[p·width + j] = Σₜ x[t]·B[at[t], p, j]   (+ from[p·width + j], unless from is nil),   t < k, p < panels
//
// where element (r, p, j) of B is b[r·rs + p·bs + j]. The sum runs in order, one rounding a step. from may be C.
type rowFunc[T Float] func(panels, k int, at *int32, x *T, b *T, rs, bs int, c *T, from *T)

// csrRows is the length of a row block.
//
// Blocking. A call of a kernel takes the entries of a row in a K block (blockDepth) and a strip of panels, one a
// kernel. That slice of B, a quarter of a megabyte, stays in the second-level cache while the rows of a block pass by,
// so B is read from memory once for each row block. As entries come in no order that hardware could look ahead in, the
// next slice is asked for, in order, meanwhile. K blocks depend on the depth alone, and results on no instruction set
// and no number of goroutines.
const csrRows = 1024

// csrLists is how many rows have their index lists in memory at once.
const csrLists = 32 * csrRows

// sparseProduct is one C = X·B, plus a bias or C itself, with an epilogue. Row blocks and strips of panels are jobs.
type sparseProduct[T Float] struct {
	layout[T] // of B
	x         CSR[T]
	b         matrix[T]
	packed    []T // B in panels, or nil: b as it lies
	bias      []T
	add       bool // to what C holds
	output[T]
	bad firstBad

	whole        int     // panels without padding
	busy         bool    // whether an average row block uses all of B
	at           []int32 // the place of each entry in its K block of B, in rows; of an unpacked B, in B
	splits       []int   // of each row: where its entries of a K block begin, and
	ends         int     // how many numbers: K blocks + 1
	rows, strips int     // rows of a job; strips of panels
}

// csrPools keeps the index lists of products between calls.
var csrPools struct{ at, splits sync.Pool }

// multiplyCSR runs a product on kernels, or without them, and returns the first row that the epilogue cannot map, or
// -1.
func multiplyCSR[T Float](ks *kernels[T], x CSR[T], b matrix[T], packed []T, n int, bias []T, add bool,
	out output[T]) (badRow int) {
	x.check()
	if x.Rows == 0 || n == 0 {
		return -1
	}
	matrix[T]{v: out.dst, ld: out.ld}.check("c", x.Rows, n)
	if bias != nil {
		bias = bias[:n]
	}
	if packed == nil {
		b.check("b", x.Cols, n)
	}
	if ks == nil || x.Cols == 0 {
		return multiplyCSRGeneric(x, b, n, bias, add, out)
	}
	badRow = -1
	for lo := 0; lo < x.Rows; lo += csrLists {
		hi := min(lo+csrLists, x.Rows)
		p := &sparseProduct[T]{layout: layoutOf(ks, x.Cols, n), x: x.Part(lo, hi), b: b, packed: packed, bias: bias,
			add: add, output: out.below(lo)}
		if bad := p.run(); bad >= 0 && badRow < 0 {
			badRow = lo + bad
		}
	}
	return badRow
}

func (p *sparseProduct[T]) run() (badRow int) {
	p.bad.row.Store(-1)
	p.whole = p.n / p.width
	workers := runtime.GOMAXPROCS(0)
	if float64(p.x.Ptr[p.x.Rows]-p.x.Ptr[0])*float64(p.n) < smallWork {
		workers = 1
	}
	if p.packed == nil && p.whole == 0 { // no panel fits into a row of B
		pool, shared := takeShared[T](p.length())
		defer pool.Put(shared)
		q := &product[T]{layout: p.layout, b: p.b}
		q.packAll(*shared, workers)
		p.packed = *shared
	}
	at, splits := take[[]int32](&csrPools.at), take[[]int](&csrPools.splits)
	defer csrPools.at.Put(at)
	defer csrPools.splits.Put(splits)
	p.locate(at, splits)
	p.strips = ceil(p.whole, p.most)
	if p.whole < p.panels {
		p.strips++
	}
	p.rows = ceil(p.x.Rows, max(ceil(p.x.Rows, csrRows), min(p.x.Rows, ceil(workers, p.strips))))
	jobs := p.strips * ceil(p.x.Rows, p.rows)
	badRow, _ = shareRuns(jobs, 1, min(workers, jobs), 1, p)
	return badRow
}

// locate finds the place of each entry in B and where the K blocks of a row begin.
func (p *sparseProduct[T]) locate(at *[]int32, splits *[]int) {
	first, end := p.x.Ptr[0], p.x.Ptr[p.x.Rows]
	p.ends = p.blocks() + 1
	p.busy = (end-first)/ceil(p.x.Rows, csrRows) >= p.x.Cols
	p.at = p.x.Col[first:end]
	if p.packed != nil && p.ends > 2 {
		*at = slices.Grow((*at)[:0], end-first)[:end-first]
		p.at = *at
		for t, j := range p.x.Col[first:end] {
			p.at[t] = j % int32(p.depth)
		}
	}
	*splits = slices.Grow((*splits)[:0], p.x.Rows*p.ends)[:p.x.Rows*p.ends]
	p.splits = *splits
	for i := range p.x.Rows {
		t, stop := p.x.Ptr[i], p.x.Ptr[i+1]
		for g := range p.ends {
			p.splits[i*p.ends+g] = t
			for t < stop && int(p.x.Col[t]) < (g+1)*p.depth {
				t++
			}
		}
	}
}

// do does job i.
func (p *sparseProduct[T]) do(i, _ int) (badRow int) {
	pool, ws := takeSpace[T]()
	defer pool.Put(ws)
	ws.tile = grow(ws.tile, max(len(ws.tile), p.width))
	block, strip := i/p.strips, i%p.strips
	r0, r1 := block*p.rows, min((block+1)*p.rows, p.x.Rows)
	lo := strip * p.most
	if lo >= p.whole {
		p.edge(r0, r1, ws.tile)
	}
	for end := min(lo+p.most, p.whole); lo < end; {
		panels := 1 << (bits.Len(uint(end-lo)) - 1)
		p.strip(r0, r1, lo, lo+panels)
		lo += panels
	}
	return int(p.bad.row.Load())
}

// panel is where panel q of B begins for a K block, how far apart the rows are, and how far the panels.
func (p *sparseProduct[T]) panel(g, q int) (b *T, rs, bs int) {
	if p.packed == nil {
		return &p.b.v[q*p.width], p.b.ld, p.width
	}
	k0, k := p.kBlock(g)
	return &p.packed[p.offset(k0, k, q)], p.width, k * p.width
}

// slice is the memory that panels lo to hi of a K block of a packed B take up, if it is worth asking for: rows that use
// little of B would read the rest for nothing.
func (p *sparseProduct[T]) slice(g, lo, hi int) []T {
	if p.packed == nil || g == p.ends-1 || !p.busy {
		return nil
	}
	k0, k := p.kBlock(g)
	return p.packed[p.offset(k0, k, lo):p.offset(k0, k, hi)]
}

// strip multiplies rows r0 to r1 with whole panels lo to hi, for which there is a kernel.
func (p *sparseProduct[T]) strip(r0, r1, lo, hi int) {
	j, blocks := lo*p.width, p.ends-1
	for g := range blocks {
		b, rs, bs := p.panel(g, lo)
		next := p.slice(g+1, lo, hi)
		for i := r0; i < r1; i++ {
			prefetchPart(next, i-r0, r1-r0)
			c := &p.dst[i*p.ld+j]
			if k, at, x := p.entries(i, g); k > 0 || g == 0 {
				p.row(hi-lo, k, at, x, b, rs, bs, c, p.from(g, c, j))
			}
			if g == blocks-1 && p.finish(i, j, hi*p.width) {
				p.bad.report(i)
			}
		}
	}
}

// entries are the entries of a row in a K block: how many, their places in B and their values, nil where there are
// none.
func (p *sparseProduct[T]) entries(i, g int) (k int, at *int32, x *T) {
	t, end := p.splits[i*p.ends+g], p.splits[i*p.ends+g+1]
	if t == end {
		return 0, nil, nil
	}
	return end - t, &p.at[t-p.x.Ptr[0]], &p.x.Val[t]
}

// from is what the kernel adds to C at c, whose column is j: C itself, or the bias, or nothing.
func (p *sparseProduct[T]) from(g int, c *T, j int) *T {
	switch {
	case g > 0 || p.add:
		return c
	case p.bias != nil:
		return &p.bias[j]
	}
	return nil
}

// edge multiplies rows r0 to r1 with the columns right of the last whole panel: with the padded panel, or with the last
// width columns of a B that is not packed.
func (p *sparseProduct[T]) edge(r0, r1 int, tile []T) {
	j, skip, blocks := p.whole*p.width, 0, p.ends-1
	for g := range blocks {
		b, rs, bs := (*T)(nil), p.b.ld, 0
		if p.packed != nil {
			b, rs, bs = p.panel(g, p.whole)
		} else {
			b, skip = &p.b.v[p.n-p.width], p.width-(p.n-j)
		}
		for i := r0; i < r1; i++ {
			if k, at, x := p.entries(i, g); k > 0 || g == 0 {
				p.row(1, k, at, x, b, rs, bs, &tile[0], nil)
				writeEdge(p.dst[i*p.ld+j:i*p.ld+p.n], tile[skip:], p.bias, j, g > 0 || p.add)
			}
			if g == blocks-1 && p.finish(i, j, p.n) {
				p.bad.report(i)
			}
		}
	}
}
