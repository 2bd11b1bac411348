// Package wholefile writes files that appear under their name once they are whole: whatever happens before, the name holds what
// it held.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/bochner-go/bochner/ops/domain"
)

// File is a file that is being written under a temporary name, in the folder of the one that it will have.
type File struct {
	tmp  *os.File
	path string
	mode fs.FileMode
}

var _ io.Writer = (*File)(nil)

// Create starts a file. A symbolic link stays one: the file that it names is replaced, and keeps its mode.
func Create(path string) (*File, error) {
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
		if info, err := os.Stat(path); err == nil {
			if info.IsDir() {
				return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("it is a folder")}
			}
			mode = info.Mode().Perm()
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return nil, err
	}
	return &File{tmp, path, mode}, nil
}

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) { return f.tmp.Write(p) }

// WriteAt replaces bytes that were written, or adds some, at an offset; Write goes on where it was.
func (f *File) WriteAt(p []byte, off int64) (int, error) { return f.tmp.WriteAt(p, off) }

// Commit puts the file under its name, on the disk. If it fails, the temporary file is gone and the name holds what it held.
func (f *File) Commit() error {
	for _, step := range []func() error{
		func() error { return f.tmp.Chmod(f.mode) }, // CreateTemp leaves it to its owner alone
		f.tmp.Sync,
		f.tmp.Close,
		func() error { return os.Rename(f.tmp.Name(), f.path) },
	} {
		if err := step(); err != nil {
			f.Abort()
			return err
		}
	}
	return syncFolder(filepath.Dir(f.path))
}

// Abort removes what was written. The reason to abort is the error to report, so it returns none of its own.
func (f *File) Abort() {
	f.tmp.Close() // of no effect where it is closed already
	os.Remove(f.tmp.Name())
}

// Write is Create, write, and Commit or Abort. Errors: what Create and write return; domain.ErrParam where
// write is nil.
func Write(path string, write func(w io.Writer) error) error {
	if write == nil {
		return fmt.Errorf("wholefile: Write %s: the function that writes is nil: %w", path, domain.ErrParam)
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// syncFolder makes a rename in the folder lasting. Windows has no such call and does not need it.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
