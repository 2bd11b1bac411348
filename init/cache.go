package spectral

import "sync"

// mostFits is the largest number of results that a cache keeps.
const mostFits = 256

// cache keeps results and errors by their keys, at most mostFits. Callers who want the same result compute it once and
// wait for each other; those who want others do not wait.
type cache[K comparable, V any] struct {
	mu sync.Mutex
	of map[K]*cached[V]
}

type cached[V any] struct {
	once  sync.Once
	value V
	err   error
}

// get returns the result of a key, which compute makes.
func (c *cache[K, V]) get(key K, compute func() (V, error)) (V, error) {
	c.mu.Lock()
	e := c.of[key]
	if e == nil {
		if c.of == nil || len(c.of) >= mostFits {
			c.of = map[K]*cached[V]{}
		}
		e = new(cached[V])
		c.of[key] = e
	}
	c.mu.Unlock()
	e.once.Do(func() { e.value, e.err = compute() })
	return e.value, e.err
}
