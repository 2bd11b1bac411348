// Package wholefile writes files that appear under their name only when they are complete. Until then, and after any
// failure, the name keeps its old content.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/bochner-go/bochner/ops/domain"
)

// File is a file in progress, under a temporary name in the folder of its final name.
type File struct {
	tmp  *os.File
	path string
	mode fs.FileMode
}

var _ io.Writer = (*File)(nil)

// Create starts a file. If path is a symbolic link, the link stays and its target is replaced. An existing file keeps
// its mode. Errors: a folder at path; the errors of the file system.
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
	f := &File{tmp, path, mode}
	unfinished.Store(f, nil)
	return f, nil
}

// unfinished has the files in progress as its keys.
var unfinished sync.Map

// AbortAll is Abort of every file in progress, for a program that is about to exit. Their Write and Commit fail from
// then on.
func AbortAll() {
	for f := range unfinished.Range {
		f.(*File).Abort()
	}
}

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) { return f.tmp.Write(p) }

// WriteAt writes at an offset, over earlier bytes or beyond them; the position of Write does not change.
func (f *File) WriteAt(p []byte, off int64) (int, error) { return f.tmp.WriteAt(p, off) }

// Commit syncs the file to disk and renames it to its final name. If it fails before the rename, the temporary file is
// gone and the name keeps its old content.
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
	unfinished.Delete(f)
	return syncFolder(filepath.Dir(f.path))
}

// Abort removes the temporary file. It returns no error, since the reason to abort is the error to report.
func (f *File) Abort() {
	unfinished.Delete(f)
	f.tmp.Close() // of no effect where it is closed already
	os.Remove(f.tmp.Name())
}

// Close is Commit if err is nil. Otherwise it is Abort and returns err.
func (f *File) Close(err error) error {
	if err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// Write creates a file, calls write, and then Close with its error. Errors: as for Create, write and Commit;
// domain.ErrParam for a nil write.
func Write(path string, write func(w io.Writer) error) error {
	if write == nil {
		return fmt.Errorf("wholefile: Write %s: the function that writes is nil: %w", path, domain.ErrParam)
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	return f.Close(write(f))
}

// syncFolder makes a rename in the folder durable. Windows has no such call and does not need it.
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
