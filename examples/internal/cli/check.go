package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/wholefile"
)

// CheckWritable checks that a file can be written under that name, before any work is done for it. An empty name is no
// file.
func CheckWritable(flagName, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("-%s %s: cannot be written: it is a folder or a device; name a file", flagName, path)
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
		return fmt.Errorf("-%s %s: cannot be written: %w; see that the folder exists and can be written to", flagName, path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// File is a file that a flag names. An empty path is no file.
type File struct{ Flag, Path string }

// CheckFiles checks, before any work is done for them, that no output is one of the inputs or another output, under
// whatever names and through links, and that the outputs can be written. Inputs may be folders.
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
	for _, out := range outputs {
		if out.Path == "" {
			continue
		}
		for _, other := range taken {
			if wholefile.Same(out.Path, other.Path) {
				return Usage("-%s and -%s name the same file, %s; name another for -%s", out.Flag, other.Flag, other.Path, out.Flag)
			}
		}
		taken = append(taken, out)
	}
	var errs []error
	for _, out := range outputs {
		errs = append(errs, CheckWritable(out.Flag, out.Path))
	}
	return errors.Join(errs...)
}

// Files are the files and folders that a flag names, separated by commas.
func Files(flagName, paths string) (files []File) {
	for _, path := range strings.Split(paths, ",") {
		files = append(files, File{flagName, path})
	}
	return files
}

// CheckMatrixFile wants a name that ends in .npy or .csv. An empty name is no file.
func CheckMatrixFile(flagName, path string) error {
	if path == "" {
		return nil
	}
	if ext := filepath.Ext(path); ext != ".npy" && ext != ".csv" {
		return Usage("-%s %s: want a name that ends in .npy or .csv", flagName, path)
	}
	return nil
}

// CheckRows wants the rows x [n, d], float32 or float64, dense or sparse, inside the domain of the kernel of a finished
// spec.
func CheckRows(spec layers.Spec, x ops.Matrix) error {
	k, err := spec.Kernel()
	if err != nil {
		return err
	}
	return ops.CheckRows(k.Domain(), "map "+spec.Map, x)
}
