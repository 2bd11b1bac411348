package simd

import (
	"math"
	"runtime"
	"sync"
)

// Blocking. An inner product is split into K blocks of at most blockDepth bytes, so that a tile of A stays in the
// first-level cache. A group of panels of B, groupB bytes, stays in the second-level cache while a row block of A
// passes by; the longer the block, the less often B comes from further away. The K blocks are the same for all
// instruction sets and any GOMAXPROCS, and nothing else decides in which order a sum is taken: results do not depend on
// the machine.
const (
	blockDepth     = 2048
	groupB         = 512 << 10
	blockA         = 1 << 20
	blockRows      = 1024     // a row block of few columns is not longer, so that there are enough of them to share
	sharedB        = 8 << 20  // an unpacked B up to this size is packed as a whole
	sharedTriangle = 32 << 20 // the same where C is a triangle
	tiledA         = 4 << 20  // of a transposed A that is copied once for all panels, what a goroutine holds
	farApart       = 512      // bytes between rows of a transposed A from which on that pays, and
	manyColumns    = 256      // of C
	tiledColumns   = 1024     // of a C that is a triangle, from which on A is copied where panels make low tiles
	smallWork      = 1 << 16  // products with fewer multiplications than this are not worth a goroutine
	segment        = 288      // columns between two epilogues
)

// product is one C = alpha·op(A)·op(B), plus bias or beta·C, with an epilogue, on its way over the cores.
//
// The rows of C are cut into row blocks and its panels into strips; each pair is a job. A job goes K block by K block;
// within one, a group of panels of B stays in the second-level cache while tiles of A pass by.
type product[T Float] struct {
	layout[T] // of B
	m         int
	alpha     T
	a, b      matrix[T]
	shift     []T // A is ln(a + shift), one number or one a column; nil: A is a
	packed    []T // B packed for all, or nil: then each job packs its own strip
	bias      []T // added to every row; or
	beta      T   // what C holds already is kept this many times
	output[T]
	triangle triangle  // the part of C that is wanted; one of them has no epilogue
	wide     []float64 // a lower triangle, ld apart, to which sums of up to WideDepth steps are added; nil: C is dst
	workers  int       // goroutines, or 0 for GOMAXPROCS
	bad      firstBad

	group, block              int // panels, and rows
	rows, strip, across, jobs int // of a job; jobs side by side, and in all
	packing                   bool
	once                      bool // op(A) is copied once for all panels of a job, and B panel group by panel group
	mirrored                  bool // of a triangle: the panels of B serve as A too, a column of a panel as a row of A
}

// workspace is what a goroutine needs besides: its strip of B, its block of A, lines of that on their way, and a tile
// for the edges.
type workspace[T Float] struct{ a, b, tile, line []T }

// pools keeps the memory of products between calls.
type pools[T Float] struct{ products, spaces, shared, searches, projections, units, chunks, columns sync.Pool }

var (
	pools32 pools[float32]
	pools64 pools[float64]
)

func poolsOf[T Float]() *pools[T] {
	var p any = &pools64
	if sizeof[T]() == 4 {
		p = &pools32
	}
	return p.(*pools[T])
}

// take is an object of a pool, or a new one.
func take[V any](p *sync.Pool) *V {
	if v, ok := p.Get().(*V); ok {
		return v
	}
	return new(V)
}

// takeSpace takes a work space from its pool, to which it goes back by Put.
func takeSpace[T Float]() (pool *sync.Pool, ws *workspace[T]) {
	pool = &poolsOf[T]().spaces
	return pool, take[workspace[T]](pool)
}

// takeShared takes memory for n numbers from its pool, to which it goes back by Put.
func takeShared[T Float](n int) (pool *sync.Pool, buf *[]T) {
	pool = &poolsOf[T]().shared
	buf = take[[]T](pool)
	*buf = grow(*buf, n)
	return pool, buf
}

// newProduct is a cleared product from the pool; run gives it back.
func newProduct[T Float](ks *kernels[T], m, n, k int) *product[T] {
	p := take[product[T]](&poolsOf[T]().products)
	p.layout, p.m, p.alpha = layoutOf(ks, k, n), m, 1
	return p
}

