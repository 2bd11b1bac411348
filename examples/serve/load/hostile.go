package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// target is what hostile clients know of the server: its card.
type target struct {
	InputDim int      `json:"input_dim"`
	Columns  []column `json:"columns"`
	MaxRows  int      `json:"max_rows"`
	MaxBody  int64    `json:"max_body_bytes"`
}

// width is how many cells a row has.
func (t target) width() int {
	if t.Columns != nil {
		return len(t.Columns)
	}
	return t.InputDim
}

// attack is one form of a request that is not meant well.
type attack struct {
	name  string
	parts [][]byte      // sent one after the other
	pause time.Duration // between them
	deaf  bool          // the answer is not read
}

// attacks are those on a server. Each is a valid beginning at least, so that the server has to go into it.
func attacks(host string, of target) []attack {
	n, d := of.MaxRows, of.width()
	head := func(kind string, size int) []byte {
		return fmt.Appendf(nil,
			"POST /predict?scores=true HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			host, kind, size)
	}
	whole := func(kind string, body []byte) []byte { return append(head(kind, len(body)), body...) }
	held := func(kind string, body []byte) []byte { return append(head(kind, int(of.MaxBody)), body...) }
	const npy, text = "application/x-npy", "application/json"
	dict := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }\n", n, d)
	array := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
	array = append(array, dict...)
	zeros := make([]byte, min(n*d*8, 1<<26))
	packed := gzipped(array, zeros)
	row := "[" + strings.TrimSuffix(strings.Repeat("0.123456789,", d), ",") + "],"
	rows := []byte(`{"rows": [` + strings.Repeat(row, min(n, max(1, int(of.MaxBody)/len(row)-1))))
	many := max(0, int(min(of.MaxBody, 1<<22))-64)
	keys := []byte(`{"rows": [{`)
	for i := 0; len(keys) < many; i++ {
		keys = fmt.Appendf(keys, `"key %d": "text %d", `, i, i)
	}
	slow := [][]byte{held(text, []byte(`{"rows": [`))}
	for range 1000 {
		slow = append(slow, []byte("[0.5,"))
	}
	return []attack{
		{name: "a packed array that announces the most rows, held open", parts: [][]byte{held(npy,
			packed[:min(len(packed), 15000)])}},
		{name: "the same, and 64 MB more", parts: [][]byte{whole(npy, gzipped(array, zeros, make([]byte, 1<<26)))}},
		{name: "a gigabyte in 32 kB", parts: [][]byte{whole(npy, zstandard(23, array, 1<<30))}},
		{name: "the same, whole: the most rows in few bytes", parts: [][]byte{whole(npy, packed)}},
		{name: "a window of 128 MB, held open", parts: [][]byte{held(npy, zstandard(27, array, len(zeros)))}},
		{name: "a window of 128 MB, whole", parts: [][]byte{whole(npy, zstandard(27, array, len(zeros)))}},
		{name: "a window of 8 MB and the most rows", parts: [][]byte{whole(npy, zstandard(23, array, len(zeros)))}},
		{name: "numbers, one each now and then", parts: slow, pause: 200 * time.Millisecond},
		{name: "the most rows as text, held open", parts: [][]byte{held(text, rows)}},
		{name: "keys and texts that all differ", parts: [][]byte{whole(text, keys)}},
		{name: "values that nest", parts: [][]byte{whole(text, []byte(`{"rows": [{"a": `+strings.Repeat(`[`, many)))}},
		{name: "a text without an end", parts: [][]byte{whole(text, []byte(`{"rows": [["`+strings.Repeat(`\u00e9`, many/6)))}},
		{name: "nothing of what is announced", parts: [][]byte{held(text, nil)}},
		{name: "an answer that is not read", parts: [][]byte{whole(npy, packed)}, deaf: true},
		{name: "half a head", parts: [][]byte{head(text, 1)[:20]}},
	}
}

func gzipped(parts ...[]byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, p := range parts {
		_, _ = w.Write(p) // to memory
	}
	_ = w.Close()
	return b.Bytes()
}

// zstandard is a frame of RFC 8878 with a window of 2^log bytes: a block as it is, and zeros in blocks of one repeated
// byte.
func zstandard(log int, start []byte, zeros int) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3}
	block := func(kind, size int, last bool, data ...byte) {
		head := uint32(kind<<1 | size<<3)
		if last {
			head |= 1
		}
		b = append(append(b, binary.LittleEndian.AppendUint32(nil, head)[:3]...), data...)
	}
	block(0, len(start), false, start...)
	for left := zeros; left > 0; left -= 1 << 17 {
		block(1, min(left, 1<<17), left <= 1<<17, 0)
	}
	return b
}

// crowd are connections that hold on while a run lasts, and come again when they are closed.
type crowd struct {
	address string
	of      []attack
	group   sync.WaitGroup
	mu      sync.Mutex
	answers map[string]int // status of the answers to hostile requests, and "none"
}

// again is the time before a connection comes again.
const again = 500 * time.Millisecond

// gather starts so many idle and hostile connections, until ctx ends.
func gather(ctx context.Context, address string, of target, idle, hostile int) (*crowd, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	c := &crowd{address: u.Host, answers: map[string]int{}}
	if hostile > 0 {
		c.of = attacks(u.Host, of)
	}
	for i := range idle {
		c.group.Go(func() {
			c.repeat(ctx, func(conn net.Conn, _ int) { c.idle(conn, i%2 == 0) })
		})
	}
	for i := range hostile {
		c.group.Go(func() {
			c.repeat(ctx, func(conn net.Conn, n int) { c.attack(ctx, conn, c.of[(i+n)%len(c.of)]) })
		})
	}
	return c, nil
}

func (c *crowd) repeat(ctx context.Context, do func(conn net.Conn, n int)) {
	for n := 0; ctx.Err() == nil; n++ {
		var d net.Dialer
		if conn, err := d.DialContext(ctx, "tcp", c.address); err == nil {
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			do(conn, n)
			stop()
			conn.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// idle waits until the server closes the connection, after a request or before the first.
func (c *crowd) idle(conn net.Conn, asks bool) {
	if asks {
		fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", c.address) // what fails here ends the wait
	}
	_, _ = io.Copy(io.Discard, conn)
}

func (c *crowd) attack(ctx context.Context, conn net.Conn, a attack) {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for _, p := range a.parts {
			if _, err := conn.Write(p); err != nil {
				return
			}
			time.Sleep(a.pause)
		}
	}()
	if a.deaf {
		<-sent
		select {
		case <-ctx.Done():
		case <-time.After(10 * again):
		}
		return
	}
	status := "none"
	if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
		status = fmt.Sprint(resp.StatusCode)
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	conn.Close()
	<-sent
	c.mu.Lock()
	c.answers[status]++
	c.mu.Unlock()
}
