//go:build !unix && !windows

package data

import (
	"errors"
	"os"
)

// createSpill returns an error: this system has no file that is sure to vanish with the program.
func createSpill(string) (*os.File, error) {
	return nil, errors.New("the system has no file that goes with the program")
}
