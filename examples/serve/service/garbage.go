package service

import (
	"os"
	"runtime"
	"runtime/debug"
)

// A request leaves its features as garbage, a megabyte for 64 rows of 2048, and with a small model beside them Go
// collects at every other request, which took half of the server's time. So the heap may grow by mostGrowth percent
// between two collections where that is about freeGrowth bytes, and by its own size, as Go does, where the model is
// large.
const (
	mostGrowth = 400
	freeGrowth = 64 << 20
)

// The whole stays within the memory that the process may take: near it Go collects in time, however much may grow. A
// sixteenth is for what Go does not count, such as the program itself.
//
// collectLess sets that for the heap of now, unless GOMEMLIMIT or GOGC says otherwise.
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
