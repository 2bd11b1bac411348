package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bochner-go/bochner/train/wholefile"
)

// CheckWritable checks that a file can be written under that name, before any work is done for it. An empty name is no
// file.
func CheckWritable(flagName, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s %s: cannot be written: it is a folder or a device; name a file", flagName, path)
	}
	file := path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		file = target // which is what will be replaced
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*.tmp")
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err // the name of the temporary file says nothing
		}
		return fmt.Errorf("%s %s: cannot be written: %w; see that the folder exists and can be written to", flagName, path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// File is a file that a flag names, such as --save. An empty path is no file.
type File struct{ Flag, Path string }

// CheckFiles checks, before any work is done for them, that no output is one of the inputs or another output, under
// whatever names and through links, that pictures are named as PNG files, and that the outputs can be written.
// Inputs may be folders.
func CheckFiles(inputs, outputs []File) error {
	var taken []File
	for _, in := range inputs {
		if in.Path == "" {
			continue
		}
		taken = append(taken, in)
		if info, err := os.Stat(in.Path); err == nil && info.IsDir() {
			// What cannot be listed cannot be read either, which is said when it is.
			_ = filepath.WalkDir(in.Path, func(path string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					taken = append(taken, File{in.Flag, path})
				}
				return nil
			})
		}
	}
	var errs []error
	for _, out := range outputs {
		if out.Path == "" {
			continue
		}
		for _, other := range taken {
			if wholefile.Same(out.Path, other.Path) {
				return Usage("%s and %s name the same file, %s; name another for %s", out.Flag, other.Flag, other.Path, out.Flag)
			}
		}
		if strings.TrimLeft(out.Flag, "-") == "plot" && strings.ToLower(filepath.Ext(out.Path)) != ".png" {
			return Usage("%s %s: want a name that ends in .png", out.Flag, out.Path)
		}
		taken, errs = append(taken, out), append(errs, CheckWritable(out.Flag, out.Path))
	}
	return errors.Join(errs...)
}

// Files are the files and folders that a flag names.
func Files(flagName string, paths ...string) (files []File) {
	for _, path := range paths {
		files = append(files, File{flagName, path})
	}
	return files
}
