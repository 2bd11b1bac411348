package train_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to five times what is live before the collector runs, which spares CPU time, unless GOGC
// in the environment says otherwise.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
