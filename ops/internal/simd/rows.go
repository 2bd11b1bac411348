package simd

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// tileRows is the height of the row tile on which a product and its epilogue work before the next one: small enough for
// the tile of a few thousand columns to stay in the second-level cache.
const tileRows = 32

// forTiles calls f for the row tiles [lo, hi) of n rows, from GOMAXPROCS goroutines. Tiles do not depend on GOMAXPROCS,
// so neither do results that f computes tile by tile.
func forTiles(n int, f func(lo, hi int)) { forBlocks(n, tileRows, f) }

// forBlocks is forTiles for blocks of another height.
func forBlocks(n, height int, f func(lo, hi int)) { share(n, height, blockFunc(f)) }

// forBlocksInTurn is forBlocks for blocks that wait for those before them: a goroutine takes one at a time.
func forBlocksInTurn(n, height int, f func(lo, hi int)) {
	shareRuns(n, height, min(runtime.GOMAXPROCS(0), (n+height-1)/height), 1, blockFunc(f))
}

// Share calls f for the blocks [lo, hi) of height of n rows, from GOMAXPROCS goroutines. Blocks do not depend on
// GOMAXPROCS.
func Share(n, height int, f func(lo, hi int)) { forBlocks(n, height, f) }

// blocks is work that comes in blocks of rows.
type blocks interface{ do(lo, hi int) }

type blockFunc func(lo, hi int)

func (f blockFunc) do(lo, hi int) { f(lo, hi) }

// perWorker is how often a goroutine of share steps the counter, about: often enough that none waits long for the last,
// on cores that are not equally free, and seldom enough for a line of memory that all cores write.
const perWorker = 32

// sharing is work that goroutines take from, in runs of blocks.
type sharing struct {
	blocks
	n, height, run int
	next           atomic.Int64
	wg             sync.WaitGroup
}

var sharings sync.Pool

// share does the blocks [lo, hi) of n rows from GOMAXPROCS goroutines, this one included. It allocates nothing.
func share(n, height int, b blocks) {
	all := (n + height - 1) / height
	workers := min(runtime.GOMAXPROCS(0), all)
	shareRuns(n, height, workers, runOf(all, workers), b)
}

// runOf is how many blocks of all a goroutine takes at a time.
func runOf(all, workers int) int { return max(1, all/(perWorker*max(1, workers))) }

// shareRuns is share on so many goroutines, which take so many blocks at a time. It returns how often they stepped the
// counter.
func shareRuns(n, height, workers, run int, b blocks) (steps int) {
	s := take[sharing](&sharings)
	s.blocks, s.n, s.height, s.run = b, n, height, run
	s.next.Store(0)
	for range workers - 1 {
		s.wg.Add(1)
		go s.help()
	}
	s.work()
	s.wg.Wait()
	steps = int(s.next.Load())
	s.blocks = nil // it must not keep the caller's memory
	sharings.Put(s)
	return steps
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
			s.do(lo, min(lo+s.height, s.n))
		}
	}
}

// firstBad keeps the lowest row that was reported, from several goroutines.
type firstBad struct{ row atomic.Int64 }

func newFirstBad() *firstBad {
	b := new(firstBad)
	b.reset()
	return b
}

func (b *firstBad) reset() { b.row.Store(-1) }

func (b *firstBad) report(row int) {
	for {
		old := b.row.Load()
		if old >= 0 && old <= int64(row) || b.row.CompareAndSwap(old, int64(row)) {
			return
		}
	}
}

func (b *firstBad) get() int { return int(b.row.Load()) }
