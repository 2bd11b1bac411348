package service

import (
	"os"
	"runtime"
	"runtime/debug"
)

// The features of a request are garbage after it, a megabyte for 64 rows of 2048. With a small model Go collected at
// every other request, which took half of the server's time. So the heap may grow by mostGrowth percent between two
// collections if that is about freeGrowth bytes, and by its own size, as in Go by default, if the model is large.
const (
	mostGrowth = 400
	freeGrowth = 64 << 20
)

// collectLess sets the growth for the current heap, and memory, less a sixteenth for what Go does not count, as the
// limit near which Go collects in any case, unless GOMEMLIMIT or GOGC is set.
func collectLess(memory int64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory - memory/16)
	}
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(int(min(mostGrowth, max(100, 100*freeGrowth/max(m.HeapAlloc, 1)))))
}
