package given

import "testing"

// TestInParallel: each task is done once, and how often goroutines step the counter that they share is bounded by their
// number, not by the number of tasks.
func TestInParallel(t *testing.T) {
	for _, tasks := range []int{0, 1, 3, 64, 65, 4095, 4096, 100003} {
		for _, workers := range []int{1, 2, 4, 16, 64} {
			done := make([]int, tasks) // each by one goroutine
			steps := inParallel(tasks, workers, func(i int) { done[i]++ })
			for i, times := range done {
				if times != 1 {
					t.Fatalf("task %d of %d is done %d times by %d goroutines", i, tasks, times, workers)
				}
			}
			if most := (2*perWorker + 1) * workers; steps > most {
				t.Errorf("%d tasks, %d goroutines: %d steps, want up to %d", tasks, workers, steps, most)
			}
		}
	}
}
