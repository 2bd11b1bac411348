//go:build unix

package data

import (
	"errors"
	"os"
)

// createSpill makes a file without a name in dir, so that it vanishes with its last reader or with the program, however
// that ends.
func createSpill(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "bochner-rows-*.tmp")
	if err != nil {
		return nil, err
	}
	err = os.Remove(f.Name())
	if err == nil && inMemory(f) {
		err = errors.New("the folder is in memory; TMPDIR names another")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
