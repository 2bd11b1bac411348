package service

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train/data"
)

// watched is a body that looks at the budget and the heap while it is read.
type watched struct {
	io.Reader
	h          *hold
	held, heap int64
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if w.held = max(w.held, w.h.n); err == io.EOF {
		w.heap = inUse()
	}
	return n, err
}

// inUse is what is in use after a collection.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestTableMemory: what texts take is asked of the budget and given back, and it is as much as they take; texts that come
// again take nothing.
func TestTableMemory(t *testing.T) {
	const n = 40_000
	of := newTable(tableModel(data.ColumnOptions{}).Columns)
	of.mostTexts = 1 << 30
	body := func(level func(i int) string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,[1,%q,0,"no","2026-01-31"]`, level(i))
		}
		return `{"rows": [` + b.String()[1:] + `]}`
	}
	read := func(text string, total int64) (*watched, error) {
		h := newBudget(total).open()
		w := &watched{Reader: strings.NewReader(text), h: h}
		_, _, err := readTable(w, of, n, h)
		if err == nil && h.n != 0 {
			t.Errorf("%d bytes are held at the end", h.n)
		}
		return w, err
	}
	distinct := body(func(i int) string { return fmt.Sprintf("level %d %s", i, strings.Repeat("x", i%50)) })
	before := inUse()
	few, err := read(body(func(i int) string { return fmt.Sprint("level ", i%10) }), 1<<30)
	if few.held > textPiece || few.heap-before > tableGrowth*5*n || err != nil {
		t.Errorf("10 texts take %d bytes of the budget and %d of the heap: %v", few.held, few.heap-before, err)
	}
	many, err := read(distinct, 1<<30)
	if took := many.heap - few.heap; took > many.held+textPiece || many.held > 3*took || err != nil {
		t.Errorf("%d texts take %d bytes of the budget and %d of the heap: %v", n, many.held, took, err)
	}
	t.Logf("%d texts: %d bytes of the budget, %d of the heap", n, many.held, many.heap-few.heap)
	if _, err := read(distinct, 1<<20); status(err) != 413 {
		t.Errorf("%d texts in 1 MB: %v", n, err)
	}
	of.mostTexts = 1 << 20
	if _, err := read(distinct, 1<<30); status(err) != 413 || !strings.Contains(err.Error(), "more than 1048576 bytes of memory; send its rows in several requests") {
		t.Errorf("%d texts where 1 MB is allowed: %v", n, err)
	}
	var keys strings.Builder
	for i := range n {
		fmt.Fprintf(&keys, `,"key %d": 1`, i)
	}
	if _, err := read(`{"rows": [{`+keys.String()[1:]+`}]}`, 1<<20); status(err) != 413 {
		t.Errorf("%d keys in 1 MB: %v", n, err)
	}
}

// FuzzTable: what readTable refuses is of a kind that a client is told, and what it takes is of the table's width.
func FuzzTable(f *testing.F) {
	of := newTable(tableModel(data.ColumnOptions{}).Columns)
	of.mostTexts = 1 << 20
	for _, text := range []string{arrays(passengers(2, 1)), objects(passengerNames, passengers(2, 1), map[string]any{"z": []any{1, "a", nil}}), `{"rows": [{"age": "\ud83d\ude00"}]}`, `{"rows": [["?", null]]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, _, err := readTable(strings.NewReader(text), of, 3, newBudget(1<<20).open())
		if err != nil {
			if !told(err) && status(err) == 0 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if x.Shape()[1] != of.Dims() {
			t.Fatalf("%q becomes %v", text, x.Shape())
		}
	})
}
