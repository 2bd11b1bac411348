package service

import (
	"net/http"
	"sync"
)

// budget is the memory that all requests in flight may hold together: bodies as far as they have come, rows, answers
// that nobody reads. Where a request asks for more than is left, the one that holds the most gives way, of equal ones
// the oldest, so that many who hold much cannot turn away one who needs little. What a turn takes for a while is not of
// it (see share).
type budget struct {
	mu          sync.Mutex
	changed     sync.Cond
	total, used int64
	holds       map[*hold]struct{}
	born        int
}

func newBudget(total int64) *budget {
	b := &budget{total: total, holds: map[*hold]struct{}{}}
	b.changed.L = &b.mu
	return b
}

// hold is what one request has of the budget.
type hold struct {
	b    *budget
	n    int64
	born int    // a number that grows with time
	stop func() // ends what the request waits for; nil while it computes, which ends by itself
	shed bool   // it was told to give way
}

func (b *budget) open() *hold {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.born++
	h := &hold{b: b, born: b.born}
	b.holds[h] = struct{}{}
	return h
}

// resize changes the total. Requests that hold more have it until they end.
func (b *budget) resize(total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total = total
	b.changed.Broadcast()
}

// held is what all requests hold.
func (b *budget) held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// errFull is the answer to a request that gave way.
var errFull = refusal(http.StatusServiceUnavailable,
	"the requests in flight take as much as -max-memory allows; send it again later, or its rows in several requests")

// grow takes n bytes more. It waits for those that give way to this request, and fails where it has to give way itself.
func (h *hold) grow(n int64) error {
	b := h.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.n+n > b.total {
		return refusal(http.StatusRequestEntityTooLarge,
			"the request takes more than the %d bytes that -max-memory leaves to all of them; send its rows in several requests", b.total)
	}
	for !h.shed && b.used+n > b.total {
		var most *hold
		leaving := int64(0)
		for o := range b.holds {
			switch {
			case o.shed:
				leaving += o.n
			case o != h && o.stop != nil && (most == nil || o.n > most.n || o.n == most.n && o.born < most.born):
				most = o
			}
		}
		if b.used-leaving+n > b.total {
			if most == nil || most.n < h.n+n || most.n == h.n+n && h.born < most.born {
				return errFull
			}
			most.shed = true
			most.stop()
			b.changed.Broadcast() // it may be waiting here
			continue
		}
		b.changed.Wait()
	}
	if h.shed {
		return errFull
	}
	b.used += n
	h.n += n
	return nil
}

// shrink gives n bytes back.
func (h *hold) shrink(n int64) {
	h.b.mu.Lock()
	defer h.b.mu.Unlock()
	h.b.used -= n
	h.n -= n
	h.b.changed.Broadcast()
}

// waits says that the request waits, for what stop ends; nil: it computes from now on. It fails where the request has
// to give way.
func (h *hold) waits(stop func()) error {
	h.b.mu.Lock()
	defer h.b.mu.Unlock()
	h.stop = stop
	if h.shed {
		return errFull
	}
	return nil
}

// close gives everything back, once. What stop ends is not touched afterwards.
func (h *hold) close() {
	h.b.mu.Lock()
	defer h.b.mu.Unlock()
	h.b.used -= h.n
	h.n, h.stop = 0, nil
	delete(h.b.holds, h)
	h.b.changed.Broadcast()
}
