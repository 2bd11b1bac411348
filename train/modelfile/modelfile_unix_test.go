//go:build unix

package modelfile

import (
	"os"
	"path/filepath"
	"testing"
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
