package given

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// perWorker is how many turns of InParallel a goroutine takes, about: enough that none waits long for the last, on
// cores that are not equally free, and few enough that the counter, which all cores write, is no matter.
const perWorker = 32

// InParallel runs f(0..tasks-1) on GOMAXPROCS goroutines, this one included, which take runs of neighbouring tasks.
// What a task computes depends on its number only.
func InParallel(tasks int, f func(task int)) { OnWorkers(runtime.GOMAXPROCS(0), tasks, f) }

// OnWorkers is InParallel on a number of goroutines. It returns how often they stepped the counter.
func OnWorkers(workers, tasks int, f func(task int)) (steps int) {
	if workers = min(workers, tasks); workers <= 1 {
		for i := range tasks {
			f(i)
		}
		return 0
	}
	run := max(1, tasks/(perWorker*workers))
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func() {
		for lo := int(next.Add(1)-1) * run; lo < tasks; lo = int(next.Add(1)-1) * run {
			for i := lo; i < min(lo+run, tasks); i++ {
				f(i)
			}
		}
	}
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return int(next.Load())
}

// Try is OnWorkers for tasks that may fail. It returns the error of the first task in their order that fails, whatever
// the goroutines do, and after an error begins no task that comes later in the order.
func Try(workers, tasks int, f func(task int) error) error {
	var mu sync.Mutex
	first, failure := tasks, error(nil)
	OnWorkers(workers, tasks, func(i int) {
		mu.Lock()
		begin := i < first
		mu.Unlock()
		if !begin {
			return
		}
		if err := f(i); err != nil {
			mu.Lock()
			if i < first {
				first, failure = i, err
			}
			mu.Unlock()
		}
	})
	return failure
}
