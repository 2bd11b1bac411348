package spectral

import (
	"sync"
	"testing"
)

// TestCache: it keeps so many results and no more, computes one once for all that wait for it, and lets the computation
// for one key use the result of another.
func TestCache(t *testing.T) {
	var c cache[int]
	for i := range 3 * mostFits {
		if got := must(c.get(i, func() (int, error) { return i * i, nil })); got != i*i {
			t.Fatalf("the result of %d is %d", i, got)
		}
	}
	if len(c.of) > mostFits {
		t.Errorf("%d results are kept, want at most %d", len(c.of), mostFits)
	}
	other, count := make(chan int), 0
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			c.get(-1, func() (int, error) {
				count++
				return <-other, ErrParam
			})
		})
	}
	all.Go(func() { other <- must(c.get(-2, func() (int, error) { return 2, nil })) })
	all.Wait()
	if got, err := c.get(-1, nil); count != 1 || got != 2 || err != ErrParam {
		t.Errorf("%d computations of one result, %d, %v", count, got, err)
	}
}
