package service

import (
	order "container/list"
	"errors"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// connections keeps the number of open ones at most. One more closes the connection that has waited longest
// for the head of a request, new or kept alive; one whose request has begun is not, and where all have, it is the new
// one.
type connections struct {
	mu      sync.Mutex
	most    int
	open    map[net.Conn]*order.Element // nil for one whose request has begun
	waiting order.List                  // the longest first
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*order.Element{}}
}

// count is how many are open.
func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

// changed is an http.Server's ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.open[conn]; e != nil {
		c.waiting.Remove(e)
		c.open[conn] = nil
	}
	switch state {
	case http.StateNew, http.StateIdle:
		c.open[conn] = c.waiting.PushBack(conn)
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
	for len(c.open) > c.most && c.closeOne() {
	}
}

// closeOne closes the one that has waited longest. False: none waits.
func (c *connections) closeOne() bool {
	e := c.waiting.Front()
	if e == nil {
		return false
	}
	conn := c.waiting.Remove(e).(net.Conn)
	delete(c.open, conn)
	conn.Close() // that it was closed already is no failure
	return true
}

// roomy is a listener that makes room where the process has no descriptor left for a connection.
type roomy struct {
	net.Listener
	c *connections
}

func (l roomy) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if !errors.Is(err, syscall.EMFILE) {
			return conn, err
		}
		l.c.mu.Lock()
		closed := l.c.closeOne()
		l.c.mu.Unlock()
		if !closed {
			return conn, err // which net/http tries again after a while
		}
	}
}
