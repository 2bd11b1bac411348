package service

import (
	"container/heap"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// turns are the places of the requests that are read or computed at a time. The least request that waits is the next,
// of equal ones the first that came: a few large ones delay many small ones by a moment only.
type turns struct {
	mu    sync.Mutex
	most  int
	free  int
	queue queue
	came  int
}

func newTurns(n int) *turns { return &turns{most: n, free: n} }

// turn is the place of one request, of so much work.
type turn struct {
	t    *turns
	work int64         // in bytes of rows
	left time.Duration // how long it may still wait
}

// take waits until it is the turn of the request.
func (r *turn) take(ctx context.Context) error {
	t := r.t
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	t.came++
	w := &waiter{work: r.work, came: t.came, ready: make(chan struct{})}
	heap.Push(&t.queue, w)
	t.mu.Unlock()
	start := time.Now()
	timer := time.NewTimer(r.left)
	defer timer.Stop()
	var err error
	select {
	case <-w.ready:
		r.left -= time.Since(start)
		return nil
	case <-timer.C:
		err = refusal(http.StatusServiceUnavailable,
			"no turn in time, -concurrent %d predictions are being computed; send it again later", t.most)
	case <-ctx.Done():
		err = fmt.Errorf("serve: the request has ended: %w", ctx.Err())
	}
	t.mu.Lock()
	waiting := w.index >= 0
	if waiting {
		heap.Remove(&t.queue, w.index)
	}
	t.mu.Unlock()
	if !waiting { // it became its turn meanwhile
		r.give()
	}
	return err
}

// give ends the turn.
func (r *turn) give() {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if len(r.t.queue) == 0 {
		r.t.free++
		return
	}
	close(heap.Pop(&r.t.queue).(*waiter).ready)
}

// outdone says whether a request of less work waits.
func (r *turn) outdone() bool {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	return len(r.t.queue) > 0 && r.t.queue[0].work < r.work
}

type waiter struct {
	work        int64
	came, index int // index is -1 once it has its turn
	ready       chan struct{}
}

// queue is a heap.
type queue []*waiter

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].work < q[j].work || q[i].work == q[j].work && q[i].came < q[j].came
}
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *queue) Push(x any) {
	w := x.(*waiter)
	w.index = len(*q)
	*q = append(*q, w)
}
func (q *queue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	w.index = -1
	(*q)[last] = nil
	*q = (*q)[:last]
	return w
}