// run computes the product and returns the first row that the epilogue cannot map, or -1.
func (p *product[T]) run() (badRow int) {
	badRow = -1
	if p.m > 0 && p.n > 0 {
		badRow = p.compute()
	}
	*p = product[T]{} // it must not keep the caller's memory
	poolsOf[T]().products.Put(p)
	return badRow
}

func (p *product[T]) compute() (badRow int) {
	p.a.check("a", p.m, p.k)
	if p.wide == nil {
		matrix[T]{v: p.dst, ld: p.ld}.check("c", p.m, p.n)
	}
	p.bad.row.Store(-1)
	workers := p.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if float64(p.m)*float64(p.n)*float64(p.k) < smallWork {
		workers = 1
	}
	if p.packed == nil {
		p.b.check("b", p.k, p.n)
	}
	if p.plan(); p.packed == nil && !p.once && p.shares() {
		pool, shared := takeShared[T](p.length())
		defer pool.Put(shared)
		p.packAll(*shared, workers)
	}
	p.divide(workers)
	return p.each(workers)
}

// plan chooses the blocks.
func (p *product[T]) plan() {
	size := sizeof[T]()
	p.group = max(1, groupB/(size*p.depth*p.width))
	p.block = roundUp(min(blockRows, max(1, blockA/(size*p.depth))), p.height())
	p.once = p.copiesOnce()
}

// shares says whether B is packed once for all. A tall C reads each panel many times; of a wide one they are packed
// where they are used.
func (p *product[T]) shares() bool {
	bytes := p.length() * sizeof[T]()
	if p.triangle != whole {
		return bytes <= sharedTriangle
	}
	return p.m >= p.n && bytes <= sharedB
}

// packAll packs the whole of B into dst.
func (p *product[T]) packAll(dst []T, workers int) {
	p.packed, p.packing = dst, true
	p.strip = max(1, p.panels/workers)
	p.across = ceil(p.panels, p.strip)
	p.jobs = p.across * p.blocks()
	p.each(workers)
	p.packing = false
}

// divide chooses the jobs: near-equal in number of rows or panels, a few for each worker where there is enough to
// share.
func (p *product[T]) divide(workers int) {
	p.rows, p.strip = p.m, p.panels
	p.mirrored = p.triangle != whole && p.packed != nil && p.alpha == 1 && !p.lowPanels()
	switch {
	case p.triangle == whole:
		p.grid(workers)
	case p.packed == nil:
		p.strip = pairs(p.panels, workers)
	case p.mirrored:
		p.rows = pairs(p.panels, workers) * p.width
		p.block = roundUp(p.block, p.width)
	default:
		p.rows = ceil(p.m, min(p.panels, 2*workers))
	}
	if p.rows = min(p.rows, p.m); p.once {
		p.block = p.rows
	}
	p.across = ceil(p.panels, p.strip)
	p.jobs = p.across * ceil(p.m, p.rows)
}

// pairs is how many of n lines a job of a triangle takes. Lines get shorter by equal steps: two jobs a worker make
// equal pairs. Of fewer the longest are alone, and the workers are busy for (n/lines + 1)/(2 workers) of the time;
// where that is too little, and there are not too many of them, shorter jobs fill the time.
func pairs(n, workers int) int {
	lines := ceil(n, 2*workers)
	if fewer := lines - 1; fewer > 0 && 16*(n+lines) < 30*workers*lines && 2*ceil(n, fewer) <= 7*workers {
		return fewer
	}
	return lines
}

// What a job takes besides its products, in the time that a row needs with a panel.
const (
	copying = 8  // a panel, or twice as much of a row as a panel is wide
	reading = .5 // a row
)

