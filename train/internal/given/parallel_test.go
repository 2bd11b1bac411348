package given

import (
	"errors"
	"testing"
)

// TestInParallel: each task is done once, and how often goroutines step the counter that they share is bounded by their
// number, not by the number of tasks.
func TestInParallel(t *testing.T) {
	for _, tasks := range []int{0, 1, 3, 64, 65, 4095, 4096, 100003} {
		for _, workers := range []int{1, 2, 4, 16, 64} {
			done := make([]int, tasks) // each by one goroutine
			steps := OnWorkers(workers, tasks, func(i int) { done[i]++ })
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

// TestTry: all tasks are done, or the error of the first that fails is returned, also if a later one fails before that
// begins, and one goroutine begins none after it.
func TestTry(t *testing.T) {
	errs := []error{nil, nil, errors.New("third"), errors.New("fourth"), errors.New("fifth"), nil}
	for procs := 1; procs <= 4; procs++ {
		done := make([]int, 100)
		if err := Try(procs, 100, func(i int) error { done[i]++; return nil }); err != nil {
			t.Error(err)
		}
		for i, times := range done {
			if times != 1 {
				t.Errorf("task %d is done %d times", i, times)
			}
		}
		for range 5000 {
			err := Try(procs, len(errs), func(i int) error {
				if i > 2 && procs == 1 {
					t.Errorf("task %d begins after an error", i)
				}
				return errs[i]
			})
			if err != errs[2] {
				t.Fatalf("%d goroutines: %v, want the error of task 2", procs, err)
			}
		}
	}
}
