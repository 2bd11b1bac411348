package linear

import (
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestRidgeGoroutines: a block of an update starts goroutines by the number of cores, however many rows it has: each of
// the passes over the block, and of the packing and multiplying of its products, has at most one on a core.
func TestRidgeGoroutines(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("the race detector finds nothing in a count of goroutines")
	}
	const d, passes = 96, 12
	started := func() uint64 {
		sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	for _, procs := range []int{4, 16, 64} {
		before := runtime.GOMAXPROCS(procs)
		for _, rows := range []int{500, 4000} {
			cells := make([]float32, rows*d)
			for i := range cells {
				cells[i] = float32(i*i%101) / 101
			}
			z, y := tensor.New(tensor.WithShape(rows, d), tensor.WithBacking(cells)), mat.NewDense(rows, 1, nil)
			for i := range rows {
				y.Set(i, 0, float64(i%7))
			}
			stats := RidgeStats{Float32Products: true}
			first := started()
			if err := stats.Add(z, y); err != nil {
				t.Fatal(err)
			}
			if n := started() - first; n > uint64(passes*procs) {
				t.Errorf("%d rows on %d cores: %d goroutines, want up to %d", rows, procs, n, passes*procs)
			}
		}
		runtime.GOMAXPROCS(before)
	}
}