// grid chooses the rows of a job and its strip of panels: the division that workers are done with soonest. It tries up
// to three jobs a worker, and more where the caches need them or each still has 1e8 multiplications. One more job a
// worker must save 1 %.
func (p *product[T]) grid(workers int) {
	across, down, panel, row := 1, 1, 0., reading // at least, and what a job takes besides
	switch {
	case p.once:
		down, panel, row = ceil(p.m, tiledA/blockDepth), copying, 2*copying/float64(p.width)
	case p.packed == nil:
		across, panel = ceil(p.panels, p.group), copying
	default:
		down = ceil(p.m, p.block)
	}
	least, soonest, h := ceil(across*down, workers), math.Inf(1), p.height()
	last := max(3, least+1, min(12, int(float64(p.m)*float64(p.n)*float64(p.k)/1e8)/workers))
	for rounds := least; rounds <= last; rounds++ {
		for d := down; d <= max(down, min(roundUp(down, workers), ceil(p.m, h))); d++ {
			rows, strip := roundUp(ceil(p.m, d), h), ceil(p.panels, min(p.panels, max(across, rounds*workers/d)))
			blocks := ceil(p.m, rows)
			if ceil(p.panels, strip)*blocks > rounds*workers {
				continue
			}
			each := float64(rows) + panel
			full, rest := p.panels/strip*blocks, p.panels%strip // the last strip may be thinner, and fills gaps first
			turns := ceil(full, workers)
			time := float64(turns) * (float64(strip)*each + row*float64(rows))
			if left := blocks - (turns*workers - full); rest > 0 && left > 0 {
				time += float64(ceil(left, workers)) * (float64(rest)*each + row*float64(rows))
			}
			if p.packed != nil && strip < p.panels {
				time *= 1.03 // whole rows of C are faster to write
			}
			if time *= 1 + .01*float64(rounds-least); time < soonest {
				p.rows, p.strip, soonest = rows, strip, time
			}
		}
	}
}

// copiesOnce says whether a job copies its part of a transposed A, K block by K block and tile by tile, before it packs
// B. Where A lies, the steps of a tile are in pages of their own, and each waits for its first line. It wants enough
// columns of C to pay for the copy, and where B can be packed for all a long sum: a short one stays in cache as it is.
func (p *product[T]) copiesOnce() bool {
	if !p.a.t || p.triangle != whole || p.packed != nil || p.n < manyColumns || p.a.ld*sizeof[T]() < farApart {
		return false
	}
	return p.k > 2*p.depth || !p.shares()
}

// lowPanels says that a panel makes tiles that are too low to keep the multipliers busy, of three quarters of the
// height at most, and that C has enough columns to pay for a copy of A in full tiles.
func (p *product[T]) lowPanels() bool {
	return 4*p.width <= 3*p.height()*ceil(p.width, p.height()) && p.n >= tiledColumns
}

// ceil is a/b, rounded up.
func ceil(a, b int) int { return (a + b - 1) / b }

func roundUp(n, multiple int) int { return ceil(n, multiple) * multiple }

// each runs the jobs from up to so many goroutines, this one included.
func (p *product[T]) each(workers int) (badRow int) {
	badRow, _ = shareRuns(p.jobs, 1, min(workers, p.jobs), 1, p)
	return badRow
}

// do does job i.
func (p *product[T]) do(i, _ int) (badRow int) {
	pool, ws := takeSpace[T]()
	defer pool.Put(ws)
	if p.packing {
		lo, hi := i%p.across*p.strip, min((i%p.across+1)*p.strip, p.panels)
		k0, k := p.kBlock(i / p.across)
		p.packPanels(p.packed[p.offset(k0, k, lo):], p.b, k0, k, p.n, lo, hi)
		return -1
	}
	r0, r1, lo, hi := p.part(i)
	p.job(ws, r0, r1, lo, hi)
	return int(p.bad.row.Load())
}

// part is what job i computes: rows r0 to r1 of C in panels lo to hi. Of a triangle the longest come first.
func (p *product[T]) part(i int) (r0, r1, lo, hi int) {
	down, side := i/p.across, i%p.across
	switch p.triangle {
	case upper:
		side = p.across - 1 - side
	case lower:
		down = p.jobs/p.across - 1 - down
	}
	lo, hi = side*p.strip, min((side+1)*p.strip, p.panels)
	r0, r1 = p.triangle.rows(lo*p.width, hi*p.width, p.m)
	return max(r0, down*p.rows), min(r1, (down+1)*p.rows), lo, hi
}
