package simd

import (
	"fmt"
	"sync"
	"testing"
)

// TestDivision: on up to 64 cores a product is cut into few jobs, three a core, and no others that have fewer than 1e8
// multiplications: each costs a step of the one counter that goroutines share. They are so even that the work takes at
// most a seventh longer than if it were cut ideally, by goroutines that take jobs in their order, each when it is free.
// The work of a job is the cells of C that it computes.
func TestDivision(t *testing.T) {
	ks := kernelsOf[float64](active, 4096)
	if ks == nil {
		t.Skip("gonum divides the products of this machine")
	}
	size := sizeof[float64]()
	for _, shape := range [][3]int{{60000, 4096, 64}, {1000, 4096, 64}, {4096, 4096, 512}, {1000, 1024, 784}, {512, 8192, 784}, {4096, 4096, 16000}} {
		for _, kind := range []string{"plain", "transposed", "triangle"} {
			for workers := 1; workers <= 64; workers *= 2 {
				p := newProduct(ks, shape[0], shape[1], shape[2])
				p.a = matrix[float64]{ld: p.k}
				if kind != "plain" {
					p.a = matrix[float64]{ld: p.m, t: true}
				}
				if kind == "triangle" {
					p.n, p.triangle = p.m, lower
				}
				p.plan()
				if length := packedLen(ks, p.k, p.n); !p.once && p.shares(length*size) {
					p.packed = []float64{}
				}
				p.divide(workers)
				name := fmt.Sprintf("%v %s on %d cores", shape, kind, workers)
				work := p.m * p.n / 1e4 * p.k
				if p.triangle != whole {
					work /= 2
				}
				if most := 3*workers + work/1e4; p.jobs > most {
					t.Errorf("%s: %d jobs, want %d at most", name, p.jobs, most)
				}
				if p.panels < 2*workers && p.triangle != whole {
					continue // there is not enough to share
				}
				busy, all := make([]float64, workers), 0.
				for i := range p.jobs {
					r0, r1, lo, hi := p.part(i)
					cells := 0
					for r := r0; r < r1; r++ {
						from, to := p.triangle.columns(r, p.n)
						cells += max(0, min(to, hi*p.width)-max(from, lo*p.width))
					}
					free := 0
					for w := range busy {
						if busy[w] < busy[free] {
							free = w
						}
					}
					busy[free] += float64(cells)
					all += float64(cells)
				}
				longest := 0.
				for _, b := range busy {
					longest = max(longest, b)
				}
				if got := all / longest / float64(workers); got < 7./8 {
					t.Errorf("%s: %d jobs keep the cores busy for %.2f of the time", name, p.jobs, got)
				}
			}
		}
	}
}

// TestShareRuns: every block is done once, and the counter is stepped some 32 times a goroutine, however many blocks
// there are.
func TestShareRuns(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 4000, 1_000_000} {
		for _, workers := range []int{1, 2, 8, 64} {
			all := (n + tileRows - 1) / tileRows
			var mu sync.Mutex
			done := make([]int, all)
			steps := shareRuns(n, tileRows, min(workers, all), runOf(all, min(workers, all)), blockFunc(func(lo, hi int) {
				if hi-lo > tileRows || lo%tileRows != 0 || hi > n || hi < n && hi%tileRows != 0 {
					t.Errorf("rows %d to %d are no block of %d", lo, hi, n)
				}
				mu.Lock()
				done[lo/tileRows]++
				mu.Unlock()
			}))
			for i, times := range done {
				if times != 1 {
					t.Fatalf("%d rows on %d: block %d was done %d times", n, workers, i, times)
				}
			}
			if most := (2*perWorker + 1) * workers; steps > most {
				t.Errorf("%d rows on %d: %d steps, want %d at most", n, workers, steps, most)
			}
		}
	}
}
