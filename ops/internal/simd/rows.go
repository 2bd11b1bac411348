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
func forBlocks(n, height int, f func(lo, hi int)) {
	blocks := (n + height - 1) / height
	workers := min(runtime.GOMAXPROCS(0), blocks)
	if workers < 2 {
		for lo := 0; lo < n; lo += height {
			f(lo, min(lo+height, n))
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				lo := int(next.Add(1)-1) * height
				if lo >= n {
					return
				}
				f(lo, min(lo+height, n))
			}
		})
	}
	wg.Wait()
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
