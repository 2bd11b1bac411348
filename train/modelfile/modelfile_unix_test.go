//go:build unix

package modelfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"gorgonia.org/tensor"
)

// TestWriteKeeps: permissions and a symbolic link outlive a new version of the file.
func TestWriteKeeps(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "m"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("m", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, nil, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 || info.Size() == 0 {
		t.Errorf("the file: %v %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v %v", info.Mode(), err)
	}
}

// TestReadLooksFirst: what is no regular file is refused without waiting for it or reading it, and of a file of 6 GB
// without contents no more is held than its header and a piece.
func TestReadLooksFirst(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	const size = 6 << 30
	sparse := filepath.Join(dir, "sparse")
	whole := must(Encode(nil, map[string]*tensor.Dense{"w": dense([]float64{1}, 1)}))
	if err := os.WriteFile(sparse, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{sparse, empty} {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
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
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.path, err, c.text)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s: %d bytes were allocated", c.path, took)
		}
	}
}
