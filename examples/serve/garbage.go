package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// A request leaves its features as garbage, a megabyte for 64 rows of 2048, and with a small model beside them Go collects at every other
// request, which took half of the server's time. So the heap may grow by mostGrowth percent between two collections where that is about
// freeGrowth bytes, and by its own size, as Go does, where the model is large.
const (
	mostGrowth = 400
	freeGrowth = 64 << 20
)

// collectLess sets that for the heap of now, unless GOGC says otherwise.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetGCPercent(int(min(mostGrowth, max(100, 100*freeGrowth/max(m.HeapAlloc, 1)))))
}
