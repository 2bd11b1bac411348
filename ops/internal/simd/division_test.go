package simd

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

// TestDivision: on up to 64 cores a product is cut into few jobs, three a core, or 3.5 of a triangle, and no others
// that have fewer than 1e8 multiplications: each costs a step of the one counter that goroutines share. They are so
// even that the work takes at most a seventh longer than if it were cut ideally, or twice as long where there are fewer
// than 24 tiles a core, by goroutines that take jobs in their order, each when it is free. The work of a job is the
// cells of its panels. The kernels of all instruction sets are divided, whatever this machine has.
func TestDivision(t *testing.T) {
	for i := range names {
		t.Run(names[i], func(t *testing.T) {
			testDivision[float32](t, isa(i))
			testDivision[float64](t, isa(i))
		})
	}
}

func testDivision[T Float](t *testing.T, i isa) {
	for _, shape := range [][3]int{
		{60000, 4096, 64}, {1000, 4096, 64}, {4096, 4096, 512}, {1000, 1024, 784}, {512, 8192, 784}, {4096, 4096, 16000}, {300, 26, 4096}, {7, 20000, 300},
		{2000, 2000, 2000}, {10000, 128, 16}, {3000, 700, 100}, {6000, 6000, 1},
	} {
		for _, kind := range []string{"plain", "transposed", "triangle"} {
			for _, workers := range []int{1, 2, 3, 4, 6, 8, 12, 16, 32, 48, 64} {
				ks := kernelsOf[T](i, shape[1])
				if kind == "triangle" {
					ks = kernelsOf[T](i, shape[0])
				}
				if ks == nil {
					return // gonum divides
				}
				m, n, k := shape[0], shape[1], shape[2]
				if kind == "triangle" {
					n = m
				}
				p := newProduct(ks, m, n, k)
				p.a = matrix[T]{ld: p.k}
				if kind != "plain" {
					p.a = matrix[T]{ld: p.m, t: true}
				}
				if kind == "triangle" {
					p.triangle = lower
				}
				p.plan()
				if !p.once && p.shares() {
					p.packed = []T{}
				}
				p.divide(workers)
				name := fmt.Sprintf("%T %v %s on %d cores", T(0), shape, kind, workers)
				work := float64(p.m) * float64(p.n) * float64(p.k)
				if p.triangle != whole {
					work /= 2
				}
				most := 3.5*float64(workers) + work/1e8
				if p.triangle == whole { // and blocks of rows and strips that the caches hold
					most = 3*float64(workers) + work/1e8 + float64(p.m)/float64(p.block) + float64(p.panels)/float64(p.group)
				}
				if float64(p.jobs) > most {
					t.Errorf("%s: %d jobs, want %.1f at most", name, p.jobs, most)
				}
				busy, all, tiles := make([]float64, workers), 0., 0
				for i := range p.jobs {
					r0, r1, lo, hi := p.part(i)
					cells := 0
					for r := r0; r < r1; r++ {
						from, to := p.triangle.columns(r, p.panels*p.width)
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
					tiles += ceil(r1-r0, p.height()) * (hi - lo)
				}
				if want := float64(p.m * p.panels * p.width); p.triangle == whole && all != want {
					t.Errorf("%s: the jobs have %v cells of %v", name, all, want)
				}
				want := 7. / 8
				switch {
				case p.triangle != whole && p.panels < 2*workers || tiles < 2*workers:
					continue // there is not enough to share
				case tiles < 24*workers:
					want = 1. / 2
				}
				if got := all / slices.Max(busy) / float64(workers); got < want {
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
			_, steps := shareRuns(n, tileRows, min(workers, all), runOf(all, min(workers, all)), blockFunc(func(lo, hi int) {
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
