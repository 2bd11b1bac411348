package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
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
