//go:build unix

package modelfile

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestReadLooksFirst: what is no regular file is refused without waiting for it or reading it, and of a file of 6 GB
// without contents no more is held than its header and a piece.
func TestReadLooksFirst(t *testing.T) {
	dir := t.TempDir()
	fifo, sparse, empty := filepath.Join(dir, "fifo"), filepath.Join(dir, "sparse"), filepath.Join(dir, "empty")
	mustDo(syscall.Mkfifo(fifo, 0o600))
	whole := must(Encode(nil, of("w", dense([]float64{1}, 1))))
	for path, start := range map[string][]byte{sparse: whole, empty: nil} {
		mustDo(os.WriteFile(path, start, 0o600))
		mustDo(os.Truncate(path, 6<<30))
	}
	for _, c := range []struct {
		path, text string
		is         error
	}{
		{fifo, "fifo is a named pipe", ErrFormat},
		{os.DevNull, os.DevNull + " is a device", ErrFormat},
		{"/dev/zero", "/dev/zero is a device", ErrFormat},
		{dir, "is a directory", ErrFormat},
		{sparse, "the tensors end at byte 8, the file holds", ErrCorrupt},
		{empty, "the header does not begin with", ErrFormat},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Read(c.path)
		runtime.ReadMemStats(&after)
		fails(t, c.path, err, c.is, c.text)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s: %d bytes were allocated", c.path, took)
		}
	}
}
