package spectral

import "sync"

// mostFits is the largest number of results that a cache keeps.
const mostFits = 256

// cache keeps results and errors by their keys, arrays of what the results depend on, at most mostFits. Callers who
// want the same result compute it once and wait for each other; those who want others do not wait.
type cache[V any] struct {
	mu sync.Mutex
	of map[any]func() (V, error)
}

// get returns the result of a key, which compute makes.
func (c *cache[V]) get(key any, compute func() (V, error)) (V, error) {
	c.mu.Lock()
	result := c.of[key]
	if result == nil {
		if c.of == nil || len(c.of) >= mostFits {
			c.of = map[any]func() (V, error){}
		}
		result = sync.OnceValues(compute)
		c.of[key] = result
	}
	c.mu.Unlock()
	return result()
}
