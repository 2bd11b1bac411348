package simd

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// tileRows is the height of the row tile on which a product and its epilogue work before the next one: small enough for
// the tile of a few thousand columns to stay in the second-level cache.
const tileRows = 32

// Share calls f for the blocks [lo, hi) of height of n rows, from GOMAXPROCS goroutines. Blocks do not depend on
// GOMAXPROCS, so neither do results that f computes block by block.
func Share(n, height int, f func(lo, hi int)) { share(n, height, blockFunc(f)) }

// forTiles is Share for row tiles.
func forTiles(n int, f func(lo, hi int)) { Share(n, tileRows, f) }

// shareInTurn is Share for blocks that wait for those before them: a goroutine takes one at a time.
func shareInTurn(n, height int, f func(lo, hi int)) {
	shareRuns(n, height, min(runtime.GOMAXPROCS(0), ceil(n, height)), 1, blockFunc(f))
}

// findBad is Share for an f that returns a row that it cannot map, or -1. It returns the least of them, or -1.
func findBad(n, height int, f func(lo, hi int) (badRow int)) (badRow int) {
	return share(n, height, findFunc(f))
}

// eachRow calls f for the rows lo to hi-1, and returns the first that is bad, or -1.
func eachRow(lo, hi int, f func(i int) (bad bool)) (badRow int) {
	badRow = -1
	for i := lo; i < hi; i++ {
		if f(i) && badRow < 0 {
			badRow = i
		}
	}
	return badRow
}

// blocks is work that comes in blocks of rows.
type blocks interface{ do(lo, hi int) (badRow int) }

type (
	blockFunc func(lo, hi int)
	findFunc  func(lo, hi int) (badRow int)
)

func (f blockFunc) do(lo, hi int) (badRow int) {
	f(lo, hi)
	return -1
}

func (f findFunc) do(lo, hi int) (badRow int) { return f(lo, hi) }

// perWorker is how often a goroutine of share steps the counter, about: often enough that none waits long for the last,
// on cores that are not equally free, and seldom enough for a line of memory that all cores write.
const perWorker = 32

// sharing is work that goroutines take from, in runs of blocks.
type sharing struct {
	blocks
	n, height, run int
	next           atomic.Int64
	bad            firstBad
	wg             sync.WaitGroup
}

var sharings sync.Pool

// share does the blocks [lo, hi) of n rows from GOMAXPROCS goroutines, this one included, and returns the least bad row
// that they return, or -1. It allocates nothing.
func share(n, height int, b blocks) (badRow int) {
	all := ceil(n, height)
	workers := min(runtime.GOMAXPROCS(0), all)
	badRow, _ = shareRuns(n, height, workers, runOf(all, workers), b)
	return badRow
}

// shareCopy is share for work that is a copy of v in an object of a pool.
func shareCopy[V any, B interface {
	*V
	blocks
}](pool *sync.Pool, n, height int, v V) (badRow int) {
	b := take[V](pool)
	*b = v
	badRow = share(n, height, B(b))
	*b = *new(V) // it must not keep the caller's memory
	pool.Put(b)
	return badRow
}

// runOf is how many blocks of all a goroutine takes at a time.
func runOf(all, workers int) int { return max(1, all/(perWorker*max(1, workers))) }

// shareRuns is share on so many goroutines, which take so many blocks at a time. It also returns how often they stepped
// the counter.
func shareRuns(n, height, workers, run int, b blocks) (badRow, steps int) {
	s := take[sharing](&sharings)
	s.blocks, s.n, s.height, s.run = b, n, height, run
	s.next.Store(0)
	s.bad.row.Store(-1)
	for range workers - 1 {
		s.wg.Add(1)
		go s.help()
	}
	s.work()
	s.wg.Wait()
	badRow, steps = int(s.bad.row.Load()), int(s.next.Load())
	s.blocks = nil // it must not keep the caller's memory
	sharings.Put(s)
	return badRow, steps
}

func (s *sharing) help() {
	defer s.wg.Done()
	s.work()
}

func (s *sharing) work() {
	for {
		from := int(s.next.Add(1)-1) * s.run * s.height
		if from >= s.n {
			return
		}
		for lo := from; lo < min(from+s.run*s.height, s.n); lo += s.height {
			s.bad.report(s.do(lo, min(lo+s.height, s.n)))
		}
	}
}

// firstBad is the lowest row that was reported, by several goroutines, or -1.
type firstBad struct{ row atomic.Int64 }

// report reports a row, or none with -1.
func (b *firstBad) report(row int) {
	for row >= 0 {
		old := b.row.Load()
		if old >= 0 && old <= int64(row) || b.row.CompareAndSwap(old, int64(row)) {
			return
		}
	}
}
