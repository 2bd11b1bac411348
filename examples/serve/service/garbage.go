package service

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/bochner-go/bochner/ops/domain"
)

// A request leaves its features as garbage, a megabyte for 64 rows of 2048, and with a small model beside them Go
// collects at every other request, which took half of the server's time. So the heap may grow by mostGrowth percent
// between two collections where that is about freeGrowth bytes, and by its own size, as Go does, where the model is
// large.
const (
	mostGrowth = 400
	freeGrowth = 64 << 20
)

// The whole stays below seven tenths of the memory there is, or below what the model and the requests take and as much
// again, if that is more: then Go collects in time, however much may grow.
//
// collectLess sets that for the heap of now and the requests of so many bytes, unless GOMEMLIMIT or GOGC says
// otherwise.
func collectLess(requests int64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if have := domain.Memory(); have > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(max(have/10*7, 2*(int64(m.HeapAlloc)+requests)))
	}
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(int(min(mostGrowth, max(100, 100*freeGrowth/max(m.HeapAlloc, 1)))))
}
