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

// Share calls f for the blocks [lo, hi) of height of n rows, from GOMAXPROCS goroutines. Blocks do not depend on
// GOMAXPROCS.
func Share(n, height int, f func(lo, hi int)) { forBlocks(n, height, f) }

// blocks is work that comes in blocks of rows.
type blocks interface{ do(lo, hi int) }

type blockFunc func(lo, hi int)

func (f blockFunc) do(lo, hi int) { f(lo, hi) }

// sharing is work that goroutines take from, block by block.
type sharing struct {
	blocks
	n, height int
	next      atomic.Int64
	wg        sync.WaitGroup
}

var sharings sync.Pool

// share does the blocks [lo, hi) of n rows from GOMAXPROCS goroutines, this one included. It allocates nothing.
func share(n, height int, b blocks) {
	workers := min(runtime.GOMAXPROCS(0), (n+height-1)/height)
	s := take[sharing](&sharings)
	s.blocks, s.n, s.height = b, n, height
	s.next.Store(0)
	for range workers - 1 {
		s.wg.Add(1)
		go s.help()
	}
	s.work()
	s.wg.Wait()
	s.blocks = nil // it must not keep the caller's memory
	sharings.Put(s)
}

func (s *sharing) help() {
	defer s.wg.Done()
	s.work()
}

func (s *sharing) work() {
	for {
		lo := int(s.next.Add(1)-1) * s.height
		if lo >= s.n {
			return
		}
		s.do(lo, min(lo+s.height, s.n))
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
